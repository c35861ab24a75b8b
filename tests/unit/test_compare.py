"""Bootstrap intervals: deterministic, exact where that is possible, honest where it is not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from crossgauge.compare import Statistic, _medians, bootstrap_interval

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("n", [5, 60, 61, 700])
@pytest.mark.parametrize("distinct", [3, 100000])
def test_means_agree_with_plain_resampling(n: int, distinct: int) -> None:
    values = RNG.integers(1, distinct, n).astype(float)
    drawn = values[RNG.integers(0, n, (20000, n))].mean(axis=1)
    found = bootstrap_interval(values, resamples=20000)
    assert np.allclose(found, np.quantile(drawn, [0.025, 0.975]), atol=0.1 * values.std() / math.sqrt(n))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_medians_have_the_distribution_of_all_resamples(n: int) -> None:
    values = np.arange(n) ** 2.0
    every = np.median(values[np.array(list(itertools.product(range(n), repeat=n)))], axis=1)
    drawn = _medians(values, resamples=100000, rng=np.random.default_rng(5))
    for value in np.unique(every):
        assert (drawn == value).mean() == pytest.approx((every == value).mean(), abs=0.006)
    assert set(drawn) <= set(every)


def test_the_median_of_even_numbers_is_half_way() -> None:
    low, high = bootstrap_interval([1.0, 2.0], statistic="median")
    assert (low, high) == (1.0, 2.0)
    draws = {bootstrap_interval([0.0, 1.0], statistic="median", level=level)[0] for level in (0.95, 0.5, 0.4)}
    assert draws == {0.0, 0.5}


def test_the_same_seed_gives_the_same_bytes() -> None:
    values = RNG.random(1000)
    assert bootstrap_interval(values) == bootstrap_interval(values.copy())
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, math.nan], [math.nan, math.nan]])
def test_one_query_has_no_interval(values: list[float]) -> None:
    assert np.isnan(bootstrap_interval(values)).all()


def test_one_cluster_has_no_interval() -> None:
    assert np.isnan(bootstrap_interval([0.0, 1.0, 1.0], clusters=[7, 7, 7])).all()


def test_nan_is_left_out() -> None:
    values = RNG.integers(0, 2, 50).astype(float)
    assert bootstrap_interval([*values, math.nan]) == bootstrap_interval(values)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_clusters_widen_the_interval(statistic: Statistic) -> None:
    values = np.repeat(RNG.integers(0, 100, 80), 5).astype(float)
    clusters = np.repeat(np.arange(80), 5)
    alone = bootstrap_interval(values, statistic=statistic)
    together = bootstrap_interval(values, statistic=statistic, clusters=clusters)
    assert together[1] - together[0] > 1.5 * (alone[1] - alone[0])


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_clusters_of_one_change_little(statistic: Statistic) -> None:
    values = RNG.normal(size=301)
    alone = bootstrap_interval(values, statistic=statistic)
    single = bootstrap_interval(values, statistic=statistic, clusters=np.arange(301)[::-1])
    assert np.allclose(alone, single, atol=0.05)


def test_clustered_medians_are_plain_medians_of_what_is_drawn() -> None:
    """Two clusters, so a resample is one of three: everything follows by hand."""
    low, high = bootstrap_interval([1.0, 2.0, 10.0, 20.0, 30.0], statistic="median", clusters=[0, 0, 1, 1, 1])
    assert (low, high) == (1.5, 20.0)


def test_infinite_values_stay_infinite() -> None:
    few = [1.0, 2.0, math.inf, 3.0]
    assert bootstrap_interval(few)[1] == math.inf
    assert bootstrap_interval([1.0] * 50 + [math.inf] * 50, statistic="median") == (1.0, math.inf)
    many = np.append(np.arange(2000.0), math.inf)
    assert bootstrap_interval(many)[1] == math.inf


def test_weights_make_a_weighted_mean() -> None:
    values, weights = np.array([1.0] * 90 + [0.0] * 10), np.array([1 / 180] * 90 + [1 / 20] * 10)
    low, high = bootstrap_interval(values, weights=weights)
    assert low < 0.5 < high
    assert bootstrap_interval(np.ones(100), weights=weights) == (1.0, 1.0)


def test_a_hundred_thousand_queries_take_moments() -> None:
    import time

    hits, ranks = RNG.integers(0, 2, 100000).astype(float), RNG.integers(1, 100000, 100000).astype(float)
    began = time.perf_counter()
    bootstrap_interval(hits)
    bootstrap_interval(ranks, statistic="median")
    assert time.perf_counter() - began < 5
