"""Batches that shrink when memory runs out, and come back in the order they were given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from crossgauge.errors import EnvironmentFault, Fault

T = TypeVar("T")
Rows = npt.NDArray[np.float32]
FIX = "--dtype bf16, a smaller model, or --device cpu"
_SAID = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate memory",
         "status_alloc_failed")  # of cuBLAS and cuDNN  # fmt: skip


class Halving:
    """Runs batches no larger than what has fitted so far; a batch that does not fit is halved and run again.

    What was given back does not depend on it beyond float rounding: other batch shapes let the library sum
    in another order (about 1e-6 relative in float32).

    >>> Halving("model x").run([3, 1], lambda some: np.float32([[n] for n in some])).tolist()
    [[3.0], [1.0]]
    """

    def __init__(self, place: str, *, fix: str = FIX) -> None:
        self.place, self._fix = place, fix
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
                if not out_of_memory(error):
                    raise
                self._shrink(len(some), error)
            else:
                at += len(some)
                continue
            _free()  # outside the handler: until it ends, the error's frames hold the failed batch's tensors
        return found

    def told(self) -> Sequence[str]:
        """What happened since the last call: a line for each time it shrank."""
        said, self._told = self._told, []
        return said

    def _shrink(self, tried: int, error: Exception) -> None:
        if tried == 1:
            raise no_room(self.place, "with one item at once", error, fix=self._fix) from error
        self.most = max(1, tried // 2)
        self._told.append(f"out of memory with {tried} items at once; now {self.most}")


def no_room(place: str, when: str, error: Exception, *, fix: str = FIX) -> EnvironmentFault:
    """The error (E610) for memory that ran out where fewer items would not help.

    >>> raise no_room("model x", "as its weights are loaded", MemoryError(), fix="a smaller model")
    Traceback (most recent call last):
    crossgauge.errors.EnvironmentFault: E610 model x: out of memory as its weights are loaded: \
MemoryError; wanted more memory; fix: a smaller model
    """
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return EnvironmentFault(Fault("E610", place, f"out of memory {when}: {line}", "more memory", fix))


def out_of_memory(error: Exception) -> bool:
    """Whether torch or onnxruntime raised it for lack of memory; neither is imported for that.

    >>> out_of_memory(RuntimeError("CUDA out of memory.")), out_of_memory(ValueError("out of memory"))
    (True, False)
    """
    torch = sys.modules.get("torch")
    if isinstance(error, MemoryError) or (torch is not None and isinstance(error, torch.OutOfMemoryError)):
        return True
    theirs = isinstance(error, RuntimeError) or type(error).__module__.startswith("onnxruntime.")
    return theirs and any(words in str(error).lower() for words in _SAID)


def _free() -> None:
    import gc

    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
