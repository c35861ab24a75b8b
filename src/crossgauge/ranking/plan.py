"""How much is computed at once. Only speed and memory depend on it, never a rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MODEST = 1024  # columns below which a product is too thin to be fast: rather take fewer queries
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
    queries: int, corpus: int, *, dimensions: int, itemsize: int, memory: int, threads: int, blocks: Blocks
) -> Plan:
    """Sizes for which all working arrays together stay within ``memory`` bytes.

    Wide products are the fast ones, so the corpus is taken whole if it can be; it is cut first, the
    number of queries only when that would leave slivers. Nothing is too small to work with.
    """
    row = dimensions * itemsize
    keep = (queries + corpus) * row <= memory // 4 if blocks.keep is None else blocks.keep
    left = memory - threads * FIXED - ((queries + corpus) * row if keep else 0)
    # As many blocks as a multiple of the threads, or some would wait for the last.
    rounds = max(1, -(-queries // (threads * 1024)))
    rows = blocks.queries or max(1, -(-queries // (threads * rounds)))
    while True:
        free = left - threads * rows * row
        columns = free // (threads * rows * (itemsize + 1) + 2 * row)
        if columns >= min(corpus, MODEST) or rows == 1 or blocks.queries:
            break
        rows = -(-rows // 2)
    return Plan(rows, blocks.corpus or max(1, min(corpus, max(columns, 64))), keep)
