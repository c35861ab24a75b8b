"""Old pickles of NumPy arrays and lists, read without running anything: Python 2 and 3, protocols 0 to 5."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pickle_machine import MAX_STEPS, Machine
from crossgauge.readers.pickle_values import Array, Refused, Text8
from crossgauge.readers.source import readable, size_of

MAX_FILE = 8 << 30  # bytes
MAX_DEPTH = 64  # lists in lists
Plain: TypeAlias = (
    npt.NDArray[Any] | list[Any] | tuple[Any, ...] | dict[Any, Any] | str | bytes | float | None
)


def read_pickles(path: Path, *, exactly: int | None = None) -> tuple[Plain, ...]:
    """Everything pickled into a file, one after the other: arrays, lists, tuples, dicts, text, numbers.

    Python 2's ``str`` is read as UTF-8 text, or Latin-1 where it is none. Arrays are views of what was read:
    not writable. ``exactly`` says how many pickles there must be.

    Raises InputError with the byte: E340 (it asks to run or make something, which is named), E341 (cut off,
    damaged, or not as NumPy writes it), E342 (too much of something), E343 (an array of objects, of records,
    or of another size than its shape), E210 (no file).
    """
    size = size_of(path)
    if size > MAX_FILE:
        found = f"{size} bytes of pickles"
        raise InputError(Fault("E342", str(path), found, f"at most {MAX_FILE >> 30} GiB", "use .npy"))
    found_values: list[Plain] = []
    with readable(path), path.open("rb") as handle, _mapped(handle) as data:
        machine = Machine(data)
        while not machine.finished:
            try:
                found_values.append(_Plainer().plain(machine.load(), 0))
            except Refused as refused:
                raise InputError(refused.fault(f"{path} byte {machine.at}")) from None
            except MemoryError:
                found = "more than this machine's memory"
                raise InputError(Fault("E342", f"{path} byte {machine.at}", found, "less")) from None
    if exactly is not None and len(found_values) != exactly:
        wanted = f"{exactly}, one after the other"
        raise InputError(
            Fault("E341", str(path), f"{len(found_values)} pickles", wanted, "is it the right file?")
        )
    return tuple(found_values)


def _mapped(handle: BinaryIO) -> mmap.mmap:
    return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)


class _Plainer:
    """Turns what the machine left into plain values; shared and nested lists may not unfold without end."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def plain(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise Refused("E342", "lists in lists without end", f"at most {MAX_DEPTH} levels")
        if isinstance(value, Array):
            return _whole(value)
        if isinstance(value, Text8):
            return _words(value)
        if type(value) in (list, tuple):
            return type(value)(self.plain(one, depth + 1) for one in value)
        if type(value) is dict:
            return {self.plain(key, depth + 1): self.plain(one, depth + 1) for key, one in value.items()}
        if value is None or isinstance(value, str | bytes | int | float):
            return value
        raise Refused("E340", "a function or a type in place of data")


def _whole(array: Array) -> npt.NDArray[Any]:
    if array.value is None:
        raise Refused("E341", "an array that never got its numbers", "a pickle as NumPy writes it")
    return array.value.astype(array.value.dtype.newbyteorder("="), copy=False)


def _words(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
