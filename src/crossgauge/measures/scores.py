"""From ranks to scores: each measure with its bounds, interval, chance level and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossgauge.compare import bootstrap_interval
from crossgauge.errors import Fault, UsageError
from crossgauge.measures.family import Measure, parse_all
from crossgauge.measures.ties import constant, optimistic, pessimistic
from crossgauge.types import Floats, Ints, Qrels, Ranks, Score


def measure(
    ranks: Ranks,
    names: str | Iterable[str],
    *,
    clusters: npt.ArrayLike | None = None,
    draws: npt.ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 2000,
) -> dict[str, Score]:
    """Score ranks by measures named as in ``crossgauge list measures``: ``hit@1``, ``medr``, ``ndcg@10``.

    Arguments:
        ranks: what :func:`crossgauge.rank` returned.
        names: the measures, in the order wanted; a single name may stand alone.
        clusters: (Q,) labels of queries that belong together (captions of one picture); the bootstrap
            draws them together.
        draws: (Q,) the sample that each query was ranked in, from 0; a value is then the mean over samples
            of the value in each. None: all were ranked at once.
        seed, resamples: of the 95 % percentile bootstrap intervals over queries.

    Values are expectations over a random order inside ties. Queries without a relevant item are
    undefined: counted, not averaged in. Queries that the system did not answer are misses.
    Raises UsageError with everything that is wrong: unknown measures (E110), bad cutoffs (E141), what are
    no names (E143) or no ranks (E144), measures that look further than was counted (E690), labels that are
    not one a query (E145), a bad resampling (E146).

    >>> from crossgauge.ranking import rank_matrix
    >>> scores = measure(rank_matrix([[.9, .1, .2], [.5, .5, .5], [.1, .2, .8]]), ["hit@1"])
    >>> round(scores["hit@1"].value, 4), scores["hit@1"].optimistic, scores["hit@1"].n_tied
    (0.7778, 1.0, 1)
    """
    wanted = parse_all(names)
    _check_until(ranks, wanted)
    _check(ranks, seed=seed, resamples=resamples, clusters=clusters, draws=draws)
    tied = bool((ranks.equal + ranks.equal_relevant).any())
    seen = _Seen(
        ranks=ranks,
        bounds=(optimistic(ranks), pessimistic(ranks)) if tied else (ranks, ranks),
        chance=constant(Qrels(ranks.start, ranks.items, ranks.gains), ranks.candidates),
        clusters=None if clusters is None else _labels(clusters),
        draws=None if draws is None else _labels(draws),
    )
    return {one.name: _score(one, seen, seed=seed, resamples=resamples) for one in wanted}


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What every measure of one call looks at."""

    ranks: Ranks
    bounds: tuple[Ranks, Ranks]  # the best and the worst order of ties
    chance: Ranks  # of a constant scorer
    clusters: Ints | None
    draws: Ints | None


def _labels(given: npt.ArrayLike) -> Ints:
    """Any labels as numbers from 0."""
    return np.unique(np.asarray(given), return_inverse=True)[1].reshape(-1)


def _check(ranks: object, *, seed: object, resamples: object, **labels: npt.ArrayLike | None) -> None:
    """Raise UsageError for arguments that would fail, or mean something else, further down."""
    if not isinstance(ranks, Ranks):
        found = f"a {type(ranks).__name__}"
        raise UsageError(Fault("E144", "ranks", found, "what rank or rank_matrix returned"))
    faults = []
    for name, given in labels.items():
        shape = None if given is None else np.shape(given)
        if shape not in (None, (len(ranks),)):
            found = f"labels of shape {shape}"
            faults.append(Fault("E145", name, found, f"shape ({len(ranks)},): one label a query"))
    for name, value, least in (("seed", seed, 0), ("resamples", resamples, 1)):
        if not isinstance(value, int | np.integer) or value < least:
            faults.append(Fault("E146", name, repr(value), f"a whole number from {least}"))
    if faults:
        raise UsageError(faults)


def _check_until(ranks: Ranks, wanted: Iterable[Measure]) -> None:
    """Raise UsageError for measures of places that were not counted."""
    until = getattr(ranks, "until", None)
    faults = [
        Fault(
            "E690", f"measure {one.name!r}", f"ranks counted until {until}", "a cutoff up to that",
            "rank without until=",
        )
        for one in wanted
        if until is not None and (one.cutoff is None or one.cutoff > until)
    ]  # fmt: skip
    if faults:
        raise UsageError(faults)


def _score(one: Measure, seen: _Seen, *, seed: int, resamples: int) -> Score:
    ranks = seen.ranks
    values = one.per_query(ranks)
    weights = class_weights(ranks, seen.draws) if one.summary == "macro" else None
    by_draw = _by_draw(one, values, weights, seen)
    value = _mean(by_draw)
    optimist, pessimist = (
        value if bound is ranks else _mean(_by_draw(one, one.per_query(bound), weights, seen))
        for bound in seen.bounds
    )
    units = whole_clusters(values, seen.clusters) if one.summary == "all" else values
    return Score(
        measure=one.name,
        value=value,
        optimistic=optimist,
        pessimistic=pessimist,
        interval=bootstrap_interval(
            units,
            statistic="median" if one.summary == "median" else "mean",
            weights=weights,
            clusters=None if one.summary == "all" else seen.clusters,
            draws=seen.draws,
            seed=seed,
            resamples=resamples,
        ),
        chance=_mean(_by_draw(one, one.per_query(seen.chance), weights, seen)),
        unit=one.unit,
        higher_is_better=one.higher_is_better,
        n=len(units),
        n_undefined=int(np.isnan(units).sum()),
        n_missing=_touched(one, seen, _missing(ranks)),
        n_tied=_touched(one, seen, np.unique(ranks.query[ranks.equal > 0])),
        flags=tuple(_flags(one, ranks, value)),
        per_query=values,
        draws=by_draw if seen.draws is not None else None,
    )


def whole_clusters(values: Floats, clusters: Ints | None) -> Floats:
    """For each cluster (in the order of their labels) the chance that all its queries are right, (C,).

    >>> whole_clusters(np.array([1.0, 0.5, 0.5]), np.array([0, 1, 1])).tolist()
    [1.0, 0.25]
    """
    if clusters is None:
        return values
    product = np.ones(int(clusters.max(initial=-1)) + 1)
    np.multiply.at(product, clusters, values)
    return product


def _by_draw(one: Measure, values: Floats, weights: Floats | None, seen: _Seen) -> Floats:
    """The measure summed up in each draw, (D,); all queries are one draw where there are none."""
    if one.summary == "all":
        return np.array([_summed_up(one, whole_clusters(values, seen.clusters), None)])
    if seen.draws is None:
        return np.array([_summed_up(one, values, weights)])
    inside = (seen.draws == draw for draw in range(int(seen.draws.max(initial=-1)) + 1))
    return np.array(
        [_summed_up(one, values[rows], None if weights is None else weights[rows]) for rows in inside]
    )


def _mean(by_draw: Floats) -> float:
    return float(np.mean(by_draw)) if len(by_draw) > 1 else float(by_draw[0]) if len(by_draw) else np.nan


def class_weights(ranks: Ranks, draws: Ints | None = None) -> Floats:
    """Weights whose mean over queries is the mean over classes; a class is a relevant corpus row, (Q,).

    With draws, the same holds inside each draw.

    >>> from crossgauge.measures import constant
    >>> class_weights(constant(Qrels.of([[0], [0], [4]]), np.array([5, 5, 5]))).tolist()
    [0.25, 0.25, 0.5]
    """
    labels = ranks.items
    if draws is not None:  # a class of one draw is another class than the same in the next
        labels = labels + draws[ranks.query] * (int(labels.max(initial=0)) + 1)
    classes, which, size = np.unique(labels, return_inverse=True, return_counts=True)
    share = 1.0 / (max(len(classes), 1) * size[which.reshape(-1)])
    return np.bincount(ranks.query, share, minlength=len(ranks)).astype(np.float64)


def _summed_up(one: Measure, values: Floats, weights: Floats | None) -> float:
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    if weights is not None:
        return float((values[defined] * weights[defined]).sum() / weights[defined].sum())
    return float(np.median(values[defined]) if one.summary == "median" else np.mean(values[defined]))


def _missing(ranks: Ranks) -> Ints:
    """The queries with a relevant item that the system did not answer."""
    if ranks.answered is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(~ranks.answered & (np.diff(ranks.start) > 0))


def _touched(one: Measure, seen: _Seen, queries: Ints) -> int:
    """How many of what the measure counts (queries, or whole clusters) these queries belong to."""
    whole = one.summary == "all" and seen.clusters is not None
    return len(np.unique(seen.clusters[queries])) if whole else len(queries)  # type: ignore[index]


def _flags(one: Measure, ranks: Ranks, value: float) -> Iterable[str]:
    if one.cutoff is not None and bool((ranks.candidates <= one.cutoff).any()):
        yield "k>=gallery"
    if np.isinf(value):
        yield "infinite"
