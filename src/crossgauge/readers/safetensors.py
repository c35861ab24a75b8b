"""safetensors: our own rules check the header (holes, overlaps, sizes); bfloat16 is up-cast exactly."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import Shape, as_vectors, byte_count, chosen, shape_fault
from crossgauge.readers.source import size_of
from crossgauge.readers.strict_json import Json, parse_json
from crossgauge.types import Vectors

MAX_HEADER = 64 << 20  # bytes; ids may stand in it
PREFIX = 8  # bytes that hold the header's length
_PAIR = 2  # [begin, end]
TYPES: dict[str, str] = {
    "F16": "<f2",
    "BF16": "<u2",
    "F32": "<f4",
    "F64": "<f8",
    "I8": "<i1",
    "U8": "<u1",
    "I16": "<i2",
    "U16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "I64": "<i8",
    "U64": "<u8",
    "BOOL": "|b1",
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """One entry of the header; ``begin`` and ``end`` count bytes after the header."""

    name: str
    dtype: str
    shape: Shape
    begin: int
    end: int


def read_safetensors(path: Path) -> tuple[Vectors, tuple[str, ...] | None]:
    """The vectors of a safetensors file, and its ids where the metadata hold a JSON list ``ids``.

    float16 and bfloat16 become float32 exactly; the tensor is chosen as in ``.npz``. Raises InputError: E213
    (a header that lies, holes, overlaps), E217, E218 (float8, complex …), E221, E227 (broken JSON).
    """
    size = size_of(path)
    header, body = _header(path, size)
    tensors, metadata = _entries(header, str(path))
    _covered(tensors, size - body, str(path))
    name = chosen({tensor.name: tensor.shape for tensor in tensors}, str(path))
    tensor = next(tensor for tensor in tensors if tensor.name == name)
    vectors = _vectors(path, tensor, body)
    return vectors, _metadata_ids(metadata, f"{path}[__metadata__][ids]")


def _header(path: Path, size: int) -> tuple[Json, int]:
    """The parsed header and where the numbers begin."""
    with path.open("rb") as handle:
        prefix = handle.read(PREFIX)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == PREFIX else size
        if length > min(MAX_HEADER, size - PREFIX):
            found = f"a header of {length} bytes in a file of {size}"
            raise InputError(_bad(str(path), found, wanted=f"at most {MAX_HEADER}, within the file"))
        return parse_json(handle.read(length), str(path)), PREFIX + length


def _entries(header: Json, place: str) -> tuple[list[Tensor], dict[str, Any]]:
    if not isinstance(header, dict):
        raise InputError(_bad(place, "a header that is no JSON object"))
    metadata = header.get("__metadata__", {})
    faults: list[Fault] = []
    tensors = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        tensor = _entry(name, entry)
        if tensor is None:
            faults.append(_bad(f"{place}[{name}]", "an entry without sound dtype, shape and data_offsets"))
        else:
            tensors.append(tensor)
            faults.extend(_size_fault(tensor, place))
    if faults:
        raise InputError(faults)
    return tensors, metadata if isinstance(metadata, dict) else {}


def _entry(name: str, entry: Any) -> Tensor | None:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        return None
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(dtype, str) and _naturals(shape) and _naturals(offsets) and len(offsets) == _PAIR):
        return None
    return Tensor(name, dtype, tuple(shape), offsets[0], offsets[1])


def _naturals(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int and number >= 0 for number in value)


def _size_fault(tensor: Tensor, place: str) -> list[Fault]:
    if tensor.dtype not in TYPES:  # its size is unknown here; covered by the neighbours' offsets
        return []
    wanted = byte_count(tensor.shape, np.dtype(TYPES[tensor.dtype]).itemsize)
    given = tensor.end - tensor.begin
    if wanted == given:
        return []
    shape = " × ".join(map(str, tensor.shape))
    return [
        _bad(f"{place}[{tensor.name}]", f"{shape} {tensor.dtype} is {wanted} bytes, offsets give {given}")
    ]


def _covered(tensors: list[Tensor], body: int, place: str) -> None:
    """The tensors must cover the bytes after the header once and whole."""
    at = 0
    for tensor in sorted(tensors, key=lambda tensor: (tensor.begin, tensor.end)):
        if tensor.begin != at or tensor.end < tensor.begin:
            what = "overlaps the one before" if tensor.begin < at else "leaves a hole before it"
            raise InputError(
                _bad(f"{place}[{tensor.name}]", f"a tensor that {what} (begins at {tensor.begin}, not {at})")
            )
        at = tensor.end
    if at != body:
        raise InputError(_bad(place, f"tensors of {at} bytes in all, {body} are there"))


def _vectors(path: Path, tensor: Tensor, body: int) -> Vectors:
    place = f"{path}[{tensor.name}]"
    odd = shape_fault(tensor.shape, place)
    faults = [] if odd is None else [odd]
    if tensor.dtype not in TYPES:
        wanted, fix = "BF16, F16, F32, F64 or integers", "convert to float32 before saving"
        faults.append(Fault("E218", place, f"numbers of type {tensor.dtype}", wanted, fix))
    if faults:
        raise InputError(faults)
    raw: npt.NDArray[Any] = np.memmap(
        path, dtype=TYPES[tensor.dtype], mode="r", offset=body + tensor.begin, shape=tensor.shape
    )
    if tensor.dtype == "BF16":
        return widened(raw)
    return as_vectors(np.require(raw, requirements="A"), place)


def widened(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """bfloat16 given as its bits, as float32: the same numbers, since it is float32 cut to 16 bits.

    >>> widened(np.array([0x3F80, 0xC000], dtype=np.uint16)).tolist()
    [1.0, -2.0]
    """
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _metadata_ids(metadata: dict[str, Any], place: str) -> tuple[str, ...] | None:
    text = metadata.get("ids")
    if text is None:
        return None
    listed = parse_json(text.encode(), place) if isinstance(text, str) else None
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise InputError(Fault("E220", place, "no JSON list of text", '["a", "b", …]', "json.dumps(ids)"))
    return tuple(listed)


def _bad(place: str, found: str, *, wanted: str = "a sound safetensors header") -> Fault:
    return Fault("E213", place, found, wanted, "write it again with safetensors.numpy.save_file")
