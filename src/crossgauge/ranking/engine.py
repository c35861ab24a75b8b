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
from crossgauge.ranking.exact import Exact
from crossgauge.ranking.plan import Plan
from crossgauge.ranking.relevance import Judged, Lists
from crossgauge.ranking.tally import Array, Scratch, Sheet, rows_at_once, tally
from crossgauge.ranking.top import empty_top, merge, promising
from crossgauge.ranking.vectors import Rows
from crossgauge.ranking.workers import Workers
from crossgauge.types import Floats, Ints, Similarity, TopK

SAMPLE_QUERIES, SAMPLE_ROWS = 32, 512
WIDEN = 0.01  # scoring a pair again costs about 100 products, and float64 doubles every product
PENDING = 1 << 16  # pairs kept before they are merged into the top lists
PAIRS = 1 << 14  # judgements scored by one thread in one go


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """One ranking under way; the counts are filled in place, each thread in places of its own."""

    queries: Rows
    corpus: Rows
    columns: Columns
    candidates: Lists | None
    judged: Judged
    arithmetic: Arithmetic
    plan: Plan
    higher: Ints  # (L,)
    equal: Ints  # (L,)
    top: TopK
    local: threading.local

    def run(self, workers: Workers) -> None:
        """Fill the counts and the top lists."""
        for tile in self.plan.tiles(len(self.columns.rows)):
            rows = self.columns.rows[tile]
            whole = self.columns.weights is None and len(rows) and rows[-1] - rows[0] == len(rows) - 1
            which = slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
            factors = self.arithmetic.as_corpus(self.corpus, which)

            def work(block: slice, tile: slice = tile, factors: Array = factors) -> None:
                with np.errstate(all="ignore"):
                    self._block(block, tile, factors)

            workers.each(work, self.plan.pieces(len(self.queries)))

    def _block(self, block: slice, tile: slice, factors: Array) -> None:
        mine = slice(int(self.judged.start[block.start]), int(self.judged.start[block.stop]))
        sheet = self._sheet(block, tile, factors)
        self._withdraw(sheet.values, block, tile, mine)
        if self.top.items.shape[1] and tile.start == 0:
            self._list_relevant(mine)
        rivals: list[tuple[Ints, Ints]] = []
        step = rows_at_once(sheet)
        for begin in range(block.start, block.stop, step):
            part = slice(begin, min(begin + step, block.stop))
            self._tally(sheet, part, block)
            if self.top.items.shape[1]:
                rivals.append(self._promising(sheet, part, block))
                if sum(len(rows) for rows, _ in rivals) > PENDING:
                    self._list(sheet, rivals, block, tile)
                    rivals.clear()
        if rivals:
            self._list(sheet, rivals, block, tile)

    def _sheet(self, block: slice, tile: slice, factors: Array) -> Sheet:
        """The products of a block and a tile."""
        left = self.arithmetic.as_queries(self.queries, block)
        values = self._scratch().sheet(len(left), len(factors), self.arithmetic.dtype)
        np.matmul(left, factors.T, out=values)
        exact = Exact(self.arithmetic.dimensions, self.arithmetic.similarity)

        def rescore(rows: Ints, columns: Ints) -> Floats:
            return exact.scores(left, factors, rows=rows, others=columns)

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

    def _tally(self, sheet: Sheet, part: slice, block: slice) -> None:
        """Count for the judgements of some queries; a query with many is taken in several goes."""
        start, stop = int(self.judged.start[part.start]), int(self.judged.start[part.stop])
        step = rows_at_once(sheet)
        for begin in range(start, stop, step):
            mine = slice(begin, min(begin + step, stop))
            query, score = self.judged.query[mine], self.judged.score[mine]
            low, high = self.arithmetic.bounds(self._threshold(query, score), self.arithmetic.reach(query))
            higher, equal = tally(
                sheet, query - block.start, low=low, high=high, score=score,
                scratch=self._scratch(), exact=self.arithmetic.exact,
            )  # fmt: skip
            self.higher[mine] += higher
            self.equal[mine] += equal

    def _threshold(self, query: Ints, score: Floats) -> Floats:
        return self.arithmetic.threshold(score, self.queries.squares[query])

    def _promising(self, sheet: Sheet, part: slice, block: slice) -> tuple[Ints, Ints]:
        query = np.arange(part.start, part.stop)
        k = self.top.items.shape[1]
        last = self.top.scores[query, k - 1]
        floor = self._threshold(query, np.where(np.isnan(last), -np.inf, last))
        rows = slice(part.start - block.start, part.stop - block.start)
        return promising(sheet, rows, floor=floor, reach=self.arithmetic.reach(query), k=k)

    def _list(self, sheet: Sheet, rivals: list[tuple[Ints, Ints]], block: slice, tile: slice) -> None:
        rows = np.concatenate([rows for rows, _ in rivals])
        columns = np.concatenate([columns for _, columns in rivals])
        keep = self.queries.usable[rows + block.start]
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
    queries: Rows, corpus: Rows, *, similarity: Similarity, columns: Columns, candidates: Lists | None,
    judged: Judged, plan: Plan, top: int,
) -> Engine:  # fmt: skip
    """Choose the arithmetic (``judged`` must hold its scores) and set all counts to zero."""
    arithmetic = choose(queries, corpus, similarity)
    if arithmetic.dtype == SHORT and undecided(arithmetic, queries, corpus, columns=columns, judged=judged) > WIDEN:
        arithmetic = widened(arithmetic, queries, corpus)
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)
    return Engine(queries, corpus, columns, candidates, judged, arithmetic, plan,
                  counts[0], counts[1], empty_top(len(queries), top), threading.local())  # fmt: skip


def undecided(arithmetic: Arithmetic, queries: Rows, corpus: Rows, *, columns: Columns, judged: Judged) -> float:
    """The share of comparisons that the bound would leave open, on a small sample.

    Large for vectors that are all nearly alike, for l2 far from the origin, and for uneven norms.
    """
    picked = _spaced(len(judged.index), SAMPLE_QUERIES)
    rows = columns.rows[_spaced(len(columns.rows), SAMPLE_ROWS)]
    if not len(picked) or not len(rows):
        return 0.0
    query = judged.query[picked]
    products = arithmetic.as_queries(queries, query) @ arithmetic.as_corpus(corpus, rows).T
    threshold = arithmetic.threshold(judged.score[picked], queries.squares[query])
    near = np.abs(products - threshold[:, None]) <= arithmetic.reach(query)[:, None]
    near &= rows != judged.item[picked][:, None]
    return float(near.mean())


def score_judged(judged: Judged, queries: Rows, corpus: Rows, *, similarity: Similarity, workers: Workers) -> None:
    """Fill in the score of every judgement, as defined."""
    step = max(64, min(PAIRS, -(-len(judged.index) // (2 * workers.threads))))

    def work(begin: int) -> None:
        part = slice(begin, begin + step)
        with np.errstate(all="ignore"):
            judged.score[part] = score_pairs(queries, corpus, query=judged.query[part], item=judged.item[part],
                                             similarity=similarity)  # fmt: skip

    workers.each(work, range(0, len(judged.index), step))


def score_pairs(queries: Rows, corpus: Rows, *, query: Ints, item: Ints, similarity: Similarity) -> Floats:
    """The defined scores of pairs of rows, (P,); rows are fetched a few at a time."""
    exact = Exact(queries.given.shape[1], similarity)
    found = np.empty(len(query))
    step = 256
    everyone = np.arange(step)
    for begin in range(0, len(query), step):
        part = slice(begin, min(begin + step, len(query)))
        all_rows = everyone[: part.stop - begin]
        left, right = queries.take(query[part]), corpus.take(item[part])
        found[part] = exact.scores(left, right, rows=all_rows, others=all_rows)
    return found


def _spaced(total: int, most: int) -> Ints:
    """Up to ``most`` places spread evenly over ``total``."""
    return np.unique(np.linspace(0, total - 1, min(total, most)).astype(np.int64)) if total else np.zeros(0, np.int64)
