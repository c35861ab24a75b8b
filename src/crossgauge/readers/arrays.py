"""Which arrays are vectors: the rule for dtypes, for shapes, and for choosing one of several by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.types import Vectors

MAX_BYTES = 32 << 30  # of one array held in memory; .npy is mapped instead
EXACT = 1 << 53  # float64 holds every integer up to here
VECTOR_NAMES = ("vectors", "embeddings", "embedding", "emb", "vector")
ID_NAMES = ("ids", "id", "_id", "item_id", "key", "image_path")
Shape = tuple[int, ...]
_MATRIX = 2  # dimensions: items × features
_RAW_BFLOAT16 = 2  # bytes; NumPy writes bfloat16 as two raw bytes without a name


def type_fault(dtype: np.dtype[Any], place: str) -> Fault | None:
    """Why an array of this dtype cannot be vectors; None when it can.

    float16 becomes float32; float32 and float64 stay; integers and booleans become float64 (exactly, or
    refused). Complex numbers, text, dates, raw bytes and extended precision are refused.
    """
    if dtype.hasobject:
        return object_fault(place, "an array of numbers", "np.asarray(x, dtype=np.float32)")
    if dtype.kind == "f" and dtype.itemsize <= np.dtype(np.float64).itemsize:
        return None
    if dtype.kind in "iub":
        return None
    fix = "convert to float32 before saving"
    if dtype.kind == "V" and dtype.itemsize == _RAW_BFLOAT16 and dtype.names is None:
        fix = "if this is bfloat16, which .npy cannot name: save float32, or use safetensors"
    return Fault("E218", place, f"numbers of type {dtype}", "float16, float32, float64 or integers", fix)


def object_fault(place: str, wanted: str, plain: str) -> Fault:
    """The refusal of an array of Python objects; ``plain`` says how to make the plain array it should be."""
    found = "an array of Python objects: a pickle inside, which is never loaded"
    return Fault("E212", place, found, wanted, f"save {plain} instead")


def id_fault(dtype: np.dtype[Any], place: str) -> Fault | None:
    """Why an array of this dtype cannot be ids for the sake of what it would run; None when it is plain."""
    return object_fault(place, "an array of text", "np.asarray(ids, dtype=str)") if dtype.hasobject else None


def shape_fault(shape: Shape, place: str) -> Fault | None:
    """Why an array of this shape cannot be vectors; None when it is (items, features), neither being 0."""
    said = " × ".join(map(str, shape)) or "a single number"
    if len(shape) != _MATRIX:
        fix = "x.reshape(len(x), -1) if each item is one row" if len(shape) > _MATRIX else "one row an item"
        return Fault("E217", place, f"{len(shape)} dimensions ({said})", "2: items × features", fix)
    if 0 in shape:
        return Fault(
            "E217", place, f"{said}: nothing in it", "at least one item and one feature", "write it again"
        )
    return None


def checked(dtype: np.dtype[Any], shape: Shape, place: str) -> None:
    """Raise InputError with what is wrong with the dtype and the shape of an array of vectors."""
    faults = [fault for fault in (type_fault(dtype, place), shape_fault(shape, place)) if fault is not None]
    if faults:
        raise InputError(faults)


def as_vectors(array: npt.NDArray[Any], place: str) -> Vectors:
    """Vectors in the precision they are ranked in; values are never rounded.

    >>> as_vectors(np.array([[1, 2]], dtype=np.float16), "x").dtype
    dtype('float32')

    Raises InputError for a refused dtype (E218) or shape (E217), or integers beyond 2**53 (E218).
    """
    checked(array.dtype, array.shape, place)
    if array.dtype.kind in "iub":
        return _exact(array, place)
    if array.dtype.itemsize == np.dtype(np.float64).itemsize:
        return array.astype(np.float64, copy=False)
    return array.astype(np.float32, copy=False)


def byte_count(shape: Shape, itemsize: int) -> int:
    """Bytes an array takes, as an unbounded integer (NumPy's own product wraps around)."""
    return math.prod(shape) * itemsize


def budgeted(size: int, place: str) -> None:
    """Raise InputError (E219) for an array larger than is ever held in memory."""
    if size > MAX_BYTES:
        found = f"{size / 2**30:.1f} GiB in one array"
        raise InputError(
            Fault(
                "E219",
                place,
                found,
                f"at most {MAX_BYTES >> 30} GiB",
                "save it as .npy, which is mapped, not read",
            )
        )


def chosen(shapes: Mapping[str, Sequence[int]], place: str) -> str:
    """The name of the array that holds the vectors: a usual name, or the only one with two dimensions.

    >>> chosen({"ids": [3], "emb": [3, 2], "other": [2, 2]}, "x.npz")
    'emb'

    Raises InputError (E221) when there is none, or several.
    """
    for name in VECTOR_NAMES:
        if name in shapes:
            return name
    matrices = [name for name, shape in shapes.items() if len(shape) == _MATRIX and name not in ID_NAMES]
    if len(matrices) == 1:
        return matrices[0]
    listed = ", ".join(
        f"{name!r} ({' × '.join(map(str, shape))})" for name, shape in list(shapes.items())[:20]
    )
    found = f"{len(matrices)} arrays could be the vectors; it holds {listed or 'nothing'}"
    raise InputError(
        Fault("E221", place, found, "one array named 'vectors'", "save each side in a file of its own")
    )


def text_ids(array: npt.NDArray[Any], place: str) -> tuple[str, ...]:
    """Ids from an array of text (or of whole numbers, written in decimal).

    Raises InputError: E212 for Python objects, E220 for other types or dimensions, E222 for bytes not UTF-8.
    """
    if (fault := id_fault(array.dtype, place)) is not None:
        raise InputError(fault)
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        found = f"{array.ndim} dimensions of type {array.dtype}"
        raise InputError(Fault("E220", place, found, "a list of text", "np.array(ids, dtype=str)"))
    if array.dtype.kind != "S":
        return tuple(str(value) for value in array.tolist())
    try:
        return tuple(value.decode("utf-8") for value in array.tolist())
    except UnicodeDecodeError as error:
        raise InputError(
            Fault("E222", place, f"bytes that are not UTF-8 ({error.reason})", "UTF-8")
        ) from None


def _exact(array: npt.NDArray[Any], place: str) -> npt.NDArray[np.float64]:
    if array.dtype.kind != "b" and array.dtype.itemsize == np.dtype(np.int64).itemsize:
        extreme = max(abs(int(array.min())), abs(int(array.max())))
        if extreme > EXACT:
            raise InputError(
                Fault("E218", place, f"the integer {extreme}", "at most 2**53, which float64 holds exactly",
                      "these look like hashes or ids, not vectors")
            )  # fmt: skip
    return array.astype(np.float64)
