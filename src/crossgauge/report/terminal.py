"""A Result as text for people: one table a task, as wide as the terminal, no number ever cut.

When the full table is wider than the terminal, only the primary measure keeps its interval, then chance
moves into the title; if that is still too wide, lines run over rather than lose digits. ``plain`` gives
our signs in ASCII, without colour or drawn lines; texts of data stay what they are where they can be written.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from crossgauge.report import wording
from crossgauge.report.notes import warnings
from crossgauge.report.tables import Column, Entry, Line, Table, system, tables
from crossgauge.result import Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_WARNINGS = 12  # distinct ones that are printed
_NAMED = 6  # cells of one warning that are named; more are counted
_WIDE = 10_000  # no terminal has so many columns: what a table takes when nothing limits it


def show(result: Result, *, plain: bool = False, stream: TextIO | None = None) -> None:
    """Write the Result to standard output (or a stream) as fits it.

    A terminal gets its width and colours (not with NO_COLOR or TERM=dumb); a file or a pipe gets the full
    tables; what cannot take UTF-8 gets ``plain``.
    """
    to = stream or sys.stdout
    terminal = to.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    encoding = to.encoding or "utf-8"
    unicode = encoding.lower().replace("-", "").startswith("utf")
    to.write(render(result, console_width=width, color=color, plain=plain or not unicode, encoding=encoding))
    to.flush()


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
    console = _console(color=color and not plain)
    codec = encoding if plain else None
    for line in _head(result):
        _print(console, line, style="bold", codec=codec)
    for reason in result.partial:
        _print(console, f"PARTIAL: {reason}. Not to be ranked or compared.", style="bold yellow", codec=codec)
    shown = tables([result])
    for table in shown:
        _print(console, "", codec=codec)
        layout, drawn = _fitting(console, table, console_width=console_width, codec=codec)
        _print(console, _title(table, layout), style="bold", codec=codec)
        console.print(drawn, crop=False)
        for line in _below(table):
            _print(console, line, style="dim", codec=codec)
    for line in _foot(result, shown):
        _print(console, line, style="yellow" if line.startswith("warning") else "dim", codec=codec)
    return "\n".join(line.rstrip() for line in _written(console).splitlines()) + "\n"


def _console(*, color: bool) -> Console:
    from rich.console import Console

    return Console(
        file=io.StringIO(), width=_WIDE, force_terminal=color, color_system="standard" if color else None,
        markup=False, highlight=False, emoji=False, legacy_windows=False, _environ={},
    )  # fmt: skip


def _written(console: Console) -> str:
    file = console.file
    return file.getvalue() if isinstance(file, io.StringIO) else ""


def _print(console: Console, text: str, *, codec: str | None, style: str = "") -> None:
    console.print(_safe(text, codec=codec), style=style or None, soft_wrap=True)


def _safe(text: str, *, codec: str | None) -> str:
    shown = wording.visible(text)
    return wording.plain(shown, codec) if codec else shown


def _head(result: Result) -> Iterator[str]:
    yield (
        f"{result.benchmark} {result.benchmark_version} · {system(result)} · "
        f"data {wording.short_data(result.data)} · crossgauge {result.version}"
    )
    if result.options:
        yield "options " + ", ".join(f"{name}={value}" for name, value in sorted(result.options.items()))


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


def _fitting(
    console: Console, table: Table, *, console_width: int | None, codec: str | None
) -> tuple[_Layout, RichTable]:
    from rich.measure import Measurement

    drawn = [(layout, _rich(table, layout, codec=codec)) for layout in _layouts(table)]
    for layout, candidate in drawn:
        if console_width is None:
            return layout, candidate
        if Measurement.get(console, console.options, candidate).maximum <= console_width:
            return layout, candidate
    return drawn[-1]


def _rich(table: Table, layout: _Layout, *, codec: str | None) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable

    frame = None if codec else box.SIMPLE_HEAD
    drawn = RichTable(box=frame, pad_edge=False, padding=(0, 1), collapse_padding=True, header_style="bold")
    for name, right in _headings(table, layout):
        drawn.add_column(_safe(name, codec=codec), justify="right" if right else "left", no_wrap=True)
    widths = [_note_width(table, column) for column in table.columns]
    for position, line in enumerate(table.lines):
        cells = [
            "\n".join(_safe(part, codec=codec) for part in parts if part)
            for parts in _cells(table, line, layout, widths)
        ]
        following = table.lines[position + 1] if position + 1 < len(table.lines) else line
        drawn.add_row(*cells, end_section=_family(following) != _family(line))
    return drawn


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
        yield "gallery", True


def _cells(table: Table, line: Line, layout: _Layout, widths: list[int]) -> Iterator[tuple[str, ...]]:
    """Each place of a line, as the text lines that stand in it."""
    yield (line.name,)
    if table.with_prompts:
        yield (line.prompt,)
    for position, column in enumerate(table.columns):
        entry = line.entry(column)
        value = entry.value + _marks(entry).ljust(widths[position])
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


def _marks(entry: Entry) -> str:
    return "".join(f"({number})" for number in entry.notes)


def _note_width(table: Table, column: Column) -> int:
    return max(len(_marks(line.entry(column))) for line in table.lines)


def _family(line: Line) -> str:
    return "mean" if line.kind in {"macro", "micro"} else line.kind


def _below(table: Table) -> Iterator[str]:
    if any(entry.bounds for line in table.lines for entry in line.entries.values()):
        yield "a–b below a value: its worst–best outcome; scores tie, and the value is the expectation"
    for note in table.notes:
        yield f"({note.number}) {note}"
    for line in table.lines:
        if line.kind == "published":
            yield f"{line.name}: published, not measured here: {line.source}"


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
