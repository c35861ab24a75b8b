"""What a study tells: means, classes merged over raters, rules, agreement, and its report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from crossgauge.ratings.agreement import krippendorff
from crossgauge.ratings.classes import merged
from crossgauge.ratings.reading import Pair, Rating, Ratings
from crossgauge.ratings.report import document, text
from crossgauge.ratings.rules import rules
from crossgauge.ratings.study import Study, study

ALL = ("action", "colour", "details")


def rating(rater: str, score: float, *classes: str, alternative: bool = False) -> Rating:
    return Rating(rater, score, frozenset(classes), alternative, "")


def ratings(*pairs: tuple[Rating, ...], classes: tuple[str, ...] | None = ALL) -> Ratings:
    made = tuple(Pair(f"q{number}", f"i{number}", pair) for number, pair in enumerate(pairs))
    return Ratings("r.csv", made, classes, (0.0, 10.0), ())


@pytest.fixture
def small() -> Study:
    return study(
        ratings(
            (rating("a", 6, "colour", "details"), rating("b", 8, "colour")),
            (rating("a", 10, alternative=True),),
            (rating("a", 1, "action", "details"), rating("b", 3, "action"), rating("c", 2, "action")),
        )
    )


def test_every_pair_counts_the_same_in_the_mean(small: Study) -> None:
    assert small.summary.mean.value == pytest.approx((7 + 10 + 2) / 3)
    assert small.summary.mean_of_ratings.value == pytest.approx((6 + 8 + 10 + 1 + 3 + 2) / 6)
    assert small.summary.mean.low <= small.summary.mean.value <= small.summary.mean.high
    counts = small.summary
    assert (counts.pairs, counts.raters, counts.ratings, counts.fewest, counts.most) == (3, 3, 6, 1, 3)


def test_many_raters_of_one_pair_are_no_sample(small: Study) -> None:
    one = study(ratings(tuple(rating(str(n), n % 11) for n in range(50))))
    assert math.isnan(one.summary.mean.low)
    assert math.isnan(one.summary.mean_of_ratings.low)
    wide = small.summary.mean_of_ratings
    assert wide.high - wide.low > 2  # three pairs, not six ratings


@pytest.mark.parametrize(
    ("marks", "majority", "anyone"),
    [
        ([("colour",), ()], {"colour"}, {"colour"}),  # a tie counts
        ([("colour",), (), ()], set(), {"colour"}),
        ([("colour", "details"), ("colour",), ()], {"colour"}, {"colour", "details"}),
        ([()], set(), set()),
    ],
)
def test_raters_are_merged(marks: list[tuple[str, ...]], majority: set[str], anyone: set[str]) -> None:
    pair = Pair("q", "i", tuple(rating(str(n), 5, *classes) for n, classes in enumerate(marks)))
    assert merged(pair, merge="majority").classes == majority
    assert merged(pair, merge="any").classes == anyone


def test_a_valid_answer_is_no_disagreement_and_follows_the_same_rule() -> None:
    pair = Pair("q", "i", (rating("a", 9, alternative=True), rating("b", 5, "colour"), rating("c", 5)))
    assert merged(pair, merge="any").alternative
    assert not merged(pair, merge="majority").alternative
    found = study(ratings(pair.ratings), merge="any").disagreements
    assert found is not None
    assert (found.alternatives, found.sizes) == (1, {0: 0, 1: 1})


def test_shares_of_sizes_and_classes(small: Study) -> None:
    found = small.disagreements
    assert found is not None
    assert found.sizes == {0: 1, 1: 1, 2: 1}  # details: one of two raters; one of three
    assert [found.share(size) for size in range(4)] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert [(one.name, one.count, one.mean) for one in found.classes] == [
        ("action", 1, 2.0), ("colour", 1, 7.0), ("details", 1, 7.0),
    ]  # fmt: skip
    assert [(one.names, one.count) for one in found.together] == [(("colour", "details"), 1)]


def test_rules_have_support_confidence_and_lift() -> None:
    marked = [{"a", "b"}] * 3 + [{"a"}] + [{"b"}] * 2 + [set()] * 6
    found = {(rule.antecedent, rule.consequent): rule for rule in rules(marked)}
    assert set(found) == {("a", "b"), ("b", "a")}
    rule = found["a", "b"]
    assert (rule.both, rule.antecedents, rule.consequents, rule.pairs) == (3, 4, 5, 12)
    assert (rule.support, rule.confidence, rule.lift) == pytest.approx((0.25, 0.75, 0.75 / (5 / 12)))
    assert found["b", "a"].confidence == pytest.approx(0.6)
    assert found["b", "a"].lift == pytest.approx(rule.lift)


def test_the_most_confident_rule_stands_first() -> None:
    found = rules([{"a", "b"}, {"b", "c"}, {"b", "c"}])
    assert [(rule.antecedent, rule.consequent) for rule in found] == [
        ("c", "b"),
        ("a", "b"),
        ("b", "c"),
        ("b", "a"),
    ]


def test_agreement_needs_two_raters_and_something_that_varies() -> None:
    assert math.isnan(krippendorff([[1.0], [2.0]], level="interval").alpha)
    assert math.isnan(krippendorff([[7.1, 7.1], [7.1, 7.1, 7.1]], level="interval").alpha)
    assert krippendorff([[0.1, 0.1], [0.2, 0.2]], level="interval").alpha == pytest.approx(1.0)
    assert krippendorff([], level="nominal").pairs == 0


def test_raters_who_contradict_one_another_are_below_zero() -> None:
    assert krippendorff([[0, 1]] * 20, level="nominal").alpha == pytest.approx(1 - 39 / 40 * 80 / 40)
    assert krippendorff([[0, 10]] * 20, level="interval").alpha < -0.9


def test_alpha_does_not_change_with_the_zero_or_the_unit_of_a_scale() -> None:
    units = [[1.0, 2.0], [5.0, 5.0, 4.0], [9.0, 7.0]]
    moved = [[1e6 + 3 * value for value in unit] for unit in units]
    first, second = (krippendorff(one, level="interval") for one in (units, moved))
    assert first.alpha == pytest.approx(second.alpha)
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_the_interval_of_alpha_narrows_with_pairs() -> None:
    units = [[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]
    few, many = (krippendorff(units * times, level="nominal") for times in (4, 100))
    assert many.high - many.low < 0.4 * (few.high - few.low)
    assert many.low < many.alpha < many.high


def test_json_is_whole_and_has_no_nan(small: Study) -> None:
    found = json.loads(document(small))
    assert found["schema"] == 1
    assert found["disagreements"]["sizes"][2] == {"classes": 2, "pairs": 1, "share": pytest.approx(1 / 3)}
    assert found["rules"][0] | {"antecedent": "colour", "confidence": 1.0} == found["rules"][0]
    assert found["agreement"]["classes"]["colour"]["alpha"] == pytest.approx(1.0)
    assert found["correlations"] == []
    assert "NaN" not in document(small)


def test_the_report_says_what_was_counted_how(small: Study) -> None:
    shown = text(small)
    assert "mean rating 6.33" in shown
    assert "0: 33.33 % (1), 1: 33.33 % (1), 2: 33.33 % (1)" in shown
    assert "merge=majority: a class disagrees in a pair when at least half" in shown
    assert "colour → details" in shown
    assert text(small, codec="ascii").isascii()


def test_a_table_without_classes_has_no_such_part() -> None:
    shown = text(study(ratings((rating("a", 5),), (rating("a", 7),), classes=None)))
    assert "disagree" not in shown
    assert "raters agree on scores: — (no pair has two raters)" in shown


def test_terminal_codes_in_a_class_are_shown_not_obeyed(tmp_path: Path) -> None:
    assert "\x1b" not in text(study(ratings((rating("a", 5, "\x1b[31mred"),), classes=("\x1b[31mred",))))
