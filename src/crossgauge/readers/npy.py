"""NumPy ``.npy``: the header is read by strict rules and checked against the file before any array exists."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import Shape, as_vectors, byte_count, checked, id_fault
from crossgauge.readers.source import size_of
from crossgauge.types import Vectors

MAGIC = b"\x93NUMPY"
MAX_HEADER = 64 << 10
_LENGTHS = {1: "<H", 2: "<I", 3: "<I"}  # format version → how the header's length is written
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*['"]([<>|=]?[A-Za-z][0-9]*(?:\[[a-zA-Z]+\])?)['"]""")
_FORTRAN = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([0-9L, ]{0,200})\)""")


@dataclass(frozen=True, slots=True)
class Header:
    """What a ``.npy`` says about itself; the numbers begin at ``offset``."""

    dtype: np.dtype[Any]
    shape: Shape
    fortran: bool
    offset: int

    @property
    def size(self) -> int:
        """Bytes that the numbers take."""
        return byte_count(self.shape, self.dtype.itemsize)


def read_npy(path: Path) -> Vectors:
    """The vectors of a ``.npy`` file, (N, D), mapped instead of read where they need no conversion.

    Raises InputError: E212 for object arrays (never unpickled), E213 for a header that does not fit the
    file, E217 and E218 for shapes and types that are not vectors.
    """
    place = str(path)
    header = _checked_header(path)
    checked(header.dtype, header.shape, place)
    return as_vectors(_mapped(path, header), place)


def read_npy_text(path: Path) -> npt.NDArray[Any]:
    """A one-dimensional array of any plain type from a ``.npy`` file (ids); same refusals as vectors."""
    header = _checked_header(path)
    if (fault := id_fault(header.dtype, str(path))) is not None:
        raise InputError(fault)
    return _mapped(path, header)


def read_header(stream: BinaryIO, size: int, place: str) -> Header:
    """The header at the start of a stream of ``size`` bytes; raises InputError (E213) when it lies."""
    magic = stream.read(len(MAGIC) + 2)
    version = magic[len(MAGIC)] if len(magic) == len(MAGIC) + 2 else 0
    if not magic.startswith(MAGIC) or version not in _LENGTHS:
        raise InputError(_bad(place, "no header of a .npy file"))
    layout = _LENGTHS[version]
    raw = stream.read(struct.calcsize(layout))
    length = struct.unpack(layout, raw)[0] if len(raw) == struct.calcsize(layout) else size
    offset = len(magic) + len(raw) + length
    if length > MAX_HEADER or offset > size:
        raise InputError(_bad(place, f"a header of {length} bytes in a file of {size}"))
    header = _parsed(stream.read(length).decode("latin-1"), offset, place)
    if not header.dtype.hasobject and header.size != size - offset:
        shape = " × ".join(map(str, header.shape))
        found = f"the header says {shape} {header.dtype} = {header.size} bytes, {size - offset} are there"
        raise InputError(_bad(place, found))
    return header


def _checked_header(path: Path) -> Header:
    size = size_of(path)
    with path.open("rb") as handle:
        return read_header(handle, size, str(path))


def _mapped(path: Path, header: Header) -> npt.NDArray[Any]:
    order: Literal["F", "C"] = "F" if header.fortran else "C"
    if header.size == 0:
        return np.empty(header.shape, dtype=header.dtype)
    mapped: npt.NDArray[Any] = np.memmap(
        path, dtype=header.dtype, mode="r", offset=header.offset, shape=header.shape, order=order
    )
    return mapped


def _parsed(text: str, offset: int, place: str) -> Header:
    """The three facts of a header, found by pattern: nothing in it is ever evaluated."""
    descr, fortran, shape = _DESCR.search(text), _FORTRAN.search(text), _SHAPE.search(text)
    if not (descr and fortran and shape):
        raise InputError(_bad(place, f"the header {text.strip()[:80]!r}", wanted="one plain array"))
    try:
        dtype = np.dtype(descr[1])
        sizes = tuple(int(part.strip().rstrip("L")) for part in shape[1].split(",") if part.strip())
    except (TypeError, ValueError) as error:
        raise InputError(_bad(place, f"the header {text.strip()[:80]!r} ({error})")) from None
    return Header(dtype, sizes, fortran[1] == "True", offset)


def _bad(place: str, found: str, *, wanted: str = "a whole .npy file") -> Fault:
    return Fault("E213", place, found, wanted, "write it again: the copy may be cut off")
