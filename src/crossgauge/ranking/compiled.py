"""Exact counts from the compiled tier: the numbers of ``engine``, several times faster.

Tile by tile the corpus becomes panels on a grid of small numbers, and blocks of queries are counted
against them in a few threads. ``_native/ranks.c`` holds the kernels, the bound and its proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from crossgauge.ranking.columns import Columns
from crossgauge.ranking.native import AUTO, MOST_DIMENSIONS, TORCH, Job, Native, fits, native, tier, wish
from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.panels import Centres, Panels, make_panels
from crossgauge.ranking.plan import SLIVER, Plan
from crossgauge.ranking.relevance import Judged
from crossgauge.ranking.sampling import SAMPLE_QUERIES, SAMPLE_ROWS, spaced, sparse
from crossgauge.ranking.standing import counted_along
from crossgauge.ranking.top import empty_top, merge
from crossgauge.ranking.workers import Workers
from crossgauge.types import Bools, Floats, Ints, TopK

PANELS = 1 << 22  # numbers of the corpus on the grid at once; queries go there again for each tile
SOON = 1024  # columns after which queries that are done are looked for first
MANY = 4096  # columns from which on int8 is worth a sample for every query
MOST_TOP = 128  # longer lists are not worth keeping in order one insertion at a time
# The share of open pairs from which on the next level is faster. Settling a pair costs as much as some 15
# products of int16, or twice that if it is a tie; what float32 leaves open are ties for the most part.
OPEN = {"int8": 0.04, "int16": 0.05, "f32": 0.01}
SHORT = 32_000  # int8 saves time with each dimension, and a pair costs some whatever they are
MANY_QUERIES, HALF = 64, 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """One ranking under way; the counts are filled in place, each query in places of its own."""

    native: Native
    pair: Pair
    columns: Columns
    judged: Judged
    plan: Plan
    lengths: Floats  # (Q,) upper bounds of the norms of the queries
    own: Ints  # (L,) the column of each judgement
    centres: Centres | None
    levels: Mapping[str, Ints]  # the queries counted at each level, ascending
    higher: Ints  # (L,)
    equal: Ints  # (L,)
    best: TopK  # columns where TopK has items
    until: int | None  # a place: queries with so many above all they want are done

    def run(self, workers: Workers) -> TopK:
        """Fill the counts; returns the lists."""
        mine = counted_along(self.judged, self.columns, self.own)
        for tile in self._tiles():
            for level, asked in self.levels.items():
                queries = asked if self.until is None else asked[self._open(asked, mine[0])]
                panels = self.panels(level, tile, workers)
                job = panels.job
                job.higher, job.equal = self.higher.ctypes.data, self.equal.ctypes.data
                job.k, job.first_column = self.best.items.shape[1], tile.start
                job.top_column, job.top_score = (x.ctypes.data for x in (self.best.items, self.best.scores))
                self.count(job, queries, workers)
                del panels, job  # before the next are made
        self.higher[:] -= mine[0]
        self.equal[:] -= mine[1]
        np.maximum(self.equal, 0, out=self.equal)  # of a query that was done early not all are counted
        return self._listed()

    def _tiles(self) -> Iterator[slice]:
        """Pieces of the corpus; with an end in sight the first are short: many queries may be done then."""
        most = min(self.plan.corpus, max(SLIVER, PANELS // self.pair.dimensions))
        begin, size = 0, most if self.until is None else min(most, SOON)
        while begin < len(self.columns.rows):
            stop = min(begin + size, len(self.columns.rows))
            yield slice(begin, stop)
            begin, size = stop, min(2 * size, most)

    def _open(self, queries: Ints, mine: Ints) -> Bools:
        """The queries that have an item with fewer than ``until`` others above it, as far as is counted."""
        above = self.higher - mine  # of the relevant, which are counted along, perhaps less so far
        short = self.judged.query[above < (self.until or 0)]
        left: Bools = np.bincount(short, minlength=len(self.pair.queries))[queries] > 0
        return left

    def panels(self, level: str, which: slice | Ints, workers: Workers) -> Panels:
        """Some columns on the grid of a level."""
        weights = self.columns.weights
        return make_panels(
            self.native,
            self.pair,
            self.columns.rows[which],
            level=level,
            centres=self.centres if level == "int8" else None,
            weights=None if weights is None else np.ascontiguousarray(weights[which]),
            workers=workers,
        )

    def open_share(self, level: str, queries: Ints, workers: Workers) -> Floats:
        """How many of a sample of columns a level leaves open for each of these queries, as a share."""
        sample = spaced(len(self.columns.rows), SAMPLE_ROWS)
        panels = self.panels(level, sample, workers)
        opened = np.zeros(len(self.pair.queries), dtype=np.int64)
        panels.job.open, panels.job.every = opened.ctypes.data, 1
        self.count(panels.job, queries, workers)
        judged = np.maximum(1, np.diff(self.judged.start)[queries])
        share: Floats = opened[queries] / (judged * len(sample))
        return share

    def count(self, job: Job, queries: Ints, workers: Workers) -> None:
        """Count for some queries, block by block."""
        job.query_length = self.lengths.ctypes.data
        job.start, job.score = self.judged.start.ctypes.data, self.judged.score.ctypes.data
        job.own = self.own.ctypes.data
        whole = self.pair.queries.whole
        at_hand = whole if whole is not None and fits(whole) else None

        def work(block: slice) -> None:
            which = queries[slice(*np.searchsorted(queries, (block.start, block.stop)))]
            if at_hand is not None:
                self.native.count(job, at_hand, which, first=0)
            elif len(which):
                near = slice(int(which[0]), int(which[-1]) + 1)
                rows = np.ascontiguousarray(self.pair.queries.take(near))
                self.native.count(job, rows, which, first=near.start)

        workers.each(work, self.plan.pieces(len(self.pair.queries)))

    def _listed(self) -> TopK:
        """Columns become items; one column may be several."""
        held = self.best.items >= 0
        if self.columns.weights is None:
            items = np.where(held, self.columns.rows[np.where(held, self.best.items, 0)], -1)
            return TopK(items, self.best.scores)
        listed = empty_top(*self.best.items.shape)
        query, place = np.nonzero(held)
        items, origin = self.columns.expanded(self.best.items[query, place], most=held.shape[1])
        merge(listed, query[origin], items, self.best.scores[query, place][origin])
        return listed


def make_compiled(
    pair: Pair,
    columns: Columns,
    *,
    judged: Judged,
    plan: Plan,
    top: int,
    workers: Workers,
    until: int | None = None,
) -> Compiled | None:
    """The compiled tier for one ranking; None where it is not here, or not the fastest or no way at all.

    It knows float32 rows under cosine and dot, every item a candidate, and lists of at most 128.
    """
    functions = native()
    if functions is None or tier() == TORCH or not _serves(pair, columns, top=top):
        return None
    forced = wish() != AUTO
    level = tier()
    if level == "int8" and not forced and _int8_pays_not(columns, top=top):
        level = functions.after(level) or level
    asked = pair.queries.usable & ((np.diff(judged.start) > 0) | (top > 0))
    counts = np.zeros((2, len(judged.index)), dtype=np.int64)
    made = Compiled(
        native=functions,
        pair=pair,
        columns=columns,
        judged=judged,
        plan=plan,
        lengths=np.ascontiguousarray(pair.queries.lengths),
        own=columns.of[judged.item],
        centres=Centres.of(pair) if level == "int8" else None,
        levels={level: np.flatnonzero(asked)},
        higher=counts[0],
        equal=counts[1],
        best=empty_top(len(pair.queries), top),
        until=until,
    )
    if forced:
        return made
    levels = None if sparse(pair.corpus, columns.rows) else choose_levels(made, workers)
    return None if levels is None else replace(made, levels=levels)


def choose_levels(made: Compiled, workers: Workers) -> dict[str, Ints] | None:
    """Which queries are counted at which level; None: too many pairs would stay open at any.

    int8 is chosen query by query, by a sample of columns; the other levels for all queries alike.
    """
    ((level, queries),) = made.levels.items()
    levels = {}
    if level == "int8":
        narrow = _narrow(made, queries, workers)
        levels[level] = queries[narrow]
        queries, level = queries[~narrow], made.native.after(level) or level
    few = queries[spaced(len(queries), SAMPLE_QUERIES)]
    while len(few) and made.open_share(level, few, workers).mean() > OPEN[level]:
        finer = made.native.after(level)
        if finer is None:
            return None
        level = finer
    levels[level] = queries
    return {level: chosen for level, chosen in levels.items() if len(chosen)}


def _narrow(made: Compiled, queries: Ints, workers: Workers) -> Bools:
    """The queries for which int8 leaves so few pairs open that it is the fastest; none, unless it is most."""
    most = min(OPEN["int8"], made.pair.dimensions / SHORT)
    few = spaced(len(queries), MANY_QUERIES)
    if (made.open_share("int8", queries[few], workers) <= most).mean() < HALF:
        return np.zeros(len(queries), dtype=np.bool_)
    narrow: Bools = made.open_share("int8", queries, workers) <= most
    return narrow


def _serves(pair: Pair, columns: Columns, *, top: int) -> bool:
    return (
        pair.queries.dtype == np.float32
        and pair.similarity != "l2"
        and pair.dimensions <= MOST_DIMENSIONS
        and top <= MOST_TOP
        and len(columns.rows) > 0
    )


def _int8_pays_not(columns: Columns, *, top: int) -> bool:
    """A sample of columns for every query costs too much of a small ranking; lists take a narrow band."""
    return len(columns.rows) < MANY or top > 0
