"""Differences of paired measurements: values, intervals, clusters, draws, medians, classes."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
import scipy.stats

from crossgauge.paired import paired

RNG = np.random.default_rng(5)


def brute_force(before: np.ndarray, after: np.ndarray, statistic, clusters: np.ndarray | None = None):
    """The 95 % interval of the difference by resampling, with a generator of its own."""
    rng = np.random.default_rng(77)
    labels = np.arange(len(before)) if clusters is None else clusters
    names = np.unique(labels)
    members = [np.flatnonzero(labels == name) for name in names]
    found = []
    for _ in range(4000):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(names), len(names))])
        found.append(statistic(after[rows]) - statistic(before[rows]))
    return np.quantile(found, [0.025, 0.975])


def test_a_mean_and_its_interval() -> None:
    before, after = RNG.random(400), RNG.random(400)
    found = paired("mrr", before, after)
    assert found.delta == pytest.approx(after.mean() - before.mean())
    assert found.interval == pytest.approx(tuple(brute_force(before, after, np.mean)), abs=0.005)
    assert found.n == 400


def test_pairs_are_surer_than_two_samples() -> None:
    """A constant loss in every query is certain, however the queries differ."""
    before = RNG.random(100)
    found = paired("mrr", before, before - 0.1)
    assert found.interval == pytest.approx((-0.1, -0.1))


def test_a_difference_of_medians() -> None:
    before = RNG.integers(1, 300, 301).astype(float)
    after = before + RNG.integers(-20, 60, 301)
    found = paired("medr", before, after)
    assert found.delta == np.median(after) - np.median(before)
    assert found.interval == pytest.approx(tuple(brute_force(before, after, np.median)), abs=6)


def test_clusters_are_drawn_together() -> None:
    """Five equal captions of a picture are worth one: the interval is that of the pictures alone."""
    before, after = RNG.random(60), RNG.random(60)
    clusters = np.repeat(np.arange(60), 5)
    alone = paired("mrr", before, after)
    together = paired("mrr", np.repeat(before, 5), np.repeat(after, 5), clusters=clusters)
    apart = paired("mrr", np.repeat(before, 5), np.repeat(after, 5))

    def width(found) -> float:
        return found.interval[1] - found.interval[0]

    assert width(together) == pytest.approx(width(alone), rel=0.02)
    assert width(apart) < 0.6 * width(together)
    ranks = np.repeat(np.round(100 * before), 5), np.repeat(np.round(100 * after), 5)
    medians = paired("medr", *ranks, clusters=clusters)
    assert medians.interval == pytest.approx(tuple(brute_force(*ranks, np.median, clusters)), abs=4)


def test_draws_are_averaged() -> None:
    before, after = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    draws = np.array([0, 0, 1])
    assert paired("hit@1", before, after, draws=draws).delta == pytest.approx((-0.5 + 1.0) / 2)
    ranks = np.array([1.0, 3.0, 9.0]), np.array([5.0, 5.0, 2.0])
    assert paired("medr", *ranks, draws=draws).delta == pytest.approx(((5 - 2) + (2 - 9)) / 2)


def test_a_mean_over_classes() -> None:
    weights = np.array([0.5, 0.25, 0.25])
    found = paired("acc_macro@1", np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), weights=weights)
    assert (found.before, found.after, found.delta) == (0.5, 0.25, -0.25)


def test_whole_clusters_count_once() -> None:
    clusters = np.array([7, 7, 9, 9])
    found = paired("all_hit@1", np.array([1.0, 1, 1, 0]), np.array([1.0, 0.5, 1, 1]), clusters=clusters)
    assert (found.before, found.after, found.n) == (0.5, 0.75, 2)


def test_undefined_values_are_left_out_and_infinite_ones_leave_nothing() -> None:
    before, after = np.array([1.0, np.nan, 3.0]), np.array([2.0, np.nan, 3.0])
    assert (paired("medr", before, after).delta, paired("medr", before, after).n) == (0.5, 2)
    nothing = paired("hit@1", np.full(3, np.nan), np.full(3, np.nan))
    assert np.isnan([nothing.before, nothing.delta, *nothing.interval]).all()
    far = paired("meanr", np.array([1.0, 2.0]), np.array([1.0, np.inf]))
    assert np.isinf(far.after)
    assert np.isnan([far.delta, *far.interval]).all()


@pytest.mark.parametrize("measure", ["hit@1", "medr"])
def test_one_query_has_no_interval(measure: str) -> None:
    found = paired(measure, np.array([1.0]), np.array([0.0]))
    assert found.delta == -1.0
    assert np.isnan(found.interval).all()


@pytest.mark.parametrize("measure", ["hit@1", "medr"])
def test_nothing_changed_is_exactly_nothing(measure: str) -> None:
    values = RNG.random(50)
    found = paired(measure, values, values.copy())
    assert (found.delta, found.interval) == (0.0, (0.0, 0.0))


def test_the_same_again_and_another_seed() -> None:
    before, after = RNG.random(700), RNG.random(700)
    for measure in ("mrr", "medr"):
        first, again, other = (paired(measure, before, after, seed=seed) for seed in (0, 0, 1))
        assert first == again
        assert (first.interval == other.interval) == (measure == "mrr")  # of means nothing is drawn
        assert first.delta == other.delta


def exchanged(before: np.ndarray, after: np.ndarray, statistic, clusters: np.ndarray) -> float:
    """The share of all exchanges of before and after, cluster by cluster, that change at least as much."""
    names = np.unique(clusters)
    observed = abs(statistic(after) - statistic(before))
    reached = 0
    for choice in itertools.product((False, True), repeat=len(names)):
        swapped = np.isin(clusters, names[list(choice)])
        one, other = np.where(swapped, after, before), np.where(swapped, before, after)
        reached += abs(statistic(other) - statistic(one)) >= observed - 1e-12
    return reached / 2 ** len(names)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("measure", ["hit@1", "mrr", "meanr"])
def test_p_is_the_share_of_all_exchanges(measure: str, n: int) -> None:
    ranks = RNG.integers(1, 9, (2, n)).astype(float)
    values = {"hit@1": ranks <= 3, "mrr": 1 / ranks, "meanr": ranks}[measure].astype(float)
    found = paired(measure, *values)
    assert found.p == pytest.approx(exchanged(*values, np.mean, np.arange(n)), abs=1e-12)


@pytest.mark.parametrize("measure", ["hit@1", "acc@1", "recall@5", "p@1"])
def test_the_p_of_hits_is_mcnemar(measure: str) -> None:
    for gained, lost in ((3, 9), (40, 61), (0, 30), (5, 5)):
        before = np.array([0.0] * gained + [1.0] * lost + [1.0] * 50 + [0.0] * 20)
        after = np.array([1.0] * gained + [0.0] * lost + [1.0] * 50 + [0.0] * 20)
        wanted = scipy.stats.binomtest(gained, gained + lost, 0.5).pvalue
        assert paired(measure, before, after).p == pytest.approx(wanted, rel=1e-12)


def test_the_p_of_many_ranks_is_that_of_all_signs() -> None:
    before = RNG.integers(1, 300, 400).astype(float)
    after = before + RNG.integers(-20, 23, 400)
    moved = (after - before).astype(int)
    chances = np.ones(1)  # of each sum, one difference after the other
    for size in np.abs(moved[moved != 0]):
        longer = np.zeros(len(chances) + 2 * size)
        longer[: len(chances)] += chances / 2
        longer[2 * size :] += chances / 2
        chances = longer
    sums = np.arange(len(chances)) - len(chances) // 2
    wanted = chances[np.abs(sums) >= abs(moved.sum())].sum()
    for measure in ("meanr", "medr"):  # of a median the ranks are what is tested
        assert paired(measure, before, after).p == pytest.approx(wanted, abs=1e-11)


def test_clusters_weights_and_draws_are_exchanged_as_they_are_averaged() -> None:
    before, after = RNG.integers(0, 2, (2, 12)).astype(float)
    clusters = np.array([0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7])
    found = paired("hit@1", before, after, clusters=clusters)
    assert found.p == pytest.approx(exchanged(before, after, np.mean, clusters), abs=1e-12)
    weights = np.repeat([1 / 2, 1 / 4, 1 / 6], [2, 4, 6])
    found = paired("acc_macro@1", before, after, weights=weights)
    weighed = functools.partial(np.average, weights=weights)
    assert found.p == pytest.approx(exchanged(before, after, weighed, np.arange(12)), abs=1e-12)
    draws = np.repeat([0, 1, 2], [2, 4, 6])
    found = paired("hit@1", before, after, draws=draws, clusters=np.arange(12) % 7)
    by_draw = functools.partial(np.average, weights=weights)  # the mean of means of 2, 4 and 6
    assert found.p == pytest.approx(exchanged(before, after, by_draw, np.arange(12) % 7), abs=1e-12)


def test_where_nothing_differs_p_is_1_and_where_nothing_is_defined_there_is_none() -> None:
    assert paired("hit@1", np.ones(9), np.ones(9)).p == 1.0
    assert paired("medr", np.array([1.0, 2.0, np.inf]), np.array([1.0, 2.0, np.inf])).p == 1.0
    assert np.isnan(paired("hit@1", np.full(3, np.nan), np.full(3, np.nan)).p)
    assert np.isnan(paired("medr", np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, np.inf])).p)
