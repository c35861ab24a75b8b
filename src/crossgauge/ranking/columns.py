"""The corpus as products see it: usable rows only, byte-identical rows once."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from crossgauge.ranking.vectors import Array, Rows
from crossgauge.types import Bools, Ints

HEAD = 8  # bytes compared first: rows that differ there need no further look


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Which corpus row each column of the products stands for, and which rows share a column.

    Equal vectors score equally against everything, so one product serves them all: a collapsed model
    (every vector the same) is ranked as fast as any other.
    """

    rows: Ints  # (W,) a corpus row for each column, ascending
    of: Ints  # (N,) the column of each corpus row; -1: unusable
    weights: Ints | None  # (W,) how many rows share it; None: no two do
    members: Ints  # (usable,) corpus rows, column by column, ascending within each
    start: Ints  # (W + 1,) column c has members[start[c]:start[c + 1]]

    @classmethod
    def each(cls, usable: Bools) -> Columns:
        """One column for every usable row."""
        rows = np.flatnonzero(usable)
        return cls._make(rows, np.arange(len(rows)), size=len(usable))

    @classmethod
    def distinct(cls, corpus: Rows) -> Columns:
        """One column for every distinct usable row."""
        rows = np.flatnonzero(corpus.usable)
        alike = _shared(_heads(corpus.given, rows))
        return cls._make(rows, _first_equals(corpus.given, rows, alike), size=len(corpus))

    @classmethod
    def _make(cls, rows: Ints, first: Ints, *, size: int) -> Columns:
        """``first[i]`` is the position in ``rows`` of the first row equal to ``rows[i]``."""
        heads, column = first, np.arange(len(first))
        if (first[1:] <= first[:-1]).any():
            heads, column = np.unique(first, return_inverse=True)
        of = np.full(size, -1, dtype=np.int64)
        of[rows] = column
        weights = np.bincount(column, minlength=len(heads))
        start = np.zeros(len(heads) + 1, dtype=np.int64)
        np.cumsum(weights, out=start[1:])
        members = rows[np.argsort(column, kind="stable")]
        return cls(rows[heads], of, None if len(heads) == len(rows) else weights, members, start)

    def expanded(self, columns: Ints, *, most: int) -> tuple[Ints, Ints]:
        """Up to ``most`` member rows of each column, and the position in ``columns`` each came from."""
        if self.weights is None:
            return self.rows[columns], np.arange(len(columns))
        count = np.minimum(self.weights[columns], most)
        origin = np.repeat(np.arange(len(columns)), count)
        within = np.arange(len(origin)) - np.repeat(np.cumsum(count) - count, count)
        return self.members[self.start[columns][origin] + within], origin


def _first_equals(given: Array, rows: Ints, alike: Ints) -> Ints:
    """For each row the position of the first row with the same bytes; only those ``alike`` need a look."""
    first = np.arange(len(rows), dtype=np.int64)
    seen: dict[bytes, int] = {}
    for position in alike.tolist():
        key = blake2b(given[rows[position]].tobytes(), digest_size=16).digest()
        first[position] = seen.setdefault(key, position)
    return first


def _heads(given: Array, rows: Ints) -> Array:
    """The first bytes of each row as one comparable value."""
    numbers = -(-HEAD // given.dtype.itemsize)
    head = np.ascontiguousarray(given[rows, :numbers])
    kind = np.dtype(np.uint64) if head.strides[0] == HEAD else np.dtype((np.void, head.strides[0]))
    return head.view(kind).ravel()


def _shared(keys: Array) -> Ints:
    """Positions whose key occurs more than once, ascending."""
    ascending = np.sort(keys)
    if not (ascending[1:] == ascending[:-1]).any():
        return np.zeros(0, dtype=np.int64)
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[inverse] > 1)
