"""Tables for a README, an issue or a pull request (GitHub's Markdown)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.report import aggregates, interventions, prompts, wording
from crossgauge.report.concepts_markdown import side_by_side_section, study_sections
from crossgauge.report.lines import Entry, Line
from crossgauge.report.markdown_text import code, escape, row
from crossgauge.report.side_by_side import side_by_side
from crossgauge.report.source import Source
from crossgauge.report.tables import Table, tables
from crossgauge.report.unable import TITLE, unable
from crossgauge.result import Result


def render(sources: Sequence[Source]) -> str:
    """All sources in one document, one table a task; the best of competing systems is bold."""
    results = [source.result for source in sources]
    lines: list[str] = []
    for source in sources:
        lines += [] if source.alone else [*_about(source.result), ""]
    for table in tables(results):
        lines += [*_table(table), ""]
    for part in (_prompts, _interventions, _aggregates, _unable):
        lines += part(results)
    if (both := side_by_side(sources)) is not None:
        lines += [*side_by_side_section(both), ""]
    for source in sources:
        if (study := source.study()) is not None:
            lines += [*study_sections(study), ""]
    lines.append(
        "↑ higher is better, ↓ lower is better; [95 % interval over queries]; chance: a constant scorer."
    )
    return "\n".join(lines) + "\n"


def _about(result: Result) -> Iterator[str]:
    yield (
        f"**{escape(result.benchmark)} {escape(result.benchmark_version)}**, "
        f"{escape(wording.system(result))}, data {escape(wording.short_data(result.data))}, "
        f"crossgauge {escape(result.version)}"
    )
    for reason in result.partial:
        yield f"\n**PARTIAL**: {escape(reason)}. Not to be ranked or compared."


def _table(table: Table) -> Iterator[str]:
    yield f"### {escape(table.title)} ({escape(table.task)})"
    yield ""
    names = ["language", *["prompt"] * table.with_prompts, *["system"] * table.with_systems]
    heads = [*names, *(escape(column.heading) for column in table.columns), "chance", "n", table.rivals]
    yield row(heads)
    yield row(["---"] * len(names) + ["---:"] * (len(heads) - len(names)))
    for line in table.lines:
        yield row(_cells(table, line))
    yield ""
    yield from _below(table)


def _cells(table: Table, line: Line) -> list[str]:
    names = [_name(line)]
    names += [escape(line.prompt)] * table.with_prompts
    names += [_system(line.system, partial=line.partial)] * table.with_systems
    values = [_value(line.entry(column)) for column in table.columns]
    if line.kind == "profile":
        values = [f"*{value}*" if value else "" for value in values]
    return [*names, *values, line.chance, line.n, line.gallery]


def _name(line: Line) -> str:
    if line.kind == "profile":  # an official scorer hangs under its cell
        return f"↳ *{escape(line.label)}*{_marks(line.notes)}"
    return escape(line.name if line.kind != "published" else f"published: {line.name}")


def _marks(notes: Sequence[int]) -> str:
    return f"<sup>{','.join(map(str, notes))}</sup>" if notes else ""


def _value(entry: Entry) -> str:
    value = f"**{entry.value}**" if entry.best else entry.value
    marks = _marks(entry.notes)
    value += f" {entry.spread}" if entry.spread else ""
    bounds = f"(ties {entry.bounds})" if entry.bounds else ""
    return " ".join(part for part in (value + marks, entry.interval, bounds) if part)


def _below(table: Table) -> Iterator[str]:
    if table.legend:
        yield f"{escape(table.legend)}  "
    for note in table.notes:
        yield f"<sup>{note.number}</sup> {escape(str(note))}  "
    for line in table.lines:
        if line.kind == "published":
            yield f"Published: {escape(line.name)}: {escape(line.source)}  "
    if table.signature:
        yield f"Signature: {code(table.signature)}"


def _prompts(results: Sequence[Result]) -> Iterator[str]:
    table = prompts.spreads(results)
    if table is None:
        return
    yield f"### {prompts.TITLE}"
    yield ""
    names = ["task", "language", *["system"] * table.with_systems, "measure"]
    heads = [*names, *map(escape, table.formats), "spread", "flips", "first flipped"]
    yield row(heads)
    yield row(["---"] * len(names) + ["---:"] * (len(table.formats) + 1) + ["---"] * 2)
    for line in table.lines:
        system = [_system(line.system, partial=line.partial)] * table.with_systems
        cells = [escape(line.task), escape(line.language), *system, escape(line.measure)]
        yield row([*cells, *line.values, line.spread, line.flips, escape(line.flipped)])
    yield ""
    yield f"Note: {escape(prompts.RULE)}."
    yield ""


def _interventions(results: Sequence[Result]) -> Iterator[str]:
    table = interventions.effects(results)
    if table is None:
        return
    yield f"### {interventions.TITLE}"
    yield ""
    names = ["task", "language", *["prompt"] * table.with_prompts, *["system"] * table.with_systems]
    names += ["intervention", "measure"]
    if table.lines:
        yield row([*names, "before", "after", "change", "p", "queries changed"])
        yield row(["---"] * len(names) + ["---:"] * 5)
    for line in table.lines:
        cells = [escape(line.task), escape(line.language), *[escape(line.prompt)] * table.with_prompts]
        cells += [_system(line.system, partial=line.partial)] * table.with_systems
        cells += [escape(line.name), escape(line.measure)]
        yield row([*cells, line.before, line.after, line.change, line.p, line.changed])
    yield ""
    for note in (*table.notes, interventions.RULE):
        yield f"Note: {escape(note)}.  "
    yield ""


def _aggregates(results: Sequence[Result]) -> Iterator[str]:
    table = aggregates.totals(results)
    if table is None:
        return
    yield f"### {aggregates.TITLE}"
    yield ""
    names = ["name", *["prompt"] * table.with_prompts, *["system"] * table.with_systems]
    yield row([*names, "value", "measure", "rule"])
    yield row(["---"] * len(names) + ["---:", "---", "---"])
    for line in table.lines:
        name = escape(line.name if line.kind == "aggregate" else f"published: {line.name}")
        cells = [name, *[escape(line.prompt)] * table.with_prompts]
        cells += [_system(line.system, partial=line.partial)] * table.with_systems
        value = f"**{line.value}**" if line.best else line.value
        yield row([*cells, value, escape(line.measure), escape(line.words)])
    yield ""


def _unable(results: Sequence[Result]) -> Iterator[str]:
    for number, one in enumerate(unable(results)):
        if number == 0:
            yield f"### {TITLE} (n/a)"
            yield ""
        systems = f" ({escape(', '.join(one.systems))})" if len(results) > 1 else ""
        yield f"- {escape(one.title)} ({escape(one.task)}){systems}: {escape(one.reason)}"
    if any(result.not_applicable for result in results):
        yield ""


def _system(name: str, *, partial: bool) -> str:
    return escape(name) + (" (PARTIAL)" if partial else "")
