"""Who is above whom by a table of child and parent: contradictions, cycles and depths."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crossgauge.concepts._edge_rows import COLUMNS, EdgeRow, EdgeRows, content
from crossgauge.errors import Fault, InputError

MAX_STEPS = 1_000  # on the longest way up; WordNet's has 19
_SHOWN = 8  # concepts of a cycle, or roots


@dataclass(slots=True)
class ChildParent:
    """The concepts of a table in the order of their first mention, and who is above whom."""

    path: Path
    digest: str  # sha256 of the content
    parents: dict[str, dict[str, int]] = field(default_factory=dict)  # concept → parent → line of the row
    words: dict[str, dict[str, None]] = field(default_factory=dict)  # concept → words, where given
    declared: dict[str, int] = field(default_factory=dict)  # root by a row without a parent → its line
    repeated: list[int] = field(default_factory=list)  # lines that say what an earlier one said
    deepest: int = 0  # steps of the longest way up

    @property
    def roots(self) -> list[str]:
        """The concepts without a parent."""
        return [concept for concept, above in self.parents.items() if not above]

    def add(self, row: EdgeRow) -> None:
        """Adds what one row says."""
        above = self.parents.setdefault(row.child, {})
        self.words.setdefault(row.child, {}).update(dict.fromkeys(row.words))
        if not row.parent:
            self.declared.setdefault(row.child, row.line)
            return
        self.parents.setdefault(row.parent, {})
        if row.parent in above:
            self.repeated.append(row.line)
        above.setdefault(row.parent, row.line)

    def fault(self, code: str, line: int | None, found: str, wanted: str = "", fix: str = "") -> Fault:
        """A fault of a row, or of the whole table."""
        place = str(self.path) if line is None else f"{self.path}:{line}"
        return Fault(code, place, found, wanted, fix)

    def findings(self) -> Iterator[Fault]:
        """What is odd but can be meant: rows that stand twice (W270), several roots (W271)."""
        if self.repeated:
            again = "1 row says" if len(self.repeated) == 1 else f"{len(self.repeated)} rows say"
            yield self.fault("W270", self.repeated[0], f"{again} what an earlier one says")
        if len(roots := self.roots) > 1:
            more = f" and {len(roots) - _SHOWN} more" if len(roots) > _SHOWN else ""
            found = f"{len(roots)} concepts have nothing above them: {', '.join(roots[:_SHOWN])}{more}"
            yield self.fault("W271", None, found, "one root", "those under different ones have no similarity")


def read_child_parent(path: Path) -> ChildParent:
    """Read and check a table; raises InputError with all its faults (E271, E272, E273)."""
    data = content(path)
    table, rows = ChildParent(path, hashlib.sha256(data).hexdigest()), EdgeRows(path, data)
    for row in rows:
        table.add(row)
    table.deepest, circular = _levels(table)
    faults = [*rows.faults, *_contradictions(table), *_cycles(table, circular)]
    if not (faults or table.parents):
        faults.append(table.fault("E272", None, "no row", COLUMNS, "one row for each parent of a concept"))
    if not faults and table.deepest > MAX_STEPS:
        found = f"a way of {table.deepest:,} steps up"
        faults.append(table.fault("E271", None, found, f"at most {MAX_STEPS:,}", "are these parents?"))
    if faults:
        raise InputError(faults)
    return table


def _contradictions(table: ChildParent) -> Iterator[Fault]:
    for root, line in table.declared.items():
        for parent, other in table.parents[root].items():
            found = f"{root!r:.80} without a parent, but below {parent!r:.80} at line {other}"
            yield table.fault("E272", line, found, "one of the two", "remove the row that is wrong")


def _levels(table: ChildParent) -> tuple[int, set[str]]:
    """The steps of the longest way up, and the concepts that no way down from a root reaches."""
    children: dict[str, list[str]] = {}
    for concept, above in table.parents.items():
        for parent in above:
            children.setdefault(parent, []).append(concept)
    missing = {concept: len(above) for concept, above in table.parents.items()}
    level, levels = table.roots, 0
    while level:
        levels += 1
        below = [child for concept in level for child in children.get(concept, ())]
        for child in below:
            missing[child] -= 1
        level = [child for child in dict.fromkeys(below) if not missing[child]]
    return max(levels - 1, 0), {concept for concept, waiting in missing.items() if waiting}


def _cycles(table: ChildParent, circular: set[str]) -> Iterator[Fault]:
    """A cycle above each of these concepts (there is one: each has such a parent); each is told once."""
    seen: set[str] = set()
    for start in (concept for concept in table.parents if concept in circular):
        walk: dict[str, int] = {}  # concept → line of the row that names its parent
        here = start
        while here not in seen:
            seen.add(here)
            above = table.parents[here]
            walk[here] = next(line for parent, line in above.items() if parent in circular)
            here = next(parent for parent in above if parent in circular)
        if here in walk:
            yield _cycle(table, walk, here)


def _cycle(table: ChildParent, walk: Mapping[str, int], first: str) -> Fault:
    way = list(walk)[list(walk).index(first) :]
    shown = [*way[:_SHOWN], f"({len(way) - _SHOWN} more)"] if len(way) > _SHOWN else way
    wanted, fix = "parents that never lead back", "remove the wrong row; here stands the last of them"
    return table.fault("E273", walk[way[-1]], " → ".join([*shown, first]), wanted, fix)
