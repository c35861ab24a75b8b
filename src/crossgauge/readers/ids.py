"""Ids: opaque text, one an item. ``0007`` stays ``0007``; blanks, dots and every script are kept."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import ID_NAMES, text_ids
from crossgauge.readers.npy import read_npy_text
from crossgauge.readers.pairs import CONTROL, place_of
from crossgauge.readers.parquet import read_id_column
from crossgauge.readers.pickles import pickle_fault
from crossgauge.readers.source import SUFFIXES, kind_of, lines_of, other_than_text, path_of, readable
from crossgauge.readers.strict_json import read_json

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class RowNumbers(tuple[str, ...]):
    """Ids that nobody gave: the row numbers. They name a row in messages and match no real id."""

    __slots__ = ()

    @classmethod
    def of(cls, rows: int) -> RowNumbers:
        """``"0"``, ``"1"`` … for so many rows.

        >>> RowNumbers.of(2)
        ('0', '1')
        """
        return cls(map(str, range(rows)))


@dataclass(frozen=True, slots=True)
class Listed:
    """Ids as they stood somewhere, not yet checked; ``first`` is the number of the first line or row."""

    ids: tuple[str, ...]
    place: str
    unit: str = "line"
    first: int = 1


def read_ids(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The ids in a file: one a line, a JSON list, a column ``id`` (parquet, CSV, TSV), or a ``.npy`` of text.

    Nothing is trimmed but the line end. Raises InputError: E210, E212, E216 (an id twice, with both lines),
    E220 (an empty id, a value that is no text), E221 (no column ``id``), E222, E227.
    """
    listed = listed_in(path_of(path, "ids"))
    return checked_ids(listed.ids, listed.place, unit=listed.unit, first=listed.first)


def listed_in(path: Path) -> Listed:
    """The ids in a file with their place, before any is compared with another."""
    with readable(path):
        found = kind_of(path)
        kind = SUFFIXES.get(path.suffix.lower()) or found
        if found == "pickle":
            raise InputError(pickle_fault(str(path)))
        if kind == "parquet":
            return Listed(_found(read_id_column(path, ID_NAMES, or_only=True), path), str(path), "row")
        if kind == "npy":
            return Listed(text_ids(read_npy_text(path), str(path)), str(path), "row")
        if (other := other_than_text(path)) is not None:
            wanted = "ids as text, JSON, CSV or parquet"
            raise InputError(Fault("E211", str(path), other.found, wanted, other.fix))
        return _in_text(path)


def checked_ids(ids: Sequence[str], place: str, *, unit: str = "line", first: int = 1) -> tuple[str, ...]:
    """The same ids, none empty and none twice; raises InputError with every fault and its line (or row)."""
    listed = Listed(tuple(ids), place, unit, first)
    faults = id_faults(listed)
    if faults:
        raise InputError(faults)
    return listed.ids


def id_faults(listed: Listed) -> list[Fault]:
    """What is wrong with single ids: no text, empty, a control character in it, there twice."""
    seen: dict[str, int] = {}
    faults = []
    for number, one in enumerate(listed.ids, listed.first):
        where = place_of(listed.place, listed.unit, number)
        if (bad := odd_id(one, where)) is not None:
            faults.append(bad)
        elif one in seen:
            found = f"the id {one!r} again (first at {listed.unit} {seen[one]})"
            faults.append(Fault("E216", where, found, "each id once", "ids must tell items apart"))
        seen.setdefault(one, number)
    return faults


def odd_id(one: object, where: str) -> Fault | None:
    r"""Why this cannot be an id; None when it can.

    >>> print(odd_id("a\x1b[31m", "ids row 1"))
    E222 ids row 1: control character 0x1b in the id 'a\x1b[31m'; wanted text and tabs; fix: remove it
    """
    if not isinstance(one, str):
        found = f"{one!r:.60} ({type(one).__name__})"
        return Fault("E220", where, found, "ids that are text", "str(id) for each")
    if not one:
        return Fault("E220", where, "an empty id", "one id an item", "name the item")
    control = CONTROL.search(one)
    if control is None:
        return None
    found = f"control character 0x{ord(control[0]):02x} in the id {one!r:.60}"
    return Fault("E222", where, found, "text and tabs", "remove it")


def _in_text(path: Path) -> Listed:
    if path.suffix.lower() == ".json":
        return Listed(_json_ids(path), str(path), "entry")
    lines = _lines(path)
    if path.suffix.lower() in _DELIMITERS:
        return Listed(_column(lines, path), str(path), first=2)
    return Listed(tuple(lines), str(path))


def _lines(path: Path) -> list[str]:
    faults: list[Fault] = []
    lines = [text for _, text in lines_of(path, faults, [])]
    if faults:
        raise InputError(faults)
    while lines and not lines[-1]:  # an empty line at the end is how many editors end a file
        lines.pop()
    return lines


def _json_ids(path: Path) -> tuple[str, ...]:
    listed = read_json(path)
    if not isinstance(listed, list):
        raise InputError(
            Fault("E220", str(path), "JSON that is no list", '["a", "b", …]', "write a list of ids")
        )
    odd = [
        Fault("E220", f"{path} entry {number}", repr(value)[:80], "text, or a whole number")
        for number, value in enumerate(listed, 1)
        if type(value) not in (str, int)
    ]
    if odd:
        raise InputError(odd)
    return tuple(str(value) for value in listed)


def _column(lines: list[str], path: Path) -> tuple[str, ...]:
    """The column ``id`` (or the only one) below a header; a line is a row, so no quoted line breaks."""
    rows = _fields(lines, path)
    header = rows[0] if rows else []
    at = next((header.index(name) for name in ID_NAMES if name in header), 0 if len(header) == 1 else None)
    if at is None:
        found = f"no column 'id'; it has {', '.join(map(repr, header[:20]))}"
        raise InputError(Fault("E221", f"{path}:1", found, "a header with 'id'", "rename the column"))
    short = [
        Fault("E224", f"{path}:{number}", f"{len(row)} fields", f"{len(header)}, as in the header")
        for number, row in enumerate(rows, 1)
        if len(row) != len(header)
    ]
    if short:
        raise InputError(short)
    return tuple(row[at] for row in rows[1:])


def _fields(lines: list[str], path: Path) -> list[list[str]]:
    delimiter = _DELIMITERS[path.suffix.lower()]
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    rows: list[list[str]] = []
    faults: list[Fault] = []
    for number, line in enumerate(lines, 1):
        try:
            rows.extend(csv.reader([line], delimiter=delimiter, quoting=quoting, strict=delimiter == ","))
        except csv.Error as error:
            faults.append(Fault("E224", f"{path}:{number}", str(error), "quotes closed on the same line"))
    if faults:
        raise InputError(faults)
    return rows


def _found(ids: tuple[str, ...] | None, path: Path) -> tuple[str, ...]:
    if ids is None:
        raise InputError(Fault("E221", str(path), "no column 'id'", "a column of ids", "rename the column"))
    return ids
