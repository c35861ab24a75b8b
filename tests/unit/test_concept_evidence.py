"""The evidence of a pair: what was matched, what was left out, and why a value is missing."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from crossgauge.concepts import arithmetic
from crossgauge.concepts.evidence import BoxMatch, Couple, PairResult, explain
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.scenes import Box, Scene, Thing

NEAR = {("ball", "frisbee"): 1 / 7, ("ball", "cat"): 1 / 14, ("park", "cat"): 0.0}


def shows(image: str, *names: str) -> Scene:
    return Scene(image, tuple(Thing(name, name) for name in names))


def result(truth: Scene, retrieved: Scene | None, query: str | None = None, **settings: object) -> PairResult:
    return explain(Pair(truth, retrieved, query), hierarchy=NEAR, settings=ConceptSettings(**settings))  # type: ignore[arg-type]


def test_boxes_are_shown_with_areas_and_differences() -> None:
    small, large = Box(5, 6, 2, 2), Box(0, 0, 4, 2)
    truth = Scene("a", (Thing("dog", "dog", large), Thing("dog", "dog"), Thing("pup", "dog", small)))
    other = Scene("b", (Thing("dog", "dog", Box(1, 1, 8, 1)),), 10, 10)
    assert result(truth, other).evidence.boxes == (
        BoxMatch("dog", large, Box(1, 1, 8, 1), 8.0, 8.0, 0.0, oversized=False),
    )
    only_small = Scene("a", truth.things[1:], 10, 4)
    match = result(only_small, other, sd_area="image").evidence.boxes[0]
    assert (match.truth_area, match.retrieved_area) == (0.1, 0.08)
    assert match.difference == pytest.approx(0.2)


def test_couples_and_those_left_alone() -> None:
    found = result(shows("a", "ball", "park"), shows("b", "cat", "frisbee"))
    assert found.evidence.couples == (Couple("ball", "frisbee", 1 / 7),)
    assert found.evidence.only_truth == ("ball", "park")
    assert result(shows("a", "ball", "park"), shows("b", "cat", "frisbee"), average="smaller").arithmetic[
        "ncs"
    ] == ("NCS = (1/7)/2 = 1/14")


def test_equally_good_couples_are_shown_in_alphabetical_order() -> None:
    table = {(a, b): 0.25 for a in ("a1", "a2", "a3") for b in ("b1", "b2", "b3")}
    found = explain(Pair(shows("x", "a3", "a1", "a2"), shows("y", "b2", "b3", "b1")), hierarchy=table)
    couples = [(one.truth, one.retrieved) for one in found.evidence.couples]
    assert couples == [("a1", "b1"), ("a2", "b2"), ("a3", "b3")]


@pytest.mark.parametrize(
    ("truth", "retrieved", "measure", "why"),
    [
        (shows("a"), shows("b", "dog"), "ca", "the right picture shows no concept that counts"),
        (shows("a", "dog"), None, "sd", "nothing was retrieved"),
        (shows("a", "dog"), None, "ce", "nothing was retrieved"),
        (shows("a", "dog"), shows("b", "dog", "cat"), "ncs", "the right picture shows nothing that the"),
        (shows("a", "dog", "cat"), shows("b", "dog"), "ncs", "the retrieved picture shows nothing"),
        (shows("a", "park"), shows("b", "cat"), "ncs", "no two concepts that only one picture shows"),
        (shows("a", "park"), shows("b", "cat"), "sd", "no concept is common"),
        (shows("a", "park"), shows("b", "cat"), "enumeration_disagreement", "no concept is common"),
        (shows("a", "park"), shows("b", "park"), "sd_mean", "no common concept has a box in both"),
    ],
)
def test_why_a_value_is_missing(truth: Scene, retrieved: Scene | None, measure: str, why: str) -> None:
    found = result(truth, retrieved)
    assert math.isnan(getattr(found, measure))
    assert found.undefined[measure].startswith(why)
    assert measure not in found.arithmetic


def test_an_infinite_difference_is_counted_and_not_averaged() -> None:
    flat, tall = (Scene(n, (Thing("dog", "dog", Box(0, 0, 3, h)),)) for n, h in (("a", 0), ("b", 1)))
    found = result(flat, tall)
    assert (found.sd, found.arithmetic["sd"]) == (1.0, "SD = 1/1")
    assert found.undefined["sd_mean"] == "a matched difference is infinite: the area to divide by is 0"
    assert found.evidence.boxes[0].difference == math.inf


def test_remarks_on_what_may_mislead() -> None:
    assert result(shows("a", "dog"), shows("b", "cat")).remarks == (
        "CE is 0 only because no concept is common",
    )
    assert "the right picture" in result(shows("a", "dog"), shows("a", "dog")).remarks[0]
    assert result(shows("a", "dog"), None).remarks == ()


def test_what_the_query_does_not_mention_is_not_judged() -> None:
    found = result(shows("a", "ball", "park"), shows("b", "ball"), "a ball", variant="informed")
    assert found.evidence.not_judged == ("park",)
    assert (found.evidence.common, found.evidence.only_truth) == (("ball",), ())
    assert (found.ca, found.matched_share, found.hits, found.misses) == (1, 1, 1, 0)
    assert "our reading" in found.remarks[0]


def test_sums_of_fractions_are_exact() -> None:
    assert arithmetic.mean_of([1 / 3, 1 / 6, 1 / 12], 3) == "(1/3 + 1/6 + 1/12)/3 = 7/36"
    assert arithmetic.mean_of([1.3862943611198906, 0.5], 2) == "(1.386 + 1/2)/2 = 0.9431"
    assert arithmetic.fraction(1 / 13) == Fraction(1, 13)
    assert arithmetic.differences([]) == "0"


def test_differences_of_sizes_are_added_up_in_decimals() -> None:
    boxes = [Box(0, 0, 3, 1), Box(0, 0, 7, 1)], [Box(0, 0, 4, 1), Box(0, 0, 8, 1)]
    truth, other = (Scene("x", tuple(Thing("dog", "dog", box) for box in side)) for side in boxes)
    assert result(truth, other, pairs="all").arithmetic["sd_mean"] == "SD mean = (0.3333 + 0.1429)/2 = 0.2381"
    one = result(Scene("x", truth.things[:1]), Scene("y", other.things[:1]))
    assert one.arithmetic["sd_mean"] == "SD mean = 0.3333"


def test_a_table_of_similarities_is_a_hierarchy_without_levels() -> None:
    table = SimilarityTable(NEAR)
    assert isinstance(table, Hierarchy)
    assert (table.parents("ball"), table.words("ball")) == ((), ("ball",))
    assert (table.resolve("ball"), table.resolve("balls")) == ("ball", None)
    assert table.similarities(["ball"], ["ball", "dog"])[0, 0] == 1
    assert table.name == SimilarityTable({(b, a): value for (a, b), value in NEAR.items()}).name
    assert table.name != SimilarityTable(NEAR | {("ball", "cat"): 0.2}).name
