"""One JSON record decoded into a declared shape; where it does not fit, every part that does not is told."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from crossgauge.annotations.misfit import Misfit, broken, entries_fitted, fitted
from crossgauge.errors import Fault

T = TypeVar("T")

PathPlace = Callable[[str], str]  # from a JSON path such as ``.objects[3].w`` to a place


class Shape(Generic[T]):
    """What a record must be (a msgspec Struct), and of what shape the entries of its lists are.

    Without the keys ``spare`` a record is still one whose other parts can be looked at.
    """

    def __init__(
        self, kind: type[T], entries: Mapping[str, type] | None = None, *, spare: Collection[str] = ()
    ) -> None:
        self._kind, self._entries, self._spare = kind, entries or {}, spare
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, data: bytes | msgspec.Raw, place: PathPlace, faults: list[Fault]) -> T | None:
        """The record, and a fault (E291) for each part that is wrong, where it is misshapen.

        Entries of its lists are returned without the keys that do not fit, so that more may be found wrong
        with them; None where nothing can be made of the record.
        """
        faults += [
            Fault("E291", place(path), found, "each key once", "keep one")
            for path, found in doubled(bytes(data))
        ]
        try:
            return self._decoder.decode(data)
        except RecursionError:
            faults.append(Fault("E291", place(""), "brackets nested too deep", "a few levels", "mend it"))
        except (msgspec.DecodeError, UnicodeDecodeError):
            misfits, record = self._rest(bytes(data))
            faults += [
                Fault("E291", place(one.path), one.found, one.wanted, one.fix)
                for one in dict.fromkeys(misfits)
            ]
            return record
        return None

    def _rest(self, data: bytes) -> tuple[list[Misfit], T | None]:
        """All that does not fit, and the record without it."""
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return [broken(data)], None
        found = [Misfit(path, said, "a finite number") for path, said in not_finite(value)]
        value = _finite(value)
        if isinstance(value, dict):
            for misfits in entries_fitted(value, self._entries):
                found += misfits
        lists = {name: value[name] for name in self._entries if _is_list(value, name)}
        misfits, rest = fitted({**value, **{name: [] for name in lists}} if lists else value, self._kind)
        if rest is None or not value.keys() - rest.keys() <= set(self._spare):
            return found + misfits, None
        try:
            return found + misfits, msgspec.convert(rest | lists, self._kind)
        except msgspec.ValidationError:  # an entry of which nothing is left that could be one
            return found + misfits, None


def _is_list(value: Any, name: str) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), list)


def _finite(value: Any) -> Any:
    """The value without the numbers that JSON does not have, nor what holds them as an object's key."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items() if not _holds_endless(inner)}
    return [_finite(inner) for inner in value] if isinstance(value, list) else value


def _holds_endless(value: Any) -> bool:
    """Whether a value is NaN or infinite, or a list of plain values with one that is."""
    if isinstance(value, list):
        return any(isinstance(inner, float) and not math.isfinite(inner) for inner in value)
    return isinstance(value, float) and not math.isfinite(value)


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
