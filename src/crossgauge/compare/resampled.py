"""Bootstrap draws of what has no closed form: medians of clusters, and means over samples of a statistic."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from crossgauge.types import Floats, Ints

Statistic = Literal["mean", "median"]

CELLS = 1 << 22  # numbers drawn at once


def resampled(
    values: Floats,
    weights: Floats,
    unit: Ints,
    sample: Ints,
    *,
    statistic: Statistic,
    resamples: int,
    seed: int,
) -> Floats:
    """Means over samples of their statistic, for resamples in which every cluster keeps its queries.

    A cluster drawn twice counts twice in every sample that holds it. A sample with nothing drawn is left out.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    summed = (_SampleMeans if statistic == "mean" else _SampleMedians)(values, weights, unit, sample)
    n = int(unit.max()) + 1
    drawn = np.empty(resamples)
    for part in _parts(resamples, n):
        rows = part.stop - part.start
        chosen = rng.integers(0, n, size=(rows, n)) * rows + np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * n).reshape(n, rows)
        each = summed(times)
        drawn[part] = each[0] if len(each) == 1 else np.nanmean(each, axis=0)
    return drawn


class _SampleMeans:
    """Weighted means in each sample, for how often each cluster was drawn."""

    def __init__(self, values: Floats, weights: Floats, unit: Ints, sample: Ints) -> None:
        from scipy.sparse import csr_array

        shape = (int(sample.max()) + 1, int(unit.max()) + 1)
        infinite = np.isinf(values)
        self._sums, self._weights, self._infinite = (
            csr_array((data, (sample, unit)), shape=shape)  # several queries of one cluster add up
            for data in (np.where(infinite, 0.0, values) * weights, weights, infinite.astype(np.float64))
        )

    def __call__(self, times: Ints) -> Floats:
        """(samples, rows) from ``times`` (clusters, rows); infinite where an infinite value was drawn."""
        counted = times.astype(np.float64)
        with np.errstate(invalid="ignore"):  # nothing drawn: undefined
            means: Floats = (self._sums @ counted) / (self._weights @ counted)
        means[np.asarray(self._infinite @ counted) > 0] = np.inf
        return means


class _SampleMedians:
    """Medians in each sample, for how often each cluster was drawn."""

    def __init__(self, values: Floats, _weights: Floats, unit: Ints, sample: Ints) -> None:
        ascending = np.lexsort((values, sample))
        edges = np.searchsorted(sample[ascending], np.arange(int(sample.max()) + 2))
        rows = [ascending[begin:end] for begin, end in pairwise(edges)]
        self._samples = [(values[one], unit[one]) for one in rows]

    def __call__(self, times: Ints) -> Floats:
        """(samples, rows) from ``times`` (clusters, rows)."""
        small = times.astype(np.int32)
        return np.array([self._medians(values, small[unit]) for values, unit in self._samples])

    @staticmethod
    def _medians(values: Floats, times: npt.NDArray[np.int32]) -> Floats:
        reached = np.cumsum(times, axis=0, dtype=np.int32)
        total = reached[-1]
        lower = (reached < (total + 1) // 2).sum(axis=0)
        upper = (reached < total // 2 + 1).sum(axis=0)
        last = len(values) - 1
        medians: Floats = (values[np.minimum(lower, last)] + values[np.minimum(upper, last)]) / 2.0
        medians[total == 0] = np.nan
        return medians


def _parts(total: int, width: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, width))
    return (slice(i, min(i + step, total)) for i in range(0, total, step))
