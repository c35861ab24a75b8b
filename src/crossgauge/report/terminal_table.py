"""A task's table on a screen: the richest layout that fits, and no number ever cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crossgauge.report.lines import Column, Entry, Line
from crossgauge.report.screen import Screen
from crossgauge.report.tables import Table

if TYPE_CHECKING:
    from rich.table import Table as RichTable


def draw_table(screen: Screen, table: Table) -> None:
    """The title, the table, and the notes below it."""
    screen.say("")
    layout, drawn = _fitting(screen, table)
    screen.say(_title(table, layout), "bold")
    screen.draw(drawn)
    for line in _below(table):
        screen.say(line, "dim")


@dataclass(frozen=True, slots=True)
class _Layout:
    """How much of a table is drawn."""

    intervals: int  # so many measures, from the first, get a column for their interval
    chance: bool  # as a column; else it stands in the title
    sizes: bool  # n and gallery as columns; else in the title


def _layouts(table: Table) -> Iterator[_Layout]:
    """From the richest to the narrowest."""
    sizes = not table.sizes
    yield _Layout(len(table.columns), chance=True, sizes=sizes)
    yield _Layout(1, chance=True, sizes=sizes)
    yield _Layout(1, chance=not table.chance, sizes=sizes)


def _title(table: Table, layout: _Layout) -> str:
    chance = "" if layout.chance else f"chance {table.chance}"
    return " · ".join(part for part in (f"{table.title} ({table.task})", table.sizes, chance) if part)


def _fitting(screen: Screen, table: Table) -> tuple[_Layout, RichTable]:
    drawn = [(layout, _drawn(screen, table, layout)) for layout in _layouts(table)]
    return next(((layout, grid) for layout, grid in drawn if screen.fits(grid)), drawn[-1])


def _drawn(screen: Screen, table: Table, layout: _Layout) -> RichTable:
    grid = screen.grid()
    for name, right in _headings(table, layout):
        grid.add_column(screen.safe(name), justify="right" if right else "left", no_wrap=True)
    widths = {column.measure: _widths(table, column) for column in table.columns}
    for position, line in enumerate(table.lines):
        cells = [
            "\n".join(screen.safe(part) for part in parts if part)
            for parts in _cells(table, line, layout, widths)
        ]
        following = table.lines[position + 1] if position + 1 < len(table.lines) else line
        style = "dim italic" if line.kind == "profile" else None
        grid.add_row(*cells, end_section=_family(following) != _family(line), style=style)
    return grid


def _headings(table: Table, layout: _Layout) -> Iterator[tuple[str, bool]]:
    yield "language", False
    if table.with_prompts:
        yield "prompt", False
    for position, column in enumerate(table.columns):
        yield column.heading, True
        if position < layout.intervals:
            yield "95 %", False
        if position == 0 and layout.chance:
            yield "chance", True
    if layout.sizes:
        yield "n", True
        yield table.rivals, True


def _cells(
    table: Table, line: Line, layout: _Layout, widths: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, ...]]:
    """Each place of a line, as the text lines that stand in it."""
    yield (_name(line),)
    if table.with_prompts:
        yield (line.prompt,)
    for position, column in enumerate(table.columns):
        entry = line.entry(column)
        spread, marks = widths[column.measure]
        value = entry.value + _spread(entry).ljust(spread) + _marks(entry.notes).ljust(marks)
        if position < layout.intervals:
            yield (value,)
            yield entry.interval, entry.bounds
        else:
            yield value, entry.bounds
        if position == 0 and layout.chance:
            yield (line.chance,)
    if layout.sizes:
        yield (line.n,)
        yield (line.gallery,)


def _name(line: Line) -> str:
    return ("  " if line.kind == "profile" else "") + line.label + _marks(line.notes)


def _spread(entry: Entry) -> str:
    return f" {entry.spread}" if entry.spread else ""


def _marks(notes: tuple[int, ...]) -> str:
    return "".join(f"({number})" for number in notes)


def _widths(table: Table, column: Column) -> tuple[int, int]:
    """Of the spreads and of the marks of a column, so that its values stand below one another."""
    entries = [line.entry(column) for line in table.lines]
    return max(len(_spread(entry)) for entry in entries), max(len(_marks(entry.notes)) for entry in entries)


def _family(line: Line) -> str:
    return {"macro": "mean", "micro": "mean", "published": "published"}.get(line.kind, "cell")


def _below(table: Table) -> Iterator[str]:
    if any(entry.bounds for line in table.lines for entry in line.entries.values()):
        yield "a–b below a value: its worst–best outcome; scores tie, and the value is the expectation"
    if table.legend:
        yield table.legend
    for note in table.notes:
        yield f"({note.number}) {note}"
    for line in table.lines:
        if line.kind == "published":
            yield f"{line.name}: published, not measured here: {line.source}"
