"""What holds for every pair of scenes, whatever they show."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.concepts.evidence import PairResult, explain
from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.scenes import Box, Scene, Thing

settings.register_profile("concepts", deadline=None, max_examples=60)
settings.load_profile("concepts")
CONCEPTS = [f"c{i}" for i in range(9)]
NAMES = [one.name for one in CONCEPT_MEASURES]
sides = st.integers(0, 6).map(float)
boxes = st.none() | st.builds(Box, st.just(0.0), st.just(0.0), sides, sides)


@st.composite
def things(draw: st.DrawFn) -> Thing:
    concept, box = draw(st.sampled_from([*CONCEPTS, None])), draw(boxes)
    return Thing(concept or "what", concept, box, count=1 if box else draw(st.integers(1, 3)))


def scenes(image: str) -> st.SearchStrategy[Scene]:
    return st.lists(things(), max_size=12).map(lambda found: Scene(image, tuple(found), 9, 7))


tables = st.lists(
    st.sampled_from([0.0, 1 / 2, 1 / 3, 1 / 4, 1 / 7, math.nan]), min_size=36, max_size=36
).map(  # similarities with many ties, none, and unknown ones
    lambda values: SimilarityTable(
        dict(
            zip([(a, b) for i, a in enumerate(CONCEPTS) for b in CONCEPTS[:i]], values, strict=True),
        )
    )
)
choices = st.builds(
    ConceptSettings,
    average=st.sampled_from(["matched", "smaller"]),
    sd_denominator=st.sampled_from(["gold", "min", "retrieved"]),
    sd_area=st.sampled_from(["pixels", "image"]),
    sd_threshold=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    pairs=st.just("all"),
)


def values(result: PairResult) -> list[float]:
    return [getattr(result, name) for name in NAMES]


def same(first: PairResult, second: PairResult) -> bool:
    return np.array_equal(values(first), values(second), equal_nan=True)


@given(scenes("a"), scenes("b"), tables, choices)
def test_values_stay_in_range(a: Scene, b: Scene, table: SimilarityTable, chosen: ConceptSettings) -> None:
    found = explain(Pair(a, b), hierarchy=table, settings=chosen)
    for name in ("ca", "ncs", "sd", "enumeration_disagreement"):
        value = getattr(found, name)
        assert math.isnan(value) or 0 <= value <= 1
    assert found.ce >= 0
    assert math.isnan(found.sd_mean) or found.sd_mean >= 0
    assert found.hits + found.misses == len(a.concepts)
    assert set(found.undefined) == {name for name in NAMES if math.isnan(getattr(found, name))}


@given(scenes("a"), tables, choices)
def test_a_scene_agrees_with_itself(a: Scene, table: SimilarityTable, chosen: ConceptSettings) -> None:
    found = explain(Pair(a, replace(a, image="copy")), hierarchy=table, settings=chosen)
    assert found.ca == 1 or not a.concepts
    assert found.ce == 0
    assert math.isnan(found.ncs)
    assert found.sd_mean == 0 or math.isnan(found.sd_mean)
    assert found.sd == (chosen.sd_threshold == 0) or math.isnan(found.sd)


@given(scenes("a"), scenes("b"), tables, choices, st.randoms(use_true_random=False))
def test_the_order_of_things_says_nothing(
    a: Scene, b: Scene, table: SimilarityTable, chosen: ConceptSettings, random: np.random.Generator
) -> None:
    shuffled = [replace(one, things=tuple(random.sample(one.things, len(one.things)))) for one in (a, b)]  # type: ignore[attr-defined]
    first = explain(Pair(a, b), hierarchy=table, settings=chosen)
    second = explain(Pair(*shuffled), hierarchy=table, settings=chosen)
    assert same(first, second)
    assert first.evidence == second.evidence


@given(st.lists(st.tuples(scenes("a"), scenes("b")), min_size=1, max_size=6), tables, choices)
def test_a_pair_is_measured_the_same_alone_and_in_company(
    pairs: list[tuple[Scene, Scene]], table: SimilarityTable, chosen: ConceptSettings
) -> None:
    truths, others = zip(*pairs, strict=True)
    found = concept_scores(truths, others, hierarchy=table, settings=chosen, resamples=2)
    alone = [values(explain(Pair(*pair), hierarchy=table, settings=chosen)) for pair in pairs]
    together = np.stack([found[name].per_query for name in NAMES], axis=1)
    assert np.array_equal(together, alone, equal_nan=True)


@given(scenes("a"), scenes("b"), tables, choices)
def test_the_evidence_adds_up_to_the_values(
    a: Scene, b: Scene, table: SimilarityTable, chosen: ConceptSettings
) -> None:
    found = explain(Pair(a, b), hierarchy=table, settings=chosen)
    shown = found.evidence
    assert found.ce == sum(abs(one.truth - one.retrieved) for one in shown.counts)
    assert (len(shown.common), len(shown.only_truth)) == (found.hits, found.misses)
    if shown.boxes:
        assert found.sd == sum(one.oversized for one in shown.boxes) / len(shown.boxes)
    if not math.isnan(found.sd_mean):
        mean = sum(one.difference for one in shown.boxes) / len(shown.boxes)
        assert found.sd_mean == pytest.approx(mean, abs=1e-9)
    if shown.couples:
        smaller = min(len(shown.only_truth), len(shown.only_retrieved))
        divisor = smaller if chosen.average == "smaller" else len(shown.couples)
        assert found.ncs == pytest.approx(sum(one.similarity for one in shown.couples) / divisor)


def best_total(similarities: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """The greatest total of any matching, by trying all."""
    given_ = np.nan_to_num(similarities)
    few = given_ if given_.shape[0] <= given_.shape[1] else given_.T
    return max(
        sum(few[i, j] for i, j in enumerate(to)) for to in permutations(range(few.shape[1]), few.shape[0])
    )


@settings(max_examples=40)
@given(
    st.sets(st.sampled_from(CONCEPTS[:5]), min_size=1),
    st.sets(st.sampled_from(CONCEPTS[5:]), min_size=1),
    tables,
)
def test_no_matching_of_concepts_is_better(here: set[str], there: set[str], table: SimilarityTable) -> None:
    a, b = (Scene(n, tuple(Thing(c, c) for c in some)) for n, some in (("a", here), ("b", there)))
    found = explain(Pair(a, b), hierarchy=table, settings=ConceptSettings(average="smaller"))
    best = best_total(table.similarities(sorted(here), sorted(there)))
    assert found.ncs * min(len(here), len(there)) == pytest.approx(best, abs=1e-9)


@given(scenes("a"), scenes("b"), st.sampled_from(CONCEPTS))
def test_more_of_the_truth_is_never_less_agreement(a: Scene, b: Scene, extra: str) -> None:
    more = replace(b, things=(*b.things, Thing(extra, extra)))
    before, after = (explain(Pair(a, one), hierarchy={}).ca for one in (b, more))
    assert after >= before or math.isnan(before)


@given(scenes("a"), scenes("b"), tables)
def test_symmetric_measures_are_symmetric(a: Scene, b: Scene, table: SimilarityTable) -> None:
    chosen = ConceptSettings(sd_denominator="min")
    first = explain(Pair(a, b), hierarchy=table, settings=chosen)
    second = explain(Pair(b, a), hierarchy=table, settings=chosen)
    for name in ("ncs", "ce", "sd", "sd_mean", "enumeration_disagreement"):
        assert getattr(first, name) == pytest.approx(getattr(second, name), nan_ok=True, abs=1e-9)


@given(scenes("a"), scenes("b"), st.floats(0.5, 1000))
def test_relative_differences_do_not_depend_on_the_unit(a: Scene, b: Scene, unit: float) -> None:
    def scaled(scene: Scene) -> Scene:
        return replace(
            scene,
            things=tuple(
                replace(one, box=one.box and Box(0, 0, one.box.width * unit, one.box.height))
                for one in scene.things
            ),
        )

    chosen = ConceptSettings(sd_threshold=0.77)  # no ratio of small areas comes near it
    first, second = (
        explain(Pair(*pair), hierarchy={}, settings=chosen) for pair in ((a, b), map(scaled, (a, b)))
    )
    assert first.sd == second.sd or math.isnan(first.sd)
    assert first.sd_mean == pytest.approx(second.sd_mean, nan_ok=True)


@given(st.lists(st.tuples(scenes("a"), scenes("b")), min_size=1, max_size=5))
def test_the_order_of_queries_says_nothing_about_means(pairs: list[tuple[Scene, Scene]]) -> None:
    def means(some: list[tuple[Scene, Scene]]) -> list[float]:
        found = concept_scores(*zip(*some, strict=True), hierarchy={}, resamples=2)
        return [score.value for score in found.scores.values()]

    assert means(pairs) == pytest.approx(means(pairs[::-1]), nan_ok=True)
