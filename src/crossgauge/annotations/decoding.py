"""One JSON record decoded into a declared shape; where it does not fit, every part that does not is told."""

from __future__ import annotations

import json
import math
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
        try:
            return self._decoder.decode(data)
        except RecursionError:
            faults.append(Fault("E291", place(""), "brackets nested too deep", "a few levels", "mend it"))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            faults += [
                Fault("E291", place(path), found, "a record of this format", "mend it there")
                for path, found in dict.fromkeys(self._wrong(bytes(data), str(error)))
            ]
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
