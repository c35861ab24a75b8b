"""A huge JSON list read one element at a time: memory is that of a block and one element, whatever the size.

Borders of elements are found by counting brackets outside strings, a block of bytes at once; msgspec then
decodes and checks each element. So a damaged one is a fault with its place, and those behind it are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
import numpy as np

from crossgauge.errors import Fault
from crossgauge.readers.source import readable, size_of
from crossgauge.types import Ints

T = TypeVar("T")

BLOCK = 4 << 20  # bytes looked at together
MAX_ELEMENT = 64 << 20  # bytes; a longer one is a bracket or quote that never closes
MOST = 1000  # faults after which a file is not read on
_BOM = b"\xef\xbb\xbf"
_QUOTE = ord('"')
_STEP = np.zeros(256, dtype=np.int64)  # what a byte does to the depth
_STEP[[ord("["), ord("{")]] = 1
_STEP[[ord("]"), ord("}")]] = -1
_MARKS = _STEP != 0
_MARKS[_QUOTE] = True
_BARE = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s,"]+', re.DOTALL)  # a string, a number, null …
_SHOWN = 40  # characters of what should not be there
_MEND = "mend the element, or fetch the file again: it is not as it was published"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the list as it stands in the file."""

    file: str
    index: int  # from 0
    offset: int  # of its first byte
    data: bytes

    def place(self, path: str = "") -> str:
        """Where it, or something in it, stands.

        >>> Element("layer1.json", 3, 120, b"{}").place(".title")
        'layer1.json $[3].title (byte 120)'
        """
        return f"{self.file} $[{self.index}]{path} (byte {self.offset})"


def decode_elements(path: Path, kind: type[T], faults: list[Fault]) -> Iterator[tuple[Element, T]]:
    """Every object of the list that is a ``kind`` (a msgspec Struct), with its place.

    What is not is a fault (E331) with its JSON path; a list that is damaged as a whole is one (E330). At
    1,000 faults reading stops.
    """
    decoder = msgspec.json.Decoder(kind)
    for element in elements(path, faults):
        try:
            value = decoder.decode(element.data)
        except RecursionError:
            faults.append(Fault("E331", element.place(), "brackets nested too deep", "a few levels", _MEND))
        except msgspec.DecodeError as error:
            faults.append(_unfit(element, str(error)))
        else:
            yield element, value
        if len(faults) >= MOST:
            faults.append(Fault("E330", str(path), f"{MOST} faults", "a few", "the rest was not read"))
            return


def elements(path: Path, faults: list[Fault], *, block: int = BLOCK) -> Iterator[Element]:
    """Every object or list in the outermost list of a JSON file, in order, undecoded.

    Faults (E330): no list, cut off, something else between two elements or behind the end. Raises InputError
    (E210) where there is no file to read.
    """
    size_of(path)
    with readable(path), path.open("rb") as handle:
        reading = _Reading(handle, str(path), faults, block)
        if reading.opened():
            yield from reading.elements()


class _Reading:
    """How far a list has been read; the buffer always begins between two elements."""

    def __init__(self, handle: BinaryIO, name: str, faults: list[Fault], block: int) -> None:
        self._handle, self._name, self._faults, self._block = handle, name, faults, block
        self._buffer = b""
        self._offset = 0  # of the buffer in the file
        self._count = 0
        self._clean = True  # nothing was met between elements that should not be there

    def opened(self) -> bool:
        """Read up to the first bracket; False, and a fault, where the file begins otherwise."""
        self._more()
        self._drop(len(self._buffer) - len(self._buffer.removeprefix(_BOM).lstrip()))
        if not self._buffer.startswith(b"["):
            self._tell(0, f"begins with {_text(self._buffer)}", "a list of objects: [{…}, …]")
            return False
        self._drop(1)
        return True

    def elements(self) -> Iterator[Element]:
        while True:
            starts, stops, end = _borders(self._buffer)
            yield from self._complete(starts, stops)
            done = int(stops[-1]) if len(stops) else 0
            if end is not None:
                self._between(self._buffer[done:end], done, last=True)
                self._drop(end + 1)
                self._finish()
                return
            self._drop(done)
            if len(self._buffer) > MAX_ELEMENT:
                self._tell(0, f"{MAX_ELEMENT >> 20} MiB without an end", "a closing bracket or quote")
                return
            if not self._more():
                wanted, fix = "a closing ]", "download or unpack it again: it is cut off"
                begun = int(starts[-1]) - done if len(starts) > len(stops) else len(self._buffer)
                at = self._count + len(_BARE.findall(self._buffer[:begun]))
                self._tell(0, f"ends inside or after element {at}", wanted, fix)
                return

    def _complete(self, starts: Ints, stops: Ints) -> Iterator[Element]:
        last = 0
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=False):
            self._between(self._buffer[last:start], last)
            yield Element(self._name, self._count, self._offset + start, self._buffer[start:stop])
            self._count += 1
            last = stop

    def _between(self, gap: bytes, at: int, *, last: bool = False) -> None:
        """Between elements there is a comma, before the first and behind the last one there is none.

        What stands there bare (null, a number, a string) is an element too: those behind it keep their index.
        """
        wanted = b"" if last or not self._count else b","
        if gap.strip(b" \t\r\n") == wanted:
            return
        if self._clean:
            self._clean = False  # once: what follows is as likely to be a consequence
            said = "nothing but blanks" if not wanted else "one comma"
            self._tell(at, f"{_text(gap)} around element {self._count}", said)
        self._count += len(_BARE.findall(gap))

    def _finish(self) -> None:
        rest = self._buffer.strip(b" \t\r\n\0")
        if rest:
            self._tell(0, f"{_text(rest)} behind the end of the list", "one list, and nothing more")

    def _more(self) -> bool:
        block = self._handle.read(self._block)
        self._buffer += block
        return bool(block)

    def _drop(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._offset += count

    def _tell(self, at: int, found: str, wanted: str, fix: str = "mend it there") -> None:
        self._faults.append(Fault("E330", f"{self._name} byte {self._offset + at}", found, wanted, fix))


def _borders(buffer: bytes) -> tuple[Ints, Ints, int | None]:
    r"""Where elements begin and end (exclusive) in bytes that begin between two, and where the list closes.

    >>> starts, stops, end = _borders(b'{"a":"}\\""}, [[1]], {"b')
    >>> starts.tolist(), stops.tolist(), end
    ([0, 13, 20], [11, 18], None)
    """
    # escapes are blanked from the left, as JSON reads them, so every quote left opens or closes a string
    plain = buffer.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in buffer else buffer
    codes = np.frombuffer(plain, dtype=np.uint8)
    at = np.flatnonzero(_MARKS[codes])
    marks = codes[at]
    outside = (np.cumsum(marks == _QUOTE) & 1) == 0
    steps = np.where(outside, _STEP[marks], 0)
    depth = np.cumsum(steps)
    closes = np.flatnonzero(depth < 0)
    end = int(at[closes[0]]) if len(closes) else None
    if end is not None:
        at, steps, depth = at[: closes[0]], steps[: closes[0]], depth[: closes[0]]
    starts = at[(steps == 1) & (depth == 1)]
    return starts, at[(steps == -1) & (depth == 0)] + 1, end


def _unfit(element: Element, said: str) -> Fault:
    """Msgspec's sentence, its path put into the place."""
    found, _, path = said.partition(" - at `$")
    if "truncated" in found:  # its brackets close, so it is not
        found = "half a surrogate pair, or a value that is cut off"
    return Fault(
        "E331", element.place(path.rstrip("`")), found, "an object with the fields of this file", _MEND
    )


def _text(data: bytes) -> str:
    return repr(data[:_SHOWN].decode("utf-8", "replace").strip()) if data.strip() else "nothing"
