"""SD at its threshold: what differs by exactly so much counts, however its areas are written down."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Literal, get_args

import pytest

from crossgauge.concepts.evidence import PairResult, explain
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.settings import ConceptSettings, Denominator
from crossgauge.scenes import Box, Scene, Thing

Area = Literal["pixels", "image"]
SIDES = "0.1", "0.3", "0.7", "1", "1.1", "3", "20.5", "333.3"  # decimals that no float is, and others
PICTURES = (10, 10), (640, 480), (3, 7)


def pictured(image: str, side: str, picture: tuple[int, int]) -> Scene:
    return Scene(image, (Thing("dog", "dog", Box(0, 0, float(side), 3.0)),), *picture)


def exact(truth: Scene, other: Scene, sides: tuple[str, str], area: Area, share_of: Denominator) -> Fraction:
    """The relative difference of the two boxes as a fraction."""
    whole = [Fraction((one.width or 0) * (one.height or 0)) for one in (truth, other)]
    divisors = whole if area == "image" else [Fraction(1)] * 2
    here, there = (Fraction(side) * 3 / divisor for side, divisor in zip(sides, divisors, strict=True))
    return abs(here - there) / {"gold": here, "retrieved": there, "min": min(here, there)}[share_of]


def measured(truth: Scene, other: Scene, **settings: object) -> PairResult:
    return explain(Pair(truth, other), hierarchy={}, settings=ConceptSettings(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("area", get_args(Area))
def test_three_times_as_large_differs_by_two(area: Area) -> None:
    truth, other = (
        Scene(n, (Thing("dog", "dog", Box(0, 0, 10, h)),), 10, 10) for n, h in (("a", 1), ("b", 3))
    )
    found = measured(truth, other, sd_area=area, sd_threshold=2)
    assert (found.sd, found.arithmetic["sd"], found.evidence.boxes[0].oversized) == (1.0, "SD = 1/1", True)
    assert found.sd_mean == pytest.approx(2, rel=1e-15)


@pytest.mark.parametrize("share_of", get_args(Denominator))
@pytest.mark.parametrize("area", get_args(Area))
def test_every_difference_reaches_itself_and_nothing_more(area: Area, share_of: Denominator) -> None:
    """All pairs of boxes and pictures, against exact arithmetic on the numbers as they were written."""
    for sides in product(SIDES, SIDES):
        for pictures in product(PICTURES, PICTURES if area == "image" else PICTURES[:1]):
            truth, other = (pictured(*one) for one in zip("ab", sides, pictures, strict=True))
            difference = exact(truth, other, sides, area, share_of)
            for threshold in (difference, difference * (1 + Fraction(1, 10**12)), difference + 1):
                settings = ConceptSettings(
                    sd_area=area, sd_denominator=share_of, sd_threshold=float(threshold)
                )
                found = explain(Pair(truth, other), hierarchy={}, settings=settings)
                assert found.sd == (difference >= threshold), (sides, pictures, threshold)


def test_many_pairs_are_counted_as_one_pair_is() -> None:
    truth, other = pictured("a", "0.1", (10, 10)), pictured("b", "0.3", (10, 10))
    settings = ConceptSettings(sd_area="image", sd_threshold=2)
    found = concept_scores([truth] * 3, [other] * 3, hierarchy={}, settings=settings)
    assert (found["sd"].value, found.totals.oversized) == (1.0, 3)
