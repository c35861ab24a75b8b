"""A concept study as Markdown (GitHub's): for a README, an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_tables import CellTables, cell_tables, head
from crossgauge.report.markdown import code, escape, row


def study_markdown(study: ConceptStudy) -> str:
    """The whole study: what was studied, a table of measures and a checklist a cell, warnings."""
    title, *about = head(study)
    lines = [f"**{escape(title)}**", "", *(f"{escape(line)}  " for line in about)]
    if study.predicted:
        lines += ["", f"**{escape(words.PREDICTED)}.**"]
    tables = cell_tables(study)
    for table in tables:
        lines += ["", *_cell(table)]
    lines += ["", *_foot(study, tables)]
    return "\n".join(lines) + "\n"


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
    yield from (f"- warning {escape(text)}" for text in study.audit)
    if study.audit:
        yield ""
    explained = {line.measure: line for table in tables for line in table.measures if line.about}
    for line in explained.values():
        yield f"- **{escape(line.heading)}** {escape(line.plain)}: {escape(line.about)}"
    yield ""
    yield "↑ higher is better, ↓ lower is better; [95 % interval over queries]."
