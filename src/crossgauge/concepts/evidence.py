"""Why a pair has the values it has: the concepts, partners, counts and boxes behind every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossgauge.concepts import arithmetic
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.matching import SLIGHT, first_lightest
from crossgauge.concepts.measures import CONCEPT_MEASURES, ratio
from crossgauge.concepts.pairs import NOTHING, Pair, PairCounter, PairCounts, Rows
from crossgauge.concepts.requests import as_hierarchy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.sides import Side, concepts_of
from crossgauge.concepts.similarity import checked, similarity_weights
from crossgauge.concepts.sizes import area_differences, matching_weights, reaches
from crossgauge.scenes import Box, Scene
from crossgauge.types import Floats, Ints


@dataclass(frozen=True, slots=True)
class Couple:
    """Two concepts, each shown by one picture only, that were matched."""

    truth: str
    retrieved: str
    similarity: float


@dataclass(frozen=True, slots=True)
class InstanceCount:
    """How many of a concept each picture shows, with or without boxes."""

    concept: str
    truth: int
    retrieved: int


@dataclass(frozen=True, slots=True)
class BoxMatch:
    """Two boxes of a common concept that were matched."""

    concept: str
    truth: Box
    retrieved: Box
    truth_area: float  # in square pixels, or as a share of the picture
    retrieved_area: float
    difference: float  # relative; infinite where the area to divide by is 0
    oversized: bool  # it reaches the threshold, and SD counts it


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the measures of a pair are made of; concepts in alphabetical order."""

    common: tuple[str, ...]
    only_truth: tuple[str, ...]
    only_retrieved: tuple[str, ...]
    not_judged: tuple[str, ...]  # concepts of the truth that the query does not mention, where that matters
    couples: tuple[Couple, ...]
    counts: tuple[InstanceCount, ...]  # of the common concepts
    boxes: tuple[BoxMatch, ...]  # concept after concept


@dataclass(frozen=True, slots=True)
class PairResult:
    """All concept measures of one pair, and why they are what they are; NaN: see ``undefined``."""

    truth: str  # the picture's id
    retrieved: str | None
    ca: float  # ↑ 0 to 1
    ncs: float  # ↑ 0 to 1 by path and wup similarity
    ce: float  # ↓ from 0
    sd: float  # ↓ 0 to 1
    sd_mean: float  # ↓ from 0
    enumeration_disagreement: float  # ↓ 0 to 1
    hits: float
    misses: float
    undefined: Mapping[str, str]  # measure → why it has no value
    remarks: tuple[str, ...]  # what may mislead about the values
    arithmetic: Mapping[str, str]  # "ca" → "CA = 3/11"
    evidence: Evidence

    @property
    def matched_share(self) -> float:
        """The share of the truth's concepts that were found: CA under its other name."""
        return self.ca


def explain(
    pair: Pair,
    *,
    hierarchy: Hierarchy | Mapping[tuple[str, str], float],
    settings: ConceptSettings | None = None,
) -> PairResult:
    """Measure one pair and show everything its values rest on.

    The values are those that :func:`concept_scores` gives the pair. Of equally good matchings the evidence
    shows the first in alphabetical order of concepts, and in ascending order of areas. Raises as
    :func:`concept_scores` does.

    >>> from crossgauge.scenes import Thing
    >>> truth = Scene("a", (Thing("dogs", "dog", count=10), Thing("frisbee", "frisbee")))
    >>> other = Scene("b", (Thing("dog", "dog"), Thing("ball", "ball")))
    >>> result = explain(Pair(truth, other), hierarchy={("ball", "frisbee"): 1 / 7})
    >>> list(result.arithmetic.values())[:3], result.undefined["sd"]
    (['CA = 1/2', 'NCS = 1/7', 'CE = |10−1| = 9'], 'no common concept has a box in both pictures')
    """
    chosen = ConceptSettings() if settings is None else settings
    counter = PairCounter(as_hierarchy(hierarchy), chosen)
    rows, counts = counter.rows([pair]), counter.count([pair])
    values = {one.name: float(ratio(*one.terms(counts, chosen))[0]) for one in CONCEPT_MEASURES}
    evidence = _evidence(pair, rows, counter)
    return PairResult(
        truth=pair.truth.image,
        retrieved=None if pair.retrieved is None else pair.retrieved.image,
        undefined={name: _why(name, pair, counts) for name, value in values.items() if np.isnan(value)},
        remarks=tuple(_remarks(pair, counts, chosen)),
        arithmetic=_arithmetic(values, counts, evidence, chosen),
        evidence=evidence,
        **values,
    )


def _evidence(pair: Pair, rows: Rows, counter: PairCounter) -> Evidence:
    truth, retrieved, both = rows.truth, rows.retrieved, rows.both
    names = counter.vocabulary.names

    def named(side: Side, which: Ints) -> tuple[str, ...]:
        return tuple(names[number] for number in side.concept[which])

    common, only_truth = named(truth, both.truth), named(truth, both.only_truth)
    only_retrieved = named(retrieved, both.only_retrieved)
    judged = {*common, *only_truth}
    counts = zip(common, truth.count[both.truth], retrieved.count[both.retrieved], strict=True)
    return Evidence(
        common=common,
        only_truth=only_truth,
        only_retrieved=only_retrieved,
        not_judged=tuple(name for name in named(truth, np.arange(len(truth.key))) if name not in judged),
        couples=tuple(_couples(only_truth, only_retrieved, counter)),
        counts=tuple(InstanceCount(name, int(here), int(there)) for name, here, there in counts),
        boxes=tuple(
            match
            for name, here, there in zip(common, both.truth, both.retrieved, strict=True)
            for match in _boxes(name, pair, _areas(truth, here), _areas(retrieved, there), counter.settings)
        ),
    )


def _areas(side: Side, row: int) -> Floats:
    return side.areas[side.first_box[row] : side.first_box[row] + side.boxes[row]]


def _couples(truth: Sequence[str], retrieved: Sequence[str], counter: PairCounter) -> list[Couple]:
    if not truth or not retrieved:
        return []
    hierarchy = counter.vocabulary.hierarchy
    given = hierarchy.similarities(truth, retrieved, kind=counter.settings.similarity)
    similarities = checked(given, truth, retrieved, hierarchy, counter.settings.similarity)
    matched = first_lightest(similarity_weights(similarities))
    return [
        Couple(truth[i], retrieved[j], float(similarities[i, j]))
        for i, j in matched
        if similarities[i, j] > 0
    ]


def _boxes(
    concept: str, pair: Pair, truth: Floats, retrieved: Floats, settings: ConceptSettings
) -> list[BoxMatch]:
    """The matched boxes of a concept; its areas come in ascending order."""
    if not len(truth) or not len(retrieved):
        return []
    found = area_differences(truth[:, None], retrieved[None, :], settings.sd_denominator)
    rows, columns = (np.array([n]) for n in found.shape)
    weights = matching_weights(found.ravel(), rows, columns, settings.sd_threshold)
    oversized = reaches(found, settings.sd_threshold)
    slack = SLIGHT / 8 * max(1.0, float(found[np.isfinite(found)].max(initial=0.0)))
    matched = first_lightest(weights.reshape(found.shape), slack=slack)
    here, there = (_sorted(scene, concept, settings) for scene in (pair.truth, pair.retrieved or NOTHING))
    return [
        BoxMatch(
            concept=concept,
            truth=here[i],
            retrieved=there[j],
            truth_area=float(truth[i]),
            retrieved_area=float(retrieved[j]),
            difference=float(found[i, j]),
            oversized=bool(oversized[i, j]),
        )
        for i, j in matched
    ]


def _sorted(scene: Scene, concept: str, settings: ConceptSettings) -> list[Box]:
    boxes = (thing.box for thing in scene.things if concept in concepts_of(thing, settings))
    return sorted(
        (box for box in boxes if box is not None), key=lambda b: (b.area, b.x, b.y, b.width, b.height)
    )


def _why(measure: str, pair: Pair, counts: PairCounts) -> str:
    """Why a measure has no value, in words: the first of the reasons that holds."""
    ncs = measure == "ncs"
    reasons = {
        "the right picture shows no concept that counts": measure == "ca",
        "nothing was retrieved": pair.retrieved is None,
        "the right picture shows nothing that the retrieved one lacks": ncs and not counts.only_truth[0],
        "the retrieved picture shows nothing that the right one lacks": ncs and not counts.only_retrieved[0],
        "no two concepts that only one picture shows have a similarity": ncs,
        "no concept is common": not counts.common[0],
        "a matched difference is infinite: the area to divide by is 0": bool(counts.box_pairs[0]),
        "no common concept has a box in both pictures": True,
    }
    return next(reason for reason, holds in reasons.items() if holds)


def _remarks(pair: Pair, counts: PairCounts, settings: ConceptSettings) -> list[str]:
    said = []
    if pair.retrieved is not None and not counts.common[0]:
        said.append("CE is 0 only because no concept is common")
    if pair.retrieved is not None and pair.retrieved.image == pair.truth.image:
        said.append("the right picture was retrieved: every measure is perfect or undefined by itself")
    if settings.variant == "informed":
        said.append("query-informed in our reading: only concepts that the query mentions are judged")
    return said


def _arithmetic(
    values: Mapping[str, float], counts: PairCounts, evidence: Evidence, settings: ConceptSettings
) -> dict[str, str]:
    """Each value that is defined, as a sum or share."""
    smaller = min(len(evidence.only_truth), len(evidence.only_retrieved))
    partners = len(evidence.couples) if settings.average == "matched" else smaller
    couples = [couple.similarity for couple in evidence.couples]
    gaps = [match.difference for match in evidence.boxes if np.isfinite(match.difference)]
    sums = {
        "ca": f"CA = {counts.common[0]}/{counts.truth[0]}",
        "ncs": f"NCS = {arithmetic.mean_of(couples, max(partners, 1))}",
        "ce": f"CE = {arithmetic.differences([(one.truth, one.retrieved) for one in evidence.counts])}",
        "sd": f"SD = {counts.oversized[0]}/{counts.box_pairs[0]}",
        "sd_mean": f"SD mean = {arithmetic.decimal_mean(gaps, max(len(gaps), 1))}",
        "enumeration_disagreement": f"miscounted = {counts.miscounted[0]}/{counts.common[0]}",
    }
    return {name: text for name, text in sums.items() if not np.isnan(values[name])}
