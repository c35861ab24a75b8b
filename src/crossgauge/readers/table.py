"""Text tables of (query, item, number): TREC's white space or tabs, with or without a header line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pairs import Rows, number
from crossgauge.readers.source import DESCRIPTIONS, kind_of, lines_of, pickle_fault

_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a line the query, the item and the number stand (and the rank, where the format has one)."""

    query: int
    item: int
    value: int
    rank: int | None = None
    words: str = ""  # how the format is written, for messages


Layouts = Mapping[int, Columns]  # number of fields → where they stand


def read_table(path: Path, layouts: Layouts, headers: frozenset[str]) -> Rows:
    """The rows of a text table; its first sound line decides: tabs or white space, and how many fields.

    A tab-separated file may hold ids with blanks. A first line made of names in ``headers`` is a header.
    Faults (E222, E224, E225) are collected in the rows; raises InputError only for what is no text at all.
    """
    kind = kind_of(path)
    if kind == "pickle":
        raise InputError(pickle_fault(str(path)))
    if kind not in ("text", "unknown"):
        wanted = " or ".join(columns.words for columns in layouts.values())
        raise InputError(
            Fault("E211", str(path), DESCRIPTIONS[kind], f"text: {wanted}", "is this the right file?")
        )
    rows = Rows(str(path), "line")
    found: tuple[Callable[[str], list[str]], Columns, int] | None = None
    for line, text in lines_of(path, rows.faults, rows.findings):
        if found is None:
            split = _splitter(text, layouts)
            fields = split(text)
            if len(fields) not in layouts:
                rows.faults.append(_width_fault(f"{path}:{line}", text, fields, layouts))
                continue
            found = split, layouts[len(fields)], len(fields)
            if _is_header(fields, headers):
                continue
        split, columns, width = found
        fields = split(text)
        if len(fields) == width:
            _add(rows, line, fields, columns)
        else:
            rows.faults.append(_width_fault(f"{path}:{line}", text, fields, {width: columns}))
    rows.not_empty()
    return rows


def _splitter(first: str, layouts: Layouts) -> Callable[[str], list[str]]:
    if first.count("\t") + 1 in layouts:
        return lambda text: text.split("\t")
    return lambda text: text.split() if text.isascii() else _BLANKS.split(text.strip(" \t"))


def _is_header(fields: list[str], headers: frozenset[str]) -> bool:
    return all(name.strip().casefold() in headers for name in fields)


def _width_fault(place: str, text: str, fields: list[str], layouts: Layouts) -> Fault:
    wanted = " or ".join(f"{width} ({columns.words})" for width, columns in layouts.items())
    if not text.strip():
        return Fault("E224", place, "an empty line", wanted, "remove it")
    fix = "separate by tabs if ids hold blanks" if len(fields) > max(layouts) else "is this the right file?"
    return Fault("E224", place, f"{len(fields)} fields", wanted, fix)


def _add(rows: Rows, line: int, fields: list[str], columns: Columns) -> None:
    query, item, text = fields[columns.query], fields[columns.item], fields[columns.value]
    value = number(text)
    rank = number(fields[columns.rank]) if columns.rank is not None else 0.0
    place = f"{rows.place}:{line}"
    if not query or not item:
        rows.faults.append(Fault("E220", place, "an empty id", "a query id and an item id", "name both"))
    elif value is None:
        rows.faults.append(bad_number(place, text))
    elif rank is None:
        found = f"the rank {fields[columns.rank or 0]!r}"
        rows.faults.append(Fault("E225", place, found, columns.words, "are the columns in another order?"))
    else:
        rows.add(line, query, item, value)
        if columns.rank is not None:
            rows.ranks.append(rank)


def bad_number(place: str, text: str) -> Fault:
    """The fault of a score or judgement that is no finite decimal number."""
    return Fault(
        "E225", place, f"{text[:40]!r}", "a finite number such as -0.25 or 3e-4", "write plain decimals"
    )
