"""Units of several rows: each ranked by its best row, exactly."""

from __future__ import annotations

import numpy as np
import pytest

from crossgauge.errors import InputError
from crossgauge.ranking import rank, rank_units
from crossgauge.types import Qrels, Similarity

SIMILARITIES: list[Similarity] = ["cosine", "dot", "l2"]


def defined(queries: np.ndarray, corpus: np.ndarray, similarity: Similarity) -> np.ndarray:
    """Scores summed in float64 in index order."""
    q, c = queries.astype(np.float64), corpus.astype(np.float64)
    if similarity == "cosine":
        q, c = (
            (side / np.sqrt((side**2).cumsum(axis=1)[:, -1:])).astype(np.float32).astype(np.float64)
            for side in (q, c)
        )
    terms = -((q[:, None] - c[None]) ** 2) if similarity == "l2" else q[:, None] * c[None]
    return terms.cumsum(axis=2)[:, :, -1]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("seed", range(12))
def test_counts_equal_brute_force(seed: int, similarity: Similarity) -> None:
    rng = np.random.default_rng(seed)
    q, n, u, d = rng.integers(1, 9), rng.integers(2, 40), rng.integers(1, 9), rng.integers(1, 6)
    queries = rng.integers(-2, 3, (q, d)).astype(np.float32) + np.float32(0.5)
    corpus = rng.integers(-2, 3, (n, d)).astype(np.float32) + np.float32(0.5)
    units = rng.integers(0, u, n) * 7
    relevant = [sorted(set(rng.integers(0, n, rng.integers(0, 3)).tolist())) for _ in range(q)]
    ranks = rank_units(queries, corpus, Qrels.of(relevant), units, similarity=similarity, top=3)
    scores = defined(queries, corpus, similarity)
    names = np.unique(units)
    best = np.stack([scores[:, units == one].max(axis=1) for one in names], axis=1)
    for query in range(q):
        good = {int(units[row]) for row in relevant[query]}
        span = slice(ranks.start[query], ranks.start[query + 1])
        assert {int(units[row]) for row in ranks.items[span]} == good
        for at in range(span.start, span.stop):
            mine = int(np.flatnonzero(names == units[ranks.items[at]])[0])
            others = [i for i, one in enumerate(names) if one not in good]
            assert ranks.higher[at] == (best[query, others] > best[query, mine]).sum()
            assert ranks.equal[at] == (best[query, others] == best[query, mine]).sum()
            assert scores[query, ranks.items[at]] == best[query, mine]
        listed = ranks.top.items[query]
        listed = listed[listed >= 0]
        assert len({int(units[row]) for row in listed}) == len(listed) == min(3, len(names))
        assert scores[query, listed].tolist() == sorted(best[query], reverse=True)[: len(listed)]
    assert (ranks.candidates == len(names)).all()


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_units_of_one_row_are_plain_ranks(similarity: Similarity) -> None:
    rng = np.random.default_rng(5)
    queries, corpus = rng.standard_normal((2, 60, 16)).astype(np.float32)
    plain = rank(queries, corpus, similarity=similarity)
    units = rank_units(queries, corpus, Qrels.diagonal(60), rng.permutation(60), similarity=similarity)
    assert units.higher.tolist() == plain.higher.tolist()
    assert units.equal.tolist() == plain.equal.tolist()
    assert units.top.items.tolist() == plain.top.items.tolist()


def test_memory_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(6)
    queries, corpus = rng.integers(-1, 2, (2, 50, 4)).astype(np.float32) + np.float32(0.25)
    units = np.arange(50) // 3
    whole = rank_units(queries, corpus, Qrels.diagonal(50), units)
    for memory, threads in ((1, 1), (4000, 2), (1 << 30, 1)):
        again = rank_units(queries, corpus, Qrels.diagonal(50), units, memory=memory, threads=threads)
        assert again.higher.tolist() == whole.higher.tolist()
        assert again.top.items.tolist() == whole.top.items.tolist()


def test_an_unusable_row_leaves_its_unit_to_the_others() -> None:
    corpus = np.array([[np.nan, 0], [1, 0], [0, 1], [np.nan, np.nan]], np.float32)
    queries = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    units = np.array([0, 0, 1, 2])
    with pytest.raises(InputError) as refused:
        rank_units(queries, corpus, Qrels.of([[0], [2], [3]]), units)
    assert [fault.place for fault in refused.value.faults] == ["corpus row 0", "corpus row 3"]
    ranks = rank_units(queries, corpus, Qrels.of([[0], [2], [3]]), units, on_nonfinite="miss")
    assert ranks.retrieved.tolist() == [True, True, False]
    assert ranks.items[:2].tolist() == [1, 2]
    assert ranks.higher[:2].tolist() == [0, 0]
