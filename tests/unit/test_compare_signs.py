"""Paired tests: equal to trying all choices of signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from crossgauge.compare import mcnemar_p, sign_flip_p
from crossgauge.compare.signs import FEW, _p

RNG = np.random.default_rng(4)
KINDS = {
    "hits": lambda n: RNG.integers(-1, 2, n).astype(float),
    "ranks": lambda n: RNG.integers(-40, 60, n).astype(float),
    "thirds": lambda n: RNG.integers(-3, 4, n) / 3.0,
    "any": lambda n: RNG.normal(0.2, 1.0, n),
    "of all sizes": lambda n: 10.0 ** RNG.integers(-6, 6, n) * RNG.choice([-1.0, 1.0], n),
}


def of_all_signs(differences: np.ndarray) -> float:
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(differences))))
    sums = np.abs(signs @ differences)
    return float((sums >= abs(differences.sum()) - 1e-9).mean())


@pytest.mark.parametrize("n", [1, 2, 5, 11, 14, 18])
@pytest.mark.parametrize("kind", KINDS)
def test_p_is_the_share_of_all_signs(n: int, kind: str) -> None:
    for _ in range(3):
        differences = KINDS[kind](n)
        near = 1e-3 if n > FEW and kind == "any" else 1e-11
        if n <= FEW or kind != "of all sizes":  # the smallest would be rounded to nothing
            assert sign_flip_p(differences) == pytest.approx(of_all_signs(differences), abs=near)


@pytest.mark.parametrize("kind", ["ranks", "any"])
def test_many_differences_agree_with_drawn_signs(kind: str) -> None:
    differences = KINDS[kind](300)
    differences -= differences.mean() * 0.4
    signs = RNG.choice([-1.0, 1.0], (40000, 300))
    drawn = (np.abs(signs @ differences) >= abs(differences.sum())).mean()
    assert sign_flip_p(differences) == pytest.approx(drawn, abs=0.012)


def test_hits_are_mcnemar_and_binomial() -> None:
    differences = np.array([1.0] * 30 + [-1.0] * 12 + [0.0] * 100)
    wanted = scipy.stats.binomtest(12, 42).pvalue
    assert sign_flip_p(differences) == mcnemar_p(30, 12) == pytest.approx(wanted, rel=1e-12)
    by_cosines = _p(np.array([1]), np.array([42]), 18)
    assert by_cosines == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 5), (1, 0), (0, 7), (100, 160)])
def test_mcnemar_is_two_sided_and_symmetric(gained: int, lost: int) -> None:
    wanted = 1.0 if gained + lost == 0 else scipy.stats.binomtest(gained, gained + lost).pvalue
    assert mcnemar_p(gained, lost) == mcnemar_p(lost, gained) == pytest.approx(wanted, rel=1e-12)


def test_clusters_flip_together() -> None:
    differences = RNG.integers(-3, 5, 30).astype(float)
    clusters = np.repeat(np.arange(10), 3)
    assert sign_flip_p(differences, clusters=clusters) == pytest.approx(
        of_all_signs(differences.reshape(10, 3).sum(axis=1)), abs=1e-11
    )


def test_the_scale_and_the_sign_do_not_matter() -> None:
    differences = RNG.integers(-30, 40, 500).astype(float)
    p = sign_flip_p(differences)
    assert sign_flip_p(-7.0 * differences) == pytest.approx(p, abs=1e-12)
    assert sign_flip_p(differences * 0.001) == pytest.approx(p, rel=0.05)  # rounded to the fine grid


def test_nothing_different_is_no_evidence() -> None:
    assert sign_flip_p([0.0, 0.0, math.nan]) == 1.0
    assert sign_flip_p([]) == 1.0
    assert math.isnan(sign_flip_p([1.0, math.inf]))


def test_overwhelming_evidence_is_not_zero() -> None:
    assert sign_flip_p(RNG.integers(1, 9, 1000).astype(float)) == 1e-12
    assert 0.0 < sign_flip_p(np.ones(500)) < 1e-100


def test_large_ranks_are_quick() -> None:
    import time

    before, after = (np.ceil(np.exp(RNG.normal(1.0, 2.0, 100000))) for _ in range(2))
    began = time.process_time()
    assert 0.0 < sign_flip_p(after - before) <= 1.0
    assert 0.0 < sign_flip_p(1 / after - 1 / before) <= 1.0
    assert time.process_time() - began < 3
