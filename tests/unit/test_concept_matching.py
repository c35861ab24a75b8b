"""Matchings: the lightest of all there are, for every shape, and always the same one."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from crossgauge.concepts.matching import SLIGHT, edges, first_lightest, lightest, parts
from crossgauge.concepts.similarity import similarity_weights
from crossgauge.concepts.sizes import area_differences, matching_weights
from crossgauge.types import Floats

SHAPES = [(n, m) for n in range(1, 7) for m in range(1, 7)]
Pairs = list[tuple[int, int]]


def every_matching(rows: int, columns: int) -> list[Pairs]:
    """All full matchings as sorted (row, column) pairs, in lexicographic order."""
    if rows <= columns:
        return sorted(list(enumerate(to)) for to in permutations(range(columns), rows))
    return sorted(
        sorted(zip(some, to, strict=True))
        for some in combinations(range(rows), columns)
        for to in permutations(range(columns))
    )


def chosen(weights: Floats) -> Pairs:
    shape = (np.array([side]) for side in weights.shape)
    places = lightest(weights.ravel(), *shape)
    return [(int(place) // weights.shape[1], int(place) % weights.shape[1]) for place in places]


def total(weights: Floats, pairs: Pairs) -> float:
    return float(sum(weights[pair] for pair in pairs))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_no_matching_is_lighter(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape)
    every = every_matching(*shape)
    for top in (3, 1000):
        for _ in range(8):
            weights = rng.integers(0, top, shape).astype(np.float64)
            found = chosen(weights)
            assert found in every
            assert total(weights, found) == min(total(weights, one) for one in every)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_first_of_equally_good_matchings_is_shown(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape)
    every = every_matching(*shape)
    for top in (2, 2, 2, 4):
        weights = rng.integers(0, top, shape).astype(np.float64)
        least = min(total(weights, one) for one in every)
        assert first_lightest(weights) == next(one for one in every if total(weights, one) == least)


def test_many_graphs_at_once_are_as_good_as_each_alone() -> None:
    rng = np.random.default_rng(5)
    graphs = [rng.integers(0, 9, rng.integers(1, 10, 2)).astype(np.float64) for _ in range(300)]
    rows, columns = np.array([graph.shape for graph in graphs]).T
    found = lightest(np.concatenate([graph.ravel() for graph in graphs]), rows, columns)
    alone, start = [], 0
    for graph in graphs:
        alone += [start + row * graph.shape[1] + column for row, column in chosen(graph)]
        start += graph.size
    assert found.tolist() == alone


def test_a_greedy_choice_is_not_the_lightest() -> None:
    weights = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert chosen(weights) == [(0, 1), (1, 0)]
    assert total(weights, chosen(weights)) == 4


def test_one_box_among_two_takes_its_equal() -> None:
    differences = area_differences(np.array([[1.0], [4.0]]), np.array([[4.0]]), "gold")
    assert chosen(differences) == [(1, 0)]


@pytest.mark.parametrize("shape", [(1, 300), (300, 1), (40, 60), (7, 7)], ids=str)
def test_large_graphs(shape: tuple[int, int]) -> None:
    weights = np.random.default_rng(0).random(shape)
    found = chosen(weights)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == min(shape)
    assert total(weights, found) <= weights.trace() + 1e-12
    assert total(weights, first_lightest(weights)) == pytest.approx(total(weights, found))


def test_beyond_the_limit_of_ordering_the_evidence_is_any_lightest_matching() -> None:
    weights = np.random.default_rng(0).integers(0, 5, (51, 50)).astype(np.float64)
    assert first_lightest(weights) == chosen(weights)


def test_edges_without_graphs() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert [len(part) for part in edges(nothing, nothing, nothing, nothing)] == [0, 0, 0]
    assert len(lightest(np.empty(0), nothing, nothing)) == 0
    assert list(parts(nothing, 5)) == []


def test_parts_hold_no_more_than_they_may_and_all_there_is() -> None:
    sizes = np.random.default_rng(1).integers(1, 9, 50)
    runs = list(parts(sizes, 10))
    assert [i for run in runs for i in range(run.start, run.stop)] == list(range(50))
    assert all(sizes[run].sum() <= 10 for run in runs)
    assert len(runs) < 35


def test_of_equal_totals_the_one_with_fewer_large_differences_counts() -> None:
    differences = np.array([[1.0, 0.5], [1.0, 0.5]])  # one of each, or the other way round: the same total
    unequal = np.array([[1.0, 0.75], [0.75, 0.5]])  # 1.5 both ways: with a large one, or without
    for one, wanted in ((differences, 1), (unequal, 0)):
        weights = matching_weights(one.ravel(), np.array([2]), np.array([2]), 1.0).reshape(2, 2)
        assert sum(one[pair] >= 1.0 for pair in chosen(weights)) == wanted
        assert sum(one[pair] >= 1.0 for pair in first_lightest(weights)) == wanted


def test_infinite_differences_are_avoided_first() -> None:
    infinite = float("inf")
    differences = np.array([[infinite, 900.0, 1.0], [infinite, infinite, 2.0]])
    weights = matching_weights(differences.ravel(), np.array([2]), np.array([3]), 1.0).reshape(2, 3)
    assert chosen(weights) == [(0, 1), (1, 2)]  # 902, not one infinite and 1
    assert np.isfinite(weights).all()


def test_of_equal_similarities_the_one_with_fewer_couples_counts() -> None:
    similarities = np.array([[0.5, 0.25], [0.25, 0.0]])
    pairs = chosen(similarity_weights(similarities))
    assert [similarities[pair] for pair in pairs if similarities[pair] > 0] == [0.5]


def test_the_slight_weight_never_outweighs_a_real_difference() -> None:
    assert 60 * SLIGHT < 1e-10 < 1 / 39 - 1 / 40


def test_sums_too_rough_to_tell_equals_still_give_a_lightest_matching() -> None:
    weights = np.array([[1.0, 2.0], [2.0, 4.0], [9.0, 9.0]])
    assert first_lightest(weights, slack=-1.0) == chosen(weights) == [(0, 1), (1, 0)]
