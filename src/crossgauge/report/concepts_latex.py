r"""A concept study as LaTeX tables: measures and the checklist of each cell."""

from __future__ import annotations

from collections.abc import Iterator

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.report.concepts_tables import CellTables, cell_tables, head
from crossgauge.report.latex_text import CLOSED, SIGNS, escape, opened, row

_HEADS = ("measure", "macro", r"95\,\%", "micro", r"95\,\%", "judged", "undefined")


def study_tables(study: ConceptStudy) -> Iterator[str]:
    """One table environment a cell."""
    for table in cell_tables(study):
        yield from _cell(study, table)


def _cell(study: ConceptStudy, table: CellTables) -> Iterator[str]:
    yield from opened(_caption(study, table), "l" + "r" * (len(_HEADS) - 1), _HEADS)
    for one in table.measures:
        values = (one.macro, one.macro_interval, one.micro, one.micro_interval, one.judged, one.undefined)
        yield row([escape(one.heading), *(value.translate(SIGNS) for value in values)])
    if table.totals:
        yield r"    \midrule"
        for what, total in table.totals:
            yield row([rf"\multicolumn{{{len(_HEADS) - 1}}}{{l}}{{{escape(what)}}}", total.translate(SIGNS)])
    yield from CLOSED
    if table.signature:
        yield f"  % {wording.visible(table.signature)}"  # a comment, to be copied as it is
    yield from (rf"  \par\footnotesize Note: {escape(note)}." for note in table.notes)
    yield r"\end{table}"


def _caption(study: ConceptStudy, table: CellTables) -> str:
    partial = [line for line in study.audit if line.startswith("PARTIAL")]
    loud = [*partial, *([words.PREDICTED] if study.predicted else [])]
    warning = "".join(rf"\textbf{{{escape(line)}.}} " for line in loud)
    told = ". ".join(escape(line) for line in (*head(study), table.coverage))
    return rf"{warning}{escape(table.title)}: {told}. In brackets: 95\,\% interval over queries."
