"""The worked examples of the concept measures to the last digit, and where their source errs."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from crossgauge.concepts.evidence import PairResult, explain
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import COLING2022, ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.concepts.totals import ConceptTotals
from crossgauge.concepts.wordnet import WordNet
from crossgauge.scenes import Box, Scene, Thing

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "concepts.json").read_bytes())
PRINTED = GOLDEN["printed"]


def scene(image: str, rows: list[dict[str, Any]]) -> Scene:
    things = (
        Thing(row["concept"].partition(".")[0], row["concept"], None if box is None else Box(0, 0, *box))
        for row in rows
        for box in row["boxes"]
    )
    return Scene(image, tuple(things))


def shows(image: str, **counts: int) -> Scene:
    return Scene(image, tuple(Thing(name, f"{name}.n.01", count=count) for name, count in counts.items()))


TRUTH, RETRIEVED = (scene(side, GOLDEN["zebra"][side]) for side in ("truth", "retrieved"))
FIFTH = Scene(
    "truth",
    tuple(
        Thing("zebra", "zebra.n.01", Box(0, 0, *GOLDEN["zebra"]["fifth_zebra"]))
        if thing.name == "zebra" and thing.box is None
        else thing
        for thing in TRUTH.things
    ),
)


def table() -> SimilarityTable:
    columns, rows = GOLDEN["similarity"]["columns"], GOLDEN["similarity"]["rows"]
    return SimilarityTable(
        {
            (f"{name}.n.01", f"{column}.n.01"): float(Fraction(value))
            for name, values in rows.items()
            for column, value in zip(columns, values, strict=True)
        }
    )


@pytest.fixture(scope="module", params=["table", "wordnet"])
def hierarchy(request: pytest.FixtureRequest) -> Hierarchy:
    return table() if request.param == "table" else WordNet()


@pytest.fixture
def zebra(hierarchy: Hierarchy) -> PairResult:
    return explain(Pair(TRUTH, RETRIEVED), hierarchy=hierarchy, settings=COLING2022)


@pytest.mark.parametrize("measure", sorted(GOLDEN["expected"]))
def test_the_zebras(zebra: PairResult, measure: str) -> None:
    assert getattr(zebra, measure) == pytest.approx(float(Fraction(GOLDEN["expected"][measure])), abs=1e-15)


def test_the_zebras_as_printed(zebra: PairResult) -> None:
    assert zebra.ncs == pytest.approx(PRINTED["ncs"], abs=5e-4)
    assert zebra.ce == PRINTED["ce"]
    assert zebra.sd == pytest.approx(PRINTED["sd"], abs=5e-4)
    assert round(100 * zebra.ca, 2) == 27.27  # 27.28 is printed
    assert round(PRINTED["ca"] - zebra.ca, 5) > 0


def test_the_arithmetic_of_the_zebras(zebra: PairResult) -> None:
    assert {name: zebra.arithmetic[name] for name in GOLDEN["arithmetic"]} == GOLDEN["arithmetic"]
    assert zebra.undefined == {}


def test_the_evidence_of_the_zebras(zebra: PairResult) -> None:
    evidence = zebra.evidence
    assert evidence.common == ("field.n.01", "mane.n.01", "zebra.n.01")
    assert (len(evidence.only_truth), len(evidence.only_retrieved)) == (8, 2)
    assert [[one.truth, one.retrieved] for one in evidence.couples] == GOLDEN["couples"]
    assert [(one.truth, one.retrieved) for one in evidence.counts] == [(1, 1), (1, 5), (5, 7)]
    over = {one.concept: round(one.difference, 3) for one in evidence.boxes if one.oversized}
    assert over == {"field.n.01": 1.369, "mane.n.01": 2.3}
    assert [one.concept for one in evidence.boxes].count("zebra.n.01") == 4


def test_with_a_box_for_every_zebra_the_printed_sizes_cannot_come_out(hierarchy: Hierarchy) -> None:
    result = explain(Pair(FIFTH, RETRIEVED), hierarchy=hierarchy)
    assert Fraction(result.sd).limit_denominator(100) == Fraction(GOLDEN["five_boxes"]["sd"])
    assert result.arithmetic["sd"] == "SD = 2/7"
    assert result.ce == PRINTED["ce"]
    assert abs(result.sd - PRINTED["sd"]) > 0.04


def test_with_four_zebras_the_printed_count_cannot_come_out(hierarchy: Hierarchy) -> None:
    four = Scene("truth", tuple(t for t in TRUTH.things if t.name != "zebra" or t.box is not None))
    result = explain(Pair(four, RETRIEVED), hierarchy=hierarchy)
    assert result.arithmetic["sd"] == "SD = 2/6"
    assert (result.ce, PRINTED["ce"]) == (7, 6)


def test_the_zebras_under_every_other_convention(hierarchy: Hierarchy) -> None:
    settings = {
        "average": ConceptSettings(average="smaller"),
        "min": ConceptSettings(sd_denominator="min"),
        "retrieved": ConceptSettings(sd_denominator="retrieved"),
    }
    found = {
        name: explain(Pair(TRUTH, RETRIEVED), hierarchy=hierarchy, settings=one)
        for name, one in settings.items()
    }
    assert found["average"].arithmetic["ncs"] == GOLDEN["arithmetic"]["ncs"]  # both sides' partners are found
    assert found["min"].arithmetic["sd"] == "SD = 2/6"  # larger than the gold: the same difference
    assert found["retrieved"].arithmetic["sd"] == "SD = 0/6"  # no box is half or less of its partner


@pytest.mark.parametrize(
    ("retrieved", "ca"), [(("dog", "frisbee", "park"), Fraction(2, 3)), (("cat", "fish"), Fraction(0))]
)
def test_agreement_with_dog_ball_park(hierarchy: Hierarchy, retrieved: tuple[str, ...], ca: Fraction) -> None:
    truth = shows("a", dog=1, ball=1, park=1)
    other = shows("b", **dict.fromkeys(retrieved, 1))
    assert explain(Pair(truth, other), hierarchy=hierarchy).ca == float(ca)


def test_ten_dogs_and_a_frisbee(hierarchy: Hierarchy) -> None:
    truth = shows("a", dog=10, frisbee=1)
    worse, better = shows("b", dog=1, frisbee=1), shows("c", dog=10, ball=1)
    assert explain(Pair(truth, worse), hierarchy=hierarchy).arithmetic["ce"] == "CE = |10−1| + |1−1| = 9"
    assert explain(Pair(truth, better), hierarchy=hierarchy).arithmetic["ce"] == "CE = |10−10| = 0"


def test_a_frisbee_is_nearer_to_a_ball_than_to_a_cat() -> None:
    truth, wordnet = shows("a", dog=1, ball=1, park=1), WordNet()
    frisbee, cat = shows("b", dog=1, frisbee=1, park=1), shows("c", dog=1, cat=1, park=1)
    ball = explain(Pair(truth, frisbee), hierarchy=wordnet)
    assert ball.arithmetic["ncs"] == "NCS = 1/7"
    assert ball.ncs > explain(Pair(truth, cat), hierarchy=wordnet).ncs
    frisbee_cat = explain(Pair(shows("a", frisbee=1), shows("b", cat=1)), hierarchy=wordnet)
    assert frisbee_cat.ncs == pytest.approx(0.071, abs=5e-4)


def test_many_pairs_give_what_one_gives(hierarchy: Hierarchy) -> None:
    found = concept_scores([TRUTH] * 3, [RETRIEVED] * 3, hierarchy=hierarchy)
    one = explain(Pair(TRUTH, RETRIEVED), hierarchy=hierarchy)
    for measure in GOLDEN["expected"]:
        assert found[measure].per_query.tolist() == [getattr(one, measure)] * 3
    assert (found.totals.matchings, found.totals.exclusive, found.totals.box_pairs) == (6, 30, 18)


def test_the_printed_totals_fit_each_other() -> None:
    printed = GOLDEN["global"]
    totals = ConceptTotals(
        pairs=0,
        common_names=printed["common_names"],
        exclusive_names=printed["exclusive_names"],
        common=printed["common"],
        exclusive=printed["exclusive"],
        matchings=printed["matchings"],
        equal_counts=printed["equal_counts"],
        different_counts=printed["different_counts"],
        ce_mode=1,
        ce_mode_of_class=1,
        box_pairs=0,
        oversized=0,
        hits=printed["common"],
        misses=0,
    )
    assert totals.equal_counts + totals.different_counts == totals.common
    assert round(totals.matchings_per_exclusive, 4) == printed["printed_share"]
    assert round(totals.share_matched, 3) == 0.589  # each matching uses two
    assert round(totals.share_miscounted, 3) == 0.628
