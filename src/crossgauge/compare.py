"""How sure a number is: percentile bootstrap intervals over queries, or over clusters of queries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from crossgauge.types import Floats, Ints

Statistic = Literal["mean", "median"]

CELLS = 1 << 22  # numbers drawn at once
FEW = 512  # distinct values up to which counts of values are drawn instead of queries


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    statistic: Statistic = "mean",
    weights: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    draws: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[float, float]:
    """The range that holds the statistic in ``level`` of the resamples of the queries.

    Arguments:
        values: (Q,) one a query; NaN is left out.
        statistic: the mean, or the plain median (of an even number: half-way between the middle two).
        weights: (Q,) weights of the mean, e.g. one over the size of the class; not for the median.
        clusters: (Q,) labels; queries with the same label (captions of one picture) are drawn together.
        draws: (Q,) labels of samples; the statistic is then the mean over samples of the one in each.
        level, resamples, seed: the draw is PCG64 from ``seed`` alone, so equal inputs give equal bytes.

    Returns (low, high) in the unit of the values; (NaN, NaN) for fewer than two queries or clusters.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; clusters as in
    Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    numbers = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(numbers)
    numbers = numbers[defined]
    weighing = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)[defined]
    unit = np.arange(len(numbers))
    if clusters is not None:
        unit = np.unique(np.asarray(clusters)[defined], return_inverse=True)[1].reshape(-1)
    if unit.max(initial=0) < 1:
        return (np.nan, np.nan)
    rng = np.random.Generator(np.random.PCG64(seed))
    if draws is not None:
        sample = np.unique(np.asarray(draws)[defined], return_inverse=True)[1].reshape(-1)
        drawn = _over_draws(
            numbers, weighing, unit, sample, statistic=statistic, resamples=resamples, rng=rng
        )
    elif statistic == "mean":
        drawn = _means(numbers * weighing, weighing, unit, resamples=resamples, rng=rng)
    elif clusters is None:
        drawn = _medians(np.sort(numbers), resamples=resamples, rng=rng)
    else:
        drawn = _clustered_medians(numbers, unit, resamples=resamples, rng=rng)
    drawn = np.sort(drawn)
    tail = (1.0 - level) / 2.0
    low, high = int(np.floor(tail * resamples)), int(np.ceil((1.0 - tail) * resamples)) - 1
    return float(drawn[low]), float(drawn[high])


def _means(parts: Floats, weights: Floats, unit: Ints, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Ratios of resampled sums: the weighted mean, whatever the sizes of the clusters."""
    sums = np.stack([np.bincount(unit, parts), np.bincount(unit, weights)], axis=1)
    kinds, count = np.unique(sums, axis=0, return_counts=True)
    n = len(sums)
    drawn = np.empty(resamples)
    with np.errstate(invalid="ignore"):
        if len(kinds) <= FEW:
            infinite = np.isinf(kinds[:, 0])
            kinds[infinite, 0] = 0.0  # 0 draws of an infinite value are not NaN
            for part in _parts(resamples, len(kinds)):
                times = rng.multinomial(n, count / n, size=part.stop - part.start)
                drawn[part] = (times * kinds[:, 0]).sum(axis=1) / (times * kinds[:, 1]).sum(axis=1)
                drawn[part][times[:, infinite].any(axis=1)] = np.inf
        else:
            for part in _parts(resamples, n):
                chosen = rng.integers(0, n, size=(part.stop - part.start, n))
                over, under = (np.ascontiguousarray(column)[chosen].sum(axis=1) for column in sums.T)
                drawn[part] = over / under
    return drawn


def _medians(ascending: Floats, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Medians of resamples, without resampling: only the middle order statistics of uniform draws matter.

    A resample is ``ascending[floor(n u)]`` for n uniform ``u``, and its k-th smallest comes from the k-th
    smallest ``u``, which is Beta(k, n + 1 - k); the next one is uniformly the lowest of the rest above it.
    """
    n = len(ascending)
    k = (n + 1) // 2
    first = rng.beta(k, n + 1 - k, size=resamples)
    second = first
    if n % 2 == 0:
        second = first + (1.0 - first) * rng.beta(1, n - k, size=resamples)
    places = (np.minimum((n * u).astype(np.int64), n - 1) for u in (first, second))
    lower, upper = (ascending[place] for place in places)
    return (lower + upper) / 2.0


def _clustered_medians(values: Floats, unit: Ints, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Medians of resamples in which every cluster keeps its queries."""
    one_draw = np.zeros(len(values), dtype=np.int64)
    return _over_draws(
        values, np.ones(len(values)), unit, one_draw, statistic="median", resamples=resamples, rng=rng
    )


def _over_draws(
    values: Floats,
    weights: Floats,
    unit: Ints,
    sample: Ints,
    *,
    statistic: Statistic,
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """Means over samples of their statistic, for resamples in which every cluster keeps its queries.

    A cluster drawn twice counts twice in every sample that holds it. A sample with nothing drawn is left out.
    """
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
