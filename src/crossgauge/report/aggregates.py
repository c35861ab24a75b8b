"""A benchmark's own numbers over several cells (GEM-I, AVG-3), with what papers print under the same name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from crossgauge.report import wording
from crossgauge.report.columns import column_of, columns_of, heading_of, unit_of
from crossgauge.report.crowned import winners
from crossgauge.report.lines import Column
from crossgauge.result import Aggregate, PublishedRow, Result

TITLE = "Over several cells"
_NAMED = 6  # missing cells that are named; more are counted


@dataclass(frozen=True, slots=True)
class Total:
    """One line: a system's aggregate, or a published number of the same name."""

    kind: Literal["aggregate", "published"]
    name: str  # the aggregate, or the published system
    measure: str  # with unit and direction: "mean recall % ↑"
    prompt: str
    system: str
    value: str
    words: str  # the rule, after what is missing; or the source
    partial: bool = False
    best: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """All aggregates of all systems, equal ones below one another."""

    lines: tuple[Total, ...]
    with_prompts: bool
    with_systems: bool


def totals(results: Sequence[Result]) -> Totals | None:
    """The table of aggregates; None when no benchmark made any."""
    lines = [line for block in _blocks(results) for line in block]
    if not lines:
        return None
    prompts = {line.prompt for line in lines if line.kind == "aggregate"}
    return Totals(tuple(lines), with_prompts=prompts != {"plain"}, with_systems=len(results) > 1)


def lacks(aggregate: Aggregate, *, named: int = _NAMED) -> str:
    """``lacks: QI.fr.plain, QI.de.plain and 4 more``; empty when nothing is missing."""
    return f"lacks: {wording.few(aggregate.missing, named)}" if aggregate.missing else ""


def _blocks(results: Sequence[Result]) -> Iterator[list[Total]]:
    """The lines of one name each: by prompt and rule, every system; then what is published."""
    known = columns_of(cell for result in results for cell in result.cells)
    every = [(result, one) for result in results for one in result.aggregates]
    for name in dict.fromkeys(one.name for _, one in every):
        same = [(result, one) for result, one in every if one.name == name]
        block: list[Total] = []
        for kind in dict.fromkeys(_kind(one) for _, one in same):
            members = [(result, one) for result, one in same if _kind(one) == kind]
            block += _compared(members, column_of(members[0][1].measure, known))
        yield block + list(_published(name, results[0], known))


def _kind(one: Aggregate) -> tuple[str, str, str]:
    """Only aggregates of one measure, prompt and rule stand under one another."""
    return one.measure, one.prompt, one.rule


def _compared(members: Sequence[tuple[Result, Aggregate]], column: Column | None) -> list[Total]:
    lines = [_line(result, one, column) for result, one in members]
    cells = {one.cells for _, one in members}
    if column is None or len(cells) > 1:
        return lines  # which way is better is not known, or they are made from different cells
    held = {p: line.value for p, line in enumerate(lines) if not line.partial}
    best = winners(held, higher_is_better=column.higher_is_better)
    return [replace(line, best=position in best) for position, line in enumerate(lines)]


def _line(result: Result, one: Aggregate, column: Column | None) -> Total:
    return Total(
        kind="aggregate",
        name=one.name,
        measure=heading_of(one.measure, one.value, column),
        prompt=one.prompt,
        system=wording.system(result),
        value=wording.number(one.value, unit_of(one.value, column)),
        words="; ".join(part for part in (lacks(one), one.rule) if part),
        partial=bool(result.partial),
    )


def _published(name: str, result: Result, known: dict[str, Column]) -> Iterator[Total]:
    for row in result.published:
        if row.task == name:
            column = column_of(row.measure, known)
            yield Total(
                kind="published",
                name=row.system,
                measure=heading_of(row.measure, row.value, column),
                prompt="",
                system="",
                value=wording.number(row.value, unit_of(row.value, column)),
                words=f"published, not measured here: {_source(row)}",
            )


def _source(row: PublishedRow) -> str:
    return f"{row.source} ({row.note})" if row.note else row.source
