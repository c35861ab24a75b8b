"""A concept study on a terminal, or as plain text: what was studied, the measures, the checklist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TextIO

from crossgauge.concept_study import ConceptStudy
from crossgauge.report import concepts_effects, side_by_side
from crossgauge.report import concepts_words as words
from crossgauge.report.concepts_tables import CellTables, MeasureLine, cell_tables, head
from crossgauge.report.screen import Head, Row, Screen, write_fitting
from crossgauge.report.side_by_side import SideBySide

_WARNINGS = 12  # that are printed


def show_study(
    study: ConceptStudy,
    *,
    both: SideBySide | None = None,
    plain: bool = False,
    stream: TextIO | None = None,
) -> None:
    """Write the study to standard output (or a stream) as fits it (see write_fitting)."""
    write_fitting(partial(study_text, study, both=both), stream, plain=plain)


def show_summary(study: ConceptStudy, both: SideBySide | None, *, plain: bool = False) -> None:
    """Write the tables that stand beside those of a run: both kinds of measures, and what changes did."""
    write_fitting(partial(_summary, study, both), None, plain=plain)


def _summary(
    study: ConceptStudy,
    both: SideBySide | None,
    *,
    console_width: int | None = None,
    color: bool = False,
    plain: bool = False,
    encoding: str = "utf-8",
) -> str:
    screen = Screen.of(width=console_width, color=color, codec=encoding if plain else None)
    if both is not None:
        _draw_both(screen, both)
    for table in cell_tables(study):
        if table.effects:
            _draw_effects(screen, table)
    screen.say("")
    return screen.text()


def study_text(
    study: ConceptStudy,
    *,
    both: SideBySide | None = None,
    console_width: int | None = None,
    color: bool = False,
    plain: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The study as lines of text.

    Arguments:
        study: what to show.
        both: the line that puts it beside the ranking; None: there is none.
        console_width: columns at hand; None for a file or a pipe: nothing limits.
        color: use ANSI styles.
        plain: our signs in ASCII, no colour, no drawn lines; texts of data stay as they are.
        encoding: of where it is written: with plain, what it cannot hold is written as an escape.
    """
    screen = Screen.of(width=console_width, color=color, codec=encoding if plain else None)
    for number, line in enumerate(head(study)):
        screen.say(line, "" if number else "bold")
    for line in words.partial_lines(study.audit):
        screen.say(f"{line}.", "bold yellow")
    if study.predicted:
        screen.say(f"{words.PREDICTED}.", "bold yellow")
    if both is not None:
        _draw_both(screen, both)
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
    if table.effects:
        _draw_effects(screen, table)


def _draw_both(screen: Screen, both: SideBySide) -> None:
    screen.say("")
    screen.say(side_by_side.TITLE, "bold")
    heads = [Head(name, right=at >= both.texts) for at, name in enumerate(both.heads)]
    screen.draw_folded(heads, [Row(row) for row in both.rows])
    for note in both.notes:
        screen.say(f"note: {note}", "dim")


def _draw_effects(screen: Screen, table: CellTables) -> None:
    screen.say("")
    screen.say(f"{concepts_effects.TITLE} · {table.title}", "bold")
    heads = [Head("intervention"), Head("measure"), Head("before", right=True), Head("after", right=True)]
    heads += [Head("change"), Head("p", right=True), Head("compared", right=True), Head("queries changed")]
    rows = [
        Row([one.name, one.measure, one.before, one.after, one.change, one.p, one.compared, one.changed])
        for one in table.effects
    ]
    screen.draw_folded(heads, rows)
    screen.say(f"note: {concepts_effects.RULE}", "dim")


def _values(one: MeasureLine) -> Sequence[str]:
    return one.macro, one.macro_interval, one.micro, one.micro_interval, one.judged, one.undefined


def _foot(study: ConceptStudy, tables: tuple[CellTables, ...]) -> Iterator[str]:
    warnings = words.warning_lines(study.audit)
    for text in warnings[:_WARNINGS]:
        yield f"warning {text}"
    if len(warnings) > _WARNINGS:
        yield f"warning … and {len(warnings) - _WARNINGS} more: concepts.json has them all"
    explained = {line.measure: line for table in tables for line in table.measures if line.about}
    for line in explained.values():
        yield f"{line.heading} {line.plain}: {line.about}"
    yield "↑ higher is better, ↓ lower is better · [95 % interval over queries]"
    for table in {table.signature: table for table in tables}.values():
        more = f" (and {table.signatures - 1} more in concepts.json)" if table.signatures > 1 else ""
        if table.signature:
            yield f"signature {table.signature}{more}"
