"""What changed between two measurements of the same queries: the difference, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crossgauge.compare import bootstrap_interval, sign_flip_p
from crossgauge.measures import parse, whole_clusters
from crossgauge.measures.family import Summary
from crossgauge.types import Floats, Ints

_CELLS = 1 << 22  # numbers drawn at once


@dataclass(frozen=True, slots=True)
class Paired:
    """A measure before and after, in its own unit; NaN where it is undefined or infinite."""

    before: float
    after: float
    delta: float  # after − before
    interval: tuple[float, float]  # 95 %, of the difference
    p: float  # two-sided, of no difference: signs of the differences flipped in all ways
    n: int  # queries (of a measure over whole clusters: clusters) behind it


def paired(
    measure: str,
    before: Floats,
    after: Floats,
    *,
    weights: Floats | None = None,
    clusters: Ints | None = None,
    draws: Ints | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Paired:
    """Compare two measurements of the same queries, query by query.

    Arguments:
        measure: its name; it says whether values are averaged, or their median is taken.
        before, after: (Q,) the value of each query; NaN is left out.
        weights: (Q,) of a mean over classes.
        clusters: (Q,) labels; queries with the same label (captions of one picture) are drawn together. A
            measure over whole clusters needs every query of theirs.
        draws: (Q,) labels of samples; values are means over samples of the value in each.
        resamples, seed: of the percentile bootstrap, which draws the same queries on both sides.

    ``p`` is that of :func:`crossgauge.compare.sign_flip_p`, which draws nothing: if before and after are
    alike, each query (each cluster) might as well have them exchanged. Of hits that is McNemar's exact test.
    What is summed is what the measure averages; of a median, the differences of ranks.

    >>> paired("hit@1", np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0])).delta.__round__(3)
    -0.333
    >>> paired("hit@1", np.ones(7), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])).p  # 6 lost, none gained
    0.03125
    """
    return paired_values(
        parse(measure).summary,
        before,
        after,
        weights=weights,
        clusters=clusters,
        draws=draws,
        resamples=resamples,
        seed=seed,
    )


def paired_values(
    kind: Summary,
    before: Floats,
    after: Floats,
    *,
    weights: Floats | None = None,
    clusters: Ints | None = None,
    draws: Ints | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> Paired:
    """The same for values of no measure of rankings; ``kind`` is how they are summed up."""
    if kind == "all":
        labels = None if clusters is None else np.unique(clusters, return_inverse=True)[1].reshape(-1)
        before, after = (whole_clusters(values, labels) for values in (before, after))
        clusters = None
    defined = ~(np.isnan(before) | np.isnan(after))
    before, after = before[defined], after[defined]
    weights = None if weights is None else weights[defined]
    clusters = None if clusters is None else clusters[defined]
    draws = None if draws is None else draws[defined]
    first, second = (_value(values, kind, weights, draws) for values in (before, after))
    if not (np.isfinite(first) and np.isfinite(second)):
        return Paired(first, second, np.nan, (np.nan, np.nan), np.nan, len(before))
    if kind == "median":
        interval = _of_medians(before, after, clusters, draws, resamples=resamples, seed=seed)
    else:
        interval = bootstrap_interval(
            after - before, weights=weights, clusters=clusters, draws=draws, resamples=resamples, seed=seed
        )
    return Paired(
        first,
        second,
        second - first,
        interval,
        p=_p(before, after, weights=weights, clusters=clusters, draws=draws),
        n=len(before),
    )


def _p(
    before: Floats, after: Floats, *, weights: Floats | None, clusters: Ints | None, draws: Ints | None
) -> float:
    with np.errstate(invalid="ignore"):  # twice infinite, under a median: undefined, and left out
        differences = after - before
    return sign_flip_p(differences * _shares(len(before), weights, draws), clusters=clusters)


def _shares(n: int, weights: Floats | None, draws: Ints | None) -> Floats:
    """How much each query counts in the mean, up to a factor, (n,)."""
    shares = np.ones(n) if weights is None else weights
    if draws is None:
        return shares
    sample = _numbered(draws)
    totals = np.bincount(sample, shares)
    balanced: Floats = shares if (totals == totals[0]).all() else shares / totals[sample]
    return balanced


def _value(values: Floats, kind: Summary, weights: Floats | None, draws: Ints | None) -> float:
    if not len(values):
        return float("nan")
    if draws is not None:
        each = [
            _value(values[at], kind, None if weights is None else weights[at], None)
            for at in (draws == draw for draw in np.unique(draws))
        ]
        return float(np.mean(each))
    if kind == "median":
        return float(np.median(values))
    return float(np.mean(values) if weights is None else (values * weights).sum() / weights.sum())


def _of_medians(
    before: Floats, after: Floats, clusters: Ints | None, draws: Ints | None, *, resamples: int, seed: int
) -> tuple[float, float]:
    """The middle 95 % of differences of medians, each pair from the same resample of queries."""
    unit = np.arange(len(before)) if clusters is None else _numbered(clusters)
    sample = np.zeros(len(before), np.int64) if draws is None else _numbered(draws)
    n = int(unit.max(initial=-1)) + 1
    if n < 2:  # noqa: PLR2004  (one query says nothing about others)
        return (np.nan, np.nan)
    rng = np.random.Generator(np.random.PCG64(seed))
    inside = [np.flatnonzero(sample == one) for one in range(int(sample.max()) + 1)]
    found = []
    for rows in _parts(resamples, len(before) + n):
        chosen = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * n).reshape(rows, n)
        with np.errstate(invalid="ignore"):  # both infinite
            each = [
                _medians(after[at], times[:, unit[at]]) - _medians(before[at], times[:, unit[at]])
                for at in inside
            ]
        found.append(each[0] if len(each) == 1 else np.nanmean(each, axis=0))
    drawn = np.sort(np.concatenate(found))
    low, high = int(np.floor(0.025 * resamples)), int(np.ceil(0.975 * resamples)) - 1
    return float(drawn[low]), float(drawn[high])


def _medians(values: Floats, times: Ints) -> Floats:
    """The median of values of which each was drawn so many times, one a row."""
    order = np.argsort(values, kind="stable")
    reached, ascending = np.cumsum(times[:, order], axis=1), values[order]
    total = reached[:, -1]
    lower = ascending[(reached >= ((total + 1) // 2)[:, None]).argmax(axis=1)]
    upper = ascending[(reached >= (total // 2 + 1)[:, None]).argmax(axis=1)]
    medians: Floats = np.where(total == 0, np.nan, (lower + upper) / 2.0)
    return medians


def _numbered(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _parts(total: int, width: int) -> Iterator[int]:
    step = max(1, _CELLS // max(1, width))
    return (min(step, total - at) for at in range(0, total, step))
