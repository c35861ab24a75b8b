"""The lines and columns of a CSV file about changed queries, and about concepts of pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crossgauge.concept_study import ConceptCell, ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report.csv_parts import Known, Value, kind_of
from crossgauge.report.side_by_side import CONCEPTS, RANKING, Model
from crossgauge.result import Intervention, Result, ScoreRow

WIDE = (*RANKING, *CONCEPTS, "pairs_judged")  # of a line a model
CHANGED = ("intervention", "before", "after", "p", "changed", "unchanged", "seed")


def interventions(result: Result, known: Known) -> Iterator[dict[str, Value]]:
    """One line an intervention, cell and measure; ``value`` is the paired change over the changed queries."""
    cells = {cell.key: cell for cell in result.cells}
    for one in result.interventions:
        cell = cells.get(one.cell)
        if cell is not None:
            yield {
                **_change(one),
                "row": "intervention",
                "task": cell.task,
                "language": cell.language,
                "prompt": cell.prompt,
                "template": cell.template,
                "gallery": cell.gallery,
                **kind_of(one.measure, one.before, known),
            }


def _change(one: Intervention) -> dict[str, Value]:
    return {
        "row": "concept intervention",
        "measure": one.measure,
        "value": one.delta,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "signature": one.signature,
        "intervention": one.name,
        "before": one.before,
        "after": one.after,
        "p": one.p,
        "changed": one.changed,
        "unchanged": "; ".join(f"{reason}: {count}" for reason, count in one.unchanged.items()),
        "seed": one.seed,
    }


def concepts(study: ConceptStudy) -> Iterator[dict[str, Value]]:
    """One line a concept measure and cell, one a change, then one a total of the checklist (and mode)."""
    variant = words.each_setting(study.settings).get("variant", "")
    for cell in study.cells:
        place = _place(study, cell)
        yield from (place | _score(row) for row in cell.scores)
        units = {row.measure: _kind(row) for row in cell.scores}
        yield from (place | _change(row) | units.get(row.measure, {}) for row in cell.interventions)
        for name, value in cell.totals.items():
            total: dict[str, Value] = {"row": "concept total", "measure": name, "n": cell.pairs}
            total["flags"] = words.scope(name, variant)
            modes = cell.modes.get(name)
            if modes is None:
                yield place | total | {"value": value}
                continue
            times = {"flags": f"times:{modes.times}"}
            yield from (place | total | times | {"value": mode} for mode in modes.values)  # a line each


def side_by_side(lines: Sequence[Model]) -> Iterator[dict[str, Value]]:
    """One line a cell and model: its ranking and its concept measures in columns of their own."""
    for line in lines:
        task, _, rest = line.key.partition(".")
        scores = {name: row.value for name, row in line.scores.items() if name in WIDE}
        result = line.source.result
        yield {
            "row": "side by side",
            "benchmark": result.benchmark,
            "benchmark_version": result.benchmark_version,
            "system": result.model,
            "revision": result.model_revision,
            "partial": "; ".join(result.partial),
            "task": task,
            "language": line.cell.language if line.cell else rest.partition(".")[0],
            "prompt": rest.partition(".")[2],
            "pairs_judged": None if line.concepts is None else line.concepts.pairs,
            **scores,
        }


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
        for name in ("measure", "value", "low", "high", "n", "n_undefined", "n_missing", "signature")
    }
    return {"row": "concept", **numbers, **_kind(row), "flags": "; ".join(row.flags)}


def _kind(row: ScoreRow) -> dict[str, Value]:
    return {"unit": row.unit, "direction": "higher" if row.higher_is_better else "lower"}
