"""The tables that every format draws: one a task, with what stands in each place already worded.

A line is a language (× prompt × system), what an official scorer says about it, a mean over languages, or a
published number. Only lines of the same language and prompt can compete, and only systems whose runs are
whole: in a table of one run nothing is "best".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crossgauge.report import sizes, wording
from crossgauge.report.columns import columns_of
from crossgauge.report.crowned import crowned
from crossgauge.report.lines import Column, Line
from crossgauge.report.notes import Note, Remark, collect
from crossgauge.report.profiles import Scored, profile_lines, profile_notes
from crossgauge.report.task_lines import absent_line, cell_line, mean_lines, owner, published_lines
from crossgauge.result import Result

DRAWS = "± one standard deviation over draws; the value is their mean"


@dataclass(frozen=True, slots=True)
class Table:
    """All languages, prompts and systems of one task."""

    task: str
    title: str
    columns: tuple[Column, ...]  # the primary measure first
    lines: tuple[Line, ...]
    notes: tuple[Note, ...]
    with_prompts: bool
    with_systems: bool
    signature: str  # of the primary measure in the first line
    signatures: int  # how many such lines there are

    @property
    def primary(self) -> Column:
        """The measure the task is judged by."""
        return self.columns[0]

    @property
    def sizes(self) -> str:
        """``300 queries · gallery 298`` when that holds for every cell, else empty."""
        found = {sizes.in_words(line.cell) for line in self.lines if line.cell is not None}
        return found.pop() if len(found) == 1 else ""

    @property
    def rivals(self) -> str:
        """What the column of rivals is called: the gallery, or candidates where a query meets fewer."""
        cells = [line.cell for line in self.lines if line.cell is not None]
        return "candidates" if any(map(sizes.choosy, cells)) else "gallery"

    @property
    def chance(self) -> str:
        """The primary measure's chance when it is the same for every cell; empty when not, or not defined."""
        cells = [line for line in self.lines if line.cell is not None]
        values = {line.chance for line in cells if line.cell is not None and line.cell.kind == "ranking"}
        return values.pop() if len(values) == 1 else ""

    @property
    def legend(self) -> str:
        """What ± means, where it stands; else empty."""
        spreads = (entry.spread for line in self.lines for entry in line.entries.values())
        return DRAWS if any(spreads) else ""


def tables(results: Sequence[Result]) -> tuple[Table, ...]:
    """One table a task, in the order of the results; several results give a line each.

    The caller has made sure that they may stand side by side (:mod:`crossgauge.report.comparable`).
    """
    tasks = dict.fromkeys(cell.task for result in results for cell in result.cells)
    return tuple(_table(task, results) for task in tasks)


def _table(task: str, results: Sequence[Result]) -> Table:
    scored = _scored(task, results)
    cells = [one.cell for one in scored]
    columns = tuple(columns_of(cells).values())
    notes, numbers = collect(_remarks(scored))
    official = profile_notes(scored, columns, after=len(notes))
    profiles = list(dict.fromkeys(row.profile for cell in cells for row in cell.profiles))
    unable = [r for r in results if task in {n.task for n in r.not_applicable} and not _ran(r, task)]
    lines: list[Line] = []
    for position, one in enumerate(scored):
        lines.append(cell_line(one.result, one.cell, numbers))
        lines += profile_lines(one, columns, official, profiles)
        if position + 1 == len(scored) or _place(scored[position + 1]) != _place(one):
            language, prompt = _place(one)
            lines += [absent_line(result, columns, name=language, prompt=prompt) for result in unable]
    lines += mean_lines(task, results, columns)
    lines += published_lines(task, results[0], columns)
    signatures = [cell.scores[0].signature for cell in cells if cell.scores]
    return Table(
        task=task,
        title=cells[0].title,
        columns=columns,
        lines=tuple(crowned(lines, columns)),
        notes=notes + official,
        with_prompts={cell.prompt for cell in cells} != {"plain"},
        with_systems=len(results) > 1,
        signature=signatures[0] if signatures else "",
        signatures=len(signatures),
    )


def _scored(task: str, results: Sequence[Result]) -> list[Scored]:
    """The task's cells, those of one language and prompt together, labelled as far as they differ."""
    pairs = [(result, cell) for result in results for cell in result.cells if cell.task == task]
    with_prompts = len({cell.prompt for _, cell in pairs}) > 1
    scored = []
    for result, cell in pairs:
        label = cell.language + (f"/{cell.prompt}" if with_prompts else "")
        label += f" {wording.system(result)}" if len(results) > 1 else ""
        scored.append(Scored(result, cell, label))
    order = list(dict.fromkeys(map(_place, scored)))
    return sorted(scored, key=lambda one: order.index(_place(one)))


def _place(one: Scored) -> tuple[str, str]:
    return one.cell.language, one.cell.prompt


def _ran(result: Result, task: str) -> bool:
    return any(cell.task == task for cell in result.cells)


def _remarks(scored: Iterable[Scored]) -> Iterator[Remark]:
    for one in scored:
        for row in one.cell.scores:
            yield Remark(owner(one.result, one.cell), one.label, row)
