"""One cell of a study: its pairs measured, counted, kept by pair, and the worst of them explained."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from crossgauge.concept_study import ConceptCell, PairView
from crossgauge.concepts.evidence import explain
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.totals import ConceptTotals
from crossgauge.result import ScoreRow, finite
from crossgauge.scenes import Scene
from crossgauge.signature import signature
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.sources import Annotated
from crossgauge.studies.table import PairRow
from crossgauge.studies.views import view

_DERIVED = (
    "matchings_per_exclusive",
    "share_matched",
    "share_miscounted",
    "share_oversized",
    "matched_share",
)


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
    fields: Mapping[str, str] = field(default_factory=dict)  # what else decides the numbers of all cells


@dataclass(frozen=True, slots=True)
class Questions:
    """What a cell asked and found."""

    key: str
    title: str
    language: str
    asked: Sequence[Asked]
    gallery: int | None = None  # candidates; None: a list of pairs does not say
    fields: Mapping[str, str] = field(default_factory=dict)  # its prompt


@dataclass(frozen=True, slots=True)
class Known:
    """A query whose pictures are all annotated.

    Scenes bear the ids of their pictures, so that no two pictures are taken for one; those of right pictures
    bear that of the truth.
    """

    asked: Asked
    truth: Scene
    retrieved: tuple[Scene, ...]

    @classmethod
    def of(cls, asked: Asked, found: Annotated) -> Known | None:
        """None where the truth or one of those retrieved has no annotation."""
        truth = found.scene(asked.truth)
        scenes = [found.scene(item) for item in asked.retrieved]
        if truth is None or None in scenes:
            return None
        own = found.pictures.of(asked.truth)
        names = [own if asked.is_right(item) else found.pictures.of(item) for item in asked.retrieved]
        named = zip(names, scenes, strict=True)
        return cls(
            asked,
            replace(truth, image=own),
            tuple(replace(scene, image=name) for name, scene in named if scene is not None),
        )

    def judged(self, settings: ConceptSettings) -> list[tuple[int, Picture | None, Scene | None]]:
        """The pairs that count: place, picture and scene; of an unanswered query one with nothing."""
        if not self.retrieved:
            return [(0, None, None)]
        pairs = zip(self.asked.retrieved, self.retrieved, strict=True)
        return [
            (place, item, scene)
            for place, (item, scene) in enumerate(pairs, 1)
            if settings.pairs == "all" or scene.image != self.truth.image
        ]


def study_cell(
    subject: Subject, found: Annotated, questions: Questions, known: Sequence[Known]
) -> tuple[ConceptCell, list[PairRow]]:
    """The cell of the document, and its pairs with their values, (P,), query after query."""
    settings = subject.settings
    clusters = [one.asked.cluster for one in known if one.asked.cluster is not None]
    scores = concept_scores(
        [one.truth for one in known], [one.retrieved for one in known],
        hierarchy=subject.hierarchy, settings=settings,
        queries=[one.asked.text or "" for one in known] if settings.variant == "informed" else None,
        clusters=clusters if len(clusters) == len(known) else None,
    )  # fmt: skip
    pairs = list(_pairs(questions.key, known, settings, scores, found))
    cell = ConceptCell(
        key=questions.key,
        title=questions.title,
        language=questions.language,
        queries=len(questions.asked),
        pairs=scores.totals.pairs,
        right=sum(_is_right(one, settings) for one in known),
        not_annotated=len(questions.asked) - len(known),
        tied=sum(one.asked.tied for one in known),
        scores=tuple(_rows(subject, found, questions, scores)),
        totals=_totals(scores.totals),
        examples=tuple(_examples(subject, found, known, pairs)),
    )
    return cell, pairs


def _is_right(one: Known, settings: ConceptSettings) -> bool:
    """Whether the first picture is right; where only failures are judged, whether all that are judged are."""
    if settings.pairs == "failures":
        return not one.judged(settings)
    return bool(one.retrieved) and one.retrieved[0].image == one.truth.image


def _pairs(
    key: str, known: Sequence[Known], settings: ConceptSettings, scores: ConceptScores, found: Annotated
) -> Iterator[PairRow]:
    values = {one.name: scores.values(one.name).tolist() for one in CONCEPT_MEASURES}
    judged = [(one, place, item) for one in known for place, item, _ in one.judged(settings)]
    for row, (one, place, item) in enumerate(judged):
        yield PairRow(
            cell=key,
            query_id=one.asked.query_id,
            place=place,
            item=None if item is None else item.id,
            image=None if item is None else found.pictures.of(item),
            truth=one.truth.image,
            values={name: column[row] for name, column in values.items()},
        )


def _rows(
    subject: Subject, found: Annotated, questions: Questions, scores: ConceptScores
) -> Iterator[ScoreRow]:
    titles = {one.name: one.title for one in CONCEPT_MEASURES}
    fields = {
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
            data=subject.data, fields=fields,
        )  # fmt: skip
        if questions.gallery is None:  # a part of no meaning is left out; "|" never stands in a value
            line = "|".join(part for part in line.split("|") if part != "gallery:0")
        yield ScoreRow.of(score, title=title, signature=line)


def _totals(totals: ConceptTotals) -> dict[str, float | None]:
    counted: dict[str, Any] = asdict(totals) | {name: getattr(totals, name) for name in _DERIVED}
    return {name: finite(float(value)) for name, value in counted.items()}


def _examples(
    subject: Subject, found: Annotated, known: Sequence[Known], pairs: Sequence[PairRow]
) -> Iterator[PairView]:
    """The first judged pair of each query, explained, by CA; undefined ones last, equal ones by query id."""
    firsts: list[tuple[float, str, Known, Picture | None, Scene | None]] = []
    row = 0
    for one in known:
        judged = one.judged(subject.settings)
        if judged:
            share = pairs[row].values["ca"]
            _, item, scene = judged[0]
            firsts.append((math.inf if math.isnan(share) else share, one.asked.query_id, one, item, scene))
        row += len(judged)
    for _, _, one, item, scene in sorted(firsts, key=lambda first: first[:2])[: subject.examples]:
        pair = Pair(one.truth, scene, one.asked.text)
        result = explain(pair, hierarchy=subject.hierarchy, settings=subject.settings)
        shown = replace(one.asked, retrieved=() if item is None else (item,))
        yield view(shown, one.truth, scene, result, found.pictures)
