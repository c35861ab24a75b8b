"""Lists of (query, item, number) as they stood in a file: relevance judgements and runs."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from sys import intern

import numpy as np

from crossgauge.errors import Fault
from crossgauge.types import Floats, Ints

NUMBER = re.compile(r"[+-]?(?:[0-9]{1,320}(?:\.[0-9]{0,320})?|\.[0-9]{1,320})(?:[eE][+-]?[0-9]{1,4})?")
CONTROL = re.compile("[\x00-\x08\x0a-\x1f]")  # in no id, nor in a line of text; a tab is none of them


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Who was judged relevant to whom, as read: ids are text, rows are in file order."""

    place: str
    unit: str  # what ``lines`` count: "line", "row" or "entry"
    queries: tuple[str, ...]  # (J,)
    items: tuple[str, ...]  # (J,)
    gains: Floats  # (J,) as judged; zero or less means judged and not relevant
    lines: Ints  # (J,) 1-based
    findings: tuple[Fault, ...]  # warnings

    def at(self, index: int) -> str:
        """Where a row stands: ``qrels.tsv:3``."""
        return place_of(self.place, self.unit, int(self.lines[index]))


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a system returned, as read: one score for each (query, item), no pair twice."""

    place: str
    unit: str
    queries: tuple[str, ...]  # (P,)
    items: tuple[str, ...]  # (P,)
    scores: Floats  # (P,) finite; higher is better
    lines: Ints  # (P,) 1-based
    findings: tuple[Fault, ...]

    def at(self, index: int) -> str:
        """Where a row stands: ``run.trec:3``."""
        return place_of(self.place, self.unit, int(self.lines[index]))


@dataclass(slots=True)
class Rows:
    """The rows of a file while it is being read, with what is wrong (``faults``) or odd (``findings``)."""

    place: str
    unit: str
    queries: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)  # as many as values, or none
    lines: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    findings: list[Fault] = field(default_factory=list)

    def add(self, line: int, query: str, item: str, value: float) -> None:
        """One more row."""
        self.queries.append(intern(query))
        self.items.append(intern(item))
        self.values.append(value)
        self.lines.append(line)

    def take(self, line: int, query: object, item: object, value: object) -> None:
        """One more row from typed values: ids are text or whole numbers; else a fault at its place."""
        place = place_of(self.place, self.unit, line)
        query, item, value = (v.item() if isinstance(v, np.generic) else v for v in (query, item, value))
        if type(query) not in (str, int) or type(item) not in (str, int) or "" in (query, item):
            found = f"query {query!r:.40}, item {item!r:.40}"
            self.faults.append(Fault("E220", place, found, "ids that are text, not empty", "name both"))
        elif control := CONTROL.search(f"{query}{item}"):
            found = f"control character 0x{ord(control[0]):02x}: query {query!r:.40}, item {item!r:.40}"
            self.faults.append(Fault("E222", place, found, "text and tabs", "remove it"))
        elif not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            found = f"{value!r:.40} for query {query!r:.40}, item {item!r:.40}"
            self.faults.append(
                Fault("E225", place, found, "a finite number", "write numbers, without quotes")
            )
        else:
            self.add(line, str(query), str(item), float(value))

    def at(self, index: int) -> str:
        """Where a row stands."""
        return place_of(self.place, self.unit, self.lines[index])

    def doubles(self) -> list[tuple[int, int]]:
        """Rows that repeat an earlier (query, item), each with the first such row, in file order."""
        rows = len(self.lines)
        pair = codes(self.queries) * max(rows, 1) + codes(self.items)
        order = np.argsort(pair, kind="stable")
        ordered = pair[order]
        fresh = np.ones(rows, dtype=np.bool_)
        fresh[1:] = ordered[1:] != ordered[:-1]
        starts = np.maximum.accumulate(np.where(fresh, np.arange(rows), 0))
        found = [(int(order[i]), int(order[starts[i]])) for i in np.flatnonzero(~fresh)]
        return [(first, second) for second, first in sorted(found)]

    def not_empty(self) -> None:
        """Add a fault (E210) where there is neither a row nor a fault that says why."""
        if not self.lines and not self.faults:
            self.faults.append(Fault("E210", self.place, "no rows", "at least one", "write it again"))

    def without(self, dropped: set[int]) -> Rows:
        """The same rows less some."""
        kept = [index for index in range(len(self.lines)) if index not in dropped]
        return Rows(
            self.place,
            self.unit,
            [self.queries[i] for i in kept],
            [self.items[i] for i in kept],
            [self.values[i] for i in kept],
            [self.ranks[i] for i in kept] if self.ranks else [],
            [self.lines[i] for i in kept],
            self.faults,
            self.findings,
        )


def place_of(place: str, unit: str, number: int) -> str:
    """``qrels.tsv:3`` for lines, ``run.parquet row 3`` for what has none.

    >>> place_of("qrels.tsv", "line", 3), place_of("run.json", "entry", 3)
    ('qrels.tsv:3', 'run.json entry 3')
    """
    return f"{place}:{number}" if unit == "line" else f"{place} {unit} {number}"


def codes(names: list[str]) -> Ints:
    """The same small number for the same text, (len(names),), in order of first appearance."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def number(text: str) -> float | None:
    """A finite decimal number in ASCII digits, or None.

    Unlike ``float``, this refuses ``nan``, ``inf``, ``1_000``, blanks around, other scripts' digits and
    numbers too large to be finite.

    >>> number("-1.5e3"), number("nan"), number("1_0"), number("١"), number("1e400")
    (-1500.0, None, None, None, None)
    """
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) < np.inf else None
