"""The tables that every format draws: one a task, with what stands in each place already worded.

A line is a language (× prompt × system), a mean over languages, or a published number. Only lines of the
same language and prompt can compete, and only systems whose runs are whole: in a table of one run nothing
is "best".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from crossgauge.report import wording
from crossgauge.report.notes import Note, Remark, collect
from crossgauge.result import CellResult, Mean, Result, ScoreRow
from crossgauge.types import Unit

Kind = Literal["cell", "macro", "micro", "published"]


@dataclass(frozen=True, slots=True)
class Column:
    """One measure, with unit and direction."""

    measure: str
    title: str
    unit: Unit
    higher_is_better: bool

    @property
    def heading(self) -> str:
        """``R@1 % ↑``."""
        return wording.heading(self.title, self.unit, higher_is_better=self.higher_is_better)


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in one place of a table."""

    value: str
    interval: str = ""
    bounds: str = ""  # from the worst to the best outcome of ties, when they differ in print
    notes: tuple[int, ...] = ()  # numbers of the notes below the table
    best: bool = False
    row: ScoreRow | None = None


EMPTY = Entry("")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table."""

    kind: Kind
    name: str  # the language, "macro mean", or the published system
    prompt: str
    system: str  # model@revision; of a published number: empty
    entries: dict[str, Entry]
    chance: str = ""
    n: str = ""
    gallery: str = ""
    partial: bool = False
    source: str = ""  # where a published number stands
    cell: CellResult | None = None
    peers: tuple[str, ...] = ()  # only lines with equal peers compete
    languages: int = 0  # over how many a mean is taken

    def entry(self, column: Column) -> Entry:
        """What stands under a column; nothing where the line has no such measure."""
        return self.entries.get(column.measure, EMPTY)


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
        pairs = {(line.n, line.gallery) for line in self.lines if line.kind == "cell"}
        return "".join(f"{n} queries · gallery {gallery}" for n, gallery in pairs) if len(pairs) == 1 else ""

    @property
    def chance(self) -> str:
        """The primary measure's chance when it is the same for every cell, else empty."""
        values = {line.chance for line in self.lines if line.kind == "cell"}
        return values.pop() if len(values) == 1 else ""


def tables(results: Sequence[Result]) -> tuple[Table, ...]:
    """One table a task, in the order of the results; several results give a line each.

    The caller has made sure that they may stand side by side (:mod:`crossgauge.report.comparable`).
    """
    tasks = dict.fromkeys(cell.task for result in results for cell in result.cells)
    return tuple(_table(task, results) for task in tasks)


def system(result: Result) -> str:
    """``conse@1f3a9c``."""
    return f"{result.model}@{result.model_revision}" if result.model_revision else result.model


def _table(task: str, results: Sequence[Result]) -> Table:
    cells = [(result, cell) for result in results for cell in result.cells if cell.task == task]
    order = list(dict.fromkeys((cell.language, cell.prompt) for _, cell in cells))
    cells.sort(key=lambda pair: order.index((pair[1].language, pair[1].prompt)))
    columns = _columns(cell for _, cell in cells)
    prompts = {cell.prompt for _, cell in cells}
    several = len(results) > 1
    notes, numbers = collect(_remarks(cells, with_prompts=len(prompts) > 1, with_systems=several))
    lines = [_cell_line(result, cell, numbers) for result, cell in cells]
    lines += _mean_lines(task, results, columns)
    lines += _published_lines(task, results[0], columns)
    signatures = [cell.scores[0].signature for _, cell in cells if cell.scores]
    return Table(
        task=task,
        title=cells[0][1].title,
        columns=columns,
        lines=tuple(_crowned(lines, columns)),
        notes=notes,
        with_prompts=prompts != {"plain"},
        with_systems=several,
        signature=signatures[0] if signatures else "",
        signatures=len(signatures),
    )


def _columns(cells: Iterable[CellResult]) -> tuple[Column, ...]:
    seen: dict[str, Column] = {}
    for cell in cells:
        for row in cell.scores:
            seen.setdefault(row.measure, Column(row.measure, row.title, row.unit, row.higher_is_better))
    return tuple(seen.values())


def _remarks(
    cells: Sequence[tuple[Result, CellResult]], *, with_prompts: bool, with_systems: bool
) -> Iterable[Remark]:
    for result, cell in cells:
        label = cell.language + (f"/{cell.prompt}" if with_prompts else "")
        label += f" {system(result)}" if with_systems else ""
        for row in cell.scores:
            yield Remark(f"{system(result)} {cell.key}", label, row)


def _cell_line(result: Result, cell: CellResult, numbers: dict[tuple[str, str], tuple[int, ...]]) -> Line:
    owner = f"{system(result)} {cell.key}"
    entries = {
        row.measure: Entry(
            value=wording.value_text(row),
            interval=wording.interval_text(row),
            bounds=wording.bounds_text(row),
            notes=numbers.get((owner, row.measure), ()),
            row=row,
        )
        for row in cell.scores
    }
    chance = wording.number(cell.scores[0].chance, cell.scores[0].unit) if cell.scores else ""
    return Line(
        kind="cell",
        name=cell.language,
        prompt=cell.prompt,
        system=system(result),
        entries=entries,
        chance=chance,
        n=str(cell.queries),
        gallery=str(cell.gallery),
        partial=bool(result.partial),
        cell=cell,
        peers=("cell", cell.language, cell.prompt),
    )


def _mean_lines(task: str, results: Sequence[Result], columns: Sequence[Column]) -> list[Line]:
    lines = []
    kinds: tuple[Literal["macro", "micro"], ...] = ("macro", "micro")
    for kind in kinds:
        for result in results:
            means = [mean for mean in result.means if mean.task == task]
            lines += [
                _mean_line(kind, result, [mean for mean in means if mean.prompt == prompt], columns)
                for prompt in dict.fromkeys(mean.prompt for mean in means)
            ]
    return lines


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
        system=system(result),
        entries=entries,
        partial=bool(result.partial),
        peers=(kind, means[0].prompt, *languages),
        languages=len(languages),
    )


def _published_lines(task: str, result: Result, columns: Sequence[Column]) -> list[Line]:
    units = {column.measure: column.unit for column in columns}
    rows = [row for row in result.published if row.task == task and row.measure in units]
    lines = []
    for name, source, note in dict.fromkeys((row.system, row.source, row.note) for row in rows):
        entries = {
            row.measure: Entry(wording.number(row.value, units[row.measure]))
            for row in rows
            if (row.system, row.source, row.note) == (name, source, note)
        }
        where = f"{source} ({note})" if note else source
        lines.append(Line(kind="published", name=name, prompt="", system="", entries=entries, source=where))
    return lines


def _crowned(lines: Sequence[Line], columns: Sequence[Column]) -> list[Line]:
    """The lines with the best of every group of competitors marked, ties in print included."""
    marked = {
        (position, column.measure)
        for column in columns
        for group in _competitors(lines)
        for position in _best(group, lines, column)
    }
    return [
        replace(line, entries={m: replace(e, best=(position, m) in marked) for m, e in line.entries.items()})
        for position, line in enumerate(lines)
    ]


def _competitors(lines: Sequence[Line]) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for position, line in enumerate(lines):
        if line.peers and not line.partial:
            groups.setdefault(line.peers, []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def _best(group: Sequence[int], lines: Sequence[Line], column: Column) -> list[int]:
    """Who holds the best value (the smallest, where smaller is better); nobody, when all are equal."""
    held = {p: _printed(lines[p].entry(column).value) for p in group}
    known = {p: value for p, value in held.items() if value is not None}
    if len(set(known.values())) < 2:  # noqa: PLR2004  (a race needs a winner and a loser)
        return []
    best = (max if column.higher_is_better else min)(known.values())
    return [p for p, value in known.items() if value == best]


def _printed(text: str) -> float | None:
    """Values compete as printed: a difference nobody can see wins nothing."""
    if text == wording.INFINITE:
        return float("inf")
    return None if text in {"", wording.UNDEFINED} else float(text)
