"""Tables for a README, an issue or a pull request (GitHub's Markdown)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crossgauge.report import wording
from crossgauge.report.source import Source
from crossgauge.report.tables import Entry, Line, Table, system, tables
from crossgauge.result import Result

_OBEYED = re.compile(r"([\\`*_\[\]|~<>&])")  # texts never begin a line, so #, - and + need no escape


def render(sources: Sequence[Source]) -> str:
    """All sources in one document, one table a task; the best of competing systems is bold."""
    results = [source.result for source in sources]
    lines: list[str] = []
    for result in results:
        lines += [*_about(result), ""]
    for table in tables(results):
        lines += [*_table(table), ""]
    lines.append(
        "↑ higher is better, ↓ lower is better; [95 % interval over queries]; chance: a constant scorer."
    )
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    r"""The text as Markdown that shows it and nothing else.

    >>> escape("a|b *c* <d>")
    'a\\|b \\*c\\* \\<d\\>'
    """
    return _OBEYED.sub(r"\\\1", wording.visible(text))


def _about(result: Result) -> Iterator[str]:
    yield (
        f"**{escape(result.benchmark)} {escape(result.benchmark_version)}**, {escape(system(result))}, "
        f"data {escape(wording.short_data(result.data))}, crossgauge {escape(result.version)}"
    )
    for reason in result.partial:
        yield f"\n**PARTIAL**: {escape(reason)}. Not to be ranked or compared."


def _table(table: Table) -> Iterator[str]:
    yield f"### {escape(table.title)} ({escape(table.task)})"
    yield ""
    names = ["language", *["prompt"] * table.with_prompts, *["system"] * table.with_systems]
    heads = [*names, *(escape(column.heading) for column in table.columns), "chance", "n", "gallery"]
    yield _row(heads)
    yield _row(["---"] * len(names) + ["---:"] * (len(heads) - len(names)))
    for line in table.lines:
        yield _row(_cells(table, line))
    yield ""
    yield from _below(table)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(table: Table, line: Line) -> list[str]:
    names = [escape(line.name if line.kind != "published" else f"published: {line.name}")]
    names += [escape(line.prompt)] * table.with_prompts
    names += [escape(line.system) + (" (PARTIAL)" if line.partial else "")] * table.with_systems
    values = [_value(line.entry(column)) for column in table.columns]
    return [*names, *values, line.chance, line.n, line.gallery]


def _value(entry: Entry) -> str:
    value = f"**{entry.value}**" if entry.best else entry.value
    marks = f"<sup>{','.join(str(number) for number in entry.notes)}</sup>" if entry.notes else ""
    bounds = f"(ties {entry.bounds})" if entry.bounds else ""
    return " ".join(part for part in (value + marks, entry.interval, bounds) if part)


def _below(table: Table) -> Iterator[str]:
    for note in table.notes:
        yield f"<sup>{note.number}</sup> {escape(str(note))}  "
    for line in table.lines:
        if line.kind == "published":
            yield f"Published: {escape(line.name)}: {escape(line.source)}  "
    if table.signature:
        yield f"Signature: {_code(table.signature)}"


def _code(text: str) -> str:
    """A code span, whose fence is longer than any run of backticks inside."""
    shown = wording.visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence} {shown} {fence}"
