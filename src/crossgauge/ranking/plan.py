"""How much is computed at once. Only speed and memory depend on it, never a rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
MODEST = 1024  # rows or columns of a product below which it is not as fast as it could be
SLIVER = 64  # columns to take at least, whatever the memory
FIXED = 4 << 20  # bytes a thread needs whatever the sizes: masks, sums


@dataclass(frozen=True, slots=True)
class Blocks:
    """Sizes of the pieces of work; None: chosen from the memory allowed."""

    queries: int | None = None  # rows of one product
    corpus: int | None = None  # columns of one product
    keep: bool | None = None  # hold all normalised rows, or make them again for each product


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes that fit: each thread multiplies ``queries`` rows by ``corpus`` columns at a time."""

    queries: int
    corpus: int
    keep: bool

    def pieces(self, total: int) -> Iterator[slice]:
        """The query blocks."""
        return (slice(i, min(i + self.queries, total)) for i in range(0, total, self.queries))

    def tiles(self, total: int) -> Iterator[slice]:
        """The corpus tiles."""
        return (slice(i, min(i + self.corpus, total)) for i in range(0, total, self.corpus))


def make_plan(
    sides: tuple[Array, Array], *, dtype: np.dtype[Any], memory: int, threads: int, blocks: Blocks | None
) -> Plan:
    """Sizes for which all working arrays together stay within ``memory`` bytes.

    Wide products are the fast ones, so the corpus is taken whole if it can be; it is cut first, the
    number of queries only when that would leave slivers. Nothing is too small to work with.
    """
    wish = blocks or Blocks()
    (queries, dimensions), corpus = sides[0].shape, len(sides[1])
    row = dimensions * dtype.itemsize
    keep = (queries + corpus) * row <= memory // 4 if wish.keep is None else wish.keep
    left = memory - threads * FIXED - ((queries + corpus) * row if keep else 0)
    # As many blocks as a multiple of the threads, or some would wait for the last.
    rounds = max(1, -(-queries // (threads * MODEST)))
    rows = wish.queries or max(1, -(-queries // (threads * rounds)))
    while True:
        columns = (left - threads * rows * row) // (threads * rows * (dtype.itemsize + 1) + 2 * row)
        if columns >= min(corpus, MODEST) or rows == 1 or wish.queries:
            break
        rows = -(-rows // 2)
    return Plan(rows, wish.corpus or max(1, min(corpus, max(columns, SLIVER))), keep)
