"""MMMEB's two averages, each read in both ways that "the average over tasks" can be.

The paper prints AVG-3 over the tasks that every model can do (I2T, T2I, C) and AVG over all five. How the two
data sets of I2T and T2I and the languages enter is not written where we could read it, so both readings are
given by name, for each format by itself: the best of several formats is nobody's score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from crossgauge.benchmarks.mmmeb.data import kind
from crossgauge.result import Aggregate, CellResult

MEASURE = "p@1"
AVERAGES = {
    "AVG-3": ("i2t-xm", "i2t-xtd", "t2i-xm", "t2i-xtd", "c"),
    "AVG": ("i2t-xm", "i2t-xtd", "t2i-xm", "t2i-xtd", "c", "vqa", "vg"),
}


def averages(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """Both averages in both readings for each format that was run; without one of its tasks there is none."""
    prompts = dict.fromkeys(cell.prompt for cell in cells)
    return tuple(
        one
        for prompt in prompts
        for name, tasks in AVERAGES.items()
        for one in _both(
            name, [cell for cell in cells if cell.prompt == prompt and cell.task in tasks], prompt
        )
    )


def _both(name: str, cells: Sequence[CellResult], prompt: str) -> Iterator[Aggregate]:
    values = {cell.key: _value(cell) for cell in cells}
    missing = [task for task in AVERAGES[name] if task not in {cell.task for cell in cells}]
    missing += [key for key, value in values.items() if value is None]
    known = {key: value for key, value in values.items() if value is not None}
    kinds: dict[str, list[float]] = {}
    for cell in cells:
        if cell.key in known:
            kinds.setdefault(kind(cell.task), []).append(known[cell.key])
    counts = ", ".join(f"{one} {len(of)}" for one, of in kinds.items())
    spoken = ", ".join(sorted({cell.language for cell in cells}))
    what = f"files (data set × language): {counts}; in {spoken}"
    readings = (
        ("mean of tasks", [fmean(of) for of in kinds.values()],
         f"mean of {len(kinds)} tasks, each the mean of its {what}"),
        ("mean of files", list(known.values()),
         f"mean of {len(known)} {what}"),
    )  # fmt: skip
    for reading, of, rule in readings:
        yield Aggregate(
            name=f"{name} ({reading})",
            measure=MEASURE,
            value=None if missing else fmean(of),
            rule=rule,
            cells=tuple(values),
            missing=tuple(missing),
            prompt=prompt,
        )


def _value(cell: CellResult) -> float | None:
    return next((row.value for row in cell.scores if row.measure == MEASURE), None)
