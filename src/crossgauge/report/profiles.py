"""What official scorers say about a cell: lines of their own below it, and notes on what they do wrong.

They never compete: their numbers keep other rules than ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.report.columns import column_of, unit_of
from crossgauge.report.lines import Column, Entry, Line
from crossgauge.report.notes import Note, places
from crossgauge.result import CellResult, ProfileRow, Result


@dataclass(frozen=True, slots=True)
class Scored:
    """One cell of one system, with what its line is called in a note."""

    result: Result
    cell: CellResult
    label: str  # "en/plain conse@1f3a9c"


def profile_notes(scored: Sequence[Scored], columns: Sequence[Column], *, after: int) -> tuple[Note, ...]:
    """One note a scorer, numbered on from ``after``: what it does differently, and what it did here."""
    said: dict[str, dict[str, dict[str, None]]] = {}  # text → what it did → labels, in order
    everywhere: dict[str, set[str]] = {}
    for one in scored:
        for row in one.cell.profiles:
            text = _text(row)
            everywhere.setdefault(text, set()).add(one.label)
            did = said.setdefault(text, {})
            for note in (*row.notes, *_besides(row, columns)):
                did.setdefault(note, {})[one.label] = None
    return tuple(
        Note(number, text, places(did, len(everywhere[text])))
        for number, (text, did) in enumerate(said.items(), after + 1)
    )


def profile_lines(
    one: Scored, columns: Sequence[Column], notes: Sequence[Note], order: Sequence[str]
) -> Iterable[Line]:
    """A line an official scorer of the cell, in one order for all cells."""
    units = {column.measure: column.unit for column in columns}
    numbers = {note.text: note.number for note in notes}
    for row in sorted(one.cell.profiles, key=lambda row: order.index(row.profile)):
        yield Line(
            kind="profile",
            name=row.profile,
            prompt=one.cell.prompt,
            system=wording.system(one.result),
            entries={
                measure: Entry(wording.number(value, units[measure]))
                for measure, value in row.values.items()
                if measure in units
            },
            partial=bool(one.result.partial),
            notes=(numbers[_text(row)],),
        )


def _text(row: ProfileRow) -> str:
    return f"official scorer {row.profile}, not our rules: {row.fault.rstrip('.')}"


def _besides(row: ProfileRow, columns: Sequence[Column]) -> Iterable[str]:
    """Its values under names that we have no column for."""
    ours = {column.measure for column in columns}
    for measure, value in row.values.items():
        if measure not in ours:
            unit = unit_of(value, column_of(measure, {}))
            yield f"it also prints {measure} {wording.number(value, unit)}" + " %" * (unit == "fraction")
