"""Chance that is the same everywhere: drawn from the seed and the text alone, by a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn for one text; no order of texts, no batch and no version of Python changes it."""

    seed: int
    intervention: str
    query: str  # its id
    text: str

    def pick(self, options: Sequence[T], position: int) -> T:
        """One of the options for the word at a position; all are equally likely.

        >>> Drawing(0, "size", "q1", "a big dog").pick(["small", "tiny"], 2)
        'small'
        """
        return options[self._number(position) % len(options)]

    def order(self, n: int) -> list[int]:
        """The numbers below n in an order drawn at random."""
        return sorted(range(n), key=self._number)

    def _number(self, position: int) -> int:
        digest = _begun(str(self.seed), self.intervention, self.query, self.text).copy()
        digest.update(_told(str(position)))
        return int.from_bytes(digest.digest()[:16], "little")


@lru_cache(maxsize=4)
def _begun(*said: str) -> hashlib._Hash:
    """What all draws of a text have in common is hashed once, however long it is."""
    digest = hashlib.sha256()
    for part in said:
        digest.update(_told(part))
    return digest


def _told(part: str) -> bytes:
    raw = part.encode("utf-8", "surrogatepass")
    return len(raw).to_bytes(8, "little") + raw
