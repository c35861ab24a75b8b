"""Every measure against brute force: all orders inside ties, averaged, bounded from both sides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from crossgauge.errors import UsageError
from crossgauge.measures import FAMILIES, constant, example, measure, optimistic, parse, pessimistic
from crossgauge.measures import family as register
from crossgauge.ranking import rank_lists, rank_matrix
from crossgauge.types import Qrels, Ranks

Order = tuple[float, ...]  # the gain at each place, 0 for what is not relevant


@dataclass
class Case:
    """One query: scores, gains (0: not relevant), and which items the system listed."""

    scores: list[float]
    gains: list[float]
    listed: list[bool]

    def orders(self) -> Iterator[Order]:
        """Every order that the scores allow, with each tie permuted in all ways."""
        kept = [(s, g) for s, g, on in zip(self.scores, self.gains, self.listed, strict=True) if on]
        levels = sorted({s for s, _ in kept}, reverse=True)
        ties = [list(itertools.permutations(g for s, g in kept if s == level)) for level in levels]
        for choice in itertools.product(*ties):
            yield tuple(g for part in choice for g in part)

    @property
    def positives(self) -> list[float]:
        return [g for g in self.gains if g > 0]


def places(order: Order) -> list[int]:
    return [place for place, gain in enumerate(order, 1) if gain > 0]


def found(order: Order, k: int) -> int:
    return sum(place <= k for place in places(order))


def dcg(order: Order, k: float) -> float:
    return sum(gain / math.log2(1 + place) for place, gain in enumerate(order, 1) if place <= k)


def ideal(case: Case, k: float) -> float:
    return dcg(tuple(sorted(case.positives, reverse=True)), k)


NAIVE: dict[str, Callable[[Case, Order], float]] = {
    "hit@1": lambda _, order: float(found(order, 1) > 0),
    "hit@3": lambda _, order: float(found(order, 3) > 0),
    "acc@2": lambda _, order: float(found(order, 2) > 0),
    "acc_macro@1": lambda _, order: float(found(order, 1) > 0),
    "recall@2": lambda case, order: found(order, 2) / len(case.positives),
    "precision@3": lambda _, order: found(order, 3) / 3,
    "p@1": lambda _, order: found(order, 1) / 1,
    "mean_recall": lambda _, order: sum(float(found(order, k) > 0) for k in (1, 5, 10)) / 3,
    "medr": lambda _, order: float(min(places(order), default=math.inf)),
    "meanr": lambda _, order: float(min(places(order), default=math.inf)),
    "mrr": lambda _, order: 1 / min(places(order), default=math.inf),
    "map": lambda case, order: sum(found(order, p) / p for p in places(order)) / len(case.positives),
    "ndcg": lambda case, order: dcg(order, math.inf) / ideal(case, math.inf),
    "ndcg@2": lambda case, order: dcg(order, 2) / ideal(case, 2),
    "all_hit@2": lambda _, order: float(found(order, 2) > 0),
}


def random_case(rng: np.random.Generator) -> Case:
    n = int(rng.integers(1, 7))
    gains = rng.integers(0, 3, n) if rng.random() < 0.5 else (rng.random(n) < 0.4).astype(int)
    scores = rng.integers(0, int(rng.integers(1, 4)), n)
    listed = rng.random(n) < (0.7 if rng.random() < 0.3 else 1.0)
    return Case(scores.astype(float).tolist(), gains.astype(float).tolist(), listed.tolist())


def ranks_of(cases: list[Case]) -> Ranks:
    size = max(len(case.scores) for case in cases)
    relevant = [[i for i, g in enumerate(case.gains) if g > 0] for case in cases]
    gains = [[g for g in case.gains if g > 0] for case in cases]
    items = [[i for i, on in enumerate(case.listed) if on] for case in cases]
    scores = [[s for s, on in zip(case.scores, case.listed, strict=True) if on] for case in cases]
    return rank_lists(items, scores, Qrels.of(relevant, gains), corpus_size=size)


def assert_agree(name: str, cases: list[Case]) -> None:
    ranks = ranks_of(cases)
    one = parse(name)
    expected, best, worst = (one.per_query(r) for r in (ranks, optimistic(ranks), pessimistic(ranks)))
    for q, case in enumerate(cases):
        if not case.positives:
            assert np.isnan([expected[q], best[q], worst[q]]).all()
            continue
        values = [NAIVE[name](case, order) for order in case.orders()]
        if not one.higher_is_better:
            best[q], worst[q] = worst[q], best[q]
        assert expected[q] == pytest.approx(math.fsum(values) / len(values), abs=1e-12), case
        assert best[q] == pytest.approx(max(values), abs=1e-12), case
        assert worst[q] == pytest.approx(min(values), abs=1e-12), case


@pytest.mark.parametrize("name", NAIVE)
def test_closed_forms_equal_all_orders_averaged(name: str) -> None:
    rng = np.random.default_rng(list(NAIVE).index(name))
    assert_agree(name, [random_case(rng) for _ in range(250)])


def test_every_family_is_tried_by_brute_force() -> None:
    assert {parse(name).name.split("@")[0] for name in NAIVE} == {name.split("@")[0] for name in FAMILIES}


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_measure_says_what_it_is(name: str) -> None:
    one = example(name)
    assert parse(one.name) == one or parse(one.name).title == one.title
    assert one.source
    assert one.undefined
    assert FAMILIES[name].function.__doc__
    assert one.range[0] < one.range[1]


def test_names_that_do_not_exist_name_their_neighbours() -> None:
    with pytest.raises(UsageError, match="did you mean hit@k") as error:
        parse("hits@5")
    assert error.value.faults[0].code == "E110"
    with pytest.raises(UsageError, match="did you mean"):
        parse("mmr")


@pytest.mark.parametrize(
    "name", ["hit@0", "hit@-1", "hit@x", "hit@1.5", "hit@", "hit", "mrr@5", "hit@9999999999"]
)
def test_bad_cutoffs_are_refused(name: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(name)
    assert error.value.faults[0].code == "E141"


def test_two_measures_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="two measures"):
        register("mrr", "again", source="nowhere")(lambda ranks: ranks.gains)


def test_scores_carry_their_counts() -> None:
    relevant = Qrels.of([[0], [1], [], [2]])
    lists = [[0, 1, 2], [0, 1], [0], None]
    scores = [[0.5, 0.5, 0.1], [0.9, 0.8], [0.1], None]
    score = measure(rank_lists(lists, scores, relevant, corpus_size=3), ["hit@1"])["hit@1"]
    assert (score.n, score.n_undefined, score.n_missing, score.n_tied) == (4, 1, 1, 1)
    assert score.value == pytest.approx(0.5 / 3)
    assert (score.optimistic, score.pessimistic) == (pytest.approx(1 / 3), 0.0)
    assert score.per_query[:2].tolist() == [0.5, 0.0]
    assert score.chance == pytest.approx(1 / 3)


def test_a_rank_that_does_not_exist_is_infinite_and_flagged() -> None:
    scores = measure(rank_lists([[0], None, None], [[1.0], None, None], [[0], [0], [0]], corpus_size=2),
                     ["medr", "meanr", "mrr"])  # fmt: skip
    assert scores["medr"].value == math.inf
    assert scores["medr"].flags == ("infinite",)
    assert scores["meanr"].interval[1] == math.inf
    assert scores["mrr"].value == pytest.approx(1 / 3)


def test_one_query_has_no_interval_and_none_has_no_value() -> None:
    one = measure(rank_matrix([[0.1, 0.2]], [[0]]), ["mrr"])["mrr"]
    assert np.isnan(one.interval).all()
    none = measure(constant(Qrels.of([]), np.zeros(0, np.int64)), ["mrr", "medr", "acc_macro@1"])
    assert all(np.isnan(score.value) for score in none.values())


def test_macro_accuracy_is_the_mean_over_classes() -> None:
    scores = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]], float)
    ranks = rank_matrix(scores, [[0], [0], [0], [1], [1]])
    assert measure(ranks, ["acc@1"])["acc@1"].value == pytest.approx(0.8)
    assert measure(ranks, ["acc_macro@1"])["acc_macro@1"].value == pytest.approx(0.75)


def test_a_constant_scorer_gets_exactly_chance() -> None:
    relevant = Qrels.of([[0], [1, 2], [3], []])
    scores = measure(
        rank_matrix(np.ones((4, 7)), relevant), ["hit@3", "mrr", "map", "ndcg", "medr", "recall@2"]
    )
    for score in scores.values():
        assert score.value == score.chance
    assert constant(relevant, np.full(4, 7)).equal.tolist() == [6, 5, 5, 6]


def test_large_ties_are_summed_in_closed_form() -> None:
    n = 30000
    ranks = constant(Qrels.of([[0], [0, 1, 2]] * 2000), np.full(4000, n))
    scores = measure(ranks, ["mrr", "map", "ndcg", "hit@10", "medr"], resamples=10)
    assert scores["hit@10"].per_query[0] == 10 / n
    assert scores["medr"].per_query[1] == (n + 1) / 4
    assert scores["mrr"].per_query[0] == pytest.approx(math.fsum(1 / i for i in range(1, n + 1)) / n)


def test_many_different_ties_are_summed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ranks = rank_matrix(rng.integers(0, 4, (40, 60)).astype(float), [[q, q + 1] for q in range(40)])
    whole = parse("map").per_query(ranks)
    monkeypatch.setattr("crossgauge.measures.ties.PLACES", 7)
    assert parse("map").per_query(ranks).tolist() == whole.tolist()
