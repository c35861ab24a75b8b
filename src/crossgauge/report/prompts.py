"""How much a task depends on the prompt format: every format's value, the spread, and whom it flips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.report.columns import column_of, columns_of, heading_of, unit_of
from crossgauge.report.lines import Column
from crossgauge.result import PromptSpread, Result
from crossgauge.types import Unit

TITLE = "Prompt sensitivity"
RULE = (
    "the best of several formats is no score: a format is chosen before measuring; "
    "a flip is a query whose value differs between two formats"
)
NOT_RUN = "not run"
_NAMED = 4  # flipped queries that are named


@dataclass(frozen=True, slots=True)
class Spread:
    """One task in one language of one system."""

    task: str
    title: str
    language: str
    system: str
    measure: str  # with unit and direction
    unit: Unit
    values: tuple[str, ...]  # one a format of the table
    spread: str  # "30.4 pt"; of ranks, "3.0"
    flips: str  # "12 of 300 (4.0 %)"
    flipped: str  # their ids, the first few
    numbers: dict[str, float | None]  # format → value, to be drawn
    partial: bool


@dataclass(frozen=True, slots=True)
class Spreads:
    """All of them, the most sensitive task first, systems beneath one another."""

    formats: tuple[str, ...]
    lines: tuple[Spread, ...]
    with_systems: bool


def spreads(results: Sequence[Result]) -> Spreads | None:
    """The table of prompt sensitivity; None when there is nothing with several formats."""
    rows = [(result, row) for result in results for row in result.prompts if len(row.values) > 1]
    if not rows:
        return None
    known = columns_of(cell for result in results for cell in result.cells)
    formats = tuple(dict.fromkeys(name for _, row in rows for name in row.values))
    lines = (_line(result, row, column_of(row.measure, known), formats) for result, row in _sorted(rows))
    return Spreads(formats, tuple(lines), with_systems=len(results) > 1)


def _sorted(rows: Sequence[tuple[Result, PromptSpread]]) -> Iterator[tuple[Result, PromptSpread]]:
    """By the largest spread of any system, fractions before ranks, each task and language together."""
    groups: dict[tuple[str, str, str], list[tuple[Result, PromptSpread]]] = {}
    for result, row in rows:
        groups.setdefault((row.task, row.language, row.measure), []).append((result, row))

    def weight(group: list[tuple[Result, PromptSpread]]) -> tuple[bool, float]:
        largest = max((row.spread for _, row in group if row.spread is not None), default=-1.0)
        return largest > 1, -largest  # above 1 it is one of ranks

    for group in sorted(groups.values(), key=weight):
        yield from group


def _line(result: Result, row: PromptSpread, column: Column | None, formats: Sequence[str]) -> Spread:
    known = [value for value in row.values.values() if value is not None]
    unit = unit_of(max(known, default=None), column)
    cells = [cell for cell in result.cells if (cell.task, cell.language) == (row.task, row.language)]
    return Spread(
        task=row.task,
        title=cells[0].title if cells else row.task,
        language=row.language,
        system=wording.system(result),
        measure=heading_of(row.measure, max(known, default=None), column),
        unit=unit,
        values=tuple(_value(row, name, unit) for name in formats),
        spread=wording.number(row.spread, unit) + (" pt" if unit == "fraction" and known else ""),
        flips=_flips(row.flips, cells[0].queries if cells else 0),
        flipped=", ".join(row.flipped[:_NAMED]) + (" …" if row.flips > min(len(row.flipped), _NAMED) else ""),
        numbers=row.values,
        partial=bool(result.partial),
    )


def _value(row: PromptSpread, name: str, unit: Unit) -> str:
    return wording.number(row.values[name], unit) if name in row.values else NOT_RUN


def _flips(flips: int, n: int) -> str:
    return f"{flips} of {n} ({100 * flips / n:.1f} %)" if n else str(flips)
