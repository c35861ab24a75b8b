"""JSON of (query, item, number): ``{"q": {"item": 0.5}}``, and ``{"q": ["item", …]}`` for plain relevance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pairs import Rows
from crossgauge.readers.strict_json import read_json


def read_nested(path: Path, *, lists: bool) -> Rows:
    """The rows of a JSON document; ``lists`` also allows lists of items, each counting 1.

    Raises InputError: E227 (no such document, a key twice: both lines); faults of single rows are collected.
    """
    document = read_json(path)
    if not isinstance(document, dict):
        found = "JSON that is no object of queries"
        raise InputError(Fault("E227", str(path), found, _wanted(lists=lists), "see explain E227"))
    return nested_rows(document, str(path), lists=lists)


def nested_rows(document: Mapping[Any, Any], place: str, *, lists: bool) -> Rows:
    """The rows of ``{query: {item: number}}``; faults of single rows are collected."""
    rows = Rows(place, "entry")
    entry = 0
    for query, listed in document.items():
        items = _items(listed, lists=lists)
        if items is None:
            where, found = f"{place} query {query!r:.60}", f"a value that is {_kind(listed)}"
            rows.faults.append(Fault("E227", where, found, _wanted(lists=lists), "see explain E227"))
            continue
        for item, value in items:
            entry += 1
            rows.take(entry, query, item, value)
    rows.not_empty()
    return rows


def _wanted(*, lists: bool) -> str:
    return '{"query": {"item": 1}}' + (' or {"query": ["item"]}' if lists else "")


def _items(listed: Any, *, lists: bool) -> list[tuple[Any, Any]] | None:
    if isinstance(listed, Mapping):
        return list(listed.items())
    if isinstance(listed, list | tuple | set | frozenset) and lists:
        return [
            (item, 1) for item in (sorted(listed, key=str) if isinstance(listed, set | frozenset) else listed)
        ]
    return None


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    number = "a number" if isinstance(value, int | float) else type(value).__name__
    return names.get(type(value), number)
