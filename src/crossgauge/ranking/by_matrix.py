"""Rank by a matrix of scores that somebody else computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.ranking.given import check_names, check_options, matrices
from crossgauge.ranking.relevance import Judged, Lists, read_candidates, read_relevance
from crossgauge.ranking.standing import to_ranks
from crossgauge.ranking.tally import Array, Scratch, Sheet, rows_at_once, tally
from crossgauge.ranking.top import empty_top, merge, promising
from crossgauge.ranking.vectors import Ids, name_of, read_scores
from crossgauge.types import Bools, Floats, Ints, OnNonfinite, Qrels, Ranks, Relevant, TopK

AT_ONCE = 1 << 23  # scores copied at once
NO_COLUMNS = np.zeros(0, dtype=np.int64)


def rank_matrix(
    scores: npt.ArrayLike,
    relevant: Qrels | Relevant | None = None,
    *,
    candidates: Sequence[Ints] | None = None,
    top: int = 10,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
    corpus_ids: Ids = None,
) -> Ranks:
    """Count exactly, for each query and each of its relevant items, who scores higher and who equal.

    Arguments:
        scores: (Q, N), higher is nearer; compared in the precision supplied, never rounded.
        relevant: Qrels, or for each query a list of columns, or a mapping from column to gain (0 or less:
            judged, not relevant); None: query ``i`` wants column ``i``.
        candidates: for each query the columns that compete; None: all of them. Others are not looked at.
        top: how many of the first items of each ranking to return for display.
        on_nonfinite: ``error`` refuses NaN and infinities; ``miss`` treats such a pair as not retrieved.
        query_ids, corpus_ids: names for rows and columns, used in messages only.

    Raises InputError: E440 for shape and type, E449 for no row, E442 for scores, E445 to E447 for relevance
    and candidates, E142 for ids; UsageError (E140).

    >>> ranks = rank_matrix([[.9, .1, .2], [.5, .5, .5], [.1, .2, .8]])
    >>> ranks.higher.tolist(), ranks.equal.tolist()
    ([0, 0, 0], [0, 2, 0])
    """
    check_options(on_nonfinite=on_nonfinite, top=top)
    matrix, dtype = read_scores(*matrices(scores=scores))
    check_names(query_ids=(query_ids, len(matrix)), corpus_ids=(corpus_ids, matrix.shape[1]))
    qrels = read_relevance(relevant, queries=len(matrix), corpus=matrix.shape[1], ids=query_ids)
    lists = read_candidates(candidates, qrels, corpus=matrix.shape[1], ids=query_ids)
    faults, answered = _examine(matrix, lists, ids=(query_ids, corpus_ids))
    if faults and on_nonfinite == "error":
        raise InputError(faults)
    own = matrix[qrels.query, qrels.items].astype(np.float64)
    judged = Judged.of(qrels, np.isfinite(own))
    judged.score[:] = own[judged.index]
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)
    best = empty_top(len(qrels), min(top, matrix.shape[1]))
    scratch = Scratch()
    for begin in range(0, len(matrix), _step(matrix)):
        part = slice(begin, min(begin + _step(matrix), len(matrix)))
        values = _competing(matrix, part, lists, dtype=dtype)
        _list(values, part, best)
        _count(values, part, judged, counts=counts, scratch=scratch)
    competing = np.full(len(qrels), matrix.shape[1]) if lists is None else np.diff(lists.start)
    return to_ranks(
        qrels,
        judged,
        higher=counts[0],
        equal=counts[1],
        extra=None,
        candidates=competing,
        answered=answered,
        top=best,
    )


def _examine(matrix: Array, lists: Lists | None, *, ids: tuple[Ids, Ids]) -> tuple[list[Fault], Bools]:
    """Faults, one a query with scores that are not finite; and which queries have any that is."""
    faults = []
    answered = np.ones(len(matrix), dtype=np.bool_)
    for q, row in enumerate(matrix):
        own = row if lists is None else row[lists.rows[lists.start[q] : lists.start[q + 1]]]
        finite = np.isfinite(np.asarray(own, dtype=np.float64))
        if not finite.all():
            bad = np.flatnonzero(~finite)
            answered[q] = len(bad) < len(own)
            column = int(bad[0] if lists is None else lists.rows[lists.start[q] + bad[0]])
            first = name_of("corpus", column, ids[1])
            found = f"{len(bad)} of {len(own)} scores not finite, first that of {first}"
            faults.append(
                Fault(
                    "E442",
                    name_of("query", q, ids[0]),
                    found,
                    "numbers",
                    "mend the scores, or pass on_nonfinite='miss'",
                )
            )
    return faults, answered


def _step(matrix: Array) -> int:
    return max(1, AT_ONCE // max(1, int(matrix.shape[1])))


def _competing(matrix: Array, part: slice, lists: Lists | None, *, dtype: np.dtype[np.generic]) -> Array:
    """A copy of some rows in which whatever does not compete is -inf."""
    values = matrix[part].astype(dtype)
    absent = ~np.isfinite(values)
    if lists is not None:
        start = lists.start[part.start : part.stop + 1]
        present = np.zeros_like(absent)
        present[np.repeat(np.arange(len(values)), np.diff(start)), lists.rows[start[0] : start[-1]]] = True
        absent |= ~present
    values[absent] = -np.inf
    return values


def _list(values: Array, part: slice, best: TopK) -> None:
    k = best.items.shape[1]
    step = rows_at_once(Sheet(values, None, NO_COLUMNS, _never))
    for begin in range(0, len(values), step) if k else ():
        rows = slice(begin, min(begin + step, len(values)))
        count = rows.stop - rows.start
        row, column = promising(
            Sheet(values, None, NO_COLUMNS, _never),
            rows,
            floor=np.full(count, -np.inf),
            reach=np.zeros(count),
            k=k,
        )
        merge(best, row + part.start, column, values[row, column].astype(np.float64))


def _count(values: Array, part: slice, judged: Judged, *, counts: Ints, scratch: Scratch) -> None:
    first, last = int(judged.start[part.start]), int(judged.start[part.stop])
    values[judged.query[first:last] - part.start, judged.item[first:last]] = -np.inf  # counted elsewhere
    sheet = Sheet(values, None, NO_COLUMNS, _never)
    step = rows_at_once(sheet)
    for begin in range(first, last, step):
        mine = slice(begin, min(begin + step, last))
        own = judged.score[mine].astype(values.dtype)
        found = tally(sheet, judged.query[mine] - part.start, low=own, high=own, scratch=scratch, exact=True)
        counts[:, mine] = found.higher, found.equal


def _never(_rows: Ints, _columns: Ints) -> Floats:
    raise AssertionError("the scores of a matrix are exact: nothing is left to decide")
