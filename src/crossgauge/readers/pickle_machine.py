"""A pickle's opcodes carried out over plain data only: own stack machine, no import, no object of any class.

Opcodes that make objects of classes, fetch persistent ids, extensions or out-of-band buffers are not known.
Work is bounded by the number of opcodes, memory by the bytes of the file, which every length is held against.
"""

from __future__ import annotations

import codecs
import pickletools
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from crossgauge.readers.pickle_values import Array, DType, Name, Refused, Text8, called, looked_up

MAX_STEPS = 10_000_000  # opcodes of one file
_HASHED_AS_IS = 1 << 60  # larger integers can be made to share one hash
MAX_DIGITS = 40  # of a number written as text
_NAMES = {ord(op.code): op.name for op in pickletools.opcodes}
_END = "a whole pickle"
_AGAIN = "write or copy it again: it is cut off or damaged"

Buffer: TypeAlias = Any  # bytes or mmap: sliced and searched


def _decoded(raw: bytes, codec: str) -> str:
    try:
        return raw.decode(codec, "surrogatepass" if codec == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        raise Refused("E341", f"text that is no {codec} ({error.reason})", _END, _AGAIN) from None


def _utf8(raw: bytes) -> str:
    return _decoded(raw, "utf-8")


def _little(raw: bytes) -> int:
    if len(raw) > MAX_DIGITS:
        raise Refused("E342", f"an integer of {len(raw)} bytes", f"numbers of up to {MAX_DIGITS} digits")
    return int.from_bytes(raw, "little", signed=True)


_FIXED = {"BININT": "<i", "BININT1": "<B", "BININT2": "<H", "BINFLOAT": ">d"}
_CONSTANT = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_COUNTED: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "SHORT_BINSTRING": ("<B", Text8), "BINSTRING": ("<i", Text8),
    "SHORT_BINBYTES": ("<B", bytes), "BINBYTES": ("<I", bytes), "BINBYTES8": ("<Q", bytes),
    "BYTEARRAY8": ("<Q", bytes),
    "SHORT_BINUNICODE": ("<B", _utf8), "BINUNICODE": ("<I", _utf8), "BINUNICODE8": ("<Q", _utf8),
    "LONG1": ("<B", _little), "LONG4": ("<i", _little),
}  # fmt: skip
_STORE = {"BINPUT": "<B", "LONG_BINPUT": "<I"}
_FETCH = {"BINGET": "<B", "LONG_BINGET": "<I"}
_EMPTY: dict[str, Callable[[], object]] = {"EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_DICT": dict}
_FEW = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class Machine:
    """Reads one pickle after another from a buffer; ``at`` is the byte reached."""

    def __init__(self, data: Buffer) -> None:
        self.at = 0
        self._data = data
        self._size = len(data)
        self._steps = 0
        self._made = 0  # bytes made beyond those sliced from the buffer
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._acts: dict[str, Callable[[], None]] = {
            "MARK": lambda: self._marks.append(len(self._stack)),
            "POP": lambda: self._drop(1),
            "POP_MARK": lambda: self._stack.extend(self._since_mark()[:0]),
            "DUP": lambda: self._push(self._top(1)[0]),
            "PROTO": lambda: self._protocol(self._number("<B")),
            "FRAME": lambda: self._frame(self._number("<Q")),
            "LIST": lambda: self._push(self._since_mark()),
            "TUPLE": lambda: self._push(tuple(self._since_mark())),
            "DICT": lambda: self._push(self._paired({}, self._since_mark())),
            "APPEND": lambda: self._extend(self._pop(1)),
            "APPENDS": lambda: self._extend(self._since_mark()),
            "SETITEM": lambda: self._set(self._pop(2)),
            "SETITEMS": lambda: self._set(self._since_mark()),
            "INT": lambda: self._push(_integer(self._line(MAX_DIGITS))),
            "LONG": lambda: self._push(_integer(self._line(MAX_DIGITS).removesuffix(b"L"))),
            "FLOAT": lambda: self._push(_float(self._line(MAX_DIGITS))),
            "STRING": lambda: self._push(_unquoted(self._line())),
            "UNICODE": lambda: self._push(_decoded(self._line(), "raw-unicode-escape")),
            "GLOBAL": lambda: self._push(looked_up(_name(self._line(1000)), _name(self._line(1000)))),
            "STACK_GLOBAL": lambda: self._push(_looked_up(*self._pop(2))),
            "REDUCE": lambda: self._reduce(*self._pop(2)),
            "BUILD": lambda: _build(*self._pop_last()),
            "PUT": lambda: self._keep(_integer(self._line(MAX_DIGITS))),
            "GET": lambda: self._fetch(_integer(self._line(MAX_DIGITS))),
            "MEMOIZE": lambda: self._keep(len(self._memo)),
            **{name: partial(self._push, value) for name, value in _CONSTANT.items()},
            **{name: partial(self._push_new, make) for name, make in _EMPTY.items()},
            **{name: partial(self._push_number, layout) for name, layout in _FIXED.items()},
            **{name: partial(self._push_counted, *how) for name, how in _COUNTED.items()},
            **{name: partial(self._push_tuple, count) for name, count in _FEW.items()},
            **{name: partial(self._keep_at, layout) for name, layout in _STORE.items()},
            **{name: partial(self._fetch_at, layout) for name, layout in _FETCH.items()},
        }

    @property
    def finished(self) -> bool:
        """Whether the buffer holds nothing more."""
        return self.at >= self._size

    def load(self) -> Any:
        """Carry out one pickle, up to its STOP; raises Refused."""
        self._stack, self._marks, self._memo = [], [], {}
        while True:
            name = self._opcode()
            if name == "STOP":
                (value,) = self._pop(1)
                return value
            if name not in self._acts:
                raise Refused("E340", f"the opcode {name}, which makes objects")
            self._acts[name]()

    def _opcode(self) -> str:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Refused("E342", f"more than {MAX_STEPS:,} opcodes", "arrays, and lists of ids")
        code = self._take(1)[0]
        if code not in _NAMES:
            raise Refused("E341", f"byte 0x{code:02x}, no opcode", _END, _AGAIN)
        return _NAMES[code]

    def _take(self, count: int) -> bytes:
        if not 0 <= count <= self._size - self.at:
            raise Refused("E341", f"{count} bytes said, {self._size - self.at} left", _END, _AGAIN)
        taken: bytes = self._data[self.at : self.at + count]
        self.at += count
        return taken

    def _number(self, layout: str) -> Any:
        return struct.unpack(layout, self._take(struct.calcsize(layout)))[0]

    def _push_new(self, make: Callable[[], object]) -> None:
        self._push(make())

    def _push_number(self, layout: str) -> None:
        self._push(self._number(layout))

    def _push_tuple(self, count: int) -> None:
        self._push(tuple(self._pop(count)))

    def _push_counted(self, layout: str, made: Callable[[bytes], object]) -> None:
        self._push(made(self._take(self._number(layout))))

    def _keep_at(self, layout: str) -> None:
        self._keep(self._number(layout))

    def _fetch_at(self, layout: str) -> None:
        self._fetch(self._number(layout))

    def _line(self, longest: int | None = None) -> bytes:
        end = self._data.find(b"\n", self.at)
        if end < 0 or (longest is not None and end - self.at > longest):
            raise Refused("E341", "a line without an end", _END, _AGAIN)
        line: bytes = self._data[self.at : end]
        self.at = end + 1
        return line.removesuffix(b"\r")

    def _protocol(self, version: int) -> None:
        if version > 5:  # noqa: PLR2004  (the newest there is)
            raise Refused("E341", f"protocol {version}", "protocol 0 to 5", _AGAIN)

    def _frame(self, length: int) -> None:
        if length > self._size - self.at:
            raise Refused("E341", f"a frame of {length} bytes, {self._size - self.at} left", _END, _AGAIN)

    def _push(self, value: object) -> None:
        self._stack.append(value)

    def _top(self, count: int) -> list[Any]:
        floor = self._marks[-1] if self._marks else 0
        if len(self._stack) - count < floor:
            raise Refused("E341", "an empty stack", _END, _AGAIN)
        return self._stack[-count:]

    def _pop(self, count: int) -> list[Any]:
        values = self._top(count)
        self._drop(count)
        return values

    def _drop(self, count: int) -> None:
        self._top(count)
        del self._stack[len(self._stack) - count :]

    def _pop_last(self) -> tuple[Any, Any]:
        """What BUILD works on, which stays, and the state, which goes."""
        (state,) = self._pop(1)
        return self._top(1)[0], state

    def _since_mark(self) -> list[Any]:
        if not self._marks:
            raise Refused("E341", "no mark", _END, _AGAIN)
        begin = self._marks.pop()
        values = self._stack[begin:]
        del self._stack[begin:]
        return values

    def _extend(self, values: list[Any]) -> None:
        target = self._top(1)[0]
        if type(target) is not list:
            raise Refused("E340", "it appends to something that is no list")
        target.extend(values)

    def _set(self, values: list[Any]) -> None:
        target = self._top(1)[0]
        if type(target) is not dict:
            raise Refused("E340", "it sets items of something that is no dict")
        self._paired(target, values)

    def _paired(self, target: dict[Any, Any], values: list[Any]) -> dict[Any, Any]:
        if len(values) % 2:
            raise Refused("E341", "a key without a value", _END, _AGAIN)
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, str | bytes) and not (type(key) is int and abs(key) < _HASHED_AS_IS):
                raise Refused("E341", f"a {type(key).__name__} as a key", "text or whole numbers")
            target[key] = value
        return target

    def _reduce(self, name: object, arguments: object) -> None:
        value = called(name, arguments)
        self._made += len(value) if isinstance(value, bytes) else 0
        if self._made > 2 * self._size:
            raise Refused("E342", "the same bytes made again and again", "each array once")
        self._push(value)

    def _keep(self, number: int) -> None:
        self._memo[number] = self._top(1)[0]

    def _fetch(self, number: int) -> None:
        if number not in self._memo:
            raise Refused("E341", f"memo {number}, which nothing was put in", _END, _AGAIN)
        self._push(self._memo[number])


def _build(target: object, state: object) -> None:
    if not isinstance(target, Array | DType):
        raise Refused("E340", "it sets the state of something that is no array")
    target.build(state)


def _looked_up(module: object, name: object) -> Name:
    if not isinstance(module, str) or not isinstance(name, str):
        raise Refused("E341", "a name that is no text", _END, _AGAIN)
    return looked_up(module, name)


def _name(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _integer(text: bytes) -> int | bool:
    if text in (b"00", b"01"):
        return text == b"01"
    try:
        return int(text)
    except ValueError:
        raise Refused("E341", f"{text!r} as an integer", _END, _AGAIN) from None


def _float(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise Refused("E341", f"{text!r} as a number", _END, _AGAIN) from None


def _unquoted(text: bytes) -> Text8:
    """A Python 2 string as ``repr`` writes it."""
    if len(text) < 2 or text[:1] not in (b"'", b'"') or text[-1:] != text[:1]:  # noqa: PLR2004  (quotes)
        raise Refused("E341", "a string without quotes", _END, _AGAIN)
    try:
        return Text8(codecs.escape_decode(text[1:-1])[0])
    except ValueError:
        raise Refused("E341", "an escape that is none", _END, _AGAIN) from None
