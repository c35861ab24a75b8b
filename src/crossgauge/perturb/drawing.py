"""Chance that is the same everywhere: drawn from the seed and the text alone, by a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
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
        said = (str(self.seed), self.intervention, self.query, self.text, str(position))
        digest = hashlib.sha256()
        for part in said:
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "little") + raw)
        return int.from_bytes(digest.digest()[:16], "little")
