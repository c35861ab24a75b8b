"""A concept study on a terminal, or as plain text: what was studied, the measures, the checklist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TextIO

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_tables import CellTables, MeasureLine, cell_tables, head
from crossgauge.report.screen import Head, Row, Screen, write_fitting

_WARNINGS = 12  # that are printed


def show_study(study: ConceptStudy, *, plain: bool = False, stream: TextIO | None = None) -> None:
    """Write the study to standard output (or a stream) as fits it (see write_fitting)."""
    write_fitting(partial(study_text, study), stream, plain=plain)


def study_text(
    study: ConceptStudy,
    *,
    console_width: int | None = None,
    color: bool = False,
    plain: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The study as lines of text.

    Arguments:
        study: what to show.
        console_width: columns at hand; None for a file or a pipe: nothing limits.
        color: use ANSI styles.
        plain: our signs in ASCII, no colour, no drawn lines; texts of data stay as they are.
        encoding: of where it is written: with plain, what it cannot hold is written as an escape.
    """
    screen = Screen.of(width=console_width, color=color, codec=encoding if plain else None)
    for number, line in enumerate(head(study)):
        screen.say(line, "" if number else "bold")
    if study.predicted:
        screen.say(f"{words.PREDICTED}.", "bold yellow")
    tables = cell_tables(study)
    for table in tables:
        _draw(screen, table)
    screen.say("")
    for line in _foot(study, tables):
        screen.say(line, "yellow" if line.startswith("warning") else "dim")
    return screen.text()


def _draw(screen: Screen, table: CellTables) -> None:
    screen.say("")
    screen.say(f"{table.title} · {table.coverage}", "bold")
    heads = [Head("measure"), Head("macro", right=True), Head("95 %"), Head("micro", right=True)]
    heads += [Head("95 %"), Head("judged", right=True), Head("undefined", right=True)]
    screen.draw_folded(heads, [Row([one.heading, *_values(one)]) for one in table.measures])
    for note in table.notes:
        screen.say(f"note: {note}", "dim")
    if table.totals:
        screen.say("")
        screen.say(f"Checklist · {table.title}", "bold")
        rows = [Row([total, what]) for what, total in table.totals]
        screen.draw_folded([Head("total", right=True), Head("what")], rows)


def _values(one: MeasureLine) -> Sequence[str]:
    return one.macro, one.macro_interval, one.micro, one.micro_interval, one.judged, one.undefined


def _foot(study: ConceptStudy, tables: tuple[CellTables, ...]) -> Iterator[str]:
    for text in study.audit[:_WARNINGS]:
        yield f"warning {text}"
    if len(study.audit) > _WARNINGS:
        yield f"warning … and {len(study.audit) - _WARNINGS} more: concepts.json has them all"
    explained = {line.measure: line for table in tables for line in table.measures if line.about}
    for line in explained.values():
        yield f"{line.heading} {line.plain}: {line.about}"
    yield "↑ higher is better, ↓ lower is better · [95 % interval over queries]"
    for table in {table.signature: table for table in tables}.values():
        more = f" (and {table.signatures - 1} more in concepts.json)" if table.signatures > 1 else ""
        if table.signature:
            yield f"signature {table.signature}{more}"
