"""Rank by the similarity of vectors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossgauge.errors import InputError
from crossgauge.ranking.by_lists import count_pairs
from crossgauge.ranking.columns import Columns
from crossgauge.ranking.compiled import make_compiled
from crossgauge.ranking.engine import make_engine
from crossgauge.ranking.exact import Exact
from crossgauge.ranking.given import check_names, check_options, matrices
from crossgauge.ranking.native import TORCH, wish
from crossgauge.ranking.pairs import Pair, score_judged, score_pairs
from crossgauge.ranking.plan import Blocks, Plan, make_plan
from crossgauge.ranking.relevance import Judged, Lists, read_candidates, read_relevance
from crossgauge.ranking.standing import to_ranks
from crossgauge.ranking.top import empty_top
from crossgauge.ranking.torch_tier import make_on_device, serves
from crossgauge.ranking.unusable import faults_of
from crossgauge.ranking.vectors import Ids, prepare, read_pair
from crossgauge.ranking.workers import Workers
from crossgauge.types import Floats, Ints, OnNonfinite, Qrels, Ranks, Relevant, Similarity, TopK

SPARSE = 64  # with fewer candidates than one pair in so many, only those pairs are scored


def rank(
    queries: npt.ArrayLike,
    corpus: npt.ArrayLike,
    relevant: Qrels | Relevant | None = None,
    *,
    similarity: Similarity = "cosine",
    candidates: Sequence[Ints] | None = None,
    top: int = 10,
    until: int | None = None,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
    corpus_ids: Ids = None,
    memory: int = 1 << 30,
    threads: int | None = None,
    blocks: Blocks | None = None,
) -> Ranks:
    """Count exactly, for each query and each of its relevant items, who scores higher and who equal.

    Arguments:
        queries: (Q, D) vectors; float16 and bfloat16 are up-cast before any product, float64 stays.
        corpus: (N, D) vectors.
        relevant: Qrels, or for each query a list of corpus rows, or a mapping from corpus row to gain (0 or
            less: judged, not relevant); None: query ``i`` wants corpus row ``i``.
        similarity: ``cosine``, ``dot``, or ``l2`` (the negative squared distance).
        candidates: for each query the corpus rows that compete; None: all of them.
        top: how many of the first items of each ranking to return for display.
        until: a place after which nothing is asked, as in ``hit@k``: a query is done as soon as so many
            others are above all its relevant items. Its counts are then too small, but not below
            ``until``, and no lists are made; measures that look further are refused (E690).
        on_nonfinite: what a NaN, an infinity, or a norm of 0 under cosine does. ``error`` refuses and
            lists every row; ``miss`` counts such a query's and such an item's judgements as not retrieved.
        query_ids, corpus_ids: names for the rows, used in messages only.
        memory: bytes to use beyond the inputs, more or less; about 10 MB a thread are always needed.
        threads: Python threads; None: one a processor.
        blocks: sizes of the pieces of work, for tests and tuning.

    A pair's score is the dot product of its two rows (normalised in float64 and rounded to their type
    once, under cosine), summed in float64 in index order; equal scores under that definition are ties.
    The result is a function of the vectors alone: ``memory``, ``threads`` and ``blocks`` do not touch it.

    Raises InputError (shapes and types E440, no row E449, dimensions E441, unusable rows E442 to E444,
    relevance E445, candidates E446, E447, ids E142) and UsageError (E140).

    >>> ranking = rank([[1, 0], [0, 1]], [[1, 0], [1, 1], [0, 1]], [[0], [1]])
    >>> ranking.higher.tolist(), ranking.top.items.tolist()
    ([0, 1], [[0, 1, 2], [2, 1, 0]])
    """
    check_options(
        similarity=similarity, on_nonfinite=on_nonfinite, top=top, memory=memory, threads=threads, until=until
    )
    most = 0 if until is not None else top
    left, right, dtype = read_pair(*matrices(queries=queries, corpus=corpus))
    check_names(query_ids=(query_ids, len(left)), corpus_ids=(corpus_ids, len(right)))
    qrels = read_relevance(relevant, queries=len(left), corpus=len(right), ids=query_ids)
    lists = read_candidates(candidates, qrels, corpus=len(right), ids=query_ids)
    with Workers(threads) as workers:
        plan = make_plan((left, right), dtype=dtype, memory=memory, threads=workers.threads, blocks=blocks)
        q, c = prepare((left, right), dtype=dtype, similarity=similarity, keep=plan.keep, workers=workers)
        faults = faults_of(q, role="query", ids=query_ids) + faults_of(c, role="corpus", ids=corpus_ids)
        if faults and on_nonfinite == "error":
            raise InputError(faults)
        judged = Judged.of(qrels, q.usable[qrels.query] & c.usable[qrels.items])
        pair = Pair(q, c, similarity)
        counted = _count(
            pair, judged, lists, plan=plan, top=min(most, len(right)), until=until, workers=workers
        )
    competing = np.full(len(qrels), len(right)) if lists is None else np.diff(lists.start)
    return to_ranks(
        qrels,
        judged,
        higher=counted.higher,
        equal=counted.equal,
        extra=counted.extra,
        candidates=competing,
        answered=q.usable,
        top=counted.top,
        until=until,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Non-relevant items above and level with each judged one, and the top lists."""

    higher: Ints
    equal: Ints
    extra: Ints | None
    top: TopK


def _count(
    pair: Pair,
    judged: Judged,
    lists: Lists | None,
    *,
    plan: Plan,
    top: int,
    until: int | None,
    workers: Workers,
) -> _Counted:
    """Choose between scoring the candidate pairs one by one and multiplying everything."""
    if lists is not None and len(lists.rows) * SPARSE < len(pair.queries) * len(pair.corpus):
        best = empty_top(len(pair.queries), top)
        scores = functools.partial(_candidate_scores, pair, lists)
        higher, equal = count_pairs(lists, judged, scores=scores, top=best, workers=workers)
        return _Counted(higher, equal, None, best)
    score_judged(judged, pair, workers)
    columns = Columns.distinct(pair.corpus) if lists is None else Columns.each(pair.corpus.usable)
    extra = _equals_of_relevant(judged, columns)
    if lists is None and wish() == TORCH and serves(pair):
        there = make_on_device(pair, columns, judged=judged, top=top)
        there.run()
        return _Counted(there.higher, there.equal, extra, there.top)
    if lists is None:
        compiled = make_compiled(
            pair, columns, judged=judged, plan=plan, top=top, until=until, workers=workers
        )
        if compiled is not None:
            best = compiled.run(workers)
            return _Counted(compiled.higher, compiled.equal, extra, best)
    engine = make_engine(
        pair, columns, candidates=lists, judged=judged, plan=plan, top=top, local=workers.local
    )
    engine.run(workers)
    return _Counted(engine.higher, engine.equal, extra, engine.top)


def _candidate_scores(pair: Pair, lists: Lists, part: slice) -> Floats:
    """The scores of some candidates, NaN where a vector is unusable."""
    query = np.searchsorted(lists.start, np.arange(part.start, part.stop), side="right") - 1
    item = lists.rows[part]
    scores = score_pairs(pair, query=query, item=item, exact=Exact(pair.dimensions, pair.similarity))
    scores[~(pair.queries.usable[query] & pair.corpus.usable[item])] = np.nan
    return scores


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
