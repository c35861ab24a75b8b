"""Rank what several corpus rows stand for (a picture found through its captions), each by its best row.

A unit scores as its best row does, by the same definition and with the same ties as :func:`crossgauge.rank`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import InputError
from crossgauge.ranking.arithmetic import Arithmetic, choose
from crossgauge.ranking.exact import exact_here
from crossgauge.ranking.given import check_names, check_options, matrices
from crossgauge.ranking.pairs import Pair, score_pairs
from crossgauge.ranking.relevance import Judged, Lists, read_relevance
from crossgauge.ranking.standing import to_ranks
from crossgauge.ranking.top import empty_top
from crossgauge.ranking.unusable import faults_of
from crossgauge.ranking.vectors import Ids, prepare, read_pair
from crossgauge.ranking.workers import Workers
from crossgauge.types import Bools, Floats, Ints, OnNonfinite, Qrels, Ranks, Similarity, TopK


def rank_units(
    queries: npt.ArrayLike,
    corpus: npt.ArrayLike,
    relevant: Qrels,
    units: Ints,
    *,
    similarity: Similarity = "cosine",
    top: int = 10,
    on_nonfinite: OnNonfinite = "error",
    query_ids: Ids = None,
    corpus_ids: Ids = None,
    memory: int = 1 << 30,
    threads: int | None = None,
) -> Ranks:
    """Count exactly, for each query and each unit with a relevant row, which units score higher and equal.

    Arguments:
        queries, corpus, similarity, top, on_nonfinite, query_ids, corpus_ids, memory, threads: as in
            :func:`crossgauge.rank`.
        relevant: judgements of corpus rows; a unit is relevant if one of its rows is, with its largest gain.
        units: (N,) the unit of each corpus row, any whole numbers.

    In the result ``items`` and ``top.items`` are the best rows of their units (the first of equal ones), and
    ``candidates`` counts units. A unit without a usable row is never retrieved.

    >>> ranks = rank_units([[1, 0]], [[1, 1], [0, 1], [3, 1]], Qrels.of([[1]]), np.array([0, 0, 1]))
    >>> ranks.items.tolist(), ranks.higher.tolist(), ranks.candidates.tolist()
    ([0], [1], [2])
    """
    check_options(similarity=similarity, on_nonfinite=on_nonfinite, top=top, memory=memory, threads=threads)
    left, right, dtype = read_pair(*matrices(queries=queries, corpus=corpus))
    check_names(query_ids=(query_ids, len(left)), corpus_ids=(corpus_ids, len(right)))
    rows = read_relevance(relevant, queries=len(left), corpus=len(right), ids=query_ids)
    names, unit = np.unique(units, return_inverse=True)
    order = np.argsort(unit, kind="stable")  # rows of one unit side by side, in the order of the corpus
    with Workers(threads) as workers:
        q, c = prepare((left, right[order]), dtype=dtype, similarity=similarity, keep=True, workers=workers)
        faults = faults_of(q, role="query", ids=query_ids)
        faults += faults_of(
            c, role="corpus", ids=None if corpus_ids is None else [corpus_ids[r] for r in order]
        )
        if faults and on_nonfinite == "error":
            raise InputError(faults)
        pair = Pair(q, c, similarity)
        start = np.r_[0, np.cumsum(np.bincount(unit, minlength=len(names)))]
        counter = _Counter(pair, choose(pair), start, _of_units(rows, unit), workers)
        return counter.ranks(order, top=min(top, len(names)), memory=memory)


def _of_units(rows: Qrels, unit: Ints) -> Qrels:
    """Judgements of rows as judgements of their units, each once."""
    gains: list[dict[int, float]] = [{} for _ in range(len(rows))]
    for query, item, gain in zip(
        rows.query.tolist(), unit[rows.items].tolist(), rows.gains.tolist(), strict=True
    ):
        gains[query][item] = max(gain, gains[query].get(item, 0.0))
    return Qrels.of(gains)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A query with the fast product of each unit's best row, and how far these may be off."""

    query: int
    peaks: npt.NDArray[Any]  # (U,)
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class _Counter:
    """One ranking of units; corpus rows are sorted by unit, unit ``u`` has rows ``start[u]:start[u + 1]``."""

    pair: Pair
    arithmetic: Arithmetic
    start: Ints  # (U + 1,)
    qrels: Qrels  # of units
    workers: Workers

    def ranks(self, order: Ints, *, top: int, memory: int) -> Ranks:
        """Everything counted; rows are numbered as in the corpus that was given."""
        qrels, units = self.qrels, len(self.start) - 1
        live = (
            self.pair.queries.usable[qrels.query]
            & np.logical_or.reduceat(self.pair.corpus.usable, self.start[:-1])[qrels.items]
        )
        judged = Judged.of(qrels, live)
        judged.score[:], best_row = self._best(judged.query, judged.item)
        higher, equal = np.zeros_like(judged.item), np.zeros_like(judged.item)
        best = empty_top(len(qrels), top)
        size = self.start[-1] * self.arithmetic.dtype.itemsize
        step = max(1, min(256, memory // (4 * self.workers.threads * int(size) + 1)))

        def work(begin: int) -> None:
            block = np.arange(begin, min(begin + step, len(qrels)))
            for line in self._lines(block):
                one = slice(judged.start[line.query], judged.start[line.query + 1])
                for at in range(one.start, one.stop):
                    higher[at], equal[at] = self._count(line, judged.score[at], judged.item[one])
                self._list(best, line)

        self.workers.each(work, range(0, len(qrels), step))
        shown = np.zeros(len(qrels.items), dtype=np.int64)
        shown[:] = order[self.start[qrels.items]]
        shown[judged.index] = order[best_row]
        ranked = to_ranks(
            qrels, judged, higher=higher, equal=equal, extra=None, candidates=np.full(len(qrels), units),
            answered=self.pair.queries.usable, top=best,
        )  # fmt: skip
        items = np.where(best.items >= 0, order[np.maximum(best.items, 0)], -1)
        return _with(ranked, shown, TopK(items, best.scores))

    def _lines(self, block: Ints) -> Iterator[_Line]:
        """For some queries the peak of the products in each unit; rows that are unusable count as -inf."""
        left = self.arithmetic.as_queries(self.pair.queries, block)
        right = self.arithmetic.as_corpus(self.pair.corpus, slice(None))
        with np.errstate(all="ignore"):
            products = left @ right.T
        products[:, ~self.pair.corpus.usable] = -np.inf
        peaks = np.maximum.reduceat(products, self.start[:-1], axis=1)
        for query, row, reach in zip(
            block.tolist(), peaks, self.arithmetic.reach(block).tolist(), strict=True
        ):
            yield _Line(query, row, reach)

    def _count(self, line: _Line, score: float, mine: Ints) -> tuple[int, int]:
        """Units other than the relevant ones that score higher than ``score``, and equal."""
        threshold = self.arithmetic.threshold(np.array([score]), self._square(line.query))
        low, high = self.arithmetic.bounds(threshold, np.array([line.reach]))
        rival = np.ones(len(line.peaks), dtype=np.bool_)
        rival[mine] = False
        certain = int(((line.peaks > high[0]) & rival).sum())
        unsure = np.flatnonzero((line.peaks >= low[0]) & (line.peaks <= high[0]) & rival)
        found, _ = self._best(np.full(len(unsure), line.query), unsure)
        return certain + int((found > score).sum()), int((found == score).sum())

    def _list(self, best: TopK, line: _Line) -> None:
        """The first units of a query by score, then by the place of their best row."""
        k, peaks = best.items.shape[1], line.peaks
        if not k or not self.pair.queries.usable[line.query]:
            return
        kth = float(np.partition(peaks, len(peaks) - k)[len(peaks) - k])
        least = kth - 2.0 * line.reach - np.spacing(abs(kth)) if np.isfinite(kth) else kth
        likely = np.flatnonzero((peaks >= least) & (peaks > -np.inf))
        scores, rows = self._best(np.full(len(likely), line.query), likely)
        first = np.lexsort((rows, -scores))[:k]
        best.items[line.query, : len(first)] = rows[first]
        best.scores[line.query, : len(first)] = scores[first]

    def _square(self, query: int) -> Floats:
        return self.pair.queries.squares[query : query + 1]

    def _best(self, query: Ints, unit: Ints) -> tuple[Floats, Ints]:
        """The exact score of each query and unit, and the row that has it (the first of equal ones)."""
        if not len(unit):
            return np.zeros(0), np.zeros(0, dtype=np.int64)
        lists = Lists.of([np.arange(self.start[one], self.start[one + 1]) for one in unit])
        asked = np.repeat(query, np.diff(lists.start))
        exact = exact_here(self.workers.local, self.pair.dimensions, self.pair.similarity)
        scores = score_pairs(self.pair, query=asked, item=lists.rows, exact=exact)
        scores[~self._usable(asked, lists.rows)] = -np.inf
        peak = np.maximum.reduceat(scores, lists.start[:-1])
        at_peak = np.where(
            scores == np.repeat(peak, np.diff(lists.start)), lists.rows, np.iinfo(np.int64).max
        )
        return peak, np.minimum.reduceat(at_peak, lists.start[:-1])

    def _usable(self, query: Ints, row: Ints) -> Bools:
        usable: Bools = self.pair.queries.usable[query] & self.pair.corpus.usable[row]
        return usable


def _with(ranks: Ranks, items: Ints, top: TopK) -> Ranks:
    return Ranks(
        start=ranks.start, items=items, gains=ranks.gains, higher=ranks.higher, equal=ranks.equal,
        higher_relevant=ranks.higher_relevant, equal_relevant=ranks.equal_relevant, retrieved=ranks.retrieved,
        candidates=ranks.candidates, answered=ranks.answered, top=top,
    )  # fmt: skip
