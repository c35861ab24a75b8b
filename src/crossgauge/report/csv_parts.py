"""The lines and columns of a CSV file that only some results have: draws, official scorers, aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from crossgauge.report import sizes
from crossgauge.report.columns import column_of, unit_of
from crossgauge.report.lines import Column
from crossgauge.result import CellResult, Result, ScoreRow

Value: TypeAlias = str | int | float | None
Known: TypeAlias = Mapping[str, Column]

MORE = (
    "kind", "draws", "sd", "draw_values", "candidates_min", "candidates_max", "profile", "flips", "flipped",
    "lacks", "note",
)  # fmt: skip


def has_parts(result: Result) -> bool:
    """Whether anything in it needs these columns."""
    parts = (result.aggregates, result.prompts, result.not_applicable)
    return any(parts) or any(
        cell.profiles or cell.kind == "captioning" or sizes.choosy(cell) for cell in result.cells
    )


def beside(cell: CellResult, row: ScoreRow) -> dict[str, Value]:
    """More about one score: its draws, and how many competed for a query (empty where it is the gallery)."""
    least, most = cell.candidates
    return {
        "kind": cell.kind,
        "draws": cell.draws or None,
        "sd": row.sd,
        "draw_values": " ".join("" if one is None else repr(one) for one in row.draws),
        "candidates_min": least or None,
        "candidates_max": most or None,
    }


def profiles(cell: CellResult, known: Known) -> Iterator[dict[str, Value]]:
    """One line a number of an official scorer."""
    for profile in cell.profiles:
        for measure, value in profile.values.items():
            yield {
                "row": "profile",
                "kind": cell.kind,
                "task": cell.task,
                "language": cell.language,
                "prompt": cell.prompt,
                "template": cell.template,
                "measure": measure,
                "value": value,
                "profile": profile.profile,
                "note": "; ".join((profile.fault.rstrip("."), *profile.notes)),
                "signature": profile.signature,
                **kind_of(measure, value, known),
            }


def spreads(result: Result, known: Known) -> Iterator[dict[str, Value]]:
    """One line a task and language with several formats."""
    for spread in result.prompts:
        if len(spread.values) > 1:
            largest = max((one for one in spread.values.values() if one is not None), default=None)
            yield {
                "row": "spread",
                "task": spread.task,
                "language": spread.language,
                "prompt": " ".join(spread.values),
                "measure": spread.measure,
                "value": spread.spread,
                "flips": spread.flips,
                "flipped": " ".join(spread.flipped),
                **kind_of(spread.measure, largest, known),
            }


def aggregates(result: Result, known: Known) -> Iterator[dict[str, Value]]:
    """One line an aggregate; ``task`` holds its name."""
    for one in result.aggregates:
        yield {
            "row": "aggregate",
            "task": one.name,
            "prompt": one.prompt,
            "measure": one.measure,
            "value": one.value,
            "lacks": " ".join(one.missing),
            "note": one.rule,
            **kind_of(one.measure, one.value, known),
        }


def unable(result: Result) -> Iterator[dict[str, Value]]:
    """One line a task that does not apply, without a value."""
    for one in result.not_applicable:
        yield {"row": "n/a", "task": one.task, "note": one.reason}


def kind_of(measure: str, value: float | None, known: Known) -> dict[str, Value]:
    """Unit and direction of a number; without a direction when nobody knows the measure."""
    column = column_of(measure, known)
    if column is None:
        return {"unit": unit_of(value, None)}
    return {"unit": column.unit, "direction": "higher" if column.higher_is_better else "lower"}
