"""One JSON object of lists (COCO's files), its entries left undecoded, so that each can be told apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from crossgauge.annotations.decoding import not_finite
from crossgauge.errors import Fault, InputError
from crossgauge.readers.source import readable, size_of

T = TypeVar("T")

MAX_BYTES = 1 << 30  # the largest of COCO's, instances_train2017.json, has about 450 MB
_KEY = re.compile(rb'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_SMALL = 64 << 20  # bytes up to which a damaged file is read a second time to find all that is wrong


def read_document(path: Path, kind: type[T]) -> T:
    """The document, decoded as far as ``kind`` says; raises InputError (E210, E290, E291)."""
    size = size_of(path)
    if size > MAX_BYTES:
        found = f"{size} bytes"
        raise InputError(Fault("E290", str(path), found, f"at most {MAX_BYTES}", "split it by pictures"))
    with readable(path):
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        document = msgspec.json.decode(data, type=kind)
        twice = _doubled(data)
    except RecursionError:
        raise InputError(Fault("E290", str(path), "brackets nested too deep", "a few levels")) from None
    except msgspec.DecodeError as error:
        raise InputError(list(_wrong(data, str(path), str(error)))) from None
    if twice is not None:
        found = f"the key {twice!r:.60} stands twice"
        raise InputError(Fault("E291", f"{path} $", found, "each key once", "keep one"))
    return document


def _doubled(data: bytes) -> str | None:
    """A key of the document itself that stands twice; found without decoding its lists again."""
    values = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    at, met = 0, set()
    while (key := _KEY.match(data, at)) is not None:
        name = json.loads(key[1])
        value = bytes(values[name])
        if name in met or not data.startswith(value, key.end()):  # the last value of a key is the one kept
            return str(name)
        met.add(name)
        at = key.end() + len(value)
    return None


def _wrong(data: bytes, name: str, said: str) -> Iterator[Fault]:
    endless = _endless(data) if len(data) <= _SMALL else []
    for path, found in endless:
        yield Fault("E291", f"{name} ${path}", found, "a finite number", "mend it there")
    if not endless:
        wanted = "one JSON object with the lists of this format"
        yield Fault("E290", name, said, wanted, "download or unpack it again if it is cut off")


def _endless(data: bytes) -> list[tuple[str, str]]:
    """Path of each NaN or infinity, which strict JSON does not have, and what is wrong."""
    try:
        return list(not_finite(json.loads(data)))
    except (ValueError, RecursionError):
        return []
