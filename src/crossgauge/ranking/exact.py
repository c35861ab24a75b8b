"""The score of a pair, as defined: a float64 sum in index order. Everything else only approximates it.

The product of two float32 numbers is exact in float64, so for float32 vectors the definition leaves
nothing open but the order of the sum, and that is the order of the dimensions.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.native import fits, native
from crossgauge.types import Bools, Floats, Ints, Similarity

LANES = 256  # pairs summed side by side: fewer would be all overhead, more would fall out of the cache


class Exact:
    """Sums pairs of rows by the definition; one object a thread (it owns buffers)."""

    def __init__(self, dimensions: int, similarity: Similarity) -> None:
        self._dimensions = dimensions
        self._similarity = similarity
        self._native = None if similarity == "l2" else native()
        # An odd number of cache lines a row, so that walking down a column does not hit one cache set.
        stride = 8 * ((dimensions + 7) // 8 | 1)
        self._terms = np.empty((LANES, stride))[:, :dimensions]
        self._columns = np.zeros((dimensions, LANES))
        self._sums = np.empty(LANES)

    def scores(self, a: npt.NDArray[Any], b: npt.NDArray[Any], *, rows: Ints, others: Ints) -> Floats:
        """The score of ``a[rows[i]]`` and ``b[others[i]]`` for each ``i``; columns past D are ignored."""
        if self._native is not None and fits(a) and fits(b):
            return self._native.scores(a, b, dimensions=self._dimensions, rows=rows, others=others)
        found = np.empty(len(rows))
        for begin in range(0, len(rows), LANES):
            part = slice(begin, min(begin + LANES, len(rows)))
            terms = self._terms[: part.stop - begin]
            left = np.take(a, rows[part], axis=0, mode="clip")[:, : self._dimensions]
            right = np.take(b, others[part], axis=0, mode="clip")[:, : self._dimensions]
            if self._similarity == "l2":
                np.subtract(left, right, dtype=np.float64, out=terms)
                np.multiply(terms, terms, out=terms)
            else:
                np.multiply(left, right, dtype=np.float64, out=terms)
            self._turned(len(terms))
            found[part] = self._sum(len(terms))
        return -found if self._similarity == "l2" else found

    def squares(self, a: npt.NDArray[Any]) -> Floats:
        """The sum of squares of each row, in index order."""
        if self._native is not None and fits(a):
            return self._native.squares(a)
        found = np.empty(len(a))
        for begin in range(0, len(a), LANES):
            part = a[begin : begin + LANES]
            self._terms[: len(part)] = part
            columns = self._turned(len(part))
            np.multiply(columns, columns, out=columns)
            found[begin : begin + LANES] = self._sum(len(part))
        return found

    def loose_squares(self, a: npt.NDArray[Any]) -> Floats:
        """The sum of squares of each row in the order that is fastest: for bounds, not for scores."""
        found = np.empty(len(a))
        for begin in range(0, len(a), LANES):
            part = a[begin : begin + LANES]
            terms = self._terms[: len(part)]
            terms[:] = part
            np.einsum("ij,ij->i", terms, terms, out=found[begin : begin + LANES])
        return found

    def _turned(self, pairs: int) -> Floats:
        """The terms with one pair a column, so that a dimension is contiguous."""
        self._columns[:, :pairs] = self._terms[:pairs].T
        return self._columns

    def _sum(self, pairs: int) -> Floats:
        # numpy adds the rows of an outer axis one after the other (only the innermost axis is summed
        # pairwise), so this is the sum in index order, many at a time; a unit test holds numpy to it.
        np.add.reduce(self._columns, axis=0, out=self._sums)
        return self._sums[:pairs]


def exact_here(local: threading.local, dimensions: int, similarity: Similarity) -> Exact:
    """The Exact of this thread, made on first use: its buffers are too large to make again and again."""
    held: dict[tuple[int, Similarity], Exact] = local.__dict__.setdefault("exact", {})
    key = (dimensions, similarity)
    if key not in held:
        held[key] = Exact(dimensions, similarity)
    return held[key]


class Supports:
    """Where rows are not zero, as bits: sparse rows often do not meet, and then the score is exactly 0."""

    def __init__(self, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
        self._left, self._right = (np.packbits(side != 0, axis=1) for side in (a, b))

    def meet(self, rows: Ints, others: Ints) -> Bools:
        """Which pairs share a dimension in which neither is zero, (P,)."""
        shared: Bools = np.bitwise_or.reduce(self._left[rows] & self._right[others], axis=1) != 0
        return shared
