"""Exact counts from fast products: blocks of queries against tiles of the corpus, in a few threads.

Every comparison is decided by a product with a proved error bound, or by the defined score where the
bound leaves it open, so the counts do not depend on blocks, threads or the BLAS in use.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from crossgauge.ranking.arithmetic import SHORT, Arithmetic, choose, widened
from crossgauge.ranking.columns import Columns
from crossgauge.ranking.exact import Supports, exact_here
from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.plan import Plan
from crossgauge.ranking.relevance import Judged, Lists
from crossgauge.ranking.sampling import SAMPLE_QUERIES, SAMPLE_ROWS, spaced, sparse
from crossgauge.ranking.tally import Array, Pending, Scratch, Sheet, rows_at_once, tally
from crossgauge.ranking.top import empty_top, merge, promising
from crossgauge.ranking.workers import Workers
from crossgauge.types import Floats, Ints, TopK

WIDEN = 0.01  # scoring a pair again costs about 100 products, and float64 doubles every product


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """One ranking under way; the counts are filled in place, each thread in places of its own."""

    pair: Pair
    columns: Columns
    candidates: Lists | None
    judged: Judged
    arithmetic: Arithmetic
    plan: Plan
    higher: Ints  # (L,)
    equal: Ints  # (L,)
    top: TopK
    local: threading.local
    one_each: bool  # every query has exactly one judgement
    sparse: bool  # most numbers are 0, so that many scores are exactly 0

    def run(self, workers: Workers) -> None:
        """Fill the counts and the top lists."""
        for tile in self.plan.tiles(len(self.columns.rows)):
            rows = self.columns.rows[tile]
            whole = self.columns.weights is None and len(rows) and rows[-1] - rows[0] == len(rows) - 1
            which = slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
            factors = self.arithmetic.as_corpus(self.pair.corpus, which)

            def work(block: slice, tile: slice = tile, factors: Array = factors) -> None:
                with np.errstate(all="ignore"):
                    self._block(block, tile, factors)

            workers.each(work, self.plan.pieces(len(self.pair.queries)))

    def _block(self, block: slice, tile: slice, factors: Array) -> None:
        """Count and list one block of queries against one tile of the corpus."""
        mine = slice(int(self.judged.start[block.start]), int(self.judged.start[block.stop]))
        sheet = self._sheet(block, tile, factors)
        self._withdraw(sheet.values, block, tile, mine)
        listing = self.top.items.shape[1] > 0
        if listing and tile.start == 0:
            self._list_relevant(mine)
        open_pairs = Pending(lambda which, columns: self._settle(sheet, which, columns, block))
        rivals = Pending(lambda query, columns: self._list(sheet, query, columns, block, tile))
        bounds = self._bounds(mine)
        step = rows_at_once(sheet)
        for begin in range(block.start, block.stop, step):
            part = slice(begin, min(begin + step, block.stop))
            self._tally(sheet, part, block, bounds=bounds, undecided=open_pairs)
            if listing:
                rivals.add(*self._promising(sheet, part, block))
        open_pairs.flush()
        rivals.flush()

    def _bounds(self, mine: slice) -> tuple[Array, Array]:
        query = self.judged.query[mine]
        return self.arithmetic.bounds(
            self._threshold(query, self.judged.score[mine]), self.arithmetic.reach(query)
        )

    def _sheet(self, block: slice, tile: slice, factors: Array) -> Sheet:
        """The products of a block and a tile."""
        left = self.arithmetic.as_queries(self.pair.queries, block)
        values = self._scratch().sheet(len(left), len(factors), self.arithmetic.dtype)
        np.matmul(left, factors.T, out=values)
        exact = exact_here(self.local, self.pair.dimensions, self.pair.similarity)

        supports = Supports(left, factors) if self.sparse else None

        def rescore(rows: Ints, columns: Ints) -> Floats:
            if supports is None:
                return exact.scores(left, factors, rows=rows, others=columns)
            scores = np.zeros(len(rows))
            meet = supports.meet(rows, columns)
            scores[meet] = exact.scores(left, factors, rows=rows[meet], others=columns[meet])
            return scores

        weights = None if self.columns.weights is None else self.columns.weights[tile]
        heavy = np.zeros(0, dtype=np.int64) if weights is None else np.flatnonzero(weights > 1)
        return Sheet(values, weights, heavy, rescore)

    def _withdraw(self, values: Array, block: slice, tile: slice, mine: slice) -> None:
        """Take out what must not be counted: non-candidates, and the relevant with their equals."""
        if self.candidates is not None:
            start = self.candidates.start
            part = slice(int(start[block.start]), int(start[block.stop]))
            column = self.columns.of[self.candidates.rows[part]] - tile.start
            row = np.repeat(np.arange(len(values)), np.diff(start[block.start : block.stop + 1]))
            inside = (column >= 0) & (column < values.shape[1])
            absent = np.ones(values.shape, dtype=np.bool_)
            absent[row[inside], column[inside]] = False
            np.putmask(values, absent, -np.inf)
        column = self.columns.of[self.judged.item[mine]] - tile.start
        inside = (column >= 0) & (column < values.shape[1])
        values[(self.judged.query[mine] - block.start)[inside], column[inside]] = -np.inf

    def _tally(
        self, sheet: Sheet, part: slice, block: slice, *, bounds: tuple[Array, Array], undecided: Pending
    ) -> None:
        """Count for the judgements of some queries; a query with many is taken in several goes."""
        offset = int(self.judged.start[block.start])
        start, stop = int(self.judged.start[part.start]), int(self.judged.start[part.stop])
        step = rows_at_once(sheet)
        for begin in range(start, stop, step):
            mine = slice(begin, min(begin + step, stop))
            rows: Ints | slice = self.judged.query[mine] - block.start
            if self.one_each:
                rows = slice(begin - offset, mine.stop - offset)  # a view, where indices would copy
            low, high = (bound[begin - offset : mine.stop - offset] for bound in bounds)
            counts = tally(
                sheet, rows, low=low, high=high, scratch=self._scratch(), exact=self.arithmetic.exact
            )
            self.higher[mine] += counts.higher
            self.equal[mine] += counts.equal
            undecided.add(counts.which + begin, counts.columns)

    def _settle(self, sheet: Sheet, which: Ints, columns: Ints, block: slice) -> None:
        """Score undecided pairs (judgement, column) by the definition and count them where they belong."""
        scores = sheet.rescore(self.judged.query[which] - block.start, columns)
        weights = np.ones(len(columns), np.int64) if sheet.weights is None else sheet.weights[columns]
        threshold = self.judged.score[which]
        for counts, chosen in ((self.higher, scores > threshold), (self.equal, scores == threshold)):
            np.add.at(counts, which[chosen], weights[chosen])

    def _threshold(self, query: Ints, score: Floats) -> Floats:
        return self.arithmetic.threshold(score, self.pair.queries.squares[query])

    def _promising(self, sheet: Sheet, part: slice, block: slice) -> tuple[Ints, Ints]:
        query = np.arange(part.start, part.stop)
        k = self.top.items.shape[1]
        last = self.top.scores[query, k - 1]
        floor = self._threshold(query, np.where(np.isnan(last), -np.inf, last))
        rows = slice(part.start - block.start, part.stop - block.start)
        return promising(sheet, rows, floor=floor, reach=self.arithmetic.reach(query), k=k)

    def _list(self, sheet: Sheet, rows: Ints, columns: Ints, block: slice, tile: slice) -> None:
        keep = self.pair.queries.usable[rows + block.start]
        rows, columns = rows[keep], columns[keep]
        self._merge(rows + block.start, columns + tile.start, sheet.rescore(rows, columns))

    def _list_relevant(self, mine: slice) -> None:
        """The relevant were withdrawn from the sheet; they compete here, once, with their equals."""
        query, column = self.judged.query[mine], self.columns.of[self.judged.item[mine]]
        _, once = np.unique(query * len(self.columns.rows) + column, return_index=True)
        self._merge(query[once], column[once], self.judged.score[mine][once])

    def _merge(self, query: Ints, columns: Ints, scores: Floats) -> None:
        items, origin = self.columns.expanded(columns, most=self.top.items.shape[1])
        merge(self.top, query[origin], items, scores[origin])

    def _scratch(self) -> Scratch:
        scratch: Scratch | None = getattr(self.local, "scratch", None)
        if scratch is None:
            scratch = self.local.scratch = Scratch()
        return scratch


def make_engine(
    pair: Pair,
    columns: Columns,
    *,
    candidates: Lists | None,
    judged: Judged,
    plan: Plan,
    top: int,
    local: threading.local,
) -> Engine:
    """Choose the arithmetic (``judged`` must hold its scores) and set all counts to zero."""
    arithmetic = choose(pair)
    if arithmetic.dtype == SHORT and undecided(arithmetic, pair, columns=columns, judged=judged) > WIDEN:
        arithmetic = widened(arithmetic, pair)
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)
    return Engine(
        pair=pair,
        columns=columns,
        candidates=candidates,
        judged=judged,
        arithmetic=arithmetic,
        plan=plan,
        higher=counts[0],
        equal=counts[1],
        top=empty_top(len(pair.queries), top),
        local=local,
        one_each=bool((np.diff(judged.start) == 1).all()),
        sparse=pair.similarity != "l2" and sparse(pair.corpus, columns.rows),
    )


def undecided(arithmetic: Arithmetic, pair: Pair, *, columns: Columns, judged: Judged) -> float:
    """The share of comparisons that the bound would leave open, on a small sample.

    Large for vectors that are all nearly alike, for l2 far from the origin, and for uneven norms.
    """
    picked = spaced(len(judged.index), SAMPLE_QUERIES)
    rows = columns.rows[spaced(len(columns.rows), SAMPLE_ROWS)]
    if not len(picked) or not len(rows):
        return 0.0
    query = judged.query[picked]
    products = arithmetic.as_queries(pair.queries, query) @ arithmetic.as_corpus(pair.corpus, rows).T
    threshold = arithmetic.threshold(judged.score[picked], pair.queries.squares[query])
    near = np.abs(products - threshold[:, None]) <= arithmetic.reach(query)[:, None]
    near &= rows != judged.item[picked][:, None]
    return float(near.mean())
