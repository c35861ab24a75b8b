"""Text tables of (query, item, number): TREC's white space or tabs, with or without a header line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pairs import Rows, number
from crossgauge.readers.pickles import pickle_fault
from crossgauge.readers.source import kind_of, lines_of, other_than_text

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
Role = Literal["query", "item", "value", "rank", "ignored"]

_NAMED: dict[Role, str] = {
    "query": "query query-id queryid qid q-id topic topic-id",
    "item": "item item-id corpus-id doc doc-id docid docno document document-id",
    "value": "score rel relevance judgement judgment label grade gain similarity",
    "rank": "rank",
    "ignored": "0 q0 iter iteration tag run run-id system",
}
ROLES: dict[str, Role] = {name: role for role, names in _NAMED.items() for name in names.split()}


def read_table(path: Path, layouts: Layouts) -> Rows:
    """The rows of a text table; its first sound line decides: tabs or white space, and how many fields.

    A tab-separated file may hold ids with blanks. Where the first line names columns, their names decide
    which is which; a header that does not name all of them is a fault (E250), never a guess. Faults (E222,
    E224, E225, E250) are collected in the rows; raises InputError only for what is no text at all.
    """
    _refuse_other_kinds(path, layouts)
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
            if _is_header(fields, found[1]):
                columns = _columns(fields, found[1])
                if columns is None:
                    rows.faults.append(_header_fault(f"{path}:{line}", fields, found[1]))
                    break
                found = split, columns, len(fields)
                continue
        split, columns, width = found
        fields = split(text)
        if len(fields) == width:
            _add(rows, line, fields, columns)
        else:
            rows.faults.append(_width_fault(f"{path}:{line}", text, fields, {width: columns}))
    rows.not_empty()
    return rows


def _refuse_other_kinds(path: Path, layouts: Layouts) -> None:
    if kind_of(path) == "pickle":
        raise InputError(pickle_fault(str(path)))
    if (other := other_than_text(path)) is not None:
        wanted = " or ".join(columns.words for columns in layouts.values())
        raise InputError(Fault("E211", str(path), other.found, f"text: {wanted}", other.fix))


def _splitter(first: str, layouts: Layouts) -> Callable[[str], list[str]]:
    if first.count("\t") + 1 in layouts:
        return lambda text: text.split("\t")
    return lambda text: text.split() if text.isascii() else _BLANKS.split(text.strip(" \t"))


def _role(name: str) -> Role | None:
    return ROLES.get(name.strip().casefold().replace("_", "-"))


def _is_header(fields: Sequence[str], columns: Columns) -> bool:
    """Whether a first line names columns: it holds a name, and no number where one should stand."""
    if _columns(fields, columns) is not None:
        return True
    named = {_role(name) for name in fields} & {"query", "item", "value"}  # Q0 and 0 stand in every TREC line
    return number(fields[columns.value]) is None and bool(named)


def _columns(fields: Sequence[str], columns: Columns) -> Columns | None:
    """Where the named columns stand; None where a name is unknown, one is missing, or one stands twice."""
    roles = [_role(name) for name in fields]
    once = all(roles.count(role) == 1 for role in ("query", "item", "value"))
    if None in roles or not once or roles.count("rank") > 1:
        return None
    rank = roles.index("rank") if "rank" in roles else None
    return Columns(roles.index("query"), roles.index("item"), roles.index("value"), rank, columns.words)


def _header_fault(place: str, fields: Sequence[str], columns: Columns) -> Fault:
    found = f"the header {', '.join(map(repr, fields)):.200}"
    wanted = "one column of queries, one of items and one of numbers, by names known here"
    return Fault(
        "E250", place, found, wanted, f"name them query-id, corpus-id, score, or drop it: {columns.words}"
    )


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
