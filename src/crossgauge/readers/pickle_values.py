"""What the few names that a pickle of arrays may call do here: own code over bytes, never the thing named."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault

NUMBER_BYTES = 8  # of the largest number; extended precision differs between machines
MOST_DIMENSIONS = 8
_SPEC = re.compile(r"[<>|=]?([biufSU])([0-9]{1,6})")
_PLAIN = "arrays of numbers or text, and lists, dicts, text and numbers"
_ORDERS = ("<", ">", "|", "=")
_DTYPE_STATE = (8, 9)  # parts, without and with metadata
_ARRAY_STATE = 5
_MAKE = (
    "in the program that wrote it: np.save('x.npy', np.asarray(x, dtype=np.float32)), or dtype=str for ids"
)


class Refused(Exception):
    """Something a pickle asks for that is no plain data; becomes a Fault with the file and the byte."""

    def __init__(self, code: str, found: str, wanted: str = _PLAIN, fix: str = _MAKE) -> None:
        self.code, self.found, self.wanted, self.fix = code, found, wanted, fix
        super().__init__(found)

    def fault(self, place: str) -> Fault:
        """The refusal as a fault at a place."""
        return Fault(self.code, place, self.found, self.wanted, self.fix)


class Text8(bytes):
    """A ``str`` of Python 2: bytes of an array, or text."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class DType:
    """A dtype in the making: its byte order comes later, by BUILD."""

    dtype: np.dtype[Any]

    def build(self, state: object) -> None:
        """Take the byte order from ``(version, order, subdtype, names, fields, itemsize, …)``."""
        if not isinstance(state, tuple) or len(state) not in _DTYPE_STATE:
            raise _odd("the state of a dtype")
        order, size = _text(state[1]), state[5]
        if any(part is not None for part in state[2:5]) or any(state[8:]):
            raise Refused("E343", "an array of records, or with metadata")
        if order not in _ORDERS or size not in (-1, self.dtype.itemsize):
            raise _odd("the state of a dtype")
        if order in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(order)  # type: ignore[arg-type]


@dataclass(slots=True, eq=False)
class Array:
    """An array in the making: shape, dtype and bytes come by BUILD; ``value`` is a view of the bytes."""

    value: npt.NDArray[Any] | None = None

    def build(self, state: object) -> None:
        """Take ``(version, shape, dtype, is Fortran, bytes)``."""
        if not isinstance(state, tuple) or len(state) != _ARRAY_STATE:
            raise _odd("the state of an array")
        _, shape, dtype, fortran, raw = state
        if not isinstance(dtype, DType):
            raise _odd("the dtype of an array")
        self.value = _array(dtype.dtype, shape, "F" if fortran else "C", raw)


Call: TypeAlias = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Name:
    """A name on the allow-list and what calling it does here; ``call`` None: it is only an argument."""

    name: str
    call: Call | None


def looked_up(module: str, name: str) -> Name:
    """The stand-in for a name; raises Refused (E340), saying which, for all but a dozen."""
    found = _ALLOWED.get((module, name))
    if found is None:
        raise Refused("E340", f"it asks to run {module}.{name}"[:200])
    return found


def called(name: object, arguments: object) -> object:
    """What REDUCE makes of an allowed name; raises Refused for anything else."""
    if not isinstance(name, Name) or name.call is None or not isinstance(arguments, tuple):
        raise Refused("E340", "it asks to call something that is no function of NumPy's")
    try:
        return name.call(*arguments)
    except TypeError:
        raise _odd(f"the arguments of {name.name}") from None


def _dtype(spec: object = None, *_: object) -> DType:
    text = _text(spec)
    match = _SPEC.fullmatch(text)
    if match is None:
        kind = "Python objects" if text.startswith("O") else f"the type {text[:40]!r}"
        raise Refused("E343", f"an array of {kind}")
    if match[1] in "biuf" and int(match[2]) not in (1, 2, 4, NUMBER_BYTES):
        raise Refused("E343", f"numbers of the type {text!r}")
    try:
        return DType(np.dtype(text))
    except TypeError:
        raise Refused("E343", f"numbers of the type {text!r}") from None


def _reconstruct(kind: object, *_: object) -> Array:
    if kind is not _NDARRAY:
        raise Refused("E340", "it asks to make an array of another class than numpy.ndarray")
    return Array()


def _scalar(dtype: object, raw: object = None) -> object:
    if not isinstance(dtype, DType):
        raise _odd("the dtype of a number")
    return _array(dtype.dtype, (), "C", raw).item()


def _frombuffer(raw: object, dtype: object, shape: object, order: object) -> Array:
    if not isinstance(dtype, DType):
        raise _odd("the dtype of an array")
    return Array(_array(dtype.dtype, shape, _text(order), raw))


def _encode(text: object, codec: object = "latin1") -> bytes:
    """How Python 3 writes bytes into the protocols of Python 2."""
    if not isinstance(text, str) or _text(codec) not in ("latin1", "latin-1"):
        raise Refused("E340", "it asks to encode something else than bytes")
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise _odd("text in place of bytes") from None


def _no_bytes() -> bytes:
    return b""


def _array(dtype: np.dtype[Any], shape: object, order: str, raw: object) -> npt.NDArray[Any]:
    """A view of the bytes where they are as many as shape and dtype say: nothing is allocated by a claim."""
    if isinstance(raw, str):  # Python 2's str, read as Latin-1 by whoever wrote this pickle anew
        raw = _encode(raw)
    if isinstance(raw, list):
        raise Refused("E343", "an array of Python objects")
    if not isinstance(raw, bytes | bytearray):
        raise _odd("the bytes of an array")
    if not isinstance(shape, tuple) or len(shape) > MOST_DIMENSIONS or not all(map(_is_size, shape)):
        raise Refused("E343", f"the shape {shape!r:.80}", "up to 8 sizes")
    size = math.prod(shape) * dtype.itemsize
    if size != len(raw) or (not dtype.itemsize and math.prod(shape)) or order not in ("C", "F"):
        said = " × ".join(map(str, shape)) or "one number"
        raise Refused("E343", f"{said} of {dtype} in {len(raw)} bytes", f"{size} bytes", "write it again")
    flat = np.frombuffer(raw, dtype=dtype) if size else np.empty(0, dtype=dtype)
    return flat.reshape(shape, order="F" if order == "F" else "C")


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


def _odd(what: str) -> Refused:
    return Refused("E341", f"{what} that NumPy does not write", "a pickle as NumPy writes it")


_NDARRAY = Name("numpy.ndarray", None)
_OLD_AND_NEW = ("numpy.core", "numpy._core")  # before and since NumPy 2
_ALLOWED: Mapping[tuple[str, str], Name] = {
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): Name("numpy.dtype", _dtype),
    ("_codecs", "encode"): Name("_codecs.encode", _encode),
    ("__builtin__", "bytes"): Name("bytes", _no_bytes),
    ("builtins", "bytes"): Name("bytes", _no_bytes),
    **{(f"{core}.multiarray", "_reconstruct"): Name("_reconstruct", _reconstruct) for core in _OLD_AND_NEW},
    **{(f"{core}.multiarray", "scalar"): Name("scalar", _scalar) for core in _OLD_AND_NEW},
    **{(f"{core}.numeric", "_frombuffer"): Name("_frombuffer", _frombuffer) for core in _OLD_AND_NEW},
}
