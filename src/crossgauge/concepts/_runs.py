"""Rows of arrays in runs, one after the other: where each begins, those of some, and arrays that grow."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from crossgauge.types import Ints

T = TypeVar("T", bound=np.generic)


def begins(sizes: Ints) -> Ints:
    """Where each of some runs begins, and where the last ends, (n + 1,).

    >>> begins(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    found = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=found[1:])
    return found


def rows_of(first: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """The rows of runs that begin at ``first``, run after run, and the run of each.

    >>> [part.tolist() for part in rows_of(np.array([7, 1]), np.array([2, 3]))]
    [[7, 8, 1, 2, 3], [0, 0, 1, 1, 1]]
    """
    owner = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.arange(len(owner)) + (first - (np.cumsum(sizes) - sizes))[owner]
    return rows, owner


class Growing(Generic[T]):
    """An array that is added to at its end.

    >>> grown = Growing(np.dtype(np.int64))
    >>> grown.add(np.array([3, 4]))
    >>> grown.add(np.array([5]))
    >>> grown.values.tolist()
    [3, 4, 5]
    """

    def __init__(self, kind: np.dtype[T]) -> None:
        self._room: npt.NDArray[T] = np.empty(64, dtype=kind)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def values(self) -> npt.NDArray[T]:
        """What was added, until more is."""
        return self._room[: self._used]

    def add(self, values: npt.NDArray[T]) -> None:
        """Put values behind the others."""
        end = self._used + len(values)
        if end > len(self._room):
            room = np.empty(max(end, 2 * len(self._room)), dtype=self._room.dtype)
            room[: self._used] = self.values
            self._room = room
        self._room[self._used : end] = values
        self._used = end
