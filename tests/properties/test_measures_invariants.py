"""What holds for every measure, whatever the ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.measures import FAMILIES, constant, example, measure, optimistic, parse, pessimistic
from crossgauge.ranking import rank_lists
from crossgauge.types import Qrels, Ranks

settings.register_profile("measures", deadline=None, max_examples=60)
settings.load_profile("measures")
NAMES = sorted(FAMILIES)


@st.composite
def some_ranks(draw: st.DrawFn) -> Ranks:
    """Ranks with many ties, several positives, graded gains, and items that were not listed."""
    q, n = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    rows = st.lists(st.integers(0, n - 1), max_size=4, unique=True)
    listed = draw(st.lists(st.lists(st.integers(0, n - 1), max_size=n, unique=True), min_size=q, max_size=q))
    scores = [draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))) for x in listed]
    relevant = draw(st.lists(rows, min_size=q, max_size=q))
    gains = [
        draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=len(x), max_size=len(x))) for x in relevant
    ]
    return rank_lists(listed, scores, Qrels.of(relevant, gains), corpus_size=n)


@pytest.mark.parametrize("name", NAMES)
@given(ranks=some_ranks())
def test_values_stay_in_range_and_between_their_bounds(name: str, ranks: Ranks) -> None:
    one = example(name)
    expected, best, worst = (one.per_query(r) for r in (ranks, optimistic(ranks), pessimistic(ranks)))
    if not one.higher_is_better:
        best, worst = worst, best
    positive = np.diff(ranks.start) > 0
    assert (np.isnan(expected) == ~positive).all()
    values = expected[positive]
    assert ((one.range[0] <= values) & (values <= one.range[1] + 1e-12)).all()
    assert (worst[positive] <= values + 1e-12).all()
    assert (values <= best[positive] + 1e-12).all()


@pytest.mark.parametrize("name", ["hit@k", "acc@k", "recall@k"])
@given(ranks=some_ranks())
def test_a_larger_cutoff_never_finds_less(name: str, ranks: Ranks) -> None:
    values = np.stack([FAMILIES[name].at(k).per_query(ranks) for k in range(1, 11)])
    assert (np.diff(values[:, np.diff(ranks.start) > 0], axis=0) >= -1e-12).all()


@pytest.mark.parametrize("name", NAMES)
@given(ranks=some_ranks())
def test_a_constant_scorer_gets_its_chance_level(name: str, ranks: Ranks) -> None:
    same = constant(Qrels(ranks.start, ranks.items, ranks.gains), ranks.candidates)
    score = measure(same, [example(name).name], resamples=20)[example(name).name]
    assert score.value == score.chance or np.isnan(score.value)


@given(ranks=some_ranks())
def test_everything_is_found_within_the_gallery(ranks: Ranks) -> None:
    k = int(ranks.candidates.max())
    retrieved = np.bincount(ranks.query, ranks.retrieved, minlength=len(ranks))
    judged = np.diff(ranks.start)
    assert (FAMILIES["hit@k"].at(k).per_query(ranks)[judged > 0] == (retrieved > 0)[judged > 0]).all()
    score = measure(ranks, [f"hit@{k}"], resamples=20)[f"hit@{k}"]
    assert "k>=gallery" in score.flags


@given(ranks=some_ranks())
def test_with_one_relevant_item_recall_is_hit(ranks: Ranks) -> None:
    single = np.diff(ranks.start) == 1
    for k in (1, 2, 5):
        hit, recall = (parse(f"{name}@{k}").per_query(ranks)[single] for name in ("hit", "recall"))
        assert hit.tolist() == recall.tolist()


@given(ranks=some_ranks(), seed=st.integers(0, 9))
def test_scores_repeat_to_the_last_bit(ranks: Ranks, seed: int) -> None:
    names = [example(name).name for name in NAMES]
    first, second = (measure(ranks, names, seed=seed, resamples=20) for _ in range(2))
    for name in names:
        np.testing.assert_array_equal(first[name].per_query, second[name].per_query)
        np.testing.assert_array_equal(first[name].interval, second[name].interval)
        low, high = first[name].interval
        assert low <= high or np.isnan(low)
