r"""Tables for a paper, no wider than a line: ``\input`` the file.

Needs ``booktabs``, ``graphicx`` and an engine that reads UTF-8.

Whatever comes from data is escaped, so that no name can be a command (``\input`` in a caption stays text).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.report import aggregates, interventions, prompts, wording
from crossgauge.report.concepts_latex import side_by_side_table, study_tables
from crossgauge.report.latex_text import NEEDS, SIGNS, escape, fitted, opened, row
from crossgauge.report.lines import Entry, Line
from crossgauge.report.side_by_side import side_by_side
from crossgauge.report.source import Source
from crossgauge.report.tables import Table, tables
from crossgauge.report.unable import TITLE, unable
from crossgauge.result import Result


def render(sources: Sequence[Source]) -> str:
    """One table environment a task; the best of competing systems is bold."""
    results = [source.result for source in sources]
    lines = [NEEDS]
    for table in tables(results):
        lines += _table(table, results)
    lines += [*_prompts(results), *_interventions(results), *_aggregates(results), *_unable(results)]
    if (both := side_by_side(sources)) is not None:
        lines += side_by_side_table(both)
    for source in sources:
        if (study := source.study()) is not None:
            lines += study_tables(study)
    return "\n".join(lines) + "\n"


def _table(table: Table, results: Sequence[Result]) -> Iterator[str]:
    names = ["Language", *["Prompt"] * table.with_prompts, *["System"] * table.with_systems]
    heads = [*names, *(escape(column.heading) for column in table.columns), "chance", "$n$", table.rivals]
    rows = []
    before: Line | None = None
    for line in table.lines:
        if before is not None and _measured(before) != _measured(line):
            rows.append(r"    \midrule")
        rows.append(row(_cells(table, line)))
        before = line
    yield from opened(_caption(table, results))
    yield from fitted("l" * len(names) + "r" * (len(heads) - len(names)), heads, rows)
    if table.signature:
        yield f"  % {wording.visible(table.signature)}"  # a comment, to be copied as it is
    for note in _below(table):
        yield rf"  \par\footnotesize {note}"
    yield r"\end{table}"


def _measured(line: Line) -> bool:
    return line.kind in {"cell", "profile", "absent"}


def _cells(table: Table, line: Line) -> list[str]:
    names = [_name(line)]
    names += [escape(line.prompt)] * table.with_prompts
    names += [_system(line.system, partial=line.partial)] * table.with_systems
    values = [_value(line.entry(column)) for column in table.columns]
    if line.kind == "profile":
        values = [rf"\textit{{{value}}}" if value else "" for value in values]
    return [*names, *values, line.chance.translate(SIGNS), line.n, line.gallery.translate(SIGNS)]


def _name(line: Line) -> str:
    if line.kind == "profile":  # an official scorer hangs under its cell
        return rf"\quad\textit{{{escape(line.label)}}}{_marks(line.notes)}"
    return escape(line.name)


def _system(name: str, *, partial: bool) -> str:
    return escape(name) + (r" (\textsc{partial})" if partial else "")


def _marks(notes: Sequence[int]) -> str:
    return rf"\textsuperscript{{{','.join(map(str, notes))}}}" if notes else ""


def _value(entry: Entry) -> str:
    value = entry.value.translate(SIGNS)
    value = rf"\textbf{{{value}}}" if entry.best else value
    value += f" {entry.spread.translate(SIGNS)}" if entry.spread else ""
    beside = [entry.interval, f"(ties {entry.bounds})" if entry.bounds else ""]
    small = "".join(rf" {{\scriptsize {text.translate(SIGNS)}}}" for text in beside if text)
    return value + _marks(entry.notes) + small


def _caption(table: Table, results: Sequence[Result]) -> str:
    return _about(
        results,
        escape(table.title),
        "In brackets: 95\\,\\% interval over queries; chance: a constant scorer. ",
    )


def _about(results: Sequence[Result], title: str, more: str = "") -> str:
    first = results[0]
    runs = "; ".join(wording.system(result) for result in results)
    partial = "; ".join(reason for result in results for reason in result.partial)
    warning = rf"\textbf{{PARTIAL: {escape(partial)}.}} " if partial else ""
    return (
        f"{warning}{escape(first.benchmark)} {escape(first.benchmark_version)}, {title}: "
        f"{escape(runs)}. {more}"
        f"Data {escape(wording.short_data(first.data))}, crossgauge {escape(first.version)}."
    )


def _below(table: Table) -> Iterator[str]:
    if table.legend:
        yield table.legend.translate(SIGNS)
    for note in table.notes:
        yield rf"\textsuperscript{{{note.number}}} {escape(str(note))}"
    for line in table.lines:
        if line.kind == "published":
            yield f"{escape(line.name)}: {escape(line.source)}"


def _prompts(results: Sequence[Result]) -> Iterator[str]:
    table = prompts.spreads(results)
    if table is None:
        return
    names = ["Task", "Language", *["System"] * table.with_systems, "measure"]
    heads = [*names, *map(escape, table.formats), "spread", "flips"]
    rows = []
    for line in table.lines:
        system = [_system(line.system, partial=line.partial)] * table.with_systems
        values = [value.translate(SIGNS) for value in (*line.values, line.spread, line.flips)]
        rows.append(row([escape(line.task), escape(line.language), *system, escape(line.measure), *values]))
    yield from opened(_about(results, prompts.TITLE.lower()))
    yield from fitted("l" * len(names) + "r" * (len(heads) - len(names)), heads, rows)
    yield rf"  \par\footnotesize Note: {escape(prompts.RULE)}"
    for line in table.lines:
        if line.flipped:
            yield rf"  \par\footnotesize {escape(_flipped(line, with_systems=table.with_systems))}"
    yield r"\end{table}"


def _flipped(line: prompts.Spread, *, with_systems: bool) -> str:
    whose = f", {line.system}" if with_systems else ""
    return f"first flipped in {line.task} ({line.language}{whose}): {line.flipped}"


def _interventions(results: Sequence[Result]) -> Iterator[str]:
    table = interventions.effects(results)
    if table is None:
        return
    notes = [f"Note: {escape(note)}" for note in (*table.notes, interventions.RULE)]
    if not table.lines:
        yield from (rf"{{\par\footnotesize\sloppy {note}\par}}" for note in notes)
        return
    names = ["Task", "Language", *["Prompt"] * table.with_prompts, *["System"] * table.with_systems]
    names += ["intervention", "measure"]
    heads = [*names, "before", "after", "change", "p", "queries changed"]
    rows = []
    for line in table.lines:
        cells = [escape(line.task), escape(line.language), *[escape(line.prompt)] * table.with_prompts]
        cells += [_system(line.system, partial=line.partial)] * table.with_systems
        cells += [escape(line.name), escape(line.measure)]
        numbers = (line.before, line.after, line.change, line.p, line.changed)
        rows.append(row([*cells, *(number.translate(SIGNS) for number in numbers)]))
    yield from opened(_about(results, interventions.TITLE.lower()))
    yield from fitted("l" * len(names) + "rrrrr", heads, rows)
    yield from (rf"  \par\footnotesize {note}" for note in notes)
    yield r"\end{table}"


def _aggregates(results: Sequence[Result]) -> Iterator[str]:
    table = aggregates.totals(results)
    if table is None:
        return
    names = ["Name", *["Prompt"] * table.with_prompts, *["System"] * table.with_systems]
    heads = [*names, "value", "measure", "rule"]
    rows = []
    for line in table.lines:
        cells = [escape(line.name), *[escape(line.prompt)] * table.with_prompts]
        cells += [_system(line.system, partial=line.partial)] * table.with_systems
        value = line.value.translate(SIGNS)
        value = rf"\textbf{{{value}}}" if line.best else value
        rows.append(row([*cells, value, escape(line.measure), escape(line.words)]))
    yield from opened(_about(results, aggregates.TITLE.lower()))
    yield from fitted("l" * len(names) + r"rlp{.4\linewidth}", heads, rows)
    yield r"\end{table}"


def _unable(results: Sequence[Result]) -> Iterator[str]:
    for one in unable(results):
        systems = f" ({escape(', '.join(one.systems))})" if len(results) > 1 else ""
        task = f"{escape(one.title)} ({escape(one.task)}){systems}"
        yield rf"{{\par\footnotesize\sloppy {TITLE}: {task}: {escape(one.reason)}\par}}"
