"""A concept study as Markdown (GitHub's): for a README, an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_tables import CellTables, cell_tables, head
from crossgauge.report.markdown_text import code, escape, row


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
    if study.predicted:
        yield from ("", f"**{escape(words.PREDICTED)}.**")


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
    if table.signature:
        yield ""
        yield f"Signature: {code(table.signature)}"


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
    return (f"- warning {escape(text)}" for text in study.audit)
