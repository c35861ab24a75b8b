"""How sure a number is: percentile bootstrap intervals over queries, or over clusters of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        summed = _weighted_means if statistic == "mean" else _weighted_medians
        drawn = _over_draws(numbers, weighing, unit, sample, summed=summed, resamples=resamples, rng=rng)
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
                chosen = sums[rng.integers(0, n, size=(part.stop - part.start, n))].sum(axis=1)
                drawn[part] = chosen[:, 0] / chosen[:, 1]
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
        values, np.ones(len(values)), unit, one_draw, summed=_weighted_medians, resamples=resamples, rng=rng
    )


def _over_draws(
    values: Floats,
    weights: Floats,
    unit: Ints,
    sample: Ints,
    *,
    summed: Callable[[Floats, Floats, Ints], Floats],
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """Means over samples of their statistic, for resamples in which every cluster keeps its queries.

    A cluster drawn twice counts twice in every sample that holds it. A sample with nothing drawn is left out.
    """
    n = int(unit.max()) + 1
    ascending = np.argsort(values, kind="stable")
    samples = [ascending[sample[ascending] == one] for one in range(int(sample.max()) + 1)]
    drawn = np.empty(resamples)
    for part in _parts(resamples, max(map(len, samples)) + n):
        rows = part.stop - part.start
        chosen = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * n).reshape(rows, n)
        each = [summed(values[at], weights[at], times[:, unit[at]]) for at in samples]
        drawn[part] = each[0] if len(each) == 1 else np.nanmean(each, axis=0)
    return drawn


def _weighted_means(values: Floats, weights: Floats, times: Ints) -> Floats:
    """Means of values drawn so many times each, (rows,); infinite where an infinite one was drawn."""
    infinite = np.isinf(values)
    weighed = times * weights
    with np.errstate(invalid="ignore"):  # nothing drawn: undefined
        means: Floats = weighed @ np.where(infinite, 0.0, values) / weighed.sum(axis=1)
    means[times[:, infinite].any(axis=1)] = np.inf
    return means


def _weighted_medians(ascending: Floats, weights: Floats, times: Ints) -> Floats:  # noqa: ARG001
    """Medians of ascending values drawn so many times each, (rows,)."""
    reached = np.cumsum(times, axis=1)
    total = reached[:, -1]
    lower = ascending[(reached >= ((total + 1) // 2)[:, None]).argmax(axis=1)]
    upper = ascending[(reached >= (total // 2 + 1)[:, None]).argmax(axis=1)]
    medians: Floats = (lower + upper) / 2.0
    medians[total == 0] = np.nan
    return medians


def _parts(total: int, width: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, width))
    return (slice(i, min(i + step, total)) for i in range(0, total, step))
