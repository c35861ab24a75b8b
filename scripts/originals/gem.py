"""GEM: compute_metrics of metric-retrieval.py over matrices with ties, NaN, infinity and more columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from originals.running import load, original, plain, stand_in, versions

HOME = "microsoft/GEM"
COMMIT = "64f2ec540f8a8e86b79f8f398b1fac425ae69274"
SEED = 2021
RECIPE = (
    "Matrices are drawn by numpy.random.RandomState(2021), one after the other: whole numbers from -2000 to "
    "2000 over 1024 (distinct), -4 to 4 over 4 (coarse), 0 to 10 over 10 (rounded to tenths); the diagonal "
    "is raised by 1/2 or 1/4. In 'not finite', entries are set to NaN and infinity at fixed places. "
    "compute_metrics is called on each and what it returns, or the name of what it raises, is kept."
)


def matrices() -> dict[str, np.ndarray]:
    """The inputs, by name."""
    draw = np.random.RandomState(SEED)
    coarse = draw.randint(-4, 5, (40, 40)) / 4
    odd = draw.randint(-4, 5, (12, 15)) / 4
    odd[0, 0] = odd[1, 5] = odd[2, 2] = odd[2, 3] = np.nan
    odd[3, 3] = odd[4, 6] = odd[5, 5] = odd[5, 1] = np.inf
    odd[6, 6] = odd[7, 2] = -np.inf
    lost = draw.randint(-4, 5, (5, 5)) / 4
    np.fill_diagonal(lost, np.nan)
    return {
        "distinct": draw.randint(-2000, 2001, (12, 12)) / 1024 + np.eye(12) / 2,
        "coarse": coarse,
        "coarse, float32": (coarse + np.eye(40) / 4).astype(np.float32),
        "more columns": draw.randint(-4, 5, (8, 20)) / 4,
        "more rows": draw.randint(-4, 5, (8, 6)) / 4,
        "all equal": np.zeros((30, 30)),
        "rounded to tenths": draw.randint(0, 11, (30, 30)) / 10,
        "not finite": odd,
        "no right answer is a number": lost,
    }


def golden(home: Path) -> dict[str, Any]:
    """Inputs, and what the original says of them."""
    path = home / HOME / "evaluation" / "metric-retrieval.py"
    script = load(path, "metric_retrieval", {"scipy": stand_in("scipy")})
    cases = {}
    for name, matrix in matrices().items():
        case: dict[str, Any] = {"scores": plain(matrix), "dtype": str(matrix.dtype)}
        with np.errstate(all="ignore"):
            try:
                case["metrics"] = {
                    key: value if key == "cols" else float(value)
                    for key, value in script.compute_metrics(matrix).items()
                }
            except (ValueError, ZeroDivisionError) as error:
                case["raises"] = type(error).__name__
        cases[name] = case
    return {
        "original": [original(f"{HOME}@{COMMIT}", "evaluation/metric-retrieval.py")],
        "ran with": versions("numpy"),
        "recipe": RECIPE,
        "cases": cases,
    }
