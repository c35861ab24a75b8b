"""Rank by the similarity of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.ranking.by_lists import count_pairs
from crossgauge.ranking.columns import Columns
from crossgauge.ranking.engine import make_engine, score_judged, score_pairs
from crossgauge.ranking.plan import Blocks, make_plan
from crossgauge.ranking.relevance import Judged, Lists, read_candidates, read_relevance
from crossgauge.ranking.standing import to_ranks
from crossgauge.ranking.top import empty_top
from crossgauge.ranking.vectors import Ids, Rows, faults_of, prepare, read_pair
from crossgauge.ranking.workers import Workers
from crossgauge.types import Floats, Ints, OnNonfinite, Qrels, Ranking, Similarity, TopK

SPARSE = 64  # with fewer candidates than one pair in so many, only those pairs are scored


def rank(
    queries: npt.ArrayLike,
    corpus: npt.ArrayLike,
    relevant: Qrels | Sequence[Sequence[int]] | None = None,
    *,
    similarity: Similarity = "cosine",
    candidates: Sequence[Ints] | None = None,
    top: int = 10,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
    corpus_ids: Ids = None,
    memory: int = 1 << 30,
    threads: int | None = None,
    blocks: Blocks | None = None,
) -> Ranking:
    """Count exactly, for each query and each of its relevant items, who scores higher and who equal.

    Arguments:
        queries: (Q, D) vectors; float16 and bfloat16 are up-cast before any product, float64 stays.
        corpus: (N, D) vectors.
        relevant: Qrels, or one list of corpus rows a query; None: query ``i`` wants corpus row ``i``.
        similarity: ``cosine``, ``dot``, or ``l2`` (the negative squared distance).
        candidates: for each query the corpus rows that compete; None: all of them.
        top: how many of the first items of each ranking to return for display.
        on_nonfinite: what a NaN, an infinity, or a norm of 0 under cosine does. ``error`` refuses and
            lists every row; ``miss`` counts such a query's and such an item's judgements as not retrieved.
        query_ids, corpus_ids: names for the rows, used in messages only.
        memory: bytes to use beyond the inputs, more or less; about 10 MB a thread are always needed.
        threads: Python threads; None: one a processor.
        blocks: sizes of the pieces of work, for tests and tuning.

    A pair's score is the dot product of its two rows (normalised in float64 and rounded to their type
    once, under cosine), summed in float64 in index order; equal scores under that definition are ties.
    The result is a function of the vectors alone: ``memory``, ``threads`` and ``blocks`` do not touch it.

    Raises InputError (shapes E440, dimensions E441, unusable rows E442 to E444, relevance E445,
    candidates E446, E447) and UsageError (E140).

    >>> ranking = rank([[1, 0], [0, 1]], [[1, 0], [1, 1], [0, 1]], [[0], [1]])
    >>> ranking.ranks.higher.tolist(), ranking.top.items.tolist()
    ([0, 1], [[0, 1, 2], [2, 1, 0]])
    """
    _check_options(similarity, on_nonfinite, top=top, memory=memory, threads=threads)
    left, right, dtype = read_pair(queries, corpus)
    qrels = read_relevance(relevant, queries=len(left), corpus=len(right), ids=query_ids)
    lists = read_candidates(candidates, qrels, corpus=len(right), ids=query_ids)
    with Workers(threads) as workers:
        plan = make_plan(
            len(left), len(right), dimensions=left.shape[1], itemsize=dtype.itemsize,
            memory=memory, threads=workers.threads, blocks=blocks or Blocks(),
        )  # fmt: skip
        q = prepare(left, dtype=dtype, similarity=similarity, keep=plan.keep, workers=workers)
        c = prepare(right, dtype=dtype, similarity=similarity, keep=plan.keep, workers=workers)
        faults = faults_of(q, role="query", ids=query_ids) + faults_of(c, role="corpus", ids=corpus_ids)
        if faults and on_nonfinite == "error":
            raise InputError(faults)
        judged = Judged.of(qrels, q.usable[qrels.query] & c.usable[qrels.items])
        k = min(top, len(right))
        if lists is not None and len(lists.rows) * SPARSE < len(left) * len(right):
            higher, equal, best = _count_few(q, c, lists, judged, similarity=similarity, top=k, workers=workers)
            extra = None
        else:
            score_judged(judged, q, c, similarity=similarity, workers=workers)
            columns = Columns.distinct(c) if lists is None else Columns.each(c.usable)
            engine = make_engine(q, c, similarity=similarity, columns=columns, candidates=lists,
                                 judged=judged, plan=plan, top=k)  # fmt: skip
            engine.run(workers)
            higher, equal, best = engine.higher, engine.equal, engine.top
            extra = _equals_of_relevant(judged, columns)
    competing = np.full(len(qrels), len(right)) if lists is None else np.diff(lists.start)
    ranks = to_ranks(qrels, judged, higher=higher, equal=equal, extra=extra, candidates=competing, answered=q.usable)
    return Ranking(ranks, best)


def _check_options(
    similarity: str, on_nonfinite: str, *, top: int, memory: int, threads: int | None
) -> None:
    checks = [
        (similarity in get_args(Similarity), f"similarity {similarity!r}", "cosine, dot or l2"),
        (on_nonfinite in get_args(OnNonfinite), f"on_nonfinite {on_nonfinite!r}", "error or miss"),
        (top >= 0, f"top {top}", "0 or more"),
        (memory > 0, f"memory {memory}", "a number of bytes"),
        (threads is None or threads > 0, f"threads {threads}", "1 or more, or None"),
    ]
    faults = [Fault("E140", "rank", found, wanted) for fine, found, wanted in checks if not fine]
    if faults:
        raise UsageError(faults)


def _count_few(
    q: Rows, c: Rows, lists: Lists, judged: Judged, *, similarity: Similarity, top: int, workers: Workers
) -> tuple[Ints, Ints, TopK]:
    """Score the candidate pairs only, each by the definition."""
    query = lists.query
    best = empty_top(len(q), top)

    def scores(pairs: slice) -> Floats:
        with np.errstate(all="ignore"):
            found = score_pairs(q, c, query=query[pairs], item=lists.rows[pairs], similarity=similarity)
        found[~(q.usable[query[pairs]] & c.usable[lists.rows[pairs]])] = np.nan
        return found

    higher, equal = count_pairs(lists, judged, scores=scores, top=best, workers=workers)
    return higher, equal, best


def _equals_of_relevant(judged: Judged, columns: Columns) -> Ints | None:
    """How many non-relevant rows equal the vector of each relevant item, each counted once a query."""
    if columns.weights is None:
        return None
    column = columns.of[judged.item]
    key = judged.query * len(columns.rows) + column
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    extra = np.zeros(len(key), dtype=np.int64)
    extra[first] = columns.weights[column[first]] - counts
    return extra
