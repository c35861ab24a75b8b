"""Bootstrap intervals: deterministic, exact where that is possible, honest where it is not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from crossgauge.compare import Statistic, bootstrap_interval
from crossgauge.compare.means import mean_interval

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("n", [5, 60, 61, 700])
@pytest.mark.parametrize("distinct", [3, 100000])
def test_means_agree_with_plain_resampling(n: int, distinct: int) -> None:
    values = RNG.integers(1, distinct, n).astype(float)
    drawn = values[RNG.integers(0, n, (20000, n))].mean(axis=1)
    found = bootstrap_interval(values, resamples=20000)
    assert np.allclose(found, np.quantile(drawn, [0.025, 0.975]), atol=0.1 * values.std() / math.sqrt(n))


def of_every_resample(values: np.ndarray, statistic, level: float) -> tuple[float, float]:
    """The definition, with all n ** n resamples."""
    n = len(values)
    every = np.sort(statistic(values[np.array(list(itertools.product(range(n), repeat=n)))], axis=1))
    tail = (1 - level) / 2 * len(every)
    return float(every[math.floor(tail + 1e-6)]), float(every[math.ceil(len(every) - tail - 1e-6) - 1])


SMALL = {
    "hits": lambda n: RNG.integers(0, 2, n).astype(float),
    "ranks": lambda n: RNG.integers(1, 30, n).astype(float),
    "thirds": lambda n: RNG.integers(0, 4, n) / 3.0,
    "any": lambda n: RNG.normal(size=n),
}


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("level", [0.95, 0.8, 0.5, 0.2])
@pytest.mark.parametrize("kind", SMALL)
def test_intervals_are_those_of_all_resamples(n: int, level: float, kind: str) -> None:
    values = SMALL[kind](n)
    medians = bootstrap_interval(values, statistic="median", level=level)
    assert medians == of_every_resample(values, np.median, level)
    means = bootstrap_interval(values, level=level)
    assert means == pytest.approx(of_every_resample(values, np.mean, level), abs=1e-12)


@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize("level", [0.95, 0.8, 0.5, 0.2])
@pytest.mark.parametrize("kind", SMALL)
def test_convolution_gives_the_means_of_all_resamples(n: int, level: float, kind: str) -> None:
    values = SMALL[kind](n)
    wanted = of_every_resample(values, np.mean, level)
    fine = 1e-12 if kind != "any" else 0.01 * values.std() / math.sqrt(n)
    assert mean_interval(values, tail=(1 - level) / 2) == pytest.approx(wanted, abs=fine)


def test_an_interval_of_hits_is_binomial() -> None:
    hits = np.array([1.0] * 300 + [0.0] * 700)
    reached = scipy.stats.binom.cdf(np.arange(1001), 1000, 0.3)
    low, high = np.flatnonzero(reached > 0.025)[0], np.flatnonzero(reached >= 0.975)[0]
    assert bootstrap_interval(hits) == (low / 1000, high / 1000)


@pytest.mark.parametrize("n", [100, 101, 1500])
@pytest.mark.parametrize("distinct", [4, 10**6])
def test_medians_agree_with_plain_resampling(n: int, distinct: int) -> None:
    values = np.sort(RNG.integers(0, distinct, n).astype(float))
    drawn = np.sort(np.median(values[RNG.integers(0, n, (10000, n))], axis=1))
    low, high = bootstrap_interval(values, statistic="median")
    assert drawn[180] <= low <= drawn[320]
    assert drawn[-321] <= high <= drawn[-181]


@pytest.mark.parametrize("clusters", [9, 60, 700])
def test_clusters_of_unequal_sizes_agree_with_plain_resampling(clusters: int) -> None:
    sizes = RNG.integers(1, 7, clusters)
    unit = np.repeat(np.arange(clusters), sizes)
    values = RNG.random(len(unit)) ** 2 + np.repeat(RNG.random(clusters), sizes)
    sums = np.bincount(unit, values)
    drawn = RNG.integers(0, clusters, (40000, clusters))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    found = bootstrap_interval(values, clusters=unit)
    assert found == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=0.06 * means.std())


def test_clusters_of_one_size_are_means_of_means() -> None:
    values = RNG.integers(0, 2, 200).astype(float)
    together = bootstrap_interval(values, clusters=np.repeat(np.arange(50), 4))
    assert together == bootstrap_interval(values.reshape(50, 4).mean(axis=1))


def test_the_median_of_even_numbers_is_half_way() -> None:
    low, high = bootstrap_interval([1.0, 2.0], statistic="median")
    assert (low, high) == (1.0, 2.0)
    draws = {bootstrap_interval([0.0, 1.0], statistic="median", level=level)[0] for level in (0.95, 0.5, 0.4)}
    assert draws == {0.0, 0.5}


def test_what_is_drawn_hangs_on_the_seed_and_nothing_else_does() -> None:
    values, clusters = RNG.random(1000), np.arange(1000) // 3
    medians = [
        bootstrap_interval(values.copy(), statistic="median", clusters=clusters, seed=seed)
        for seed in (0, 0, 1)
    ]
    assert medians[0] == medians[1] != medians[2]
    assert len({bootstrap_interval(values, seed=seed, resamples=10 + seed) for seed in (0, 1)}) == 1


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


def test_a_rare_infinite_value_moves_only_the_upper_end() -> None:
    """One of 100 is infinite: 37 % of the resamples do not hold it, and are those of the others."""
    values = np.append(np.repeat([0.0, 1.0], [50, 49]), math.inf)
    low, high = bootstrap_interval(values, level=0.5)
    assert high == math.inf
    chance = 0.99**100 * scipy.stats.binom.cdf(np.arange(101), 100, 49 / 99)
    assert low == np.flatnonzero(chance > 0.25)[0] / 100
    assert bootstrap_interval([math.inf] * 9) == (math.inf, math.inf)


def test_a_hundred_thousand_queries_take_moments() -> None:
    import time

    hits, ranks = RNG.integers(0, 2, 100000).astype(float), RNG.integers(1, 100000, 100000).astype(float)
    began = time.process_time()
    bootstrap_interval(hits)
    bootstrap_interval(ranks, statistic="median")
    bootstrap_interval(1.0 / ranks)
    assert time.process_time() - began < 2
