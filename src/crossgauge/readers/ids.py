"""Ids: opaque text, one an item. ``0007`` stays ``0007``; blanks, dots and every script are kept."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import ID_NAMES, text_ids
from crossgauge.readers.npy import read_npy_text
from crossgauge.readers.parquet import read_id_column
from crossgauge.readers.source import DESCRIPTIONS, SUFFIXES, kind_of, lines_of, pickle_fault
from crossgauge.readers.strict_json import read_json

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_ids(path: Path) -> tuple[str, ...]:
    """The ids in a file: one a line, a JSON list, a column ``id`` (parquet, CSV, TSV), or a ``.npy`` of text.

    Nothing is trimmed but the line end. Raises InputError: E210, E212, E216 (an id twice, with both lines),
    E220 (an empty id, a value that is no text), E221 (no column ``id``), E222, E227.
    """
    kind = SUFFIXES.get(path.suffix.lower()) or kind_of(path)
    if kind_of(path) == "pickle":
        raise InputError(pickle_fault(str(path)))
    if kind == "parquet":
        return checked_ids(_found(read_id_column(path, ID_NAMES, or_only=True), path), str(path), unit="row")
    if kind == "npy":
        return checked_ids(text_ids(read_npy_text(path), str(path)), str(path), unit="row")
    if kind not in ("text", "unknown"):
        wanted = "ids as text, JSON, CSV or parquet"
        raise InputError(Fault("E211", str(path), DESCRIPTIONS[kind], wanted, "write one id a line"))
    if path.suffix.lower() == ".json":
        return checked_ids(_json_ids(path), str(path), unit="entry")
    lines = _lines(path)
    if path.suffix.lower() in _DELIMITERS:
        return checked_ids(_column(lines, path), str(path), first=2)
    return checked_ids(tuple(lines), str(path))


def checked_ids(ids: Sequence[str], place: str, *, unit: str = "line", first: int = 1) -> tuple[str, ...]:
    """The same ids, none empty and none twice; raises InputError with every fault and its line (or row)."""
    seen: dict[str, int] = {}
    faults = []
    for number, one in enumerate(ids, first):
        where = f"{place}:{number}" if unit == "line" else f"{place} {unit} {number}"
        if not one:
            faults.append(Fault("E220", where, "an empty id", "one id an item", "name the item"))
        elif one in seen:
            found = f"the id {one!r} again (first at {unit} {seen[one]})"
            faults.append(Fault("E216", where, found, "each id once", "ids must tell items apart"))
        seen.setdefault(one, number)
    if faults:
        raise InputError(faults)
    return tuple(ids)


def _lines(path: Path) -> list[str]:
    faults: list[Fault] = []
    lines = [text for _, text in lines_of(path, faults, [])]
    if faults:
        raise InputError(faults)
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
