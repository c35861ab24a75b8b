"""Rank samples of a split, each by itself: "ten draws of 1,000 pairs"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from crossgauge.errors import InputError
from crossgauge.ranking.by_units import rank_units
from crossgauge.ranking.by_vectors import rank
from crossgauge.ranking.unusable import faults_of
from crossgauge.ranking.vectors import Ids, prepare, read_pair
from crossgauge.ranking.workers import Workers
from crossgauge.types import Draw, Ints, OnNonfinite, Qrels, Ranks, Similarity, Split, TopK, Vectors


def rank_draws(
    queries: Vectors,
    corpus: Vectors,
    split: Split,
    *,
    similarity: Similarity = "cosine",
    top: int = 10,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
    corpus_ids: Ids = None,
    memory: int = 1 << 30,
    threads: int | None = None,
) -> Ranks:
    """Rank each draw of a split and put the ranks one after the other, as :func:`drawn` does with queries.

    Arguments:
        queries, corpus: (Q, D) and (N, D), all rows of the split.
        split: with ``draws`` and without ``candidates``.
        similarity, top, on_nonfinite, query_ids, corpus_ids, memory, threads: as in :func:`crossgauge.rank`.

    Corpus rows of the result (``items``, ``top.items``) are rows of the whole corpus; ``candidates`` are the
    sizes of the draws. Raises InputError naming every unusable row, drawn or not (E442 to E444).

    >>> split = Split((), (), Qrels.diagonal(3), draws=(Draw(np.array([2, 0]), np.array([2, 0])),))
    >>> rank_draws(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32), split).items.tolist()
    [2, 0]
    """
    if split.draws is None or split.candidates is not None:
        raise ValueError("rank_draws needs a split with draws and without candidates")
    if on_nonfinite == "error":
        _refuse_unusable(queries, corpus, similarity=similarity, query_ids=query_ids, corpus_ids=corpus_ids)
    parts = []
    for draw in split.draws:
        rows = np.sort(draw.corpus)
        ranker = rank if split.units is None else partial(rank_units, units=split.units[rows])
        ranked = ranker(
            queries[draw.queries], corpus[rows], _within(split.qrels, draw.queries, rows),
            similarity=similarity, top=top, on_nonfinite=on_nonfinite, memory=memory, threads=threads,
        )  # fmt: skip
        parts.append(_renumbered(ranked, rows))
    return joined(parts)


def _refuse_unusable(
    queries: Vectors, corpus: Vectors, *, similarity: Similarity, query_ids: Ids, corpus_ids: Ids
) -> None:
    """Look at all rows at once, so that faults name rows of the whole and not of a draw."""
    left, right, dtype = read_pair(queries, corpus)
    with Workers(None) as workers:
        q, c = prepare((left, right), dtype=dtype, similarity=similarity, keep=False, workers=workers)
    faults = faults_of(q, role="query", ids=query_ids) + faults_of(c, role="corpus", ids=corpus_ids)
    if faults:
        raise InputError(faults)


def drawn(split: Split) -> tuple[Split, Ints]:
    """The split with one query for each drawn query, draws in order; and the draw of each, (Q',).

    Judgements are those inside the draw. A query that several draws hold stands several times; ``clusters``
    keeps it together with itself.
    """
    draws = split.draws or ()
    label = np.repeat(np.arange(len(draws)), [len(draw.queries) for draw in draws])
    rows = np.concatenate([draw.queries for draw in draws] or [np.zeros(0, np.int64)])
    judged = [_lists(_within(split.qrels, draw.queries, np.sort(draw.corpus)), draw) for draw in draws]
    return Split(
        queries=tuple(split.queries[row] for row in rows),
        corpus=split.corpus,
        qrels=_stacked(judged),
        clusters=rows if split.clusters is None else split.clusters[rows],
        groups=None if split.groups is None else tuple(split.groups[row] for row in rows),
        draws=draws,
        units=split.units,
    ), label


def _within(qrels: Qrels, queries: Ints, corpus: Ints) -> Qrels:
    """The judgements of some queries about some corpus rows (ascending), both numbered anew."""
    counts = np.diff(qrels.start)[queries]
    query = np.repeat(np.arange(len(queries)), counts)
    offset = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = qrels.start[queries][query] + offset
    item = np.searchsorted(corpus, qrels.items[at])
    inside = (item < len(corpus)) & (corpus[np.minimum(item, len(corpus) - 1)] == qrels.items[at])
    start = np.zeros(len(queries) + 1, dtype=np.int64)
    np.cumsum(np.bincount(query[inside], minlength=len(queries)), out=start[1:])
    return Qrels(start, item[inside], qrels.gains[at][inside])


def _lists(qrels: Qrels, draw: Draw) -> Qrels:
    return Qrels(qrels.start, np.sort(draw.corpus)[qrels.items], qrels.gains)


def _stacked(parts: Sequence[Qrels]) -> Qrels:
    return Qrels(
        _starts([part.start for part in parts]),
        np.concatenate([part.items for part in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([part.gains for part in parts] or [np.zeros(0)]),
    )


def _starts(starts: Sequence[Ints]) -> Ints:
    """Offsets of lists put one after the other."""
    lengths = np.concatenate([np.diff(start) for start in starts] or [np.zeros(0, np.int64)])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _renumbered(ranks: Ranks, rows: Ints) -> Ranks:
    """The same ranks with corpus rows of the whole corpus."""
    best = ranks.top.items
    items = np.where(best >= 0, rows[np.maximum(best, 0)], -1)
    return Ranks(
        start=ranks.start, items=rows[ranks.items], gains=ranks.gains, higher=ranks.higher, equal=ranks.equal,
        higher_relevant=ranks.higher_relevant, equal_relevant=ranks.equal_relevant, retrieved=ranks.retrieved,
        candidates=ranks.candidates, answered=ranks.answered, top=TopK(items, ranks.top.scores),
    )  # fmt: skip


def joined(parts: Sequence[Ranks]) -> Ranks:
    """Ranks of different queries put one after the other; shorter top lists are padded.

    >>> from crossgauge.ranking import rank
    >>> one = rank([[1.0, 0.0]], [[1.0, 0.0]])
    >>> joined([one, one]).start.tolist()
    [0, 1, 2]
    """
    width = max((part.top.items.shape[1] for part in parts), default=0)

    def every(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    answered = [np.ones(len(part), np.bool_) if part.answered is None else part.answered for part in parts]
    return Ranks(
        start=_starts([part.start for part in parts]),
        items=every("items"),
        gains=every("gains"),
        higher=every("higher"),
        equal=every("equal"),
        higher_relevant=every("higher_relevant"),
        equal_relevant=every("equal_relevant"),
        retrieved=every("retrieved"),
        candidates=every("candidates"),
        answered=np.concatenate(answered),
        top=TopK(
            np.concatenate([_padded(part.top.items, width, -1) for part in parts]),
            np.concatenate([_padded(part.top.scores, width, np.nan) for part in parts]),
        ),
        until=min((part.until for part in parts if part.until is not None), default=None),
    )


def _padded(lists: np.ndarray, width: int, filler: float) -> np.ndarray:
    return np.pad(lists, ((0, 0), (0, width - lists.shape[1])), constant_values=filler)
