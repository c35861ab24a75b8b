"""Published numbers: the study's shares from the smallest sample that gives them, and textbook alphas."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crossgauge.ratings.agreement import Level, krippendorff
from crossgauge.ratings.classes import disagreements
from crossgauge.ratings.reading import Pair, Rating, Ratings
from crossgauge.ratings.rules import rules

# Lymperaiou et al., COLING 2022: shares of pairs with one, two and three disagreeing classes
SIZES = {1: 82.52, 2: 14.56, 3: 2.91}
PRINTED_RULES = (54.37, 17.48, 11.65)  # printed as shares of the pairs that contain a class
SAMPLE = 103

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): four observers, twelve units
FOUR_OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
# the computational example of the encyclopedic literature: three coders, fifteen units
THREE_CODERS = """
. . . . . 3 4 1 2 1 1 3 3 . 3
1 . 2 1 3 3 4 3 . . . . . . .
. . 2 1 3 4 4 . 2 1 1 3 3 . 4
"""


def sample(sizes: Sequence[int]) -> Ratings:
    """A pair with one rater for each number of classes."""
    names = ("details", "object colour", "action")
    pairs = tuple(
        Pair(f"q{n:03}", "i", (Rating("a", 8.0, frozenset(names[:size]), alternative=False, place=""),))
        for n, size in enumerate(sizes)
    )
    return Ratings("", pairs, names, (0.0, 10.0), ())


def units(table: str) -> list[list[int]]:
    columns = zip(*(line.split() for line in table.strip().splitlines()), strict=True)
    return [[int(value) for value in column if value != "."] for column in columns]


def test_the_smallest_sample_gives_the_printed_shares() -> None:
    found = disagreements(sample([1] * 85 + [2] * 15 + [3] * 3), merge="majority")
    assert found.pairs == SAMPLE
    assert {size: round(100 * found.share(size), 2) for size in (1, 2, 3)} == SIZES
    assert found.share(0) == 0.0


def test_no_smaller_sample_does() -> None:
    for n in range(1, SAMPLE):
        counts = [round(percent * n / 100) for percent in SIZES.values()]
        given = [round(100 * count / n, 2) for count in counts]
        assert given != list(SIZES.values()) or sum(counts) != n


def test_the_printed_rules_are_shares_of_all_pairs_and_cannot_be_confidences() -> None:
    counts = [round(percent * SAMPLE / 100) for percent in PRINTED_RULES]
    assert [round(100 * count / SAMPLE, 2) for count in counts] == list(PRINTED_RULES)
    assert counts == [56, 18, 12]
    most = max(
        rule.both
        for rule in rules(pair.ratings[0].classes for pair in sample([1] * 85 + [2] * 15 + [3] * 3).pairs)
    )
    assert most == 15 + 3  # pairs with two classes or more: a rule can hold in no more
    assert counts[0] > most


@pytest.mark.parametrize(
    ("table", "level", "alpha"),
    [
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "interval", 0.849),
        (THREE_CODERS, "nominal", 0.691),
        (THREE_CODERS, "interval", 0.811),
    ],
)
def test_alpha_is_the_published_one(table: str, level: Level, alpha: float) -> None:
    assert round(krippendorff(units(table), level=level).alpha, 3) == alpha


def test_units_with_one_value_are_not_counted() -> None:
    found = krippendorff(units(FOUR_OBSERVERS), level="nominal")
    assert (found.pairs, found.values) == (11, 40)
