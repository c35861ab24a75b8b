"""Concept measures over pairs: what counts, what is undefined and why, means over queries and over all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crossgauge.compare import bootstrap_interval
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import COLING2022, PROFILES, ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.concepts.wordnet import WordNet
from crossgauge.scenes import Box, Scene, Thing

NEAR = {("ball", "frisbee"): 1 / 7, ("ball", "cat"): 1 / 14, ("park", "cat"): 0.0}


def shows(image: str, *names: str, **counts: int) -> Scene:
    once = tuple(Thing(name, name) for name in names)
    return Scene(image, once + tuple(Thing(name, name, count=count) for name, count in counts.items()))


def boxed(image: str, size: tuple[int, int] | None = None, **areas: list[float]) -> Scene:
    things = tuple(Thing(n, n, Box(0, 0, area, 1)) for n, each in areas.items() for area in each)
    return Scene(image, things, *(size or (None, None)))


def one(truth: Scene, retrieved: Scene | None, **settings: object) -> dict[str, float]:
    found = concept_scores([truth], [retrieved], hierarchy=NEAR, settings=ConceptSettings(**settings))  # type: ignore[arg-type]
    return {name: score.value for name, score in found.scores.items()}


def test_extra_concepts_cost_nothing_in_agreement() -> None:
    truth = shows("a", "dog", "ball", "park")
    assert one(truth, shows("b", "dog", "park"))["ca"] == one(truth, shows("b", "dog", "park", "cat"))["ca"]


def test_agreement_without_concepts_in_the_truth_is_undefined() -> None:
    nothing = Scene("a", (Thing("thing", None),))
    assert math.isnan(one(nothing, shows("b", "dog"))["ca"])


def test_instances_are_counted_with_and_without_boxes() -> None:
    truth = Scene("a", (Thing("dog", "dog", Box(0, 0, 2, 2)), Thing("dogs", "dog", count=4)))
    assert one(truth, shows("b", dog=2))["ce"] == 3
    assert one(truth, shows("b", dog=2))["ce:micro"] == 3
    assert one(truth, shows("b", dog=2))["enumeration_disagreement"] == 1


def test_nothing_common_is_a_perfect_count_but_flagged() -> None:
    found = concept_scores([shows("a", "dog")], [shows("b", "cat")], hierarchy=NEAR)
    assert found["ce"].value == 0
    assert found["ce"].flags == ("no-common:1",)
    assert math.isnan(found["ce:micro"].value)
    assert found["sd"].n_undefined == found["enumeration_disagreement"].n_undefined == 1


@pytest.mark.parametrize(
    ("denominator", "differences"), [("gold", [1.0, 0.5]), ("retrieved", [0.5, 1.0]), ("min", [1.0, 1.0])]
)
def test_the_area_that_a_difference_is_a_share_of(denominator: str, differences: list[float]) -> None:
    doubled, halved = (
        one(boxed("a", dog=[gold]), boxed("b", dog=[other]), sd_denominator=denominator)["sd_mean"]
        for gold, other in ((4.0, 8.0), (4.0, 2.0))
    )
    assert [doubled, halved] == differences


def test_the_threshold_itself_counts() -> None:
    truth, twice = boxed("a", dog=[4.0]), boxed("b", dog=[8.0])
    assert one(truth, twice)["sd"] == 1
    assert one(truth, twice, sd_threshold=1.0001)["sd"] == 0


def test_areas_as_shares_of_pictures() -> None:
    truth, other = boxed("a", (10, 10), dog=[4.0]), boxed("b", (20, 10), dog=[8.0])
    assert one(truth, other)["sd_mean"] == 1
    assert one(truth, other, sd_area="image")["sd_mean"] == 0


def test_the_side_with_fewer_boxes_is_paired_off() -> None:
    found = one(boxed("a", dog=[1.0, 4.0]), boxed("b", dog=[4.0]))
    assert (found["sd"], found["sd_mean"]) == (0, 0)


def test_sizes_without_boxes_in_common_are_undefined() -> None:
    truth = Scene("a", (Thing("dog", "dog"), Thing("cat", "cat", Box(0, 0, 1, 1))))
    assert math.isnan(one(truth, boxed("b", dog=[1.0], cow=[1.0]))["sd"])


def test_boxes_without_area() -> None:
    both = one(boxed("a", dog=[0.0]), boxed("b", dog=[0.0]))
    assert (both["sd"], both["sd_mean"]) == (0, 0)
    found = concept_scores([boxed("a", dog=[0.0, 1.0])], [boxed("b", dog=[3.0, 1.0])], hierarchy={})
    assert found["sd"].value == 0.5  # infinite is above every threshold
    assert math.isnan(found["sd_mean"].value)
    assert found["sd_mean"].flags == ("infinite:1",)


def test_concepts_without_similarity_are_no_couple() -> None:
    truth, other = shows("a", "ball", "park"), shows("b", "frisbee", "cat")
    assert one(truth, other)["ncs"] == 1 / 7
    assert one(truth, other, average="smaller")["ncs"] == 1 / 14
    nothing = shows("a", "park"), shows("b", "cat")
    assert math.isnan(one(*nothing)["ncs"])
    assert one(*nothing, average="smaller")["ncs"] == 0


def test_similarity_needs_something_exclusive_on_both_sides() -> None:
    assert math.isnan(one(shows("a", "ball", "dog"), shows("b", "dog"))["ncs"])
    assert math.isnan(one(shows("a", "dog"), shows("b", "ball", "dog"))["ncs"])


def test_all_concepts_of_a_thing_or_the_first() -> None:
    truth = Scene("a", (Thing("bat", "bat.n.01", Box(0, 0, 1, 1), also=("bat.n.05", "bat.n.05")),))
    other = Scene("b", (Thing("bat", "bat.n.05", Box(0, 0, 3, 1)),))
    assert one(truth, other)["ca"] == 0
    assert one(truth, other, synsets="all")["ca"] == 0.5
    assert one(truth, other, synsets="all")["sd_mean"] == 2
    assert one(truth, other, synsets="all")["ce"] == 0  # given twice, counted once


def test_failures_only_or_all() -> None:
    dog, cat = shows("a", "dog"), shows("b", "cat")
    found = concept_scores([dog, dog], [dog, cat], hierarchy={})
    assert (found["ca"].value, found["ca"].n, found["ca"].n_undefined) == (0, 2, 1)
    assert found["ca"].flags == ("right:1",)
    assert found.query.tolist() == [1]
    every = concept_scores([dog, dog], [dog, cat], hierarchy={}, settings=ConceptSettings(pairs="all"))
    assert (every["ca"].value, every["ca"].n_undefined, every["ca"].flags) == (0.5, 0, ())


def test_the_mean_over_the_first_k() -> None:
    dog, both, cat = shows("a", "dog", "ball"), shows("b", "dog", "ball"), shows("c", "cat")
    found = concept_scores([dog, dog], [[both, cat], [cat]], hierarchy=NEAR)
    assert found["ca"].per_query.tolist() == [0.5, 0.0]
    assert found["ncs"].per_query.tolist() == [1 / 14, 1 / 14]  # undefined for the first of the first two
    assert found["ca:micro"].value == 2 / 6
    assert found.values("ca").tolist() == [1, 0, 0]
    assert found.query.tolist() == [0, 0, 1]


@pytest.mark.parametrize("nothing", [None, []], ids=["none", "empty"])
def test_a_missing_answer_agrees_in_nothing(nothing: Scene | None) -> None:
    dog = shows("a", "dog", "ball")
    found = concept_scores([dog, dog], [shows("b", "dog", "ball"), nothing], hierarchy=NEAR)
    assert (found["ca"].value, found["ca"].n_missing, found["ca"].n_undefined) == (0.5, 1, 0)
    assert found["misses"].per_query.tolist() == [0, 2]
    assert all(math.isnan(found[name].per_query[1]) for name in ("ncs", "ce", "sd", "sd_mean"))
    assert found["ce"].flags == ()


def test_micro_averages_are_ratios_of_sums() -> None:
    truths = [shows("a", "dog", "ball", "park"), shows("b", "cow")]
    found = concept_scores(truths, [shows("c", "dog")] * 2, hierarchy={})
    assert (found["ca"].value, found["ca:micro"].value) == (pytest.approx(1 / 6), 1 / 4)


def test_scores_say_what_they_are() -> None:
    truths = [shows("a", dog=n) for n in range(1, 40)]
    found = concept_scores(truths, [shows("b", dog=3)] * 39, hierarchy={}, resamples=100, seed=3)
    ce = found["ce"]
    assert (ce.unit, ce.higher_is_better, ce.n, ce.n_tied) == ("count", False, 39, 0)
    assert ce.interval == bootstrap_interval(ce.per_query, resamples=100, seed=3)
    assert ce.interval[0] < ce.value < ce.interval[1]
    assert (found["ca"].unit, found["ca"].higher_is_better) == ("fraction", True)
    assert math.isnan(ce.chance)


def test_micro_intervals_weigh_queries_by_their_concepts() -> None:
    truths = [shows("a", *(f"c{i}" for i in range(n))) for n in range(1, 30)]
    found = concept_scores(truths, [shows("b", "c0")] * 29, hierarchy={})
    sizes = np.arange(1.0, 30.0)
    assert found["ca:micro"].interval == bootstrap_interval(1 / sizes, weights=sizes)
    assert found["ca"].interval == bootstrap_interval(1 / sizes)


def test_clusters_are_drawn_together() -> None:
    truths = [shows("a", dog=n) for n in (1, 1, 9, 9)]
    found = concept_scores(truths, [shows("b", "dog")] * 4, hierarchy={}, clusters=["x", "x", "y", "y"])
    assert found["ce"].interval == bootstrap_interval([0, 0, 8, 8], clusters=[0, 0, 1, 1])


def test_query_informed_judges_what_the_query_mentions() -> None:
    truth, other = shows("a", "dog", "ball", "park", cat=3), shows("b", "dog", "frisbee", cat=1)
    found = concept_scores(
        [truth, truth],
        [other, other],
        hierarchy=SimilarityTable(NEAR | {("dog", "sun"): 0.1}),
        queries=["A Dog with its ball", "the sun"],
        settings=ConceptSettings(variant="informed"),
    )
    assert found["ca"].per_query[0] == 0.5  # the dog, but no ball
    assert found["ncs"].per_query[0] == 1 / 7  # ball and frisbee; the cat is no exclusive concept
    assert found["ce"].per_query[0] == 0  # nobody asked for cats
    assert math.isnan(found["ca"].per_query[1])  # the query mentions nothing of the truth
    assert "informed:our-reading" in found["ca"].flags


def test_queries_are_read_as_people_write_them() -> None:
    truth = Scene("a", tuple(Thing(n, f"{n}.n.01") for n in ("zebra", "field", "grass", "fireplug")))
    found = concept_scores(
        [truth] * 3,
        [Scene("b", (truth.things[0], truth.things[3]))] * 3,
        hierarchy=WordNet(),
        queries=["Two zebras in a field.", "a red fire hydrant", "ZEBRA"],
        settings=ConceptSettings(variant="informed"),
    )
    assert found["ca"].per_query.tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize("blank", ["", " ", "\u3000\t"])
def test_what_has_no_name_is_no_common_name(blank: str) -> None:
    truth, other = (Scene(n, (Thing(blank, "dog"), Thing(blank, n), Thing("cat", "cat"))) for n in "ab")
    totals = concept_scores([truth], [other], hierarchy=NEAR).totals
    assert (totals.common_names, totals.exclusive_names) == (1, 0), "the cat"
    assert (totals.common, totals.exclusive) == (2, 2)


def test_totals_are_the_printed_checklist() -> None:
    truth = Scene("a", (*shows("a", "dog", "ball", cow=3).things, Thing("sky", None), Thing("sun", None)))
    other = Scene("b", (*shows("b", "dog", "frisbee", cow=1).things, Thing("sky", None)))
    totals = concept_scores([truth, truth], [other, other], hierarchy=NEAR).totals
    assert (totals.pairs, totals.common_names, totals.common) == (2, 6, 4)
    assert (totals.exclusive_names, totals.exclusive, totals.matchings) == (6, 4, 2)
    assert (totals.equal_counts, totals.different_counts) == (2, 2)
    assert (totals.matchings_per_exclusive, totals.share_matched) == (0.5, 1.0)
    assert (totals.hits, totals.misses, totals.matched_share) == (4, 2, 2 / 3)
    assert (totals.ce_mode, totals.ce_mode_of_class, totals.share_miscounted) == (2, 0, 0.5)
    assert math.isnan(totals.share_oversized)


def test_totals_of_small_differences_and_of_missing_answers() -> None:
    three, dog = shows("a", dog=3, cat=2), shows("b", dog=1, cat=1)
    totals = concept_scores([three, dog, dog], [dog, None, None], hierarchy={}).totals
    assert (totals.ce_mode, totals.ce_mode_of_class) == (3, 1)  # a missing answer is no CE of 0
    assert (totals.equal_counts, totals.different_counts, totals.misses) == (0, 2, 4)


def test_no_queries_at_all() -> None:
    found = concept_scores([], [], hierarchy={})
    assert (found["ca"].n, math.isnan(found["ca"].value), found.totals.pairs) == (0, True, 0)
    assert math.isnan(found.totals.ce_mode)
    assert found.totals.ce_modes.values == ()


def test_all_commonest_differences_in_number_are_told() -> None:
    many, one = shows("a", dog=5, cat=3, cow=1), shows("b", dog=1, cat=1, cow=1)
    totals = concept_scores(
        [many, many], [one, many], hierarchy={}, settings=ConceptSettings(pairs="all")
    ).totals
    assert (totals.ce_mode, totals.ce_modes.values, totals.ce_modes.times) == (0, (0, 6), 1)
    alone = concept_scores([many], [one], hierarchy={}).totals
    assert (alone.ce_mode_of_class, alone.ce_modes_of_class.values) == (0, (0, 2, 4))
    assert alone.ce_modes_of_class.times == 1


def test_settings_are_told_in_the_signature() -> None:
    found = concept_scores([shows("a", "dog")], [shows("b", "cat")], hierarchy=NEAR, settings=COLING2022)
    said = found.signature_fields()
    assert said["hierarchy"] == SimilarityTable(NEAR).name
    assert said["sd"] == "gold/pixels>=1.0"
    assert PROFILES["coling2022"] == ConceptSettings()
    changed = {
        "synsets": "all",
        "similarity": "wup",
        "average": "smaller",
        "sd_denominator": "min",
        "sd_area": "image",
        "sd_threshold": 0.5,
        "variant": "informed",
        "pairs": "all",
    }
    for name, value in changed.items():
        other = ConceptSettings(**{name: value})  # type: ignore[arg-type]
        assert other.signature_fields() != COLING2022.signature_fields(), name


def test_lch_is_no_fraction() -> None:
    settings = ConceptSettings(similarity="lch")
    found = concept_scores([shows("a", "ball")], [shows("b", "frisbee")], hierarchy=NEAR, settings=settings)
    assert found["ncs"].unit == "number"
