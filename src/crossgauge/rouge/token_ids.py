"""Token sequences as one array of numbers: what the fast path works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from crossgauge.types import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class TokenIds:
    """Many sequences of token numbers: sequence ``i`` is ``ids[start[i]:start[i + 1]]``.

    >>> sequences = TokenIds.of([[7, 7], [], [3]])
    >>> sequences.ids.tolist(), sequences.start.tolist(), sequences.length.tolist()
    ([7, 7, 3], [0, 2, 2, 3], [2, 0, 1])
    """

    ids: npt.NDArray[np.int32]  # (T,) from 0; equal tokens have equal numbers, nothing else counts
    start: Ints  # (N + 1,)

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def length(self) -> Ints:
        """Tokens of each sequence, (N,)."""
        return np.diff(self.start)

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> TokenIds:
        """From one list of numbers (0 to 2³¹ − 1) a sequence."""
        start = np.zeros(len(sequences) + 1, dtype=np.int64)
        np.cumsum([len(one) for one in sequences], out=start[1:])
        ids = np.fromiter(chain.from_iterable(sequences), dtype=np.int32, count=int(start[-1]))
        return cls(ids, start)


class Interning:
    """Texts → token numbers; equal texts are tokenised once, equal tokens get one number.

    >>> interning = Interning(str.split)
    >>> interning.rows(["a b", "b", "a b"]).tolist(), interning.tokens().ids.tolist()
    ([0, 1, 0], [0, 1, 1])
    """

    def __init__(self, tokenizer: Callable[[str], list[str]]) -> None:
        self._tokenizer = tokenizer
        self._row: dict[str, int] = {}
        self._number: dict[str, int] = {}
        self._ids: list[int] = []
        self._start = [0]

    def rows(self, texts: Iterable[str]) -> Ints:
        """The row of each text among the distinct ones, (len(texts),)."""
        return np.array([self._place(text) for text in texts], dtype=np.int64)

    def tokens(self) -> TokenIds:
        """The distinct texts met so far."""
        return TokenIds(np.array(self._ids, dtype=np.int32), np.array(self._start, dtype=np.int64))

    def blank(self) -> Bools:
        """Which distinct texts hold nothing: no token, or only the empty one."""
        tokens = self.tokens()
        nothing: Bools = tokens.length == 0
        number = self._number.get("")
        if number is not None:
            alone = np.flatnonzero(tokens.length == 1)
            nothing[alone] = tokens.ids[tokens.start[alone]] == number
        return nothing

    def _place(self, text: str) -> int:
        row = self._row.get(text)
        if row is None:
            row = self._row[text] = len(self._row)
            number = self._number
            self._ids += [number.setdefault(token, len(number)) for token in self._tokenizer(text)]
            self._start.append(len(self._ids))
        return row
