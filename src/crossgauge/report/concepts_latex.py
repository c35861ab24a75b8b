r"""A concept study as LaTeX tables, no wider than a line: measures and the checklist of each cell."""

from __future__ import annotations

from collections.abc import Iterator

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_effects, side_by_side, wording
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_effects import ConceptEffect
from crossgauge.report.concepts_tables import CellTables, MeasureLine, cell_tables, head
from crossgauge.report.latex_text import SIGNS, escape, fitted, opened, row
from crossgauge.report.side_by_side import SideBySide

_HEADS = ("measure", "macro", "micro", "judged", "undefined")


def study_tables(study: ConceptStudy) -> Iterator[str]:
    """One table environment a cell."""
    for table in cell_tables(study):
        yield from _cell(study, table)
        if table.effects:
            yield from _effects(study, table)


def side_by_side_table(both: SideBySide) -> Iterator[str]:
    """The table of ranking and concept measures, a line a model; the best of competing ones is bold."""
    caption = f"{side_by_side.TITLE}. {' '.join(f'{escape(_sentence(note))}.' for note in both.notes)}"
    columns = "l" * both.texts + "r" * (len(both.heads) - both.texts)
    rows = (
        row([*map(escape, line[: both.texts]), *_values(both, position)])
        for position, line in enumerate(both.rows)
    )
    yield from opened(caption)
    yield from fitted(columns, [escape(head) for head in both.heads], rows)
    yield r"\end{table}"


def _values(both: SideBySide, position: int) -> Iterator[str]:
    for column, value in enumerate(both.rows[position][both.texts :], start=both.texts):
        shown = value.translate(SIGNS)
        yield rf"\textbf{{{shown}}}" if (position, column) in both.best else shown


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]


def _cell(study: ConceptStudy, table: CellTables) -> Iterator[str]:
    yield from opened(_caption(study, table))
    yield from fitted("l" + "r" * (len(_HEADS) - 1), _HEADS, map(_measure, table.measures))
    if table.totals:
        totals = (row([escape(what), total.translate(SIGNS)]) for what, total in table.totals)
        yield r"  \par\medskip"
        yield from fitted(r"p{.65\linewidth}r", (), totals)
    if table.signature:
        yield f"  % {wording.visible(table.signature)}"  # a comment, to be copied as it is
    yield from (rf"  \par\footnotesize Note: {escape(note)}." for note in table.notes)
    yield r"\end{table}"


def _measure(one: MeasureLine) -> str:
    pairs = ((one.macro, one.macro_interval), (one.micro, one.micro_interval))
    values = [
        value.translate(SIGNS) + (rf" {{\scriptsize {around.translate(SIGNS)}}}" if around else "")
        for value, around in pairs
    ]
    return row([escape(one.heading), *values, one.judged, one.undefined])


def _effects(study: ConceptStudy, table: CellTables) -> Iterator[str]:
    caption = f"{_warning(study)}{escape(table.title)}: {escape(concepts_effects.TITLE.lower())}."
    heads = ("intervention", "measure", "before", "after", "change", "p", "compared", "queries changed")
    yield from opened(caption)
    yield from fitted("llrrrrrr", heads, map(_effect, table.effects))
    yield rf"  \par\footnotesize Note: {escape(concepts_effects.RULE)}."
    yield r"\end{table}"


def _effect(one: ConceptEffect) -> str:
    numbers = (one.before, one.after, one.change, one.p, one.compared, one.changed)
    return row([escape(one.name), escape(one.measure), *(number.translate(SIGNS) for number in numbers)])


def _caption(study: ConceptStudy, table: CellTables) -> str:
    told = ". ".join(escape(line) for line in (*head(study), table.coverage))
    return rf"{_warning(study)}{escape(table.title)}: {told}. In brackets: 95\,\% interval over queries."


def _warning(study: ConceptStudy) -> str:
    loud = [*words.partial_lines(study.audit), *([words.PREDICTED] if study.predicted else [])]
    return "".join(rf"\textbf{{{escape(line)}.}} " for line in loud)
