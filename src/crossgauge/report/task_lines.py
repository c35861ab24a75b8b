"""The lines of a table: cells, means over languages, what a model cannot do, and printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from crossgauge.report import sizes, wording
from crossgauge.report.lines import Column, Entry, Line
from crossgauge.result import CellResult, Mean, Result, ScoreRow

MEANS: tuple[Literal["macro", "micro"], ...] = ("macro", "micro")


def owner(result: Result, cell: CellResult) -> str:
    """Whose notes they are, in a table of several systems."""
    return f"{wording.system(result)} {cell.key}"


def cell_line(result: Result, cell: CellResult, numbers: Mapping[tuple[str, str], tuple[int, ...]]) -> Line:
    """What one system got in one language with one prompt."""
    entries = {
        row.measure: _entry(row, numbers.get((owner(result, cell), row.measure), ())) for row in cell.scores
    }
    return Line(
        kind="cell",
        name=cell.language,
        prompt=cell.prompt,
        system=wording.system(result),
        entries=entries,
        chance=wording.number(cell.scores[0].chance, cell.scores[0].unit) if cell.scores else "",
        n=str(cell.queries),
        gallery=sizes.competing(cell),
        partial=bool(result.partial),
        cell=cell,
        peers=("cell", cell.language, cell.prompt),
    )


def absent_line(result: Result, columns: Sequence[Column], *, name: str, prompt: str) -> Line:
    """A task that a system cannot do, beside those that can."""
    return Line(
        kind="absent",
        name=name,
        prompt=prompt,
        system=wording.system(result),
        entries={column.measure: Entry(wording.NOT_APPLICABLE) for column in columns},
        partial=bool(result.partial),
    )


def mean_lines(task: str, results: Sequence[Result], columns: Sequence[Column]) -> Iterator[Line]:
    """Macro means of all systems and prompts, then micro means."""
    for kind in MEANS:
        for result in results:
            means = [mean for mean in result.means if mean.task == task]
            for prompt in dict.fromkeys(mean.prompt for mean in means):
                yield _mean_line(kind, result, [mean for mean in means if mean.prompt == prompt], columns)


def published_lines(task: str, result: Result, columns: Sequence[Column]) -> Iterator[Line]:
    """What papers print about the task, under the measures that we have."""
    units = {column.measure: column.unit for column in columns}
    rows = [row for row in result.published if row.task == task and row.measure in units]
    for name, source, note in dict.fromkeys((row.system, row.source, row.note) for row in rows):
        entries = {
            row.measure: Entry(wording.number(row.value, units[row.measure]))
            for row in rows
            if (row.system, row.source, row.note) == (name, source, note)
        }
        where = f"{source} ({note})" if note else source
        yield Line(kind="published", name=name, prompt="", system="", entries=entries, source=where)


def _entry(row: ScoreRow, notes: tuple[int, ...]) -> Entry:
    return Entry(
        value=wording.value_text(row),
        spread=wording.spread_text(row),
        interval=wording.interval_text(row),
        bounds=wording.bounds_text(row),
        notes=notes,
        row=row,
    )


def _mean_line(
    kind: Literal["macro", "micro"], result: Result, means: Sequence[Mean], columns: Sequence[Column]
) -> Line:
    units = {column.measure: column.unit for column in columns}
    entries = {
        m.measure: Entry(wording.number(getattr(m, kind), units[m.measure]))
        for m in means
        if m.measure in units
    }
    languages = means[0].languages
    return Line(
        kind=kind,
        name=f"{kind} mean",
        prompt=means[0].prompt,
        system=wording.system(result),
        entries=entries,
        partial=bool(result.partial),
        peers=(kind, means[0].prompt, *languages),
        languages=len(languages),
    )
