"""The comparison of two runs as a table on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from crossgauge.report import wording
from crossgauge.report.columns import column_of, columns_of, heading_of, unit_of
from crossgauge.report.lines import Column
from crossgauge.report.screen import Head, Row, Screen, write_fitting
from crossgauge.report.versus import Change, Versus
from crossgauge.result import CellResult

RULE = (
    "change is after - before, with its 95 % interval, the same queries on both sides; p is two-sided and "
    "exact over all choices of signs, for hits McNemar's, for a median that of the mean rank"
)


def show_versus(found: Versus, cells: Sequence[CellResult], *, plain: bool = False) -> None:
    """Write it to standard output; ``cells`` say what the measures are called."""
    write_fitting(partial(render, found, cells), None, plain=plain)


def render(
    found: Versus,
    cells: Sequence[CellResult],
    *,
    console_width: int | None = None,
    color: bool = False,
    plain: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The lines of text; see :func:`crossgauge.report.terminal.render`."""
    screen = Screen.of(width=console_width, color=color, codec=encoding if plain else None)
    screen.say(f"{found.benchmark} · before: {found.before} · after: {found.after}", "bold")
    for reason in dict.fromkeys(found.partial):
        screen.say(f"PARTIAL: {reason}. Not to be ranked.", "bold yellow")
    heads = [Head("cell"), Head("measure"), Head("before", right=True), Head("after", right=True)]
    heads += [Head("change"), Head("p", right=True), Head("n", right=True)]
    columns = columns_of(cells)
    rows = []
    for one in found.changes:
        column = column_of(one.measure, columns)
        rows.append(Row([one.cell, heading_of(one.measure, one.before, column), *_numbers(one, columns)]))
    screen.draw_folded(heads, rows)
    screen.say(f"note: {RULE}", "dim")
    return screen.text()


def _numbers(one: Change, columns: Mapping[str, Column]) -> list[str]:
    unit = unit_of(one.before, column_of(one.measure, columns))
    return [
        wording.number(one.before, unit),
        wording.number(one.after, unit),
        wording.change_text(one.delta, one.low, one.high, unit),
        wording.p_value(one.p),
        str(one.n),
    ]
