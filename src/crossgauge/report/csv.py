"""Every number in full precision, one a line (RFC 4180): for spreadsheets, R and pandas.

The column ``row`` says what a line is: ``cell``, ``macro`` or ``micro`` (means over languages),
``published``; and, where a result has any, ``profile`` (an official scorer's number), ``spread`` (of prompt
formats), ``aggregate`` (over cells) or ``n/a`` (the task does not apply), whose columns
:data:`~crossgauge.report.csv_parts.MORE` come at the end; ``intervention`` (the change of a measure when
queries are changed, with :data:`~crossgauge.report.csv_beside.CHANGED`); ``concept``,
``concept intervention`` and ``concept total`` (a study: each of several modes has a line), and
``side by side`` (a line a cell and model, whose ranking and concept measures stand in the columns
:data:`~crossgauge.report.csv_beside.WIDE`). Nothing is cut. Texts are quoted, control characters in
them (but tabs and line ends) are escapes, and a text that a spreadsheet would run as a formula gets an
apostrophe in front; numbers, negative ones too, stay numbers. Undefined is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from crossgauge.report import wording
from crossgauge.report.columns import columns_of
from crossgauge.report.csv_beside import CHANGED, WIDE, concepts, interventions, side_by_side
from crossgauge.report.csv_parts import (
    MORE,
    Value,
    aggregates,
    beside,
    has_parts,
    kind_of,
    profiles,
    spreads,
    unable,
)
from crossgauge.report.side_by_side import models
from crossgauge.report.source import Source
from crossgauge.result import CellResult, Mean, Result, ScoreRow

COLUMNS = (
    "row", "benchmark", "benchmark_version", "system", "revision", "task", "language", "prompt", "template",
    "measure", "unit", "direction", "value", "low", "high", "chance", "optimistic", "pessimistic", "queries",
    "gallery", "n", "n_undefined", "n_missing", "n_tied", "flags", "partial", "source", "signature",
)  # fmt: skip
_RUN_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def render(sources: Sequence[Source]) -> str:
    """All sources below one another, with CRLF line ends as RFC 4180 asks."""
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    columns: tuple[str, ...] = (
        COLUMNS + MORE if any(has_parts(source.result) for source in sources) else COLUMNS
    )
    columns += CHANGED if any(map(_perturbed, sources)) else ()
    both = models(sources)
    columns += WIDE if both else ()
    writer.writerow(columns)
    for source in sources:
        for line in _measured(source):
            writer.writerow([harmless(line.get(name)) for name in columns])
    for line in side_by_side(both):
        writer.writerow([harmless(line.get(name)) for name in columns])
    published = {tuple(line.items()): line for source in sources for line in _published(source.result)}
    for line in published.values():
        writer.writerow([harmless(line.get(name)) for name in columns])
    return stream.getvalue()


def harmless(value: Value) -> Value:
    r"""The value; a text that a spreadsheet would run gets an apostrophe in front.

    >>> harmless("=1+1"), harmless(-1.5), harmless("eg\x1bmm")
    ("'=1+1", -1.5, 'eg\\x1bmm')
    """
    if not isinstance(value, str):
        return value
    shown = "".join(one if one in "\t\r\n" else wording.visible(one) for one in value)
    return f"'{shown}" if shown.lstrip(" ").startswith(_RUN_AS_FORMULA) else shown


def _measured(source: Source) -> Iterator[dict[str, Value]]:
    result, study = source.result, source.study()
    about: dict[str, Value] = {
        "benchmark": result.benchmark,
        "benchmark_version": result.benchmark_version,
        "system": result.model,
        "revision": result.model_revision,
        "partial": "; ".join(result.partial),
    }
    known = columns_of(result.cells)
    for cell in result.cells:
        yield from (about | _cell(cell, row) for row in cell.scores)
        yield from (about | line for line in profiles(cell, known))
    kinds = _kinds(result)
    for mean in result.means:
        yield from (about | line | kinds.get(mean.measure, {}) for line in _means(mean))
    parts = (
        spreads(result, known), interventions(result, known), aggregates(result, known), unable(result),
        () if study is None else concepts(study),
    )  # fmt: skip
    for part in parts:
        yield from (about | line for line in part)


def _perturbed(source: Source) -> bool:
    study = source.study()
    return bool(source.result.interventions or (study and any(cell.interventions for cell in study.cells)))


def _kinds(result: Result) -> dict[str, dict[str, Value]]:
    """Measure → unit and direction, from the scores that have it."""
    return {row.measure: _kind(row) for cell in result.cells for row in cell.scores}


def _kind(row: ScoreRow) -> dict[str, Value]:
    return {"unit": row.unit, "direction": "higher" if row.higher_is_better else "lower"}


def _cell(cell: CellResult, row: ScoreRow) -> dict[str, Value]:
    numbers: dict[str, Value] = {
        name: getattr(row, name)
        for name in ("value", "low", "high", "chance", "optimistic", "pessimistic",
                     "n", "n_undefined", "n_missing", "n_tied", "measure", "signature")
    }  # fmt: skip
    place: dict[str, Value] = {
        "row": "cell",
        "task": cell.task,
        "language": cell.language,
        "prompt": cell.prompt,
        "template": cell.template,
        "queries": cell.queries,
        "gallery": cell.gallery if cell.kind == "ranking" else None,
        "flags": "; ".join(row.flags),
    }
    return place | numbers | _kind(row) | beside(cell, row)


def _means(mean: Mean) -> Iterator[dict[str, Value]]:
    for kind, value in (("macro", mean.macro), ("micro", mean.micro)):
        yield {
            "row": kind,
            "task": mean.task,
            "language": " ".join(mean.languages),
            "prompt": mean.prompt,
            "measure": mean.measure,
            "value": value,
        }


def _published(result: Result) -> Iterator[dict[str, Value]]:
    kinds, known = _kinds(result), columns_of(result.cells)
    totals = {one.name for one in result.aggregates}
    for published in result.published:
        measure = published.measure
        told = kinds.get(measure, {})
        if published.task in totals:
            told = kind_of(measure, published.value, known)
        line: dict[str, Value] = {
            "row": "published",
            "benchmark": result.benchmark,
            "benchmark_version": result.benchmark_version,
            "system": published.system,
            "task": published.task,
            "measure": measure,
            "value": published.value,
            "source": f"{published.source} ({published.note})" if published.note else published.source,
        }
        yield line | told
