"""What an ONNX file says of itself, read without running it: inputs, outputs, sizes, files beside it.

A graph is a protocol buffer; of its schema only the fields named here are followed, everything else is
skipped unread. The file is mapped, so gigabytes of weights cost nothing.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from crossgauge.errors import Fault, InputError

DEEPEST = 64  # graphs inside graphs
MOST_FIELDS = 50_000_000
MOST_BYTES = 1 << 31  # no protocol buffer is larger

INTEGERS = {6: "int32", 7: "int64"}
FLOATS = {1: "float32", 10: "float16", 11: "float64"}
_SCHEMA: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
_OUTSIDE = {5: "tensor", 11: "input", 12: "output"}  # of a graph
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_Value: TypeAlias = int | memoryview


@dataclass(frozen=True, slots=True)
class Port:
    """An input or an output."""

    name: str
    kind: str  # float32, int64 …; "" for anything else
    shape: tuple[int | None, ...]  # None: any length


@dataclass
class Graph:
    """The outside of a graph."""

    inputs: dict[str, Port] = field(default_factory=dict)
    outputs: dict[str, Port] = field(default_factory=dict)
    numbers: int = 0  # in all tensors that are stored
    beside: list[str] = field(default_factory=list)  # locations of external data, as they are written


def read_graph(file: Path) -> Graph:
    """The outside of the graph in a file; raises InputError (E659) for what is none."""
    if not 0 < file.stat().st_size < MOST_BYTES:
        found = f"{file.stat().st_size:,} bytes"
        raise InputError(Fault("E659", str(file), found, f"an ONNX file of less than {MOST_BYTES:,} bytes"))
    with file.open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)  # closed when nobody looks into it
    try:
        return _Reader().read(memoryview(mapped))
    except (ValueError, IndexError) as error:
        fault = Fault("E659", str(file), f"not an ONNX graph: {error}", "a whole file", "export it again")
        raise InputError(fault) from None


class _Reader:
    """Walks one model; counts what it has seen, so that no file keeps it busy for ever."""

    def __init__(self) -> None:
        self.graph = Graph()
        self._left = MOST_FIELDS

    def read(self, view: memoryview) -> Graph:
        inner = [value for number, value in self._fields(view) if number == 7]  # noqa: PLR2004  (the graph)
        if len(inner) != 1 or isinstance(inner[0], int):
            raise ValueError("no graph in it")
        self._walk(view, "model", 0)
        stored = self._ports(inner[0])
        self.graph.inputs = {name: port for name, port in self.graph.inputs.items() if name not in stored}
        if not self.graph.outputs:
            raise ValueError("no output")
        return self.graph

    def _ports(self, graph: memoryview) -> set[str]:
        """Take inputs and outputs of the outermost graph; returns the names of its stored tensors."""
        stored = set()
        for number, value in self._fields(graph):
            kind = _OUTSIDE.get(number)
            if isinstance(value, int) or kind is None:
                continue
            if kind == "tensor":
                stored.add(self._text(value, 8))
                continue
            port = self._port(value)
            (self.graph.inputs if kind == "input" else self.graph.outputs)[port.name] = port
        return stored

    def _port(self, view: memoryview) -> Port:
        array = self._inside(view, (2, 1))
        kind = next((value for number, value in self._fields(array) if number == 1), 0)
        shape = [
            next((size for at, size in self._fields(axis) if at == 1 and isinstance(size, int)), None)
            for number, axis in self._fields(self._inside(array, (2,)))
            if number == 1 and not isinstance(axis, int)
        ]
        name = (INTEGERS | FLOATS).get(kind if isinstance(kind, int) else 0, "")
        return Port(self._text(view, 1), name, tuple(shape))

    def _inside(self, view: memoryview, path: tuple[int, ...]) -> memoryview:
        for wanted in path:
            found = [value for number, value in self._fields(view) if number == wanted]
            view = found[0] if found and not isinstance(found[0], int) else view[:0]
        return view

    def _text(self, view: memoryview, wanted: int) -> str:
        found = [value for number, value in self._fields(view) if number == wanted]
        return bytes(found[0]).decode() if found and not isinstance(found[0], int) else ""

    def _walk(self, view: memoryview, kind: str, depth: int) -> None:
        """Every tensor, wherever it hides."""
        if depth > DEEPEST:
            raise ValueError("graphs inside graphs without end")
        if kind == "tensor":
            self._tensor(view)
        inside = _SCHEMA[kind]
        for number, value in self._fields(view) if inside else ():
            if number in inside and not isinstance(value, int):
                self._walk(value, inside[number], depth + 1)

    def _tensor(self, view: memoryview) -> None:
        sizes: list[int] = []
        for number, value in self._fields(view):
            if number == 1:  # one after another, or packed
                sizes += [value] if isinstance(value, int) else list(_varints(value))
            elif number == 13 and not isinstance(value, int) and self._text(value, 1) == "location":  # noqa: PLR2004
                self.graph.beside.append(self._text(value, 2))
        self.graph.numbers += math.prod(sizes)

    def _fields(self, view: memoryview) -> Iterator[tuple[int, _Value]]:
        """The fields of a message: number and value."""
        at = 0
        while at < len(view):
            self._left -= 1
            if self._left < 0:
                raise ValueError(f"more than {MOST_FIELDS:,} fields")
            tag, at = _varint(view, at)
            number, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, at = _varint(view, at)
                yield number, value
                continue
            if wire == _BYTES:
                size, at = _varint(view, at)
            elif wire in {_EIGHT, _FOUR}:
                size = 8 if wire == _EIGHT else 4
            else:
                raise ValueError(f"a field of unknown type at byte {at}")
            if size > len(view) - at:
                raise ValueError("cut off")
            yield number, view[at : at + size]
            at += size


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = view[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:  # noqa: PLR2004
            return value, at
    raise ValueError("a number without end")


def _varints(view: memoryview) -> Iterator[int]:
    at = 0
    while at < len(view):
        value, at = _varint(view, at)
        yield value
