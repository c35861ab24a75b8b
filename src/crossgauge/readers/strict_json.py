"""JSON read strictly: no NaN, no infinity, no key twice, nothing too deep, with the place of every fault."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never, TypeAlias

from crossgauge.errors import Fault, InputError
from crossgauge.magic import no_text
from crossgauge.readers.source import size_of

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None

MAX_BYTES = 1 << 30
MAX_DIGITS = 18  # of an integer; a count or an id as a number is never longer
_BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F]"
_LONE = re.compile(f"{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW}")


def read_json(path: Path) -> Json:
    """The document in a file; see :func:`parse_json`. Raises InputError (E210, E219, E227)."""
    size = size_of(path)
    if size > MAX_BYTES:
        raise InputError(
            Fault("E219", str(path), f"{size} bytes of JSON", f"at most {MAX_BYTES}", "use parquet")
        )
    return parse_json(path.read_bytes(), str(path))


def parse_json(data: bytes, place: str) -> Json:
    """The document in some bytes, as plain Python values.

    >>> parse_json(b'{"q1": {"d1": 0.5}}', "run.json")
    {'q1': {'d1': 0.5}}

    Raises InputError (E227) with line and column: not UTF-8, a syntax error, NaN or an infinite number, an
    integer of more than 18 digits, too deep a nesting, half a surrogate pair, a key twice in one object.
    """
    text = _text(data, place)
    doubled: list[int] = []
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, doubled),
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        raise InputError(_bad(f"{place}:{error.lineno}:{error.colno}", error.msg)) from None
    except RecursionError:
        raise InputError(_bad(place, "brackets nested too deep", wanted="a few levels")) from None
    except _NumberRefused as error:
        where = text.find(error.text)
        raise InputError(
            _bad(_at(text, where, place), f"the number {error.text[:40]}", wanted="a finite one")
        ) from None
    if doubled:
        raise InputError(_doubled_faults(text, place))
    _no_lone_surrogate(text, value, place)
    return value


class _NumberRefused(Exception):
    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


def _text(data: bytes, place: str) -> str:
    if (other := no_text(data)) is not None:
        raise InputError(Fault("E222", place, other.found, "JSON in UTF-8", other.fix))
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(Fault("E222", f"{place}:{line}", found, "UTF-8", "save it as UTF-8")) from None


def _object(pairs: list[tuple[str, Any]], doubled: list[int]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        doubled.append(len(pairs) - len(made))
    return made


def _no_constant(text: str) -> Never:
    raise _NumberRefused(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NumberRefused(text)
    return value


def _short(text: str) -> int:
    if len(text) > MAX_DIGITS + 1:
        raise _NumberRefused(text)
    return int(text)


def _doubled_faults(text: str, place: str) -> list[Fault]:
    return [
        Fault("E227", _at(text, second, place), f"the key {key} again (first at line {_line(text, first)})",
              "each key once in an object", "keep one: which value is meant cannot be known")
        for key, first, second in _doubled_keys(text)
    ]  # fmt: skip


def _doubled_keys(text: str) -> Iterator[tuple[str, int, int]]:
    """Keys that stand twice in one object, as written, with both offsets; the text is valid JSON."""
    open_objects: list[dict[str, int] | None] = []
    string, at = "", 0
    for token in _TOKEN.finditer(text):
        symbol = token.group()
        if symbol in "{[":
            open_objects.append({} if symbol == "{" else None)
        elif symbol in "}]":
            open_objects.pop()
        elif symbol.startswith('"'):
            string, at = symbol, token.start()
        elif symbol == ":" and open_objects and (keys := open_objects[-1]) is not None:
            name = json.loads(string)
            if name in keys:
                yield string, keys[name], at
            keys.setdefault(name, at)


def _no_lone_surrogate(text: str, value: Json, place: str) -> None:
    if "\\ud" not in text and "\\uD" not in text:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        match = _LONE.search(text)
        where = match.start() if match else 0
        raise InputError(
            _bad(_at(text, where, place), "half a surrogate pair", wanted="whole characters")
        ) from None


def _at(text: str, offset: int, place: str) -> str:
    return f"{place}:{_line(text, offset)}"


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, max(offset, 0)) + 1


def _bad(place: str, found: str, *, wanted: str = "strict JSON") -> Fault:
    return Fault("E227", place, found, wanted, "mend it there; python -m json.tool shows the rest")
