"""One JSON record decoded into a declared shape; where it does not fit, every part that does not is told."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from crossgauge.errors import Fault

T = TypeVar("T")

PathPlace = Callable[[str], str]  # from a JSON path such as ``.objects[3].w`` to a place


class Shape(Generic[T]):
    """What a record must be (a msgspec Struct), and of what shape the entries of its lists are."""

    def __init__(self, kind: type[T], entries: Mapping[str, type] | None = None) -> None:
        self._kind, self._entries = kind, entries or {}
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, data: bytes | msgspec.Raw, place: PathPlace, faults: list[Fault]) -> T | None:
        """The record; None, and a fault (E291) for each part that is wrong, where it is misshapen."""
        twice = list(doubled(bytes(data)))
        faults += [Fault("E291", place(path), found, "each key once", "keep one") for path, found in twice]
        try:
            record = self._decoder.decode(data)
        except RecursionError:
            faults.append(Fault("E291", place(""), "brackets nested too deep", "a few levels", "mend it"))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            faults += [
                Fault("E291", place(path), found, "a record of this format", "mend it there")
                for path, found in dict.fromkeys(self._wrong(bytes(data), str(error)))
            ]
        else:
            return None if twice else record
        return None

    def _wrong(self, data: bytes, said: str) -> Iterator[tuple[str, str]]:
        """Path and what is wrong, of every entry and of the record itself."""
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            yield _parted(said)
            return
        endless = list(not_finite(value))
        yield from endless
        entries = self._entries if isinstance(value, dict) else {}
        for name, kind in entries.items():
            listed = value.get(name)
            if isinstance(listed, list):
                value[name] = []
                for number, entry in enumerate(listed):
                    if (found := _misfit(entry, kind, f".{name}[{number}]")) is not None:
                        yield found
        found = _misfit(value, self._kind, "")
        if found is not None:
            yield found


def _misfit(value: Any, kind: Any, path: str) -> tuple[str, str] | None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        inner, found = _parted(str(error))
        return path + inner, found
    return None


def _parted(said: str) -> tuple[str, str]:
    """Msgspec's sentence as path and finding."""
    found, _, path = said.partition(" - at `$")
    return path.rstrip("`"), found


class _Twice(dict[str, Any]):
    """An object of which one key stands twice."""

    key = ""


def doubled(data: bytes) -> Iterator[tuple[str, str]]:
    """Path and finding of each object with a key that stands twice: a reader would take either value.

    >>> list(doubled(b'{"objects": [{"name": "a", "name": "b"}]}'))
    [('.objects[0]', "the key 'name' stands twice")]
    """
    met: list[_Twice] = []

    def each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        twice = _Twice(made)
        twice.key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        met.append(twice)
        return twice

    try:
        value = json.loads(data, object_pairs_hook=each, parse_int=float)  # no number is looked at here
    except (ValueError, RecursionError):
        return  # the decoder says why
    if met:
        yield from _twice(value, "")


def _twice(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Twice):
        yield path, f"the key {value.key!r:.60} stands twice"
    parts = ((f".{key}", inner) for key, inner in value.items()) if isinstance(value, dict) else ()
    if isinstance(value, list):
        parts = ((f"[{number}]", inner) for number, inner in enumerate(value))
    for step, inner in parts:
        yield from _twice(inner, path + step)


def not_finite(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and value of each number that JSON does not have: NaN, Infinity, 1e999.

    >>> list(not_finite({"box": [1.0, float("nan")]}))
    [('.box[1]', 'the number nan')]
    """
    if isinstance(value, float) and not math.isfinite(value):
        yield path, f"the number {value}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from not_finite(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from not_finite(inner, f"{path}[{number}]")
