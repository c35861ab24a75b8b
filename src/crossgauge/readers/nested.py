"""JSON of (query, item, number): ``{"q": {"item": 0.5}}``, and ``{"q": ["item", …]}`` for plain relevance."""

from __future__ import annotations

from pathlib import Path

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pairs import Rows
from crossgauge.readers.strict_json import Json, read_json


def read_nested(path: Path, *, lists: bool) -> Rows:
    """The rows of a JSON document; ``lists`` also allows lists of items, each counting 1.

    Raises InputError: E227 (no such document, a key twice: both lines); faults of single rows are collected.
    """
    wanted = '{"query": {"item": 1}}' + (' or {"query": ["item"]}' if lists else "")
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(
            Fault("E227", str(path), "JSON that is no object of queries", wanted, "see explain E227")
        )
    rows = Rows(str(path), "entry")
    entry = 0
    for query, listed in document.items():
        items = _items(listed, lists=lists)
        if items is None:
            found = f"a value that is {_kind(listed)}"
            rows.faults.append(Fault("E227", f"{path} query {query!r}", found, wanted, "see explain E227"))
            continue
        for item, value in items:
            entry += 1
            rows.take(entry, query, item, value)
    rows.not_empty()
    return rows


def _items(listed: Json, *, lists: bool) -> list[tuple[Json, Json]] | None:
    if isinstance(listed, dict):
        return list(listed.items())
    if isinstance(listed, list) and lists:
        return [(item, 1) for item in listed]
    return None


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
