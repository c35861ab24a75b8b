"""A file about to be read: whether it is there, what its first bytes say it is, its lines as strict text."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from crossgauge import magic
from crossgauge.errors import CrossgaugeError, Fault, InputError, UsageError
from crossgauge.readers.pickles import is_binary_pickle, is_pickle

Kind = Literal["npy", "npz", "safetensors", "parquet", "pickle", "gzip", "hdf5", "text", "unknown"]

HEAD = 64  # bytes that tell a format to be read
MAX_LINE = 64 << 10  # a line of ids and a number is never longer
MAX_TEXT = 4 << 30
_SHOWN = 200  # characters of a path in a message
_LONGEST = 4  # bytes of a character

SUFFIXES: dict[str, Kind] = {
    ".npy": "npy",
    ".npz": "npz",
    ".safetensors": "safetensors",
    ".parquet": "parquet",
    ".pq": "parquet",
}
DESCRIPTIONS: dict[Kind, str] = {
    "npy": "a NumPy .npy array",
    "npz": "a zip archive (.npz)",
    "safetensors": "a safetensors file",
    "parquet": "a parquet file",
    "pickle": "a pickle",
    "gzip": "a gzip archive",
    "hdf5": "an HDF5 file",
    "text": "plain text",
    "unknown": "bytes of no known format",
}
_MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"PK\x05\x06", "npz"),
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "gzip"),
    (b"\x89HDF\r\n", "hdf5"),
)
_SAFETENSORS = re.compile(rb".{7}\0\{", re.DOTALL)  # a header length below 2**56, then JSON
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f]")  # a tab is none; LF and CR LF are already gone from a line
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BOM = b"\xef\xbb\xbf"
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def size_of(path: Path) -> int:
    """The size of a regular, non-empty file in bytes; raises InputError (E210) when it is none."""
    with readable(path):
        if not path.exists():
            raise InputError(Fault("E210", str(path), "no such file", "a file to read", "check the path"))
        if not path.is_file():
            fix = "name the file itself; what comes through a pipe must be saved first"
            raise InputError(Fault("E210", str(path), "not a regular file", "a file to read", fix))
        size = path.stat().st_size
    if size == 0:
        raise InputError(Fault("E210", str(path), "an empty file (0 bytes)", "its content", "write it again"))
    return size


def path_of(value: object, what: str) -> Path:
    """The path that somebody gave; raises UsageError (E252) for what is none.

    >>> path_of("a.npy", "vectors").name
    'a.npy'
    """
    if isinstance(value, str | os.PathLike) and isinstance(named := os.fspath(value), str):
        return Path(named)
    found = f"{type(value).__name__}: {value!r:.60}"
    raise UsageError(Fault("E252", what, found, "the path of a file", "pass a str or a pathlib.Path"))


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Whatever the system says against reading a path becomes one InputError (E210)."""
    try:
        yield
    except CrossgaugeError:
        raise
    except OSError as error:
        said = error.strerror or str(error)
        fix = "check the path and who may read it"
        raise InputError(Fault("E210", f"{str(path)[:_SHOWN]}", said, "a file to read", fix)) from error


def kind_of(path: Path) -> Kind:
    """What a file is by its bytes, whatever its name; raises InputError (E210) when it cannot be read.

    Text is whatever has no control character and decodes as UTF-8 (a cut character at the end aside).
    """
    size_of(path)
    with readable(path):
        with path.open("rb") as handle:
            head = handle.read(HEAD)
        kind = sniff(head)
        return "pickle" if kind in ("text", "unknown") and is_pickle(path, head) else kind


def other_than_text(path: Path) -> magic.Other | None:
    """What a file that should be text is instead; raises InputError (E210) when it cannot be read."""
    size_of(path)
    with readable(path), path.open("rb") as handle:
        return magic.no_text(handle.read(magic.HEAD))


def sniff(head: bytes) -> Kind:
    """The format that some first bytes belong to.

    >>> sniff(b"PAR1"), sniff(b"q1 0 d1 1")
    ('parquet', 'text')
    """
    for first, kind in _MAGIC:
        if head.startswith(first):
            return kind
    if _SAFETENSORS.match(head):
        return "safetensors"
    if is_binary_pickle(head):
        return "pickle"
    return "text" if head.startswith(_UTF16) or _is_text(head) else "unknown"


def _is_text(head: bytes) -> bool:
    """Whether bytes hold no control character and decode as UTF-8, but for a character cut at the end."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - _LONGEST or error.reason != "unexpected end of data":
            return False
    return not _BINARY.search(head)


def is_json(path: Path) -> bool:
    """Whether a file is JSON: its name says so, or its content begins as only JSON does (``{"``, ``[{``)."""
    if path.suffix.lower() == ".json":
        return True
    if kind_of(path) != "text":
        return False
    with path.open("rb") as handle:
        return _JSON.match(handle.read(HEAD)) is not None


def lines_of(path: Path, faults: list[Fault], findings: list[Fault]) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their 1-based numbers, split at LF (or CR LF) and nowhere else.

    A byte order mark and CR LF are dropped with a finding (W216). NUL and other control characters, bytes
    that are not UTF-8 and overlong lines are faults (E222) with their line; such lines are left out.
    """
    size = size_of(path)
    if size > MAX_TEXT:
        raise InputError(
            Fault(
                "E219", str(path), f"{size} bytes of text", f"at most {MAX_TEXT}", "split it, or use parquet"
            )
        )
    dropped: set[str] = set()
    with path.open("rb") as handle:
        for number, raw in enumerate(iter(lambda: handle.readline(MAX_LINE + 2), b""), 1):
            if number == 1 and raw.startswith(_UTF16):
                raise InputError(_encoding(path, 1, "UTF-16 text"))
            line = _unended(raw, dropped, first=number == 1)
            if len(line) > MAX_LINE:
                faults.append(Fault("E222", f"{path}:{number}", "a line longer than 64 KiB", "short lines",
                                    "is this the right file? the rest was not read"))  # fmt: skip
                break
            text = _decoded(line, path, number, faults)
            if text is not None:
                yield number, text
    if dropped:
        findings.append(Fault("W216", str(path), f"{' and '.join(sorted(dropped))} dropped"))


def _unended(raw: bytes, dropped: set[str], *, first: bool) -> bytes:
    """A line without its end, and the first one without its byte order mark."""
    if first and raw.startswith(_BOM):
        dropped.add("a byte order mark")
        raw = raw[len(_BOM) :]
    if raw.endswith(b"\r\n"):
        dropped.add("CR before LF")
        return raw[:-2]
    return raw.removesuffix(b"\n")


def _decoded(line: bytes, path: Path, number: int, faults: list[Fault]) -> str | None:
    control = _CONTROL.search(line)
    if control is not None:
        found = f"control character 0x{control.group()[0]:02x} at column {control.start() + 1}"
        faults.append(
            Fault("E222", f"{path}:{number}", found, "text and tabs", "remove it; is this a text file?")
        )
        return None
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8"
        faults.append(_encoding(path, number, found))
        return None


def _encoding(path: Path, number: int, found: str) -> Fault:
    return Fault("E222", f"{path}:{number}", found, "UTF-8", "save it as UTF-8 (iconv -f … -t UTF-8)")
