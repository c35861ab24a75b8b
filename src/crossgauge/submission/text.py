"""The lines of a prediction file: UTF-8, ended by LF or CR LF, with their numbers; in bulk or one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.magic import HEAD, no_text
from crossgauge.readers.archive import Stream
from crossgauge.submission.problems import Problems

AT_ONCE = 32 << 20  # bytes of a block
MAX_LINE = 64 << 10  # bytes of a line
_IN_CACHE = 1 << 18  # bytes looked at together
_BOM = b"\xef\xbb\xbf"
_OTHER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")  # LF and tabs are none


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file."""

    data: bytes
    first: int  # number of its first line, 1-based


def blocks(stream: Stream, problems: Problems, *, size: int = AT_ONCE) -> Iterator[Block]:
    """A file in blocks of whole lines, without its byte order mark (W482 says that there was one).

    Raises InputError (E484): UTF-16, no text at all, or no line end for longer than any line may be.
    """
    data = stream.read(size)
    for mark, name in _OTHER_MARKS.items():
        if data.startswith(mark):
            raise InputError(_encoding(f"{problems.place}:1", f"{name} text"))
    if (other := no_text(data[:HEAD])) is not None:
        raise InputError(Fault("E484", str(problems.place), other.found, "lines of text in UTF-8", other.fix))
    if data.startswith(_BOM):
        problems.say("W482", "a byte order mark is dropped", "UTF-8 without one", "none: it does no harm")
        data = data[len(_BOM) :]
    first = 1
    while data:
        more = stream.read(size)
        end = data.rfind(b"\n") + 1 if more else len(data)
        if end:
            yield Block(data[:end] if end < len(data) else data, first)
            first += data.count(b"\n", 0, end) if more else 0
        elif len(data) > MAX_LINE:
            raise InputError(_too_long(f"{problems.place}:{first}"))
        data = data[end:] + more


def lines(block: Block, problems: Problems) -> Iterator[tuple[int, str]]:
    """The lines of a block that hold anything, with their numbers; what is no text is a fault (E484)."""
    for number, raw in enumerate(block.data.split(b"\n"), block.first):
        line = raw.removesuffix(b"\r")
        if not line:
            continue
        place = f"{problems.place}:{number}"
        if len(line) > MAX_LINE:
            fault = _too_long(place)
            problems.add(fault.code, number, fault.found, fault.wanted, fault.fix)
        elif control := _CONTROL.search(line):
            found = f"control character 0x{control.group()[0]:02x} at byte {control.start() + 1}"
            problems.add("E484", number, found, "text and tabs", "remove it; is this a text file?")
        else:
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                found = f"byte 0x{line[error.start]:02x} at byte {error.start + 1} is not UTF-8"
                fault = _encoding(place, found)
                problems.add(fault.code, number, fault.found, fault.wanted, fault.fix)
            else:
                yield number, text


def odd_bytes(data: bytes) -> bool:
    r"""Whether :func:`lines` might refuse something: a control character, or a CR that ends no line.

    >>> odd_bytes(b"q1\ti1\t0.5\r\n"), odd_bytes(b"q1\ti1\r0.5\n"), odd_bytes(b"q\x00")
    (False, True, True)
    """
    values = np.frombuffer(data, dtype=np.uint8)
    ends = 0
    for at in range(0, len(values), _IN_CACHE):
        some = values[at : at + _IN_CACHE]
        returns, feeds, tabs = (int(np.count_nonzero(some == ord(mark))) for mark in "\r\n\t")
        if np.count_nonzero(some < ord(" ")) != returns + feeds + tabs:
            return True
        ends += returns
    return b"\x7f" in data or bool(ends and data.count(b"\r\n") != ends)


def _encoding(place: str, found: str) -> Fault:
    return Fault("E484", place, found, "UTF-8", "save it as UTF-8 (iconv -f … -t UTF-8)")


def _too_long(place: str) -> Fault:
    return Fault(
        "E484", place, "a line longer than 64 KiB", "one prediction a line", "is this the right file?"
    )
