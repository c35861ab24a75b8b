"""Token sequences as one array of numbers: what the fast path works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from crossgauge.types import Ints


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
