"""What GEM's script printed when it was run, and how it collapses where scores are rounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge import measure
from crossgauge.benchmarks.gem.official import places
from crossgauge.ranking import rank_matrix

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "gem2021.json").read_text(encoding="utf-8"))


def test_one_of_three_tied() -> None:
    wanted = GOLDEN["one of three tied"]
    found = places(np.array([[0.5, 0.5, 0.1], [0.2, 0.9, 0.1], [0.2, 0.1, 0.9]]))
    assert found.columns.tolist() == wanted["columns"]
    assert found.values["hit@1"] == wanted["hit@1"]


def test_all_equal() -> None:
    wanted = dict(GOLDEN["all equal, 1000 x 1000"])
    found = places(np.zeros((1000, 1000), dtype=np.float32))
    assert len(found.columns) == wanted.pop("places")
    assert {name: found.values[name] for name in wanted} == wanted


@pytest.mark.parametrize("step", ["0", "0.01", "0.1", "0.5"])
def test_rounded_scores_collapse(step: str) -> None:
    """Rounding hardly moves our numbers; the script's falls far below the worst order of the ties."""
    scores = np.random.default_rng(2021).standard_normal((1000, 1000)) + 3 * np.eye(1000)
    if float(step):
        scores = np.round(scores / float(step)) * float(step)
    ours = measure(rank_matrix(scores), ["mean_recall"])["mean_recall"]
    got = {
        "script": places(scores).values["mean_recall"], "optimistic": ours.optimistic,
        "expected": ours.value, "pessimistic": ours.pessimistic,
    }  # fmt: skip
    wanted = GOLDEN["mean recall by rounding"][step]
    assert {name: got[name] for name in wanted} == pytest.approx(wanted, abs=0.02)
    if float(step):
        assert got["script"] < ours.pessimistic - 0.1
    else:
        assert got["script"] == pytest.approx(ours.value, abs=1e-12)
