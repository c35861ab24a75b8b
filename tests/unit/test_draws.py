"""Samples of a split, each ranked by itself; scores are means over them."""

from __future__ import annotations

import numpy as np
import pytest

from crossgauge.errors import InputError
from crossgauge.measures import measure
from crossgauge.ranking import drawn, rank, rank_draws
from crossgauge.types import Draw, Item, Qrels, Split

RNG = np.random.default_rng(3)


def items(stem: str, n: int) -> tuple[Item, ...]:
    return tuple(Item(f"{stem}{i}", text=stem) for i in range(n))


def split_of(n: int, draws: list[list[int]], qrels: Qrels | None = None) -> Split:
    cut = tuple(Draw(np.array(rows), np.array(rows)) for rows in draws)
    return Split(items("q", n), items("c", n), qrels or Qrels.diagonal(n), draws=cut)


def vectors(n: int, d: int = 3) -> np.ndarray:
    return RNG.integers(-2, 3, size=(n, d)).astype(np.float32) + np.float32(0.25)  # many ties


def test_each_draw_is_ranked_by_itself() -> None:
    queries, corpus = vectors(12), vectors(12)
    draws = [[5, 1, 7, 3], [0, 11, 1], [9]]
    found = rank_draws(queries, corpus, split_of(12, draws))
    at = 0
    for rows in draws:
        alone = rank(queries[rows], corpus[rows])
        inside = slice(at, at + len(rows))
        assert found.higher[inside].tolist() == alone.higher.tolist()
        assert found.equal[inside].tolist() == alone.equal.tolist()
        assert found.items[inside].tolist() == rows
        assert found.candidates[inside].tolist() == [len(rows)] * len(rows)
        at += len(rows)
    assert len(found) == at


def test_scores_are_means_over_draws_of_the_score_in_each() -> None:
    queries, corpus = vectors(30), vectors(30)
    draws = [RNG.permutation(30)[:size].tolist() for size in (8, 8, 8, 5)]
    split = split_of(30, draws)
    whole, label = drawn(split)
    scores = measure(rank_draws(queries, corpus, split), ["medr", "hit@1", "mrr"], draws=label)
    for name, score in scores.items():
        each = [measure(rank(queries[rows], corpus[rows]), name)[name] for rows in draws]
        assert score.draws is not None
        assert score.draws.tolist() == pytest.approx([one.value for one in each])
        assert score.value == pytest.approx(np.mean([one.value for one in each]))
        assert score.optimistic == pytest.approx(np.mean([one.optimistic for one in each]))
        assert score.chance == pytest.approx(np.mean([one.chance for one in each]))
    assert [query.id for query in whole.queries] == [f"q{row}" for rows in draws for row in rows]


def test_a_query_of_several_draws_is_resampled_with_itself() -> None:
    values = np.array([1.0, 0.0, 1.0, 0.0])  # two queries, both in both draws
    ranks = rank(np.eye(4, dtype=np.float32), np.eye(4, dtype=np.float32))
    together = measure(ranks, "hit@1", clusters=[0, 1, 0, 1], draws=[0, 0, 1, 1])["hit@1"]
    assert together.interval == (1.0, 1.0)
    from crossgauge.compare import bootstrap_interval

    low, high = bootstrap_interval(values, clusters=[0, 1, 0, 1], draws=[0, 0, 1, 1])
    assert (low, high) == (0.0, 1.0)  # both draws move together
    low, high = bootstrap_interval(values[:2], clusters=[0, 1])
    assert (low, high) == (0.0, 1.0)


def test_intervals_over_one_draw_are_those_without_draws() -> None:
    values = RNG.random(200)
    from crossgauge.compare import bootstrap_interval

    for statistic in ("mean", "median"):
        alone = bootstrap_interval(values, statistic=statistic)  # type: ignore[arg-type]
        drawn_once = bootstrap_interval(values, statistic=statistic, draws=np.zeros(200))  # type: ignore[arg-type]
        assert drawn_once == pytest.approx(alone, abs=0.02)


def test_relevant_items_outside_the_draw_are_not_judged() -> None:
    qrels = Qrels.of([[0, 3], [1], [2, 0]])
    split = Split(items("q", 3), items("c", 4), qrels, draws=(Draw(np.array([2, 0]), np.array([3, 2, 1])),))
    found = rank_draws(vectors(3), vectors(4), split)
    assert found.items.tolist() == [2, 3]
    whole, _ = drawn(split)
    assert whole.qrels.items.tolist() == [2, 3]
    assert whole.qrels.start.tolist() == [0, 1, 2]


def test_faults_of_all_draws_are_told_once() -> None:
    queries = vectors(6)
    queries[[1, 4]] = np.nan
    split = split_of(6, [[0, 1, 2], [1, 3, 4], [2, 5]])
    with pytest.raises(InputError) as error:
        rank_draws(queries, vectors(6), split, query_ids=[f"q{i}" for i in range(6)])
    assert sorted(fault.place for fault in error.value.faults) == [
        "query row 1 ('q1')",
        "query row 4 ('q4')",
    ]
    missed = rank_draws(queries, vectors(6), split, on_nonfinite="miss")
    assert missed.retrieved.tolist() == [True, False, True, False, True, False, True, True]


def test_top_lists_name_rows_of_the_whole_corpus() -> None:
    queries = np.eye(5, dtype=np.float32)
    found = rank_draws(queries, queries, split_of(5, [[4, 2], [3]]))
    assert found.top.items[0].tolist() == [4, 2]
    assert found.top.items[2].tolist() == [3, -1]


def test_macro_accuracy_is_a_mean_over_classes_inside_each_draw() -> None:
    qrels = Qrels.of([[0], [0], [1], [1]])
    both = np.array([0, 1])
    draws = (Draw(np.array([0, 1, 2]), both), Draw(np.array([3]), both))
    split = Split(items("q", 4), items("c", 2), qrels, draws=draws)
    queries = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], np.float32)
    _, label = drawn(split)
    score = measure(rank_draws(queries, np.eye(2, dtype=np.float32), split), "acc_macro@1", draws=label)
    assert score["acc_macro@1"].draws is not None
    assert score["acc_macro@1"].draws.tolist() == [0.5, 1.0]
    assert score["acc_macro@1"].value == 0.75
