"""What is known about a measure that is no column of its table: from the scores, else from its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crossgauge.errors import UsageError
from crossgauge.measures import parse
from crossgauge.report.lines import Column
from crossgauge.result import CellResult
from crossgauge.rows import title_of
from crossgauge.types import Unit


def columns_of(cells: Iterable[CellResult]) -> dict[str, Column]:
    """Every measure that has a score, in order; the first cell that has it names it."""
    seen: dict[str, Column] = {}
    for cell in cells:
        for row in cell.scores:
            seen.setdefault(row.measure, Column(row.measure, row.title, row.unit, row.higher_is_better))
    return seen


def column_of(measure: str, known: Mapping[str, Column]) -> Column | None:
    """The column of a measure, or of several joined by ``+`` (unit and direction of the first)."""
    parts = [known.get(name) or _named(name) for name in measure.split("+")]
    first = parts[0]
    if first is None or None in parts:
        return None
    title = " + ".join(part.title for part in parts if part is not None)
    return Column(measure, title, first.unit, first.higher_is_better)


def unit_of(value: float | None, column: Column | None) -> Unit:
    """The column's unit; without one, a number in [0, 1] is taken for a fraction."""
    if column is not None:
        return column.unit
    return "fraction" if value is None or 0 <= value <= 1 else "rank"


def heading_of(measure: str, value: float | None, column: Column | None) -> str:
    """``R@1 % ↑``; of a measure that nobody knows, its name and unit without a direction."""
    if column is not None:
        return column.heading
    percent = " %" if unit_of(value, None) == "fraction" else ""
    return measure + percent


def _named(measure: str) -> Column | None:
    if measure.partition(":")[0] == "rouge_l":  # of texts, so no measure of rankings
        return Column(measure, title_of(measure), "fraction", higher_is_better=True)
    try:
        found = parse(measure)
    except UsageError:
        return None
    return Column(measure, found.title, found.unit, found.higher_is_better)
