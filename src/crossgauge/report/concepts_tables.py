"""A concept study as tables, the same for every format: measures, the checklist, what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crossgauge.concept_study import ConceptCell, ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.report.concepts_effects import ConceptEffect, concept_effects
from crossgauge.result import ScoreRow


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure: its mean over queries, and the ratio of sums where it has one."""

    measure: str
    heading: str  # with unit and direction
    plain: str
    about: str
    macro: str
    macro_interval: str
    micro: str  # empty: there is none
    micro_interval: str
    judged: str  # queries; those left out because they were right are none of them
    undefined: str  # of the judged ones


@dataclass(frozen=True, slots=True)
class CellTables:
    """All numbers of one cell."""

    cell: ConceptCell
    title: str
    coverage: str  # "300 queries · 210 pairs judged · …"
    measures: tuple[MeasureLine, ...]
    notes: tuple[str, ...]
    totals: tuple[tuple[str, str], ...]  # what, how many
    effects: tuple[ConceptEffect, ...]  # of changed queries
    signature: str
    signatures: int


def cell_tables(study: ConceptStudy) -> tuple[CellTables, ...]:
    """One a cell, in their order."""
    return tuple(_tables(study, cell) for cell in study.cells)


def head(study: ConceptStudy) -> Iterator[str]:
    """What was studied, in lines; the first is the title."""
    yield (
        f"concepts · {study.source} · {study.model} · data {wording.short_data(study.data)} · "
        f"crossgauge {study.version}"
    )
    yield f"annotations {study.annotations} · hierarchy {study.hierarchy}"
    if study.settings:
        yield "settings " + ", ".join(f"{name}={value}" for name, value in sorted(study.settings.items()))
    if study.facts:
        yield "annotations read: " + ", ".join(
            f"{name} {value}" for name, value in sorted(study.facts.items())
        )


def _tables(study: ConceptStudy, cell: ConceptCell) -> CellTables:
    signatures = tuple(dict.fromkeys(row.signature for row in cell.scores))
    return CellTables(
        cell=cell,
        title=cell.title if cell.title == cell.key else f"{cell.title} ({cell.key})",
        coverage=" · ".join(_coverage(study, cell)),
        measures=tuple(_lines(study, cell)),
        notes=tuple(_notes(cell)),
        totals=tuple(_totals(study, cell)),
        effects=concept_effects(cell),
        signature=signatures[0] if signatures else "",
        signatures=len(signatures),
    )


def _coverage(study: ConceptStudy, cell: ConceptCell) -> Iterator[str]:
    yield f"{cell.queries:,} {'query' if cell.queries == 1 else 'queries'}"
    yield f"{cell.pairs:,} {'pair' if cell.pairs == 1 else 'pairs'} judged"
    if cell.right:
        left_out = words.each_setting(study.settings).get("pairs") == "failures"
        yield f"{cell.right:,} right at once{' (left out)' if left_out else ''}"
    if cell.not_annotated:
        yield f"{cell.not_annotated:,} without annotations (left out)"
    if cell.tied:
        yield f"{cell.tied:,} with a tied first place (the first of the data was judged)"


def _lines(study: ConceptStudy, cell: ConceptCell) -> Iterator[MeasureLine]:
    rows = {row.measure: row for row in cell.scores}
    for row in cell.scores:
        if row.measure.endswith(words.MICRO):
            continue
        micro = rows.get(row.measure + words.MICRO)
        right = _right(row)
        yield MeasureLine(
            measure=row.measure,
            heading=words.heading(row),
            plain=words.measure_words(row.measure).plain,
            about=words.about(row.measure, study.settings),
            macro=_value(row),
            macro_interval=_interval(row),
            micro="" if micro is None else _value(micro),
            micro_interval="" if micro is None else _interval(micro),
            judged=f"{row.n - right:,}",
            undefined=f"{row.n_undefined - right:,}",
        )


def _right(row: ScoreRow) -> int:
    """How many queries have no value because they were right at once, and only failures are judged."""
    counts = (flag.partition(":") for flag in row.flags)
    return next((int(count) for name, _, count in counts if name == "right" and count.isdecimal()), 0)


def _value(row: ScoreRow) -> str:
    return words.mean_text(row.value, row.measure, row.unit)


def _interval(row: ScoreRow) -> str:
    """``[21.0, 33.1]``; — where a value has none, empty where there is no value."""
    if row.low is None or row.high is None:
        return "" if row.value is None else wording.UNDEFINED
    low, high = (words.mean_text(end, row.measure, row.unit) for end in (row.low, row.high))
    return f"[{low}, {high}]"


def _notes(cell: ConceptCell) -> Iterator[str]:
    yield words.AVERAGES
    missing = max((row.n_missing for row in cell.scores), default=0)
    if missing:
        yield f"queries for which nothing was retrieved: {missing:,}; their CA is 0, the rest is undefined"
    flags = dict.fromkeys(flag for row in cell.scores for flag in row.flags)
    yield from (note for note in map(words.flag_words, flags) if note is not None)


def _totals(study: ConceptStudy, cell: ConceptCell) -> Iterator[tuple[str, str]]:
    """Those known here first, in the order of the words; of several modes all."""
    variant = words.each_setting(study.settings).get("variant", "")
    known = [name for name in words.TOTALS if name in cell.totals]
    for name in [*known, *sorted(set(cell.totals) - set(known))]:
        modes = cell.modes.get(name)
        several = modes is not None and len(modes.values) > 1
        text = words.modes_text(modes.values, modes.times) if modes is not None and several else None
        what = words.total_words(name, variant, cell.totals[name])
        yield what, text or words.total_text(name, cell.totals[name])
