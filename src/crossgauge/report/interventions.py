"""What a changed query does: each intervention's effect on the primary measure, and what it left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.report.columns import column_of, columns_of, heading_of, unit_of
from crossgauge.result import CellResult, Intervention, Result

TITLE = "What a changed query does"
RULE = (
    "changed queries are ranked in the same gallery, and right is what was right before, so a model that "
    "reads the change loses; before and after are over the changed queries alone, the change is paired; p is "
    "two-sided and exact over all choices of signs, for hits McNemar's"
)
_NAMED = 4  # reasons that are named


@dataclass(frozen=True, slots=True)
class Effect:
    """One intervention in one cell of one system."""

    task: str
    title: str
    language: str
    prompt: str
    system: str
    name: str
    measure: str  # with unit and direction
    before: str
    after: str
    change: str  # "-11.0 [-16.8, -5.2]": in points where the measure is a percentage
    p: str  # "0.013", "3.2e-09"
    changed: str  # "155 of 291"
    partial: bool


@dataclass(frozen=True, slots=True)
class Effects:
    """All of them in the order they were run; notes say what was left alone."""

    lines: tuple[Effect, ...]
    notes: tuple[str, ...]
    with_prompts: bool
    with_systems: bool


def effects(results: Sequence[Result]) -> Effects | None:
    """The table of interventions; None when there were none."""
    if not any(result.interventions for result in results):
        return None
    lines = tuple(line for result in results for line in _lines(result))
    return Effects(
        lines,
        tuple(dict.fromkeys(note for result in results for note in _notes(result))),
        with_prompts=len({line.prompt for line in lines}) > 1,
        with_systems=len(results) > 1,
    )


def _lines(result: Result) -> Iterator[Effect]:
    """The primary measure of each cell and intervention that changed something."""
    cells = {cell.key: cell for cell in result.cells}
    for row in _primary(result):
        if row.changed and row.cell in cells:
            yield _line(result, row, cells[row.cell])


def _primary(result: Result) -> Sequence[Intervention]:
    first: dict[tuple[str, str], Intervention] = {}
    for row in result.interventions:
        first.setdefault((row.cell, row.name), row)
    return tuple(first.values())


def _line(result: Result, row: Intervention, cell: CellResult) -> Effect:
    column = column_of(row.measure, columns_of([cell]))
    unit = unit_of(row.before, column)
    return Effect(
        task=cell.task,
        title=cell.title,
        language=cell.language,
        prompt=cell.prompt,
        system=wording.system(result),
        name=row.name,
        measure=heading_of(row.measure, row.before, column),
        before=wording.number(row.before, unit),
        after=wording.number(row.after, unit),
        change=wording.change_text(row.delta, row.low, row.high, unit),
        p=wording.p_value(row.p),
        changed=f"{row.changed} of {row.changed + sum(row.unchanged.values())}",
        partial=bool(result.partial),
    )


def _notes(result: Result) -> Iterator[str]:
    """Why interventions left queries alone, most frequent first; and the tasks that do not ask in words."""
    for name in dict.fromkeys(row.name for row in result.interventions):
        reasons: Counter[str] = Counter()
        for row in _primary(result):
            if row.name == name:
                reasons.update(row.unchanged)
        frequent = sorted(reasons, key=lambda reason: (-reasons[reason], reason))
        said = [f"{reason} ({reasons[reason]})" for reason in frequent[:_NAMED]]
        more = [f"{len(frequent) - _NAMED} more reasons"] if len(frequent) > _NAMED else []
        if said:
            yield f"{name} left queries alone: {', '.join(said + more)}"
    for task in result.untouched:
        yield f"no intervention on {task.title} ({task.task}): {task.reason}"
