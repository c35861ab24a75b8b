"""From queries with what they found to the document of a concept study."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crossgauge import __version__
from crossgauge.annotations import Choice
from crossgauge.concept_study import SCHEMA, ConceptCell, ConceptStudy, PairView
from crossgauge.concepts.evidence import explain
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.named import hierarchy_of
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.totals import ConceptTotals
from crossgauge.errors import SHOWN, Fault, InputError
from crossgauge.report.source import read_source
from crossgauge.result import ScoreRow, finite
from crossgauge.scenes import Scene
from crossgauge.signature import signature
from crossgauge.studies.asked import Asked, pairs_of_run, read_pairs
from crossgauge.studies.sources import Annotated, annotated
from crossgauge.studies.views import view

EXAMPLES = 30  # pairs of a cell that are shown in full
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
    examples: int = EXAMPLES


def study_run(
    run: Path,
    *,
    concepts: str,
    hierarchy: str = "wordnet",
    settings: ConceptSettings | None = None,
    choice: Choice | None = None,
    dataset: object = None,
    top: int = 1,
    examples: int = EXAMPLES,
) -> ConceptStudy:
    """Study every cell of a finished run whose items are pictures, or stand for pictures.

    Arguments:
        run: the run folder.
        concepts: a file of annotations, ``predicted:K``, or ``dataset`` (with the opened data set given).
        hierarchy: ``wordnet``, or a table of child and parent.
        settings: how the measures are computed; None: as in the source.
        choice: how a file of annotations is read.
        top: so many first pictures are judged, their values averaged a query.
        examples: so many pairs a cell are explained in full, those with the lowest CA first.

    Raises InputError (E258) where no cell has a picture with annotations, and what reading raises.
    """
    source = read_source(run)
    chosen = settings or ConceptSettings()
    tree = hierarchy_of(hierarchy)
    tables = ((cell, source.per_query(cell)) for cell in source.result.cells if cell.kind == "ranking")
    asked = {
        (cell.key, cell.title, cell.language): pairs_of_run(table, top=top)
        for cell, table in tables
        if table is not None
    }
    every = [one for some in asked.values() for one in some]
    found = annotated(concepts, asked=every, hierarchy=tree, dataset=dataset, choice=choice)
    result = source.result
    name = f"{result.benchmark} {result.benchmark_version}"
    model = f"{result.model}@{result.model_revision}"
    subject = Subject(name, model, result.data, chosen, tree, examples)
    return _study(subject, found, asked)


def study_pairs(
    pairs: Path,
    *,
    concepts: str,
    hierarchy: str = "wordnet",
    settings: ConceptSettings | None = None,
    choice: Choice | None = None,
    model: str = "pairs",
    top: int = 1,
    examples: int = EXAMPLES,
) -> ConceptStudy:
    """Study a table of queries with their right and their retrieved pictures; the rest as in study_run."""
    asked = read_pairs(pairs, top=top)
    tree = hierarchy_of(hierarchy)
    found = annotated(concepts, asked=asked, hierarchy=tree, choice=choice)
    listed = repr([(one.query_id, one.text, one.truth.id) for one in asked])
    data = f"sha256:{hashlib.sha256(listed.encode('utf-8', 'surrogatepass')).hexdigest()}"
    subject = Subject(pairs.name, model, data, settings or ConceptSettings(), tree, examples)
    return _study(subject, found, {("pairs", "query→image", "und"): asked})


def _study(
    subject: Subject, found: Annotated, asked: Mapping[tuple[str, str, str], Sequence[Asked]]
) -> ConceptStudy:
    cells, audit = [], []
    for (key, title, language), some in asked.items():
        known = [(one, *scenes) for one in some if (scenes := _scenes(one, found)) is not None]
        lost = [one.query_id for one in some if _scenes(one, found) is None]
        if not known:
            continue
        if lost:
            named = ", ".join(lost[:SHOWN]) + (" …" if len(lost) > SHOWN else "")
            audit.append(str(Fault("W258", key, f"{len(lost)} of {len(some)} queries left out: {named}", "",
                                   "one of their pictures has no annotation")))  # fmt: skip
        cells.append(_cell(subject, found, (key, title, language), known, left_out=len(lost)))
    if not cells:
        wanted = "annotations of the pictures that were ranked"
        raise InputError(Fault("E258", found.name, "no query has both pictures annotated", wanted,
                               "are picture ids (or file names) the same in both?"))  # fmt: skip
    if found.predicted:
        audit.append(str(Fault("W259", found.name, "concepts are guesses of a classifier, not annotations")))
    return ConceptStudy(
        schema=SCHEMA,
        version=__version__,
        source=subject.source,
        model=subject.model,
        data=subject.data,
        annotations=found.name,
        predicted=found.predicted,
        hierarchy=subject.hierarchy.name,
        settings=dict(subject.settings.signature_fields()),
        facts=dict(found.facts),
        cells=tuple(cells),
        audit=tuple(audit),
    )


def _scenes(asked: Asked, found: Annotated) -> tuple[Scene, tuple[Scene, ...]] | None:
    """The scenes of the truth and of what was retrieved; None where one is not annotated."""
    truth = found.scene(asked.truth)
    retrieved = [found.scene(one) for one in asked.retrieved]
    if truth is None or None in retrieved:
        return None
    return truth, tuple(scene for scene in retrieved if scene is not None)


def _cell(
    subject: Subject,
    found: Annotated,
    called: tuple[str, str, str],
    known: Sequence[tuple[Asked, Scene, tuple[Scene, ...]]],
    *,
    left_out: int,
) -> ConceptCell:
    key, title, language = called
    informed = subject.settings.variant == "informed"
    clusters = [one.cluster for one, _, _ in known if one.cluster is not None]
    scores = concept_scores(
        [truth for _, truth, _ in known], [retrieved for _, _, retrieved in known],
        hierarchy=subject.hierarchy, settings=subject.settings,
        queries=[one.text or "" for one, _, _ in known] if informed else None,
        clusters=clusters if len(clusters) == len(known) else None,
    )  # fmt: skip
    right = sum(bool(retrieved) and retrieved[0].image == truth.image for _, truth, retrieved in known)
    return ConceptCell(
        key=key,
        title=title,
        language=language,
        queries=len(known) + left_out,
        pairs=scores.totals.pairs,
        right=right,
        not_annotated=left_out,
        tied=sum(one.tied for one, _, _ in known),
        scores=tuple(_rows(subject, found, key, scores)),
        totals=_totals(scores.totals),
        examples=tuple(_examples(subject, known)),
    )


def _rows(subject: Subject, found: Annotated, key: str, scores: ConceptScores) -> Iterator[ScoreRow]:
    titles = {one.name: one.title for one in CONCEPT_MEASURES}
    fields = dict(scores.signature_fields()) | {"concepts": found.name, "model": subject.model}
    for name, score in scores.scores.items():
        measure, _, average = name.partition(":")
        title = f"{titles[measure]} ({average})" if average else titles[measure]
        place = f"{subject.source.replace(' ', '@')}/{key}/concepts"
        line = signature(
            place, name, n=score.n, gallery=0, missing=score.n_missing, data=subject.data, fields=fields
        )
        yield ScoreRow.of(score, title=title, signature=line)


def _totals(totals: ConceptTotals) -> dict[str, float | None]:
    counted: dict[str, Any] = asdict(totals) | {name: getattr(totals, name) for name in _DERIVED}
    return {name: finite(float(value)) for name, value in counted.items()}


def _examples(
    subject: Subject, known: Sequence[tuple[Asked, Scene, tuple[Scene, ...]]]
) -> Iterator[PairView]:
    """The pairs with the lowest CA, explained; undefined ones last, equal ones by query id."""
    judged = [
        (one, truth, retrieved[0] if retrieved else None)
        for one, truth, retrieved in known
        if subject.settings.pairs == "all" or not retrieved or retrieved[0].image != truth.image
    ]

    def agreement(pair: tuple[Asked, Scene, Scene | None]) -> tuple[float, str]:
        one, truth, retrieved = pair
        shown = frozenset() if retrieved is None else retrieved.concepts
        share = len(truth.concepts & shown) / len(truth.concepts) if truth.concepts else math.inf
        return share, one.query_id

    for one, truth, retrieved in sorted(judged, key=agreement)[: subject.examples]:
        pair = Pair(truth, retrieved, one.text)
        result = explain(pair, hierarchy=subject.hierarchy, settings=subject.settings)
        yield view(one, truth, retrieved, result)
