"""A Result as text for people: one table a task, as wide as the terminal, no number ever cut.

When the full table is wider than the terminal, only the primary measure keeps its interval, then chance
moves into the title; if that is still too wide, lines run over rather than lose digits. ``plain`` gives
our signs in ASCII, without colour or drawn lines; texts of data stay what they are where they can be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TextIO

from crossgauge.report import wording
from crossgauge.report.notes import warnings
from crossgauge.report.screen import Screen, write_fitting
from crossgauge.report.tables import Table, tables
from crossgauge.report.terminal_parts import (
    draw_aggregates,
    draw_interventions,
    draw_prompts,
    say_unable,
)
from crossgauge.report.terminal_table import draw_table
from crossgauge.result import Result

_WARNINGS = 12  # distinct ones that are printed
_NAMED = 6  # cells of one warning that are named; more are counted


def show(result: Result, *, plain: bool = False, stream: TextIO | None = None) -> None:
    """Write the Result to standard output (or a stream) as fits it (see write_fitting)."""
    write_fitting(partial(render, result), stream, plain=plain)


def render(
    result: Result,
    *,
    console_width: int | None = None,
    color: bool = False,
    plain: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The whole Result as lines of text.

    Arguments:
        result: what to show.
        console_width: columns at hand; None for a file or a pipe: nothing limits.
        color: use ANSI styles.
        plain: our signs in ASCII, no colour, no drawn lines; texts of data stay as they are.
        encoding: of where it is written: with plain, what it cannot hold is written as an escape.
    """
    screen = Screen.of(width=console_width, color=color, codec=encoding if plain else None)
    for line in _head(result):
        screen.say(line, "bold")
    for reason in result.partial:
        screen.say(f"PARTIAL: {reason}. Not to be ranked or compared.", "bold yellow")
    shown = tables([result])
    for table in shown:
        draw_table(screen, table)
    draw_prompts(screen, result)
    draw_interventions(screen, result)
    draw_aggregates(screen, result)
    say_unable(screen, result)
    for line in _foot(result, shown):
        screen.say(line, "yellow" if line.startswith("warning") else "dim")
    return screen.text()


def _head(result: Result) -> Iterator[str]:
    yield (
        f"{result.benchmark} {result.benchmark_version} · {wording.system(result)} · "
        f"data {wording.short_data(result.data)} · crossgauge {result.version}"
    )
    if result.options:
        yield "options " + ", ".join(f"{name}={value}" for name, value in sorted(result.options.items()))


def _foot(result: Result, shown: tuple[Table, ...]) -> Iterator[str]:
    yield ""
    found = warnings(result)
    for text, cells in found[:_WARNINGS]:
        where = ", ".join(cells) if len(cells) <= _NAMED else f"{len(cells)} cells"
        yield f"warning {text}" + (f" ({where})" if where else "")
    if len(found) > _WARNINGS:
        yield f"warning … and {len(found) - _WARNINGS} more: --json shows all"
    yield "↑ higher is better, ↓ lower is better · [95 % interval over queries] · chance: a constant scorer"
    for table in shown:
        more = f" (and {table.signatures - 1} more in --json)" if table.signatures > 1 else ""
        yield f"signature {table.signature}{more}"
