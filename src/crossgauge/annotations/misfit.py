"""What of a JSON value does not have the shape that a Struct declares: every part, in words, and the rest."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

_NAMES = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "a whole number", "null": "null",
    "object": "an object {…}", "str": "a text",
}  # fmt: skip
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_LACKING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `([^`]*)`(?: of length ([0-9]+))?(?:, got (?:`([^`]*)`|([0-9]+)))?")
_STEP = re.compile(r"\.([^.\[]+)|\[[0-9]+\]")


@dataclass(frozen=True, slots=True)
class Misfit:
    """One part that does not fit."""

    path: str  # ``.objects[3].count``
    found: str
    wanted: str
    fix: str = "mend it there"


def fitted(value: Any, kind: type, path: str = "") -> tuple[list[Misfit], dict[str, Any] | None]:
    """All misfits of an object, and the object without the keys that do not fit; None where it cannot be one.

    >>> class Thing(msgspec.Struct, forbid_unknown_fields=True):
    ...     count: int = 1
    ...     box: list[float] | None = None
    >>> misfits, rest = fitted({"count": "3", "bbox": [1.0]}, Thing)
    >>> [(one.path, one.found, one.fix) for one in misfits], rest
    ([('.count', "'3', a text", 'mend it there'), ('.bbox', "the key 'bbox'", 'did you mean box?')], {})
    """
    found: list[Misfit] = []
    rest: Any = dict(value) if isinstance(value, dict) else value
    needed = {field.encode_name for field in msgspec.structs.fields(kind) if field.required}
    while True:
        try:
            msgspec.convert(rest, kind)
        except msgspec.ValidationError as error:
            misfit, key = _said(str(error), kind, path, rest)
            found.append(misfit)
            if not isinstance(rest, dict) or key not in rest or key in needed:
                return found, None
            del rest[key]
        else:
            return found, rest


def _said(sentence: str, kind: type, path: str, value: Any) -> tuple[Misfit, str]:
    """What msgspec says, in words, and the key of the object that it is about; empty for none."""
    said, _, inner = sentence.partition(" - at `$")
    inner = inner.rstrip("`")
    step = _STEP.match(inner)
    key = step[1] if step and step[1] else ""
    keys = [field.encode_name for field in msgspec.structs.fields(kind)]
    offer = f"keys: {', '.join(keys)}"
    if not inner and (unknown := _UNKNOWN.fullmatch(said)):
        near = difflib.get_close_matches(unknown[1], keys, n=1)
        fix = f"did you mean {near[0]}?" if near else "drop it"
        return Misfit(f"{path}.{unknown[1]}", f"the key {unknown[1]!r:.60}", offer, fix), unknown[1]
    if not inner and (lacking := _LACKING.fullmatch(said)):
        return Misfit(path, f"no {lacking[1]!r}", offer, "add it"), ""
    expected = _EXPECTED.fullmatch(said)
    if expected is None:
        return Misfit(path + inner, said, "a record of this format"), key
    wanted, length, kind_found, length_found = expected.groups()
    if length is not None:
        found = f"a list of {length_found}" if length_found else "a list of another length"
        return Misfit(path + inner, found, f"a list of {length}"), key
    names = " or ".join(_NAMES.get(one, one) for one in wanted.split(" | "))
    found = _NAMES.get(kind_found or "", kind_found or "another thing")
    return Misfit(path + inner, f"{_written(value, inner)}{found}", names), key


def _written(value: Any, path: str) -> str:
    """A text or a number at a path, as it is written, before what it is."""
    for step in _STEP.finditer(path):
        value = value[step[1]] if step[1] is not None else value[int(step[0][1:-1])]
    return f"{value!r:.60}, " if isinstance(value, str | float) or type(value) is int else ""


def broken(data: bytes) -> Misfit:
    """Why bytes are no JSON, and at which path that shows: the innermost part that was begun.

    >>> found = broken(b'{"image": "a", "objects": [{"synset": "dog')
    >>> found.path, found.found
    ('.objects[0].synset', 'it ends here, unfinished')
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        found = f"byte 0x{data[error.start]:02X} is no UTF-8"
        return Misfit(_path(before), found, "UTF-8", "save the file as UTF-8")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        end = len(text.rstrip())
        if error.pos >= end or error.msg.startswith("Unterminated string"):
            return Misfit(_path(text[:end]), "it ends here, unfinished", "a whole record")
        shown = text[error.pos : error.pos + 20].strip()
        return Misfit(_path(text[: error.pos]), f"{shown!r} where JSON has {_lacked(error.msg)}", "JSON")
    except RecursionError:
        return Misfit("", "brackets nested too deep", "a few levels")
    return Misfit("", "no JSON", "JSON")


def _lacked(message: str) -> str:
    """What the standard library says it expected.

    >>> _lacked("Expecting ',' delimiter"), _lacked("Extra data")
    ("',' delimiter", 'its end')
    """
    if message.startswith("Expecting "):
        return message.removeprefix("Expecting ")
    return "its end" if message == "Extra data" else "none"


_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)


def _path(text: str) -> str:
    """The path at which a JSON text that is cut off ends.

    >>> _path('{"a": [1, {"b": 2, "c": "x'), _path('{"a": [1'), _path('{"a"')
    ('.a[1].c', '.a[0]', '')
    """
    steps: list[str | int] = []  # of an object its key; of a list the place in it
    word = ""
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in "[{":
            steps.append(0 if sign == "[" else "")
        elif sign in "]}":
            del steps[-1:]
        elif sign == ":" and steps:
            steps[-1] = _key(word)
        elif sign == "," and steps:
            last = steps[-1]
            steps[-1] = last + 1 if isinstance(last, int) else ""
        word = sign
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in steps if one != "")


def _key(word: str) -> str:
    try:
        return str(json.loads(word))
    except ValueError:
        return word


def entries_fitted(value: dict[str, Any], entries: Mapping[str, type]) -> Iterator[list[Misfit]]:
    """Fit the entries of the lists of an object in place; the misfits of each entry that has some.

    An entry that cannot be mended becomes one without any key.
    """
    lists = {name: value[name] for name in entries if isinstance(value.get(name), list)}
    for name, listed in lists.items():
        for number, entry in enumerate(listed):
            misfits, rest = fitted(entry, entries[name], f".{name}[{number}]")
            if misfits:
                listed[number] = rest or {}
                yield misfits
