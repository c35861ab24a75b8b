"""Draws of pairs: which rows are ranked together, as each scorer of Recipe1M chose them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from crossgauge.types import Draw, Ints

Method = Literal["cpython3", "python2", "consecutive"]


@dataclass(frozen=True, slots=True)
class Subsets:
    """``n`` draws of ``size`` rows without replacement, all from one random stream.

    ``cpython3`` is ``random.sample(range(rows), size)`` of Python 3, ``python2`` the same call in Python
    2.7, which draws others; ``consecutive`` cuts the rows into blocks and uses no seed. Where there are no
    more rows than ``size`` there is one draw, of all of them in order. Source: im2recipe's ``rank.py``.

    >>> Subsets(n=2, size=2, seed=0).rows(6)
    ((3, 5), (0, 2))
    """

    n: int
    size: int
    seed: int
    method: Method = "cpython3"

    def rows(self, total: int) -> tuple[tuple[int, ...], ...]:
        """The row numbers of each draw out of ``total`` rows, in the order drawn, (n, size)."""
        if total <= self.size:
            return (tuple(range(total)),)
        if self.method == "consecutive":
            begins = range(0, total - self.size + 1, self.size)[: self.n]
            return tuple(tuple(range(begin, begin + self.size)) for begin in begins)
        stream = random.Random(self.seed)  # noqa: S311  (the protocol's own generator)
        if self.method == "python2":
            return tuple(tuple(_python2_sample(stream, total, self.size)) for _ in range(self.n))
        return tuple(tuple(stream.sample(range(total), self.size)) for _ in range(self.n))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a scorer draws: its seed and generator, and whether it sorts the pairs by id before."""

    seed: int
    method: Method
    by_id: bool


SAMPLINGS = {
    "by-id": Sampling(1234, "cpython3", by_id=True),
    "im2recipe-pytorch": Sampling(1234, "cpython3", by_id=False),
    "im2recipe-lua": Sampling(42, "python2", by_id=True),
    "consecutive": Sampling(0, "consecutive", by_id=False),
}


def draws(sampling: str, *, size: int, n: int, order: Ints) -> tuple[Draw, ...]:
    """The draws of pairs that are sorted by id: picture ``i`` and recipe ``i`` belong together.

    ``order`` holds, for each row as it was given, the pair it is; (N,). Samplings that sort by id ignore it.
    """
    way = SAMPLINGS[sampling]
    rows = np.arange(len(order)) if way.by_id else order
    chosen = Subsets(n, size, way.seed, way.method).rows(len(order))
    pairs = [rows[np.asarray(one, dtype=np.int64)].astype(np.int64) for one in chosen]
    return tuple(Draw(one, one) for one in pairs)


def lines(drawn: Sequence[Draw], ids: Sequence[str]) -> Iterator[str]:
    r"""The drawn ids as a table: draw (from 1) and id, separated by a tab, in the order drawn.

    >>> list(lines([Draw(np.array([1, 0]), np.array([1, 0]))], ["a", "b"]))
    ['draw\tid', '1\tb', '1\ta']
    """
    yield "draw\tid"
    for number, draw in enumerate(drawn, 1):
        yield from (f"{number}\t{ids[row]}" for row in draw.queries.tolist())


def _python2_sample(stream: random.Random, total: int, size: int) -> list[int]:
    """What ``random.sample(xrange(total), size)`` gives in Python 2.7: it scales a float to an index.

    Small populations shrink a pool from its end; large ones draw again until the index is new.
    """
    if total <= _pool_limit(size):
        pool = list(range(total))
        drawn = []
        for left in range(total, total - size, -1):
            at = int(stream.random() * left)
            drawn.append(pool[at])
            pool[at] = pool[left - 1]
        return drawn
    chosen: dict[int, None] = {}
    while len(chosen) < size:
        chosen.setdefault(int(stream.random() * total))
    return list(chosen)


def _pool_limit(size: int) -> int:
    """The largest population for which Python 2.7 copies a pool: what a set of so many would take."""
    few, base = 5, 21
    return base if size <= few else base + 4 ** math.ceil(math.log(size * 3, 4))
