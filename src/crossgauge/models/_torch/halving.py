"""Batches that shrink when memory runs out, and come back in the order they were given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from crossgauge.errors import EnvironmentFault, Fault

T = TypeVar("T")
Rows = npt.NDArray[np.float32]


class Halving:
    """Runs batches no larger than what has fitted so far; a batch that does not fit is halved and run again.

    What was given back does not depend on it beyond float rounding: other batch shapes let the library sum
    in another order (about 1e-6 relative in float32).

    >>> Halving("model x").run([3, 1], lambda some: np.float32([[n] for n in some])).tolist()
    [[3.0], [1.0]]
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.most: int | None = None  # None: nothing has failed yet
        self._told: list[str] = []

    def run(self, rows: Sequence[T], forward: Callable[[Sequence[T]], Rows]) -> Rows:
        """One row each, in order. Raises EnvironmentFault (E610) when even one alone does not fit."""
        return np.concatenate(self.collect(rows, lambda some: [forward(some)]))

    def collect(self, rows: Sequence[T], act: Callable[[Sequence[T]], Sequence[Any]]) -> list[Any]:
        """What ``act`` returns for each part, in order, as one list."""
        found: list[Any] = []
        at = 0
        while at < len(rows):
            some = rows[at : at + (self.most or len(rows))]
            try:
                found.extend(act(some))
            except Exception as error:
                if not _out_of_memory(error):
                    raise
                self._shrink(len(some), error)
                continue  # outside the handler, so that the failed batch's tensors are free
            at += len(some)
        return found

    def told(self) -> Sequence[str]:
        """What happened since the last call: a line for each time it shrank."""
        said, self._told = self._told, []
        return said

    def _shrink(self, tried: int, error: Exception) -> None:
        if tried == 1:
            found = f"out of memory with one item at once: {str(error).splitlines()[0]}"
            fix = "--dtype bf16, a smaller model, or --device cpu"
            raise EnvironmentFault(Fault("E610", self.place, found, "more memory", fix)) from error
        self.most = max(1, tried // 2)
        self._told.append(f"out of memory with {tried} items at once; now {self.most}")
        _free()


def _out_of_memory(error: Exception) -> bool:
    import torch

    text = str(error).lower()
    memory = "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text
    return isinstance(error, torch.OutOfMemoryError) or (isinstance(error, RuntimeError) and memory)


def _free() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
