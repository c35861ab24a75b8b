"""Messages from a process of this machine: what is large goes through memory that both can see, not a pipe.

A pipe moves half a gigabyte a second and costs both sides a copy; prepared pictures are more than that. On
Linux the arrays of a large message lie in an anonymous file of the sender, which the receiver maps through
``/proc``: there is nothing to clean up, however either process ends.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

from crossgauge.engines.worker import DEPTH

LARGE = 1 << 20  # bytes of arrays in a message from which on they are not put into the pipe
_KEPT = DEPTH + 1  # messages: a receiver that has not heard so many gives no more work
_SHARED = sys.platform == "linux"


class Parcel(NamedTuple):
    """A pickled message, and where its arrays lie if not within."""

    message: bytes
    place: str = ""  # an open file of the sender
    sizes: Sequence[int] = ()  # bytes of each array in it, one after the other


class Packer:
    """Packs messages; the memory of the last few is kept, for the receiver may still be about to map it."""

    def __init__(self) -> None:
        self._open: deque[int] = deque()

    def packed(self, message: object) -> bytes:
        """The message as bytes for the pipe; raises what pickling raises."""
        arrays: list[memoryview] = []
        content = _pickled(message, lambda array: arrays.append(array.raw())) if _SHARED else b""
        if sum(array.nbytes for array in arrays) < LARGE:
            return pickle.dumps(Parcel(_pickled(message)))
        return pickle.dumps(Parcel(content, self._shown(arrays), [array.nbytes for array in arrays]))

    def _shown(self, arrays: Sequence[memoryview]) -> str:
        """The name of a file with these bytes, which goes with this process."""
        descriptor = os.memfd_create("crossgauge")
        self._open.append(descriptor)
        if len(self._open) > _KEPT:
            os.close(self._open.popleft())
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            for array in arrays:
                file.write(array)
        return f"/proc/{os.getpid()}/fd/{descriptor}"


def unpacked(stream: BinaryIO) -> Any:
    """The next message; raises EOFError, OSError or pickle.UnpicklingError where the sender is gone."""
    parcel: Parcel = pickle.load(stream)  # noqa: S301  (from our own child)
    if not parcel.place:
        return pickle.loads(parcel.message)  # noqa: S301
    with open(parcel.place, "r+b") as file:  # noqa: PTH123  (a Path may not be what is opened)
        whole = memoryview(mmap.mmap(file.fileno(), 0))
    ends = accumulate(parcel.sizes)
    arrays = [whole[end - size : end] for size, end in zip(parcel.sizes, ends, strict=True)]
    return pickle.loads(parcel.message, buffers=arrays)  # noqa: S301


def _pickled(message: object, aside: Callable[[pickle.PickleBuffer], None] | None = None) -> bytes:
    content = io.BytesIO()
    _Pickler(content, protocol=5, buffer_callback=aside).dump(message)
    return content.getvalue()


class _Pickler(pickle.Pickler):
    """Knows tensors of the processor as arrays: torch's own way to pickle copies them twice."""

    def reducer_override(self, thing: Any) -> Any:
        """How a tensor is made again, or that another way is to be found."""
        torch = sys.modules.get("torch")
        if torch is None or type(thing) is not torch.Tensor or not _plain(thing, torch):
            return NotImplemented
        return torch.from_numpy, (thing.numpy(),)


def _plain(tensor: Any, torch: Any) -> bool:
    known = tensor.device.type == "cpu" and tensor.layout is torch.strided and tensor.is_contiguous()
    return known and not tensor.requires_grad and tensor.dtype in {torch.float32, torch.int64, torch.uint8}
