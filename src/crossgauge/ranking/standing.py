"""Who stands above whom among explicit scores, counted by sorting; and the Ranks made from counts."""

from __future__ import annotations

import numpy as np

from crossgauge.ranking.columns import Columns
from crossgauge.ranking.relevance import Judged
from crossgauge.types import Bools, Floats, Ints, Qrels, Ranks, TopK


def standing(group: Ints, score: Floats, weights: Ints) -> tuple[Ints, Ints]:
    """For each entry: the weight of its group that scores strictly higher, and equal (itself included).

    ``group`` and ``score`` are (N,), ``weights`` (N, W) for W countings at once; both results are (N, W).

    >>> higher, equal = standing(np.array([0, 0, 0]), np.array([.5, .9, .5]), np.array([[1], [1], [1]]))
    >>> higher[:, 0].tolist(), equal[:, 0].tolist()
    ([1, 0, 1], [2, 1, 2])
    """
    if not len(group):
        return np.zeros_like(weights), np.zeros_like(weights)
    if (group[1:] > group[:-1]).all():  # each alone in its group
        return np.zeros_like(weights), weights
    order = np.lexsort((score, group))
    g, s = group[order], score[order]
    new_group = np.r_[True, g[1:] != g[:-1]]
    new_run = new_group | np.r_[True, s[1:] != s[:-1]]
    total = np.concatenate([np.zeros_like(weights[:1]), np.cumsum(weights[order], axis=0)])
    run, run_edges = np.cumsum(new_run) - 1, np.r_[np.flatnonzero(new_run), len(g)]
    ends = np.r_[np.flatnonzero(new_group), len(g)][np.cumsum(new_group)]
    higher, equal = np.empty_like(weights), np.empty_like(weights)
    higher[order] = total[ends] - total[run_edges[run + 1]]
    equal[order] = total[run_edges[run + 1]] - total[run_edges[run]]
    return higher, equal


def counted_along(judged: Judged, columns: Columns, own: Ints) -> tuple[Ints, Ints]:
    """How many relevant items, with all that equal them, score higher than each judged one, and equal, (L,).

    A tier that counts them like all others takes these off again: they are compared with each other in
    :func:`to_ranks`. ``own`` (L,) is the column of each.
    """
    first = back = np.arange(len(own))
    weights = np.ones(len(own), dtype=np.int64)
    if columns.weights is not None:
        key = judged.query * len(columns.rows) + own
        _, first, back = np.unique(key, return_index=True, return_inverse=True)
        weights = columns.weights[own[first]]
    above, same = standing(judged.query[first], judged.score[first], weights[:, None])
    return above[back, 0], same[back, 0]


def to_ranks(
    qrels: Qrels,
    judged: Judged,
    *,
    higher: Ints,
    equal: Ints,
    extra: Ints | None,
    candidates: Ints,
    answered: Bools,
    top: TopK,
    until: int | None = None,
) -> Ranks:
    """Ranks from the counts over the non-relevant, (L,); the relevant are compared with each other here.

    ``extra`` (L,) weighs non-relevant items that were not counted because they equal this relevant one.
    """
    rest = np.zeros_like(higher) if extra is None else extra
    weights = np.stack([np.ones_like(rest), rest], axis=1)
    above, same = standing(judged.query, judged.score, weights)

    def spread(counts: Ints) -> Ints:
        full = np.zeros(len(qrels.items), dtype=np.int64)
        full[judged.index] = counts
        return full

    retrieved = np.zeros(len(qrels.items), dtype=np.bool_)
    retrieved[judged.index] = True
    return Ranks(
        start=qrels.start,
        items=qrels.items,
        gains=qrels.gains,
        higher=spread(higher + above[:, 1]),
        equal=spread(equal + same[:, 1]),
        higher_relevant=spread(above[:, 0]),
        equal_relevant=spread(same[:, 0] - 1),
        retrieved=retrieved,
        candidates=candidates,
        answered=answered,
        top=top,
        until=until,
    )
