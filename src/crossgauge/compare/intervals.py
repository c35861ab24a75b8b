"""Percentile bootstrap intervals over queries, or over clusters of queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crossgauge.compare.few import FEW, few_interval
from crossgauge.compare.means import mean_interval, ratio_interval
from crossgauge.compare.medians import median_interval
from crossgauge.compare.resampled import Statistic, resampled
from crossgauge.types import Floats, Ints


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
        level: the ends are the lowest value that more than ``(1 - level) / 2`` of the resamples do not
            exceed, and its like from above.
        resamples, seed: of medians of clusters, and with ``draws``; PCG64 from ``seed`` alone, so equal
            inputs give equal bytes. Nothing else is drawn: where no ``draws`` are given, the interval of a
            mean, and of a median without clusters, is the limit that more and more resamples approach.

    That limit is exact for medians, for means of values on a common grid (hits, ranks, thirds), and for up to
    eight queries or clusters; in other means an end is off by less than a hundredth of the standard error.

    Returns (low, high) in the unit of the values; (NaN, NaN) for fewer than two queries or clusters.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; clusters as in
    Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    >>> bootstrap_interval([0.0, 0.0, 1.0, 1.0], level=0.5)
    (0.25, 0.75)
    """
    numbers = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(numbers)
    defined = slice(None) if kept.all() else kept  # of many values none is copied without need
    numbers = numbers[defined]
    weighing = None if weights is None else np.asarray(weights, dtype=np.float64)[defined]
    unit = None if clusters is None else _numbered(np.asarray(clusters)[defined])
    if (len(numbers) - 1 if unit is None else unit.max(initial=0)) < 1:
        return (np.nan, np.nan)
    tail = (1.0 - level) / 2.0
    if draws is None and statistic == "mean":
        return _of_mean(numbers, weighing, unit, tail=tail)
    if draws is None and unit is None:
        return median_interval(numbers, tail=tail)
    weighing = np.ones(len(numbers)) if weighing is None else weighing
    unit = np.arange(len(numbers)) if unit is None else unit
    sample = np.zeros(len(numbers), np.int64) if draws is None else _numbered(np.asarray(draws)[defined])
    drawn = np.sort(
        resampled(numbers, weighing, unit, sample, statistic=statistic, resamples=resamples, seed=seed)
    )
    low, high = int(np.floor(tail * resamples)), int(np.ceil((1.0 - tail) * resamples)) - 1
    return float(drawn[low]), float(drawn[high])


def _of_mean(
    values: Floats, weights: Floats | None, unit: Ints | None, *, tail: float
) -> tuple[float, float]:
    sums = values if weights is None else values * weights
    shares = np.broadcast_to(1.0, values.shape) if weights is None else weights
    if unit is not None:
        sums, shares = (np.bincount(unit, each).astype(np.float64, copy=False) for each in (sums, shares))
    if len(sums) <= FEW:
        return few_interval(sums, shares, tail=tail)
    if (shares == shares[0]).all():  # as without clusters and weights: the size of a resample is certain
        scaled = values if len(sums) == len(values) else sums / shares[0]
        return mean_interval(scaled, tail=tail)
    return ratio_interval(sums, shares, tail=tail)


def _numbered(labels: npt.NDArray[np.generic]) -> Ints:
    numbered: Ints = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return numbered
