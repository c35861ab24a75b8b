"""What must hold for any ratings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from crossgauge.ratings.agreement import Level, krippendorff
from crossgauge.ratings.classes import disagreements
from crossgauge.ratings.correlation import _pearson, _Ranking, correlations
from crossgauge.ratings.reading import Pair, Rating, Ratings
from crossgauge.ratings.rules import rules
from crossgauge.types import Floats

CLASSES = ("action", "colour", "details", "enumeration")
marks = st.frozensets(st.sampled_from(CLASSES))
pairs = st.lists(
    st.lists(st.tuples(st.integers(0, 10), marks), min_size=1, max_size=4), min_size=1, max_size=12
)
units = st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=10)


def study(drawn: list[list[tuple[int, frozenset[str]]]]) -> Ratings:
    made = tuple(
        Pair(f"{n:03}", "i", tuple(Rating(str(r), float(s), c, False, "") for r, (s, c) in enumerate(pair)))
        for n, pair in enumerate(drawn)
    )
    return Ratings("", made, CLASSES, (0.0, 10.0), ())


def by_definition(values: list[list[int]], level: Level) -> float:
    """Krippendorff's alpha from all pairs of values, one by one."""
    kept = [unit for unit in values if len(unit) > 1]
    pooled = [value for unit in kept for value in unit]
    n = len(pooled)

    def difference(a: int, b: int) -> float:
        return float(a != b) if level == "nominal" else float((a - b) ** 2)

    expected = sum(difference(a, b) for a, b in itertools.permutations(pooled, 2))
    if not expected:
        return float("nan")
    observed = sum(
        sum(difference(a, b) for a, b in itertools.permutations(u, 2)) / (len(u) - 1) for u in kept
    )
    return 1.0 - (observed / n) / (expected / (n * (n - 1)))


@given(units, st.sampled_from(["nominal", "interval"]))
@settings(max_examples=60, deadline=None)
def test_alpha_is_its_definition(values: list[list[int]], level: Level) -> None:
    found = krippendorff(values, level=level)
    assert found.alpha == pytest.approx(by_definition(values, level), nan_ok=True)


@given(units, st.sampled_from(["nominal", "interval"]), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_alpha_knows_no_order(values: list[list[int]], level: Level, random: object) -> None:
    shuffled = [sorted(unit, reverse=True) for unit in values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert krippendorff(shuffled, level=level).alpha == pytest.approx(
        krippendorff(values, level=level).alpha, nan_ok=True
    )


@given(pairs)
@settings(max_examples=40, deadline=None)
def test_counts_of_classes_add_up(drawn: list[list[tuple[int, frozenset[str]]]]) -> None:
    for merge in ("any", "majority"):
        found = disagreements(study(drawn), merge=merge)  # type: ignore[arg-type]
        assert sum(found.sizes.values()) == found.pairs == len(drawn)
        assert sum(one.count for one in found.classes) == sum(size * n for size, n in found.sizes.items())
        assert sum(found.share(size) for size in found.sizes) == pytest.approx(1.0)
    anyone, most = (disagreements(study(drawn), merge=merge) for merge in ("any", "majority"))  # type: ignore[arg-type]
    more = {one.name: one.count for one in anyone.classes}
    assert all(one.count <= more[one.name] for one in most.classes)


@given(st.lists(marks, min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_rules_are_shares(marked: list[frozenset[str]]) -> None:
    found = {(rule.antecedent, rule.consequent): rule for rule in rules(marked)}
    for (first, second), rule in found.items():
        back = found[second, first]
        assert 0 < rule.support <= rule.confidence <= 1
        assert rule.lift == pytest.approx(back.lift)
        assert rule.both == back.both == sum({first, second} <= one for one in marked)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
@settings(max_examples=80, deadline=None)
def test_a_resample_has_the_correlation_of_its_pairs(drawn: list[tuple[int, int, int]]) -> None:
    left, right, times = np.array(drawn, dtype=np.float64).T
    ranks = [_Ranking.of(side).ranks(times[None, :]) for side in (left, right)]
    taken = [np.repeat(side, times.astype(int)) for side in (left, right)]
    for found, side in zip(ranks, taken, strict=True):
        assert np.repeat(found[0], times.astype(int)).tolist() == rankdata(side).tolist()
    if times.sum() < 2:
        return
    value = float(_pearson(*ranks, times[None, :])[0])
    varies = all(len(np.unique(side)) > 1 for side in taken)
    expected = spearmanr(*taken).statistic if varies else np.nan
    assert value == pytest.approx(expected, nan_ok=True)


@given(st.permutations(range(8)))
@settings(max_examples=20, deadline=None)
def test_only_the_order_of_values_counts(order: list[int]) -> None:
    means = np.arange(8.0)
    values: Floats = np.array(order, dtype=np.float64)
    first = correlations({"x": values}, means)[0]
    second = correlations({"x": np.exp(values)}, means)[0]
    negated = correlations({"x": -values}, means)[0]
    assert (first.rho, first.low, first.high) == (second.rho, second.low, second.high)
    assert negated.rho == pytest.approx(-first.rho)
    assert -1.0 <= first.low <= first.high <= 1.0
