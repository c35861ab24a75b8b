"""A ranking that may be cut: into blocks of queries, or draws, whose ranks are put one after the other.

Ranks are a function of the vectors alone, query by query, so every way to cut gives the same bytes. A block
needs the whole corpus; within a worker :func:`crossgauge.rank` takes that in tiles that fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from crossgauge.ranking import rank, rank_draws, rank_units
from crossgauge.ranking.draws import joined
from crossgauge.types import Qrels, Ranks, Split, Vectors

ALONE = 1 << 26  # pairs of a query and a candidate below which other processes do not pay
ROUNDS = 2  # blocks for each worker, so that a slow one is waited for half as long
ROWS = 2048  # queries a block at least: each block reads and normalises the whole corpus


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Both sides, who is relevant, and the options that :func:`crossgauge.rank` takes."""

    queries: Vectors  # (Q, D)
    corpus: Vectors  # (N, D)
    split: Split
    options: Mapping[str, Any]


class Stored(Protocol):
    """An array that several processes can open."""

    def open(self) -> Vectors:
        """The array; not to be written to."""
        ...


@dataclass(frozen=True, slots=True)
class Mapped:
    """An array in a file, which processes of one machine hold in memory once."""

    path: Path

    def open(self) -> Vectors:
        """The file, mapped."""
        found: Vectors = np.load(self.path, mmap_mode="r")
        return found


class Threaded(Protocol):
    """All that ranking needs to know of the worker it runs in."""

    threads: int


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some queries or draws of a ranking, for a worker."""

    queries: Stored
    corpus: Stored
    rows: slice  # of the queries
    split: Split  # judgements of those queries alone, without items
    options: Mapping[str, Any]

    def run(self, worker: Threaded) -> Ranks:
        """The ranks of those queries."""
        options = {**self.options, "threads": worker.threads}
        return in_one(Ranking(self.queries.open()[self.rows], self.corpus.open(), self.split, options))


def in_one(ranking: Ranking) -> Ranks:
    """The ranks, counted here and now.

    >>> sides = np.eye(2, dtype=np.float32)
    >>> in_one(Ranking(sides, sides, Split((), (), Qrels.diagonal(2)), {})).higher.tolist()
    [0, 0]
    """
    queries, corpus, split, options = ranking.queries, ranking.corpus, ranking.split, ranking.options
    if split.draws is not None:
        return rank_draws(queries, corpus, split, **options)
    if split.units is not None:
        return rank_units(queries, corpus, split.qrels, split.units, **options)
    return rank(queries, corpus, split.qrels, candidates=split.candidates, **options)


def worth_cutting(ranking: Ranking, workers: int) -> bool:
    """Whether the work is large enough to be spread."""
    drawn = ranking.split.draws
    pairs = (
        len(ranking.queries) * len(ranking.corpus)
        if drawn is None
        else sum(len(draw.queries) * len(draw.corpus) for draw in drawn)
    )
    return workers > 1 and pairs >= ALONE


def pieces(ranking: Ranking, keep: Callable[[Vectors], Stored], workers: int) -> Iterator[Piece]:
    """The ranking cut for so many workers; ``keep`` puts an array where they find it."""
    queries, corpus = keep(ranking.queries), keep(ranking.corpus)
    options = {
        name: value for name, value in ranking.options.items() if name not in {"query_ids", "corpus_ids"}
    }
    options["memory"] = options.get("memory", 1 << 30) // workers
    bare = replace(ranking.split, queries=(), corpus=(), clusters=None, groups=None)
    if bare.draws is not None:
        for draw in bare.draws:
            yield Piece(queries, corpus, slice(None), replace(bare, draws=(draw,)), options)
        return
    total = len(ranking.queries)
    count = max(workers, min(ROUNDS * workers, total // ROWS))
    for part in (slice(total * n // count, total * (n + 1) // count) for n in range(count)):
        if part.start < part.stop:
            yield Piece(queries, corpus, part, _of_rows(bare, part), options)


def whole(parts: Sequence[Ranks]) -> Ranks:
    """The ranks of the pieces, in their order, as one."""
    return joined(parts)


def _of_rows(split: Split, part: slice) -> Split:
    start = split.qrels.start[part.start : part.stop + 1]
    inside = slice(int(start[0]), int(start[-1]))
    judged = Qrels(start - start[0], split.qrels.items[inside], split.qrels.gains[inside])
    few = None if split.candidates is None else split.candidates[part]
    return replace(split, qrels=judged, candidates=few)
