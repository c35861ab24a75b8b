"""One block of products: how many are above each threshold for certain, and the few that are not certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.room import room
from crossgauge.types import Floats, Ints

Array = npt.NDArray[Any]
NONE = np.zeros(0, dtype=np.int64)
HOT = 1 << 21  # bytes of scores compared at once: they are read twice, so they should stay in the cache
PENDING = 1 << 16  # pairs worth a call


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Products of some queries and some columns; those that do not compete are -inf."""

    values: Array  # (k, w) float32 or float64
    weights: Ints | None  # (w,) how many equal corpus rows a column stands for; None: one each
    heavy: Ints  # the columns that stand for several
    rescore: Callable[[Ints, Ints], Floats]  # the defined scores of (row, column) pairs


@dataclass(slots=True)
class Scratch:
    """Buffers that one thread uses again and again."""

    flat: Array = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    held: Array = field(default_factory=lambda: np.zeros((2, 0, 8), dtype=np.bool_))

    def sheet(self, rows: int, columns: int, dtype: np.dtype[Any]) -> Array:
        """Room for a block of products, contiguous, not initialised."""
        size = rows * columns * dtype.itemsize
        if self.flat.nbytes < size:
            self.flat = room((size,), np.dtype(np.uint8))
        return self.flat[:size].view(dtype).reshape(rows, columns)

    def masks(self, rows: int, columns: int) -> Array:
        """Two masks (2, rows, padded) whose rows are padded with False to whole 8-byte words."""
        padded = -(-columns // 8) * 8
        if self.held.shape[1] != rows or self.held.shape[2] != padded:
            self.held = np.zeros((2, rows, padded), dtype=np.bool_)
        self.held[:, :, columns:] = False  # a sheet of another width may have written there
        return self.held


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """What products alone decide about some thresholds, and the pairs that they do not."""

    higher: Ints  # (k,) columns above for certain
    equal: Ints  # (k,) columns equal, where products are exact
    which: Ints  # (U,) the threshold of each undecided pair
    columns: Ints  # (U,) and its column


def rows_at_once(sheet: Sheet) -> int:
    """How many rows of a sheet to compare in one go."""
    return max(1, HOT // max(1, int(sheet.values.shape[1]) * sheet.values.itemsize))


def tally(
    sheet: Sheet, rows: Ints | slice, *, low: Array, high: Array, scratch: Scratch, exact: bool
) -> Counts:
    """Compare some rows of a sheet with one threshold each.

    Products below ``low[i]`` are lower than threshold ``i`` for certain and those above ``high[i]``
    higher; what lies between is left to the definition. ``exact``: ``low`` and ``high`` are the threshold
    itself and products are scores, so what lies between is equal.
    """
    values = sheet.values[rows]
    width = values.shape[1]
    masks = scratch.masks(len(values), width)
    above, reached = masks
    np.greater(values, high[:, None], out=above[:, :width])
    np.greater_equal(values, low[:, None], out=reached[:, :width])
    certain = _count(above, sheet)
    np.greater(reached, above, out=above)
    if exact:
        return Counts(certain, _count(above, sheet), NONE, NONE)
    which, columns = np.divmod(np.flatnonzero(above), masks.shape[2])
    return Counts(certain, np.zeros_like(certain), which, columns)


def _count(mask: Array, sheet: Sheet) -> Ints:
    """True values of each row: bytes are added eight at a time, at most 255 words, so none overflows."""
    words = mask.view(np.uint64)
    sums = np.add.reduceat(words, np.arange(0, words.shape[1], 255), axis=1)
    counts: Ints = sums.view(np.uint8).reshape(len(mask), -1).sum(axis=1, dtype=np.int64)
    if sheet.weights is not None:
        counts += mask[:, sheet.heavy] @ (sheet.weights[sheet.heavy] - 1)
    return counts


class Pending:
    """Pairs that wait until there are enough of them to be worth a call."""

    def __init__(self, work: Callable[[Ints, Ints], None]) -> None:
        self._work = work
        self._parts: list[tuple[Ints, Ints]] = []
        self._held = 0

    def add(self, left: Ints, right: Ints) -> None:
        """Put in more pairs."""
        if len(left):
            self._parts.append((left, right))
            self._held += len(left)
            if self._held > PENDING:
                self.flush()

    def flush(self) -> None:
        """Do the work on all that wait."""
        if self._parts:
            left, right = zip(*self._parts, strict=True)
            self._parts, self._held = [], 0
            self._work(np.concatenate(left), np.concatenate(right))
