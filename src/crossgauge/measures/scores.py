"""From ranks to scores: each measure with its bounds, interval, chance level and counts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from crossgauge.compare import bootstrap_interval
from crossgauge.errors import Fault, UsageError
from crossgauge.measures.family import Measure, parse_all
from crossgauge.measures.ties import constant, optimistic, pessimistic
from crossgauge.types import Floats, Qrels, Ranks, Score


def measure(
    ranks: Ranks,
    names: str | Iterable[str],
    *,
    clusters: npt.ArrayLike | None = None,
    seed: int = 0,
    resamples: int = 2000,
) -> dict[str, Score]:
    """Score ranks by measures named as in ``crossgauge list measures``: ``hit@1``, ``medr``, ``ndcg@10``.

    Arguments:
        ranks: what :func:`crossgauge.rank` returned.
        names: the measures, in the order wanted; a single name may stand alone.
        clusters: (Q,) labels of queries that belong together (captions of one picture); the bootstrap
            draws them together.
        seed, resamples: of the 95 % percentile bootstrap intervals over queries.

    Values are expectations over a random order inside ties. Queries without a relevant item are
    undefined: counted, not averaged in. Queries that the system did not answer are misses.
    Raises UsageError with everything that is wrong: unknown measures (E110), bad cutoffs (E141), what are
    no names (E143) or no ranks (E144), clusters that are not one a query (E145), a bad draw (E146).

    >>> from crossgauge.ranking import rank_matrix
    >>> scores = measure(rank_matrix([[.9, .1, .2], [.5, .5, .5], [.1, .2, .8]]), ["hit@1"])
    >>> round(scores["hit@1"].value, 4), scores["hit@1"].optimistic, scores["hit@1"].n_tied
    (0.7778, 1.0, 1)
    """
    wanted = parse_all(names)
    _check(ranks, clusters, seed=seed, resamples=resamples)
    tied = bool((ranks.equal + ranks.equal_relevant).any())
    bounds = (optimistic(ranks), pessimistic(ranks)) if tied else (ranks, ranks)
    chance = constant(Qrels(ranks.start, ranks.items, ranks.gains), ranks.candidates)
    missing = _missing(ranks)
    return {
        one.name: _score(
            one,
            ranks,
            bounds=bounds,
            chance=chance,
            n_missing=missing,
            clusters=clusters,
            seed=seed,
            resamples=resamples,
        )
        for one in wanted
    }


def _check(ranks: object, clusters: npt.ArrayLike | None, *, seed: object, resamples: object) -> None:
    """Raise UsageError for arguments that would fail, or mean something else, further down."""
    if not isinstance(ranks, Ranks):
        found = f"a {type(ranks).__name__}"
        raise UsageError(Fault("E144", "ranks", found, "what rank or rank_matrix returned"))
    faults = []
    shape = None if clusters is None else np.shape(clusters)
    if shape not in (None, (len(ranks),)):
        found = f"labels of shape {shape}"
        faults.append(Fault("E145", "clusters", found, f"shape ({len(ranks)},): one label a query"))
    for name, value, least in (("seed", seed, 0), ("resamples", resamples, 1)):
        if not isinstance(value, int | np.integer) or value < least:
            faults.append(Fault("E146", name, repr(value), f"a whole number from {least}"))
    if faults:
        raise UsageError(faults)


def _score(
    one: Measure,
    ranks: Ranks,
    *,
    bounds: tuple[Ranks, Ranks],
    chance: Ranks,
    n_missing: int,
    clusters: npt.ArrayLike | None,
    seed: int,
    resamples: int,
) -> Score:
    values = one.per_query(ranks)
    weights = class_weights(ranks) if one.summary == "macro" else None
    value = _summed_up(one, values, weights)
    optimist, pessimist = (
        value if bound is ranks else _summed_up(one, one.per_query(bound), weights) for bound in bounds
    )
    return Score(
        measure=one.name,
        value=value,
        optimistic=optimist,
        pessimistic=pessimist,
        interval=bootstrap_interval(
            values,
            statistic="median" if one.summary == "median" else "mean",
            weights=weights,
            clusters=clusters,
            seed=seed,
            resamples=resamples,
        ),
        chance=_summed_up(one, one.per_query(chance), weights),
        unit=one.unit,
        higher_is_better=one.higher_is_better,
        n=len(ranks),
        n_undefined=int(np.isnan(values).sum()),
        n_missing=n_missing,
        n_tied=len(np.unique(ranks.query[ranks.equal > 0])),
        flags=tuple(_flags(one, ranks, value)),
        per_query=values,
    )


def class_weights(ranks: Ranks) -> Floats:
    """Weights whose mean over queries is the mean over classes; a class is a relevant corpus row, (Q,).

    >>> from crossgauge.measures import constant
    >>> class_weights(constant(Qrels.of([[0], [0], [4]]), np.array([5, 5, 5]))).tolist()
    [0.25, 0.25, 0.5]
    """
    classes, which, size = np.unique(ranks.items, return_inverse=True, return_counts=True)
    share = 1.0 / (max(len(classes), 1) * size[which.reshape(-1)])
    return np.bincount(ranks.query, share, minlength=len(ranks)).astype(np.float64)


def _summed_up(one: Measure, values: Floats, weights: Floats | None) -> float:
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    if weights is not None:
        return float((values[defined] * weights[defined]).sum() / weights[defined].sum())
    return float(np.median(values[defined]) if one.summary == "median" else np.mean(values[defined]))


def _missing(ranks: Ranks) -> int:
    """How many queries with a relevant item the system did not answer."""
    if ranks.answered is None:
        return 0
    return int((~ranks.answered & (np.diff(ranks.start) > 0)).sum())


def _flags(one: Measure, ranks: Ranks, value: float) -> Iterable[str]:
    if one.cutoff is not None and bool((ranks.candidates <= one.cutoff).any()):
        yield "k>=gallery"
    if np.isinf(value):
        yield "infinite"
