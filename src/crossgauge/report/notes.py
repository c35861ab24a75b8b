"""The notes below a table: why a number is not simply a number. Equal notes are printed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.result import Result, ScoreRow

_FLAGS = {"k>=gallery": "k is not smaller than the gallery: every answered query gets 1"}


@dataclass(frozen=True, slots=True)
class Remark:
    """A score that may need a note: whose it is, what its line is called, and the numbers."""

    owner: str
    label: str
    row: ScoreRow


@dataclass(frozen=True, slots=True)
class Note:
    """One numbered note; ``where`` lists counts with the lines they belong to."""

    number: int
    text: str
    where: tuple[str, ...] = ()  # "3 of 300 (de, fr)"

    def __str__(self) -> str:
        return f"{self.text}: {'; '.join(self.where)}" if self.where else self.text


def collect(remarks: Iterable[Remark]) -> tuple[tuple[Note, ...], dict[tuple[str, str], tuple[int, ...]]]:
    """All notes, numbered in order of appearance, and which apply to each (owner, measure)."""
    numbers: dict[str, int] = {}
    where: dict[str, dict[str, dict[str, None]]] = {}  # text → count → labels, in order
    applies: dict[tuple[str, str], tuple[int, ...]] = {}
    labels: dict[str, None] = {}
    for remark in remarks:
        labels[remark.label] = None
        for text, count in _texts(remark.row):
            number = numbers.setdefault(text, len(numbers) + 1)
            where.setdefault(text, {}).setdefault(count, {})[remark.label] = None
            key = remark.owner, remark.row.measure
            applies[key] = (*applies.get(key, ()), number)
    notes = tuple(Note(number, text, places(where[text], len(labels))) for text, number in numbers.items())
    return notes, applies


def places(counts: Mapping[str, Mapping[str, None]], everywhere: int) -> tuple[str, ...]:
    """``3 of 300 (de, fr)``; just the count where it holds for every line."""
    return tuple(
        count if len(labels) == everywhere else f"{count} ({', '.join(labels)})"
        for count, labels in counts.items()
        if count
    )


def warnings(result: Result) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every distinct warning with the cells that gave it; those of the data audit first, with none."""
    found: dict[str, list[str]] = {text: [] for text in result.audit}
    for cell in result.cells:
        for text in cell.warnings:
            found.setdefault(text, []).append(cell.key)
    return tuple((text, tuple(cells)) for text, cells in found.items())


def _texts(row: ScoreRow) -> Iterable[tuple[str, str]]:
    """What must be said about a score, with the count that goes with it."""
    for flag in row.flags:
        yield _FLAGS.get(flag, flag), ""
    if wording.without_interval(row):
        yield "no 95 % interval: too few independent queries (all in one cluster, or only one)", ""
    if row.n_missing:
        yield "queries without an answer, counted as misses", f"{row.n_missing} of {row.n}"
    if row.n_undefined:
        yield "queries that do not define it, left out", f"{row.n_undefined} of {row.n}"
