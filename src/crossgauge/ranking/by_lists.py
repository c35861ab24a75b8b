"""Rank by lists of scored items: runs, prediction files, few candidates a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.positives import one_a_query
from crossgauge.ranking.given import check_names, check_options, score_lists
from crossgauge.ranking.relevance import (
    Judged,
    Lists,
    member_of,
    read_candidates,
    read_lists,
    read_relevance,
)
from crossgauge.ranking.standing import standing, to_ranks
from crossgauge.ranking.top import empty_top, merge
from crossgauge.ranking.vectors import Ids, name_of
from crossgauge.ranking.workers import Workers
from crossgauge.types import Bools, Floats, Ints, OnNonfinite, Qrels, Ranks, Relevant, TopK

CHUNK = 1 << 18  # pairs sorted at once


def rank_lists(
    items: Sequence[npt.ArrayLike | None],
    scores: Sequence[npt.ArrayLike | None],
    relevant: Qrels | Relevant,
    *,
    corpus_size: int,
    candidates: Sequence[Ints] | None = None,
    top: int = 10,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
) -> Ranks:
    """Count the ranks of relevant items in lists of scored items; what is not listed is not retrieved.

    Arguments:
        items: for each query the corpus rows it lists, in any order; None or empty: not answered.
        scores: the float64 score of each listed item; their order alone matters, equal scores tie.
        relevant: Qrels, or for each query a list of corpus rows, or a mapping from corpus row to gain.
        corpus_size: how many items there are to be listed, N.
        candidates: for each query the corpus rows that compete; None: all of them.
        top: how many of the first items of each list to return for display.
        on_nonfinite: ``error`` refuses a NaN or infinite score; ``miss`` treats the item as not listed.
        query_ids: names for the queries, used in messages only.

    Raises InputError: E448 for lists that are out of range, of unequal lengths or name an item twice, E449
    for no query, E442 for scores, E445 to E447 for relevance and candidates; UsageError (E140).

    >>> ranking = rank_lists([[4, 2], None], [[.9, .8], None], [[2], [0]], corpus_size=5)
    >>> ranking.higher.tolist(), ranking.retrieved.tolist()
    ([1, 0], [True, False])
    """
    check_options(on_nonfinite=on_nonfinite, top=top, corpus_size=corpus_size)
    if not len(one_a_query(items, "items", code="E448")):
        raise InputError(Fault("E449", "items", "no query: nothing to rank", "at least one list"))
    check_names(query_ids=(query_ids, len(items)))
    qrels = read_relevance(relevant, queries=len(items), corpus=corpus_size, ids=query_ids)
    allowed = read_candidates(candidates, qrels, corpus=corpus_size, ids=query_ids)
    lists, values = _read(items, scores, corpus_size=corpus_size, ids=query_ids)
    if allowed is not None:
        _check_allowed(lists, allowed, corpus_size=corpus_size, ids=query_ids)
    finite = np.isfinite(values)
    if on_nonfinite == "error" and not finite.all():
        raise InputError(_score_faults(lists, values, ids=query_ids))
    best = empty_top(len(qrels), min(top, corpus_size))
    listed = lists.query[finite]
    key = listed * corpus_size + lists.rows[finite]
    judged = Judged.of(qrels, member_of(key, qrels.query * corpus_size + qrels.items))
    with Workers(threads=1) as workers:
        higher, equal = count_pairs(
            lists, judged, scores=lambda pairs: values[pairs], top=best, workers=workers
        )
    competing = np.full(len(qrels), corpus_size) if allowed is None else np.diff(allowed.start)
    answered: Bools = np.bincount(listed, minlength=len(qrels)) > 0
    return to_ranks(
        qrels,
        judged,
        higher=higher,
        equal=equal,
        extra=None,
        candidates=competing,
        answered=answered,
        top=best,
    )


def count_pairs(
    lists: Lists, judged: Judged, *, scores: Callable[[slice], Floats], top: TopK, workers: Workers
) -> tuple[Ints, Ints]:
    """Non-relevant items scoring higher and equal, (L,) each, over explicit lists with ascending rows.

    ``scores(pairs)`` gives the scores of some of the pairs, NaN or infinite for one that does not
    compete. Fills in ``judged.score`` and the top lists.
    """
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)

    def work(queries: slice) -> None:
        pairs = slice(int(lists.start[queries.start]), int(lists.start[queries.stop]))
        mine = slice(int(judged.start[queries.start]), int(judged.start[queries.stop]))
        found = scores(pairs)
        finite = np.isfinite(found)
        sizes = np.diff(lists.start[queries.start : queries.stop + 1])
        query = np.repeat(np.arange(queries.start, queries.stop), sizes)[finite]
        rows, found = lists.rows[pairs][finite], found[finite]
        width = max(int(rows.max(initial=0)), int(judged.item[mine].max(initial=0))) + 1
        at = np.searchsorted(query * width + rows, judged.query[mine] * width + judged.item[mine])
        rival = np.ones((len(rows), 1), dtype=np.int64)
        rival[at] = 0
        higher, equal = standing(query, found, rival)
        counts[0, mine], counts[1, mine] = higher[at, 0], equal[at, 0]
        judged.score[mine] = found[at]
        if top.items.shape[1]:
            merge(top, query, rows, found)

    workers.each(work, _chunks(lists.start))
    return counts[0], counts[1]


def _chunks(start: Ints) -> Iterator[slice]:
    """Runs of whole queries with about ``CHUNK`` pairs each."""
    begin, total = 0, len(start) - 1
    while begin < total:
        stop = int(np.searchsorted(start, start[begin] + CHUNK, side="right")) - 1
        stop = min(max(stop, begin + 1), total)
        yield slice(begin, stop)
        begin = stop


def _read(
    items: Sequence[npt.ArrayLike | None],
    scores: Sequence[npt.ArrayLike | None],
    *,
    corpus_size: int,
    ids: Ids,
) -> tuple[Lists, Floats]:
    """The lists end to end, rows ascending within each, and their scores."""
    if len(items) != len(one_a_query(scores, "scores", code="E448")):
        found = f"{len(items)} lists of items, {len(scores)} of scores"
        raise InputError(Fault("E448", "lists", found, "one of each a query"))
    rows = read_lists([() if one is None else one for one in items], code="E448", ids=ids)
    values = score_lists(scores, ids=ids)
    faults = [
        Fault("E448", name_of("query", q, ids), f"{len(r)} items, {len(v)} scores", "one score an item")
        for q, (r, v) in enumerate(zip(rows, values, strict=True))
        if len(r) != len(v)
    ]
    if faults:
        raise InputError(faults)
    lists = Lists.of(rows)
    query = lists.query
    outside = (lists.rows < 0) | (lists.rows >= corpus_size)
    order = np.lexsort((lists.rows, query))
    ordered = lists.rows[order]
    twice = (np.diff(ordered) == 0) & (np.diff(query) == 0)
    faults = [
        Fault(
            "E448", name_of("query", int(query[at]), ids), f"item {lists.rows[at]}", f"0 to {corpus_size - 1}"
        )
        for at in np.flatnonzero(outside)
    ] + [
        Fault(
            "E448",
            name_of("query", int(query[at]), ids),
            f"item {ordered[at]} is listed twice",
            "each item once",
        )
        for at in np.flatnonzero(twice)
    ]
    if faults:
        raise InputError(faults)
    joined = np.concatenate(values)[order] if values else np.zeros(0)
    return Lists(lists.start, ordered), joined


def _check_allowed(lists: Lists, allowed: Lists, *, corpus_size: int, ids: Ids) -> None:
    key = lists.query * corpus_size + lists.rows
    strangers = key[~member_of(allowed.query * corpus_size + allowed.rows, key)]
    if len(strangers):
        raise InputError(
            Fault(
                "E446",
                name_of("query", int(at // corpus_size), ids),
                f"lists row {at % corpus_size}",
                "candidates of that query only",
            )
            for at in strangers
        )


def _score_faults(lists: Lists, values: Floats, *, ids: Ids) -> list[Fault]:
    query = lists.query
    return [
        Fault(
            "E442",
            name_of("query", int(query[at]), ids),
            f"item {lists.rows[at]} scores {values[at]}",
            "a finite number",
            "leave the item out, or pass on_nonfinite='miss'",
        )
        for at in np.flatnonzero(~np.isfinite(values))
    ]
