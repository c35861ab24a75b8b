"""What changed queries do to concept measures: each before and after, over all first pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.paired import Paired, paired_values
from crossgauge.result import Intervention, finite
from crossgauge.signature import signature
from crossgauge.studies.cell import Questions, Subject
from crossgauge.studies.changed import Changed
from crossgauge.studies.guessed import uncounted_values
from crossgauge.studies.known import KnownQueries
from crossgauge.studies.queries import Queries
from crossgauge.studies.sources import Annotated
from crossgauge.types import Floats, Ints

_MENTIONS = "query as it was"  # which text says what is judged, on both sides


def deltas(
    subject: Subject, found: Annotated, questions: Questions, changed: Changed
) -> Iterator[Intervention]:
    """One line a measure: its mean before and after over the changed queries, and their paired difference.

    All first pictures of the changed queries are judged on both sides, right ones too: were only failures
    judged, each side would have other queries. A query counts where all its pictures of both sides are
    annotated and the measure is defined on both. What ``variant=informed`` judges is what the query mentioned
    before.
    """
    before, after = _annotated_twice(found, changed)
    old, new = (_values(subject, found, side, before) for side in (before, after))
    row, signed = changed.row, _Signing(subject, found, questions, changed.row)
    for measure in CONCEPT_MEASURES:
        both = paired_values("mean", old[measure.name], new[measure.name], clusters=_clusters(before))
        yield Intervention(
            cell=row.cell,
            name=row.name,
            measure=measure.name,
            before=finite(both.before),
            after=finite(both.after),
            delta=finite(both.delta),
            low=finite(both.interval[0]),
            high=finite(both.interval[1]),
            n=both.n,
            p=finite(both.p),
            changed=row.changed,
            unchanged=row.unchanged,
            seed=row.seed,
            log=row.log,
            signature=signed(measure.name, both),
        )


def _annotated_twice(found: Annotated, changed: Changed) -> tuple[KnownQueries, KnownQueries]:
    """The changed queries whose pictures of both sides are annotated."""
    sides = changed.before, changed.after
    bare = {item for side in sides for item in side.pictures if found.scene(item) is None}
    whole = [
        all(bare.isdisjoint((one.truth, *one.retrieved)) for one in both) for both in zip(*sides, strict=True)
    ]
    before, after = (
        KnownQueries(Queries(one for one, kept in zip(side, whole, strict=True) if kept), found)
        for side in sides
    )
    return before, after


def _values(
    subject: Subject, found: Annotated, side: KnownQueries, asked: KnownQueries
) -> Mapping[str, Floats]:
    """Each measure of each query, (Q,)."""
    settings = replace(subject.settings, pairs="all")
    scores: ConceptScores = concept_scores(
        (one.truth for one in side), (one.retrieved for one in side),
        hierarchy=subject.hierarchy, settings=settings,
        queries=(one.asked.text or "" for one in asked) if settings.variant == "informed" else None,
        workers=subject.workers, resamples=1,
    )  # fmt: skip
    values = {one.name: scores[one.name].per_query for one in CONCEPT_MEASURES}
    return uncounted_values(values) if found.predicted else values


def _clusters(side: KnownQueries) -> Ints | None:
    return None if side.clusters is None else np.array(side.clusters, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Signing:
    """Signs values after a change, as those of ranking measures are signed."""

    subject: Subject
    found: Annotated
    questions: Questions
    row: Intervention

    def __call__(self, measure: str, both: Paired) -> str:
        subject, questions, row = self.subject, self.questions, self.row
        settings = replace(subject.settings, pairs="all")
        fields = {
            **questions.fields,
            **subject.fields,
            "hierarchy": subject.hierarchy.name,
            **settings.signature_fields(),
            **({"mentions": _MENTIONS} if settings.variant == "informed" else {}),
            "concepts": self.found.name,
            "top": str(subject.top),
            "set.perturb": _label(row),
            "model": subject.model,
        }
        place = f"{subject.source.replace(' ', '@')}/{row.cell}+{row.name}/concepts"
        return signature(
            place, measure, n=both.n, gallery=questions.gallery or 0, missing=0, data=subject.data,
            fields=fields,
        )  # fmt: skip


def _label(row: Intervention) -> str:
    """``color-all(css4>150)#0``, from the signature of what was ranked; of an older run the name and seed."""
    parts = (part.partition(":") for part in row.signature.split("|"))
    return next((value for name, _, value in parts if name == "set.perturb"), f"{row.name}#{row.seed}")
