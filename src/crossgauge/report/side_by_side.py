"""Ranking and concept measures in one table, a line a model: how often it is right, and how near it errs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossgauge.concept_study import ConceptCell, ConceptStudy
from crossgauge.report import concepts_words as words
from crossgauge.report import wording
from crossgauge.report.crowned import winners
from crossgauge.report.source import Source
from crossgauge.result import CellResult, ScoreRow
from crossgauge.signature import differences

TITLE = "Ranking and concepts side by side"
RANKING = ("hit@1", "hit@5", "hit@10", "mrr")
CONCEPTS = tuple(words.MEASURES)
FAILURES = (
    "concepts are judged where the first picture is no right one, so every model by its own failures; with "
    "pairs=all all are judged by the same queries"
)
MACRO = "concept measures: macro, the mean over queries"


@dataclass(frozen=True, slots=True)
class Model:
    """One model in one cell."""

    source: Source
    key: str
    system: str
    cell: CellResult | None  # None: a study of a list of pairs
    study: ConceptStudy | None
    concepts: ConceptCell | None

    @property
    def scores(self) -> Mapping[str, ScoreRow]:
        """Ranking and concept measures by name."""
        found = (() if one is None else one.scores for one in (self.cell, self.concepts))
        return {row.measure: row for rows in found for row in rows}

    @property
    def partial(self) -> bool:
        """Whether its numbers are of a part of the data only, so that it competes with nobody."""
        told = () if self.study is None else words.partial_lines(self.study.audit)
        return bool(self.source.result.partial or told)

    @property
    def pairs(self) -> str:
        """How many were judged; — without a study."""
        return wording.UNDEFINED if self.concepts is None else f"{self.concepts.pairs:,}"


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The table: a line a cell and model."""

    heads: tuple[str, ...]  # cell (where there are several), model, measures, pairs judged
    texts: int  # so many columns, from the first, are no numbers
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]]  # (row, column) of the best values among competing models, as printed
    notes: tuple[str, ...]


def side_by_side(sources: Sequence[Source]) -> SideBySide | None:
    """The cells that a study of any of the sources covers; None where there is nothing to put together."""
    lines = models(sources)
    if len(lines) == 1 and lines[0].cell is None:
        return None
    return _table(lines) if lines else None


def models(sources: Sequence[Source]) -> tuple[Model, ...]:
    """Each model in each cell that any source has a study of, cell after cell."""
    studies = [source.study() for source in sources]
    keys = dict.fromkeys(cell.key for study in studies if study is not None for cell in study.cells)
    names = _names(sources)
    found = []
    for key in keys:
        for source, study, name in zip(sources, studies, names, strict=True):
            cell = next((one for one in source.result.cells if one.key == key), None)
            concepts = next((one for one in study.cells if one.key == key), None) if study else None
            if cell is not None or concepts is not None:
                found.append(Model(source, key, name, cell, study, concepts))
    return tuple(found)


def _names(sources: Sequence[Source]) -> list[str]:
    """Models; where one comes more than once, with its folder."""
    names = [wording.system(source.result) for source in sources]
    often = Counter(names)
    return [
        f"{name} ({source.folder})" if often[name] > 1 and source.folder is not None else name
        for name, source in zip(names, sources, strict=True)
    ]


def _table(lines: Sequence[Model]) -> SideBySide:
    ranking, concepts = _columns(lines)
    several = len({line.key for line in lines}) > 1
    first = next(iter(lines))
    known = {measure: row for line in reversed(lines) for measure, row in line.scores.items()}
    heads = [*["cell"] * several, "model"]
    heads += [_ranking_head(known[one]) for one in ranking] + [words.heading(known[one]) for one in concepts]
    rows = tuple(
        (*[line.key] * several, _system(line), *_values(line, ranking, concepts), line.pairs)
        for line in lines
    )
    texts = 1 + several
    best = frozenset(
        (position, column)
        for column, measure in enumerate((*ranking, *concepts), start=texts)
        for group in _competitors(lines, concepts=measure in concepts)
        for position in winners(
            {p: rows[p][column] for p in group}, higher_is_better=known[measure].higher_is_better
        )
    )
    notes = [] if several else [f"cell {first.key}"]
    return SideBySide((*heads, "pairs judged"), texts, rows, best, (*notes, *_notes(lines)))


def _competitors(lines: Sequence[Model], *, concepts: bool) -> Iterator[list[int]]:
    """Whole runs in one cell; by concepts only where all of them were studied alike."""
    for key in dict.fromkeys(line.key for line in lines):
        group = [p for p, line in enumerate(lines) if line.key == key and not line.partial]
        studied = [lines[p] for p in group if lines[p].concepts is not None]
        if not concepts or not any(_unlike(studied[0], other) for other in studied[1:]):
            yield group


def _columns(lines: Sequence[Model]) -> tuple[list[str], list[str]]:
    """Ranking measures, or else the first of each cell; concept measures that somebody has a value of."""
    scores = [line.scores for line in lines]
    ranking = [one for one in RANKING if any(one in rows for rows in scores)]
    if not ranking:
        cells = (line.cell for line in lines if line.cell is not None and line.cell.scores)
        ranking = list(dict.fromkeys(cell.scores[0].measure for cell in cells))
    defined = {measure for rows in scores for measure, row in rows.items() if row.value is not None}
    there = {measure for rows in scores for measure in rows}
    return ranking, [one for one in CONCEPTS if one in defined or (one in words.MAIN and one in there)]


def _ranking_head(row: ScoreRow) -> str:
    return wording.heading(row.title, row.unit, higher_is_better=row.higher_is_better)


def _system(line: Model) -> str:
    return line.system + (" (PARTIAL)" if line.partial else "")


def _values(line: Model, ranking: Sequence[str], concepts: Sequence[str]) -> Iterator[str]:
    scores = line.scores
    for measure in ranking:
        yield wording.value_text(scores[measure]) if measure in scores else wording.UNDEFINED
    for measure in concepts:
        row = scores.get(measure)
        yield wording.UNDEFINED if row is None else words.mean_text(row.value, measure, row.unit)


def _notes(lines: Sequence[Model]) -> Iterator[str]:
    yield MACRO
    studied = [line for line in lines if line.study is not None and line.concepts is not None]
    settings = [words.each_setting(line.study.settings) for line in studied if line.study is not None]
    if any(one.get("pairs") == "failures" for one in settings):
        yield FAILURES
    if any(line.study is not None and line.study.predicted for line in lines):
        yield words.PREDICTED.partition(".")[0]
    for key in dict.fromkeys(line.key for line in studied):
        first, *others = (line for line in studied if line.key == key)
        for other in others:
            if found := _unlike(first, other):
                yield (
                    f"{key}: the concept measures of {first.system} and {other.system} were not made alike "
                    f"({'; '.join(found)}): do not compare them"
                )


def _unlike(one: Model, other: Model) -> tuple[str, ...]:
    ours, theirs = one.scores, other.scores
    shared = (name for name in ours if name in theirs and name.removesuffix(words.MICRO) in words.MEASURES)
    found = (differences(ours[name].signature, theirs[name].signature) for name in shared)
    return next((told for told in found if told), ())
