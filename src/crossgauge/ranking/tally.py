"""One block of products: how many are above each threshold for certain, and the few that are not certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.types import Floats, Ints

Array = npt.NDArray[Any]
HOT = 1 << 19  # bytes of scores compared at once: they are read twice, so they should stay in the cache


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
    masks: tuple[Array, Array] = field(default_factory=lambda: (np.zeros((0, 8), bool), np.zeros((0, 8), bool)))

    def sheet(self, rows: int, columns: int, dtype: np.dtype[Any]) -> Array:
        """Room for a block of products, contiguous, not initialised."""
        size = rows * columns * dtype.itemsize
        if self.flat.nbytes < size:
            self.flat = np.empty(size, dtype=np.uint8)
        return self.flat[:size].view(dtype).reshape(rows, columns)

    def pair_of_masks(self, rows: int, columns: int) -> tuple[Array, Array]:
        """Two masks whose rows are padded with False to whole 8-byte words."""
        padded = -(-columns // 8) * 8
        if self.masks[0].shape[0] < rows or self.masks[0].shape[1] != padded:
            self.masks = (np.zeros((rows, padded), bool), np.zeros((rows, padded), bool))
        for mask in self.masks:
            mask[:, columns:] = False  # a sheet of another width may have written there
        return self.masks[0][:rows], self.masks[1][:rows]


def rows_at_once(sheet: Sheet) -> int:
    """How many rows of a sheet to compare in one go."""
    return max(1, HOT // max(1, sheet.values.shape[1] * sheet.values.itemsize))


def tally(
    sheet: Sheet, rows: Ints, *, low: Array, high: Array, score: Floats, scratch: Scratch, exact: bool
) -> tuple[Ints, Ints]:
    """How many columns score strictly higher than each threshold, and exactly equal.

    Threshold ``i`` belongs to row ``rows[i]`` of the sheet: products below ``low[i]`` are lower than
    ``score[i]`` and those above ``high[i]`` are higher; what lies between is scored again by the
    definition. ``exact`` says that products are scores, so ``low`` = ``high`` and nothing lies between.
    """
    width = sheet.values.shape[1]
    contiguous = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1 and bool((np.diff(rows) == 1).all())
    values = sheet.values[rows[0] : rows[-1] + 1] if contiguous else sheet.values[rows]
    above, reached = scratch.pair_of_masks(len(rows), width)
    np.greater(values, high[:, None], out=above[:, :width])
    np.greater_equal(values, low[:, None], out=reached[:, :width])
    higher = _count(above, sheet)
    equal = _count(reached, sheet) - higher
    if exact or not equal.any():
        return higher, equal
    return _settle(sheet, rows, higher=higher, between=equal, masks=(above, reached), score=score)


def _settle(
    sheet: Sheet, rows: Ints, *, higher: Ints, between: Ints, masks: tuple[Array, Array], score: Floats
) -> tuple[Ints, Ints]:
    """Score the undecided pairs by the definition and count them where they belong."""
    above, reached = masks
    unsure = np.flatnonzero(between)
    at = np.flatnonzero(reached[unsure] & ~above[unsure])
    which, columns = unsure[at // above.shape[1]], at % above.shape[1]
    scores = sheet.rescore(rows[which], columns)
    weights = np.ones(len(columns)) if sheet.weights is None else sheet.weights[columns].astype(np.float64)

    def counted(chosen: Array) -> Ints:
        return np.bincount(which[chosen], weights[chosen], minlength=len(rows)).astype(np.int64)

    return higher + counted(scores > score[which]), counted(scores == score[which])


def _count(mask: Array, sheet: Sheet) -> Ints:
    """True values of each row: bytes are added eight at a time, at most 255 words, so none overflows."""
    words = mask.view(np.uint64)
    sums = np.add.reduceat(words, np.arange(0, words.shape[1], 255), axis=1)
    counts: Ints = sums.view(np.uint8).reshape(len(mask), -1).sum(axis=1, dtype=np.int64)
    if sheet.weights is not None:
        counts += mask[:, sheet.heavy] @ (sheet.weights[sheet.heavy] - 1)
    return counts
