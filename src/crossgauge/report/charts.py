"""Where a number lies on its scale: whiskers beside it and the colour behind it.

Fractions lie on 0–1; ranks on a logarithmic scale from the size of the gallery to 1. Right is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossgauge.report import sizes, wording
from crossgauge.report.lines import Column, Line
from crossgauge.report.prompts import Spread
from crossgauge.report.tables import Table
from crossgauge.result import CellResult, GroupRow, NotApplicable, ScoreRow
from crossgauge.types import Unit

# Ten steps of cividis (Nuñez, Anderton & Renslow 2018), made for all kinds of colour vision, and the text
# that reads on each: at least 4.6:1.
STEPS = (
    ("#00224e", "#fff"), ("#123570", "#fff"), ("#3b496c", "#fff"), ("#575d6d", "#fff"), ("#707173", "#fff"),
    ("#8a8678", "#000"), ("#a59c74", "#000"), ("#c3b369", "#000"), ("#e1cc55", "#000"), ("#fee838", "#000"),
)  # fmt: skip
NOT_RUN = "·"
WIDTH = 120  # of a whisker's drawing, in its own units


@dataclass(frozen=True, slots=True)
class Whisker:
    """A dot with its interval and the mark of chance; positions in 0…WIDTH."""

    low: float
    value: float
    high: float
    chance: float | None


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A number, its step of the colour scale (None: no colour), and what a reader hears."""

    text: str
    step: int | None = None
    n: int = 0  # queries behind it


@dataclass(frozen=True, slots=True)
class HeatColumn:
    """A task and its primary measure, or that it does not apply."""

    title: str
    heading: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The primary measure of every task, in each language or category, with the number of queries."""

    columns: tuple[HeatColumn, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]


def place(value: float | None, *, unit: Unit, higher_is_better: bool, gallery: int) -> float | None:
    """How good a value is on its scale, 0 to 1; None when it has no place.

    >>> place(0.25, unit="fraction", higher_is_better=True, gallery=9)
    0.25
    >>> place(1.0, unit="rank", higher_is_better=False, gallery=300)
    1.0
    """
    if value is None or not math.isfinite(value):
        return None
    if unit == "rank":
        share = math.log(max(value, 1.0)) / math.log(max(gallery, 2))
        return max(0.0, 1.0 - share)
    share = min(max(value, 0.0), 1.0)
    return share if higher_is_better else 1.0 - share


def whisker(row: ScoreRow, cell: CellResult) -> Whisker | None:
    """The drawing beside a score of a cell; None when there is nothing to draw."""
    gallery = sizes.most(cell)

    def at(value: float | None) -> float | None:
        share = place(value, unit=row.unit, higher_is_better=row.higher_is_better, gallery=gallery)
        return None if share is None else _drawn(share)

    value = at(row.value)
    if value is None:
        return None
    low, high = at(row.low), at(row.high)
    ends = sorted((low if low is not None else value, high if high is not None else value))
    if row.low is not None and row.high is None:  # the interval reaches to infinity
        ends[0] = 4.0
    return Whisker(ends[0], value, ends[1], at(row.chance))


def dots(spread: Spread) -> tuple[float, ...]:
    """Where the formats of one task lie between 0 and 1, from the worst; empty for ranks."""
    known = [value for value in spread.numbers.values() if value is not None]
    return (
        tuple(_drawn(min(max(value, 0.0), 1.0)) for value in sorted(known))
        if spread.unit == "fraction"
        else ()
    )


def _drawn(share: float) -> float:
    return round(4 + share * (WIDTH - 8), 1)


def languages(tables: Sequence[Table], unable: Sequence[NotApplicable] = ()) -> HeatMap | None:
    """Languages × tasks, each cell of a task's first prompt; None when there is but one number.

    Tasks that do not apply have a column too, of "n/a".
    """
    columns = [(table, _first_prompt(table)) for table in tables]
    names = list(dict.fromkeys(name for _, lines in columns for name in lines))
    if len(names) * (len(columns) + len(unable)) < 2:  # noqa: PLR2004  (one number needs no map)
        return None
    absent = (HeatCell(wording.NOT_APPLICABLE),) * len(unable)
    rows = tuple(
        (name, tuple(_language_cell(table, lines.get(name)) for table, lines in columns) + absent)
        for name in names
    )
    return HeatMap(_heads(tables) + tuple(HeatColumn(one.title, "not applicable") for one in unable), rows)


def categories(cells: tuple[tuple[Table, CellResult], ...]) -> HeatMap | None:
    """Categories × tasks, of one cell a task; None when no cell has categories."""
    columns = [
        (table, cell, {group.group: group for group in cell.groups}) for table, cell in cells if cell.groups
    ]
    names = sorted({name for _, _, groups in columns for name in groups})
    if not names:
        return None
    rows = tuple(
        (name, tuple(_category_cell(table, cell, groups.get(name)) for table, cell, groups in columns))
        for name in names
    )
    return HeatMap(_heads([table for table, _, _ in columns]), rows)


def _heads(tables: Sequence[Table]) -> tuple[HeatColumn, ...]:
    return tuple(HeatColumn(table.title, table.primary.heading) for table in tables)


def _first_prompt(table: Table) -> Mapping[str, Line]:
    lines: dict[str, Line] = {}
    for line in table.lines:
        if line.kind == "cell":
            lines.setdefault(line.name, line)
    return lines


def _language_cell(table: Table, line: Line | None) -> HeatCell:
    if line is None or line.cell is None:
        return HeatCell(NOT_RUN)
    entry = line.entry(table.primary)
    value = entry.row.value if entry.row is not None else None
    return HeatCell(
        entry.value or NOT_RUN, _step(table.primary, value, sizes.most(line.cell)), line.cell.queries
    )


def _category_cell(table: Table, cell: CellResult, group: GroupRow | None) -> HeatCell:
    if group is None:
        return HeatCell(NOT_RUN)
    column = table.primary
    value = group.values.get(column.measure)
    return HeatCell(wording.number(value, column.unit), _step(column, value, sizes.most(cell)), group.n)


def _step(column: Column, value: float | None, gallery: int) -> int | None:
    share = place(value, unit=column.unit, higher_is_better=column.higher_is_better, gallery=gallery)
    return None if share is None else min(int(share * len(STEPS)), len(STEPS) - 1)
