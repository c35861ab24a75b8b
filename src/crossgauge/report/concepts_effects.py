"""What changed queries do to concept measures, in words: before, after, and the paired difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crossgauge.concept_study import ConceptCell
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.result import Intervention, ScoreRow

TITLE = "What a changed query does to concepts"
RULE = (
    "over all first pictures of the changed queries, right ones too, before and after the change, each "
    "against the right picture of the query as it was; macro, over the queries that both sides define, so "
    "that every one is paired (CE is 0 where nothing is common); p is two-sided and exact over all "
    "choices of signs"
)


@dataclass(frozen=True, slots=True)
class ConceptEffect:
    """One intervention and measure."""

    name: str
    measure: str  # with unit and direction
    before: str
    after: str
    change: str  # "-22.0 [-41.3, -2.7]": in points where the measure is a percentage
    p: str
    compared: str  # queries that have a value on both sides
    changed: str  # "30 of 78"


def concept_effects(cell: ConceptCell) -> tuple[ConceptEffect, ...]:
    """The four main measures of each intervention, and the others where they have a value."""
    return tuple(_lines(cell))


def _lines(cell: ConceptCell) -> Iterator[ConceptEffect]:
    known = {row.measure: row for row in cell.scores}
    for row in cell.interventions:
        score = known.get(row.measure)
        if score is not None and (row.measure in words.MAIN or row.n):
            yield _line(row, score)


def _line(row: Intervention, score: ScoreRow) -> ConceptEffect:
    return ConceptEffect(
        name=row.name,
        measure=words.heading(score),
        before=words.mean_text(row.before, row.measure, score.unit),
        after=words.mean_text(row.after, row.measure, score.unit),
        change=_change(row, score.unit),
        p=wording.p_value(row.p),
        compared=f"{row.n:,}",
        changed=f"{row.changed:,} of {row.changed + sum(row.unchanged.values()):,}",
    )


def _change(row: Intervention, unit: str) -> str:
    if row.delta is None:
        return wording.UNDEFINED
    ends = [] if row.low is None or row.high is None else [row.low, row.high]
    shown = [wording.signed(words.mean_text(end, row.measure, unit)) for end in (row.delta, *ends)]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]" if ends else shown[0]
