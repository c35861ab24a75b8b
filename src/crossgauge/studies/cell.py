"""One cell of a study: its pairs measured, counted, kept by pair, and the worst of them explained."""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from heapq import nsmallest
from itertools import tee

from crossgauge.concept_study import ConceptCell, ModesView, PairView
from crossgauge.concepts.evidence import explain
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.totals import ConceptTotals, Modes
from crossgauge.result import ScoreRow, finite
from crossgauge.signature import signature
from crossgauge.studies.asked import Picture
from crossgauge.studies.changed import Changed
from crossgauge.studies.guessed import TOTALS, uncounted, uncounted_pair, uncounted_values
from crossgauge.studies.known import Known, KnownQueries
from crossgauge.studies.queries import Queries
from crossgauge.studies.sources import Annotated
from crossgauge.studies.table import PairRow, PairTable
from crossgauge.studies.views import view

_DERIVED = (
    "matchings_per_exclusive",
    "share_matched",
    "share_miscounted",
    "share_oversized",
    "matched_share",
)
_MODES = {"ce_mode": "ce_modes", "ce_mode_of_class": "ce_modes_of_class"}  # the smallest, and all


@dataclass(frozen=True, slots=True)
class Subject:
    """What is studied, by whom it was ranked, and how it is judged."""

    source: str
    model: str
    data: str
    settings: ConceptSettings
    hierarchy: Hierarchy
    examples: int
    top: int = 1
    workers: int = 1
    fields: Mapping[str, str] = field(default_factory=dict)  # what else decides the numbers of all cells


@dataclass(frozen=True, slots=True)
class Questions:
    """What a cell asked and found."""

    key: str
    title: str
    language: str
    asked: Queries
    gallery: int | None = None  # candidates; None: a list of pairs does not say
    fields: Mapping[str, str] = field(default_factory=dict)  # its prompt
    changed: tuple[Changed, ...] = ()  # interventions on its queries


def study_cell(
    subject: Subject, found: Annotated, questions: Questions, known: KnownQueries, table: PairTable | None
) -> ConceptCell:
    """The cell of the document; its pairs with their values, query after query, go to ``table``."""
    settings = subject.settings
    truth, retrieved = tee(known)  # which are read in step
    scores = concept_scores(
        (one.truth for one in truth), (one.retrieved for one in retrieved),
        hierarchy=subject.hierarchy, settings=settings,
        queries=(one.asked.text or "" for one in known) if settings.variant == "informed" else None,
        clusters=known.clusters, workers=subject.workers,
    )  # fmt: skip
    judged = _Judged(questions.key, known, scores, found)
    if table is None:
        deque(judged.rows(), maxlen=0)
    else:
        table.add(judged.rows())
    return ConceptCell(
        key=questions.key,
        title=questions.title,
        language=questions.language,
        queries=len(questions.asked),
        pairs=scores.totals.pairs,
        right=judged.right,
        not_annotated=len(questions.asked) - len(known),
        tied=judged.tied,
        scores=tuple(_rows(subject, found, questions, scores)),
        totals=_totals(scores.totals, found),
        modes={} if found.predicted else _modes(scores.totals),
        examples=tuple(_example(subject, found, known[at]) for at in judged.lowest(subject.examples)),
    )


class _Judged:
    """One way through the queries: their pairs as rows of the table, and what is counted on the way."""

    def __init__(self, key: str, known: KnownQueries, scores: ConceptScores, found: Annotated) -> None:
        self._key, self._known, self._settings, self._pictures = key, known, scores.settings, found.pictures
        values = {one.name: scores.values(one.name) for one in CONCEPT_MEASURES}
        self._values = uncounted_values(values) if found.predicted else values
        self._first, self._agreement = array("q"), array("d")  # queries with a judged pair, and its CA
        self.right = 0  # queries whose first picture is right; of failures, those without any
        self.tied = 0

    def rows(self) -> Iterator[PairRow]:
        """Every judged pair, in order; to be gone through once."""
        row = 0
        for at, one in enumerate(self._known):
            judged = one.judged(self._settings)
            self.tied += one.asked.tied
            self.right += self._is_right(one, judged=len(judged))
            if judged:
                share = float(self._values["ca"][row])
                self._first.append(at)
                self._agreement.append(math.inf if math.isnan(share) else share)
            for place, item, _ in judged:
                yield self._row(row, one, place, item)
                row += 1

    def lowest(self, n: int) -> list[int]:
        """The queries whose first judged pair has the lowest CA; undefined ones last, equal ones by id."""
        order = nsmallest(
            n, range(len(self._first)),
            key=lambda at: (self._agreement[at], self._known.query_id(self._first[at])),
        )  # fmt: skip
        return [self._first[at] for at in order]

    def _is_right(self, one: Known, *, judged: int) -> bool:
        if self._settings.pairs == "failures":
            return not judged
        return bool(one.retrieved) and one.retrieved[0].image == one.truth.image

    def _row(self, row: int, one: Known, place: int, item: Picture | None) -> PairRow:
        return PairRow(
            cell=self._key,
            query_id=one.asked.query_id,
            place=place,
            item=None if item is None else item.id,
            image=None if item is None else self._pictures.of(item),
            truth=one.truth.image,
            values={name: float(column[row]) for name, column in self._values.items()},
        )


def _example(subject: Subject, found: Annotated, one: Known) -> PairView:
    """The first judged pair of a query, explained."""
    _, item, scene = one.judged(subject.settings)[0]
    pair = Pair(one.truth, scene, one.asked.text)
    result = explain(pair, hierarchy=subject.hierarchy, settings=subject.settings)
    result = uncounted_pair(result) if found.predicted else result
    shown = replace(one.asked, retrieved=() if item is None else (item,))
    return view(shown, one.truth, scene, result, found.pictures)


def _rows(
    subject: Subject, found: Annotated, questions: Questions, scores: ConceptScores
) -> Iterator[ScoreRow]:
    titles = {one.name: one.title for one in CONCEPT_MEASURES}
    parts = {
        **questions.fields,
        **subject.fields,
        **scores.signature_fields(),
        "concepts": found.name,
        "top": str(subject.top),
        "model": subject.model,
    }
    for name, score in scores.scores.items():
        measure, _, average = name.partition(":")
        title = f"{titles[measure]} ({average})" if average else titles[measure]
        place = f"{subject.source.replace(' ', '@')}/{questions.key}/concepts"
        line = signature(
            place, name, n=score.n, gallery=questions.gallery or 0, missing=score.n_missing,
            data=subject.data, fields=parts,
        )  # fmt: skip
        if questions.gallery is None:  # a part of no meaning is left out; "|" never stands in a value
            line = "|".join(part for part in line.split("|") if part != "gallery:0")
        yield ScoreRow.of(uncounted(score) if found.predicted else score, title=title, signature=line)


def _totals(totals: ConceptTotals, found: Annotated) -> dict[str, float | None]:
    names = (one.name for one in fields(totals) if one.name not in _MODES.values())
    unknown = TOTALS if found.predicted else frozenset()
    return {
        name: None if name in unknown else finite(float(getattr(totals, name)))
        for name in (*names, *_DERIVED)
    }


def _modes(totals: ConceptTotals) -> dict[str, ModesView]:
    modes: dict[str, Modes] = {name: getattr(totals, of) for name, of in _MODES.items()}
    return {name: ModesView(values=one.values, times=one.times) for name, one in modes.items() if one.values}
