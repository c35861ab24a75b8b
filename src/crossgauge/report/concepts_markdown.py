"""A concept study as Markdown (GitHub's): for a README, an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_effects, side_by_side
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_tables import CellTables, cell_tables, head
from crossgauge.report.markdown_text import code, escape, row
from crossgauge.report.side_by_side import SideBySide


def study_markdown(study: ConceptStudy) -> str:
    """The whole study: what was studied, a table of measures and a checklist a cell, warnings."""
    tables = cell_tables(study)
    return "\n".join([*_head(study), *_tables(tables), "", *_foot(study, tables)]) + "\n"


def study_sections(study: ConceptStudy) -> list[str]:
    """The same as lines of a document that explains measures and signs by itself."""
    return [*_head(study), *_tables(cell_tables(study)), *(["", *_warnings(study)] if study.audit else [])]


def _head(study: ConceptStudy) -> Iterator[str]:
    title, *about = head(study)
    yield from (f"**{escape(title)}**", "", *(f"{escape(line)}  " for line in about))
    for line in (*words.partial_lines(study.audit), *([words.PREDICTED] if study.predicted else [])):
        yield from ("", f"**{escape(line)}.**")


def _tables(tables: Sequence[CellTables]) -> Iterator[str]:
    for table in tables:
        yield ""
        yield from _cell(table)


def _cell(table: CellTables) -> Iterator[str]:
    yield f"### {escape(table.title)}"
    yield ""
    yield escape(table.coverage)
    yield ""
    yield row(["measure", "macro", "95 %", "micro", "95 %", "judged", "undefined"])
    yield row(["---", *["---:"] * 6])
    for one in table.measures:
        values = (one.macro, one.macro_interval, one.micro, one.micro_interval, one.judged, one.undefined)
        yield row([escape(one.heading), *values])
    yield ""
    yield from (f"Note: {escape(note)}.  " for note in table.notes)
    if table.totals:
        yield ""
        yield row(["checklist", "total"])
        yield row(["---", "---:"])
        yield from (row([escape(what), total]) for what, total in table.totals)
    if table.effects:
        yield from _effects(table)
    if table.signature:
        yield ""
        yield f"Signature: {code(table.signature)}"


def _effects(table: CellTables) -> Iterator[str]:
    yield from ("", f"#### {concepts_effects.TITLE}", "")
    yield row(["intervention", "measure", "before", "after", "change", "p", "compared", "queries changed"])
    yield row(["---"] * 2 + ["---:"] * 6)
    for one in table.effects:
        numbers = (one.before, one.after, one.change, one.p, one.compared, one.changed)
        yield row([escape(one.name), escape(one.measure), *numbers])
    yield from ("", f"Note: {escape(concepts_effects.RULE)}.")


def side_by_side_section(both: SideBySide) -> Iterator[str]:
    """The table of ranking and concept measures, a line a model; the best of competing ones is bold."""
    yield from (f"### {side_by_side.TITLE}", "")
    yield row([escape(head) for head in both.heads])
    yield row(["---"] * both.texts + ["---:"] * (len(both.heads) - both.texts))
    for position, line in enumerate(both.rows):
        values = (
            f"**{value}**" if (position, column) in both.best else value
            for column, value in enumerate(line[both.texts :], start=both.texts)
        )
        yield row([*map(escape, line[: both.texts]), *values])
    yield ""
    yield from (f"Note: {escape(note)}.  " for note in both.notes)


def _foot(study: ConceptStudy, tables: Sequence[CellTables]) -> Iterator[str]:
    yield from _warnings(study)
    if study.audit:
        yield ""
    explained = {line.measure: line for table in tables for line in table.measures if line.about}
    for line in explained.values():
        yield f"- **{escape(line.heading)}** {escape(line.plain)}: {escape(line.about)}"
    yield ""
    yield "↑ higher is better, ↓ lower is better; [95 % interval over queries]."


def _warnings(study: ConceptStudy) -> Iterator[str]:
    return (f"- warning {escape(text)}" for text in words.warning_lines(study.audit))
