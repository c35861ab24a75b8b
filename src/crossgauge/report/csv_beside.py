"""The lines and columns of a CSV file about changed queries, and about concepts of pictures."""

from __future__ import annotations

from collections.abc import Iterator

from crossgauge.concept_study import ConceptCell, ConceptStudy
from crossgauge.report.csv_parts import Known, Value, kind_of
from crossgauge.result import Result, ScoreRow

CHANGED = ("intervention", "before", "after", "changed", "unchanged", "seed")


def interventions(result: Result, known: Known) -> Iterator[dict[str, Value]]:
    """One line an intervention, cell and measure; ``value`` is the paired change over the changed queries."""
    cells = {cell.key: cell for cell in result.cells}
    for one in result.interventions:
        cell = cells.get(one.cell)
        if cell is not None:
            yield {
                "row": "intervention",
                "task": cell.task,
                "language": cell.language,
                "prompt": cell.prompt,
                "template": cell.template,
                "measure": one.measure,
                "value": one.delta,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "gallery": cell.gallery,
                "signature": one.signature,
                "intervention": one.name,
                "before": one.before,
                "after": one.after,
                "changed": one.changed,
                "unchanged": "; ".join(f"{reason}: {count}" for reason, count in one.unchanged.items()),
                "seed": one.seed,
                **kind_of(one.measure, one.before, known),
            }


def concepts(study: ConceptStudy) -> Iterator[dict[str, Value]]:
    """One line a concept measure and cell, then one a total of the checklist."""
    for cell in study.cells:
        place = _place(study, cell)
        yield from (place | _score(row) for row in cell.scores)
        for name, value in cell.totals.items():
            yield place | {"row": "concept total", "measure": name, "value": value, "n": cell.pairs}


def _place(study: ConceptStudy, cell: ConceptCell) -> dict[str, Value]:
    task, _, rest = cell.key.partition(".")
    return {
        "task": task,
        "language": cell.language,
        "prompt": rest.partition(".")[2],
        "queries": cell.queries,
        "source": study.annotations,
    }


def _score(row: ScoreRow) -> dict[str, Value]:
    numbers: dict[str, Value] = {
        name: getattr(row, name)
        for name in ("measure", "unit", "value", "low", "high", "n", "n_undefined", "n_missing", "signature")
    }
    direction = "higher" if row.higher_is_better else "lower"
    return {"row": "concept", **numbers, "direction": direction, "flags": "; ".join(row.flags)}
