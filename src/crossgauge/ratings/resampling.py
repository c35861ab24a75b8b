"""Percentile intervals of any statistic that can be computed from how often each pair was drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossgauge.compare import CELLS
from crossgauge.types import Floats

RESAMPLES = 2000
LEVEL = 0.95
Times = Floats  # (R, P) how often each pair was drawn; whole numbers that sum to P


def interval(statistic: Callable[[Times], Floats], pairs: int, *, seed: int = 0) -> tuple[float, float]:
    """The range that holds the statistic, (R, P) → (R,), in 95 % of 2,000 resamples of the pairs.

    Resamples in which it is undefined (NaN: every value equal) are left out; (NaN, NaN) when fewer than two
    pairs are there or nothing is left. The draw is PCG64 from ``seed`` alone.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.

    >>> interval(lambda times: times @ np.array([1.0, 1.0]) / 2, 2)
    (1.0, 1.0)
    """
    if pairs <= 1:
        return (np.nan, np.nan)
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, CELLS // (8 * pairs))
    drawn = []
    for start in range(0, RESAMPLES, step):
        rows = min(step, RESAMPLES - start)
        chosen = rng.integers(0, pairs, size=(rows, pairs)) + pairs * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * pairs).reshape(rows, pairs)
        drawn.append(statistic(times.astype(np.float64)))
    values = np.sort(np.concatenate(drawn))
    values = values[~np.isnan(values)]
    if not len(values):
        return (np.nan, np.nan)
    tail = (1.0 - LEVEL) / 2.0
    low, high = int(np.floor(tail * len(values))), int(np.ceil((1.0 - tail) * len(values))) - 1
    return float(values[low]), float(values[high])
