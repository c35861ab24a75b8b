"""What rank, rank_matrix and rank_lists accept, count and refuse."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.ranking import Blocks, rank, rank_lists, rank_matrix
from crossgauge.ranking.arithmetic import Arithmetic
from crossgauge.ranking.plan import make_plan
from crossgauge.types import Qrels

RNG = np.random.default_rng(0)
EYE = np.eye(4, dtype=np.float32)


def codes(error: pytest.ExceptionInfo[Any]) -> list[str]:
    return [fault.code for fault in error.value.faults]


def test_relevance_is_the_diagonal_unless_given() -> None:
    assert rank(EYE, EYE).items.tolist() == [0, 1, 2, 3]
    assert rank(EYE, EYE).higher.tolist() == [0, 0, 0, 0]


def test_the_diagonal_needs_equal_counts() -> None:
    with pytest.raises(InputError, match="3 queries, 4 corpus rows"):
        rank(EYE[:3], EYE)


def test_several_positives_are_counted_apart_from_the_rest() -> None:
    ranks = rank_matrix([[0.9, 0.8, 0.8, 0.7, 0.8]], [[1, 2, 3]])
    assert ranks.higher.tolist() == [1, 1, 2]
    assert ranks.equal.tolist() == [1, 1, 0]
    assert ranks.higher_relevant.tolist() == [0, 0, 2]
    assert ranks.equal_relevant.tolist() == [1, 1, 0]


def test_a_query_without_positives_has_no_judgement_but_a_top_list() -> None:
    ranking = rank(EYE, EYE, [[], [1], [], [3]])
    assert ranking.start.tolist() == [0, 0, 1, 1, 2]
    assert ranking.top.items[0, 0] == 0


def test_top_lists_are_exact_padded_and_in_corpus_order_among_ties() -> None:
    top = rank_matrix([[0.5, 0.7, 0.5]], [[0]], top=2).top
    assert top.items.tolist() == [[1, 0]]
    lists = rank_lists([[2]], [[0.5]], [[2]], corpus_size=3)
    assert lists.top.items.tolist() == [[2, -1, -1]]
    assert np.isnan(lists.top.scores[0, 1:]).all()


def test_no_top_list_is_made_for_zero() -> None:
    assert rank(EYE, EYE, top=0).top.items.shape == (4, 0)


@pytest.mark.parametrize(
    ("call", "places"),
    [
        (lambda: rank(EYE[:0], EYE, []), ["queries"]),
        (lambda: rank(EYE, EYE[:0], [[]] * 4), ["corpus"]),
        (lambda: rank([], []), ["queries", "corpus"]),
        (lambda: rank_matrix(np.zeros((0, 3)), []), ["scores"]),
        (lambda: rank_lists([], [], [], corpus_size=3), ["items"]),
    ],
)
def test_nothing_to_rank_is_refused(call: Callable[[], Any], places: list[str]) -> None:
    with pytest.raises(InputError, match="nothing to rank") as error:
        call()
    assert [fault.place for fault in error.value.faults] == places
    assert set(codes(error)) == {"E449"}


@pytest.mark.parametrize(
    "bad", [np.zeros(3), np.zeros((2, 3, 1)), np.zeros((2, 0)), np.zeros((2, 2), complex)]
)
def test_vectors_must_be_a_matrix_of_numbers(bad: Any) -> None:
    with pytest.raises(InputError) as error:
        rank(bad, EYE, [[0]] * 2)
    assert codes(error) == ["E440"]


def test_both_sides_are_checked_at_once() -> None:
    with pytest.raises(InputError) as error:
        rank(np.zeros(3), np.zeros(3))
    assert [fault.place for fault in error.value.faults] == ["queries", "corpus"]


def test_dimensions_that_differ_are_named() -> None:
    with pytest.raises(InputError, match="queries have 4 dimensions, corpus has 3"):
        rank(EYE, EYE[:, :3])


def test_every_row_that_is_not_finite_is_listed_by_id() -> None:
    queries, corpus = EYE.copy(), EYE.copy()
    queries[1, 0], corpus[2, 0], corpus[3, 0] = np.nan, np.inf, -np.inf
    with pytest.raises(InputError) as error:
        rank(queries, corpus, query_ids=tuple("abcd"), corpus_ids=tuple("wxyz"))
    assert codes(error) == ["E442"] * 3
    assert error.value.faults[0].place == "query row 1 ('b')"
    assert error.value.faults[2].place == "corpus row 3 ('z')"


def test_a_norm_of_zero_is_an_error_under_cosine_only() -> None:
    with pytest.raises(InputError, match="row 0: norm 0"):
        rank([[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert rank([[0.0, 0.0]], [[1.0, 0.0]], similarity="dot").higher.tolist() == [0]
    assert rank([[0.0, 0.0]], [[1.0, 0.0]], similarity="l2").higher.tolist() == [0]


def test_a_norm_too_small_for_float64_is_not_called_zero() -> None:
    with pytest.raises(InputError) as error:
        rank(
            [[3e-300, 4e-300], [0.0, 0.0]],
            [[1.0, 0.0], [0.0, 5e-324]],
            query_ids=["a", "b"],
            corpus_ids=["x", "y"],
        )
    assert [(fault.code, fault.place, fault.found) for fault in error.value.faults] == [
        ("E443", "query row 0 ('a')", "norm about 5e-300: too small to have a direction in float64"),
        ("E443", "query row 1 ('b')", "norm 0"),
        ("E443", "corpus row 1 ('y')", "norm about 5e-324: too small to have a direction in float64"),
    ]


def test_numbers_beyond_float64_sums_are_refused() -> None:
    with pytest.raises(InputError) as error:
        rank([[1e200, 0.0]], [[1.0, 0.0]], similarity="dot")
    assert codes(error) == ["E444"]


@pytest.mark.parametrize("blocks", [None, Blocks(queries=1, corpus=1)])
def test_unusable_rows_can_count_as_misses(blocks: Blocks | None) -> None:
    queries, corpus = EYE.copy(), EYE.copy()
    queries[1] = np.nan
    corpus[2] = np.nan
    ranking = rank(queries, corpus, on_nonfinite="miss", blocks=blocks)
    assert ranking.retrieved.tolist() == [True, False, False, True]
    assert ranking.higher.tolist() == [0, 0, 0, 0]
    assert ranking.answered is not None
    assert ranking.answered.tolist() == [True, False, True, True]
    assert ranking.top.items[1].tolist() == [-1] * 4
    assert 2 not in ranking.top.items


def test_an_unusable_candidate_never_stands_above_anybody() -> None:
    queries, corpus = np.ones((2, 2)), np.array([[1, 1], [0, 0], [2, 1], [1, 1]])
    chosen = [np.array([0, 1, 3]), np.array([1, 2])]
    ranks = rank(queries, corpus, [[0], [2]], candidates=chosen, on_nonfinite="miss")
    assert (ranks.higher.tolist(), ranks.equal.tolist(), ranks.candidates.tolist()) == (
        [0, 0],
        [1, 0],
        [3, 2],
    )


@pytest.mark.parametrize(
    ("relevant", "found"),
    [
        ([[0], [0]], "judgements for 2 queries, 4 query vectors"),
        ([[4], [], [], []], "relevant row 4"),
        ([[-1], [], [], []], "relevant row -1"),
        (Qrels(np.arange(0, 10, 2), np.array([1, 0] * 4), np.ones(8)), "out of order"),
        (Qrels(np.array([0, 1, 1, 1, 1]), np.array([0]), np.array([0.0])), "gain 0.0"),
    ],
)
def test_relevance_that_does_not_fit_is_refused(relevant: Any, found: str) -> None:
    with pytest.raises(InputError, match=found) as error:
        rank(EYE, EYE, relevant)
    assert set(codes(error)) == {"E445"}


def test_candidates_that_do_not_fit_are_refused() -> None:
    everyone = [np.arange(4)] * 4
    with pytest.raises(InputError, match="candidates for 3 queries"):
        rank(EYE, EYE, candidates=everyone[:3])
    with pytest.raises(InputError, match="candidate row 9"):
        rank(EYE, EYE, candidates=[np.array([0, 9]), *everyone[1:]])
    with pytest.raises(InputError, match="row 2 stands twice"):
        rank(EYE, EYE, candidates=[np.array([0, 2, 2]), *everyone[1:]])
    with pytest.raises(InputError, match="relevant corpus row 0 is not among") as error:
        rank(EYE, EYE, candidates=[np.array([1, 2]), *everyone[1:]], query_ids=tuple("abcd"))
    assert codes(error) == ["E447"]
    assert "'a'" in error.value.faults[0].place


@pytest.mark.parametrize(
    "options",
    [{"similarity": "cos"}, {"on_nonfinite": "skip"}, {"top": -1}, {"memory": 0}, {"threads": 0}],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as error:
        rank(EYE, EYE, **options)
    assert codes(error) == ["E140"]


def test_identical_vectors_rank_in_no_time() -> None:
    """Twenty thousand equal vectors share one product: ties by the million are not compared one by one."""
    vectors = np.tile(RNG.standard_normal((1, 64)).astype(np.float32), (20000, 1))
    began = time.perf_counter()
    ranking = rank(vectors, vectors)
    assert time.perf_counter() - began < 20
    assert (ranking.equal == 19999).all()
    assert ranking.top.items[17].tolist() == list(range(10))


@pytest.mark.parametrize("memory", [1, 1 << 20, 1 << 24, 1 << 30])
def test_blocks_shrink_with_the_memory_allowed(memory: int) -> None:
    shapes = (np.empty((20000, 1), np.float32), np.empty((100000, 1), np.float32))
    plan = make_plan(shapes, dtype=np.dtype(np.float32), memory=memory, threads=2, blocks=None)
    assert plan.queries >= 1
    assert plan.corpus >= 1
    used = 2 * plan.queries * plan.corpus * 4
    assert used <= max(memory, 2 * 64 * 4)


def test_memory_does_not_touch_the_result() -> None:
    queries, corpus = RNG.standard_normal((50, 8)), RNG.standard_normal((300, 8))
    wanted = rank(queries, corpus, [[i] for i in range(50)])
    for memory in (1, 1 << 16, 1 << 23):
        found = rank(queries, corpus, [[i] for i in range(50)], memory=memory)
        assert found.higher.tolist() == wanted.higher.tolist()
        assert found.top.items.tolist() == wanted.top.items.tolist()


def test_memory_is_kept_to() -> None:
    queries, corpus = (RNG.standard_normal((n, 64), dtype=np.float32) for n in (2000, 20000))
    relevant = [[q] for q in range(2000)]
    rank(queries[:10], corpus[:10])  # imports
    tracemalloc.start()
    rank(queries, corpus, relevant, memory=1 << 25)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 25


def test_a_bound_that_bounds_nothing_leaves_out_what_does_not_compete() -> None:
    arithmetic = Arithmetic(
        "dot", np.dtype(np.float32), 3, exact=False, query_lengths=np.ones(1), corpus_length=1.0
    )
    low, high = arithmetic.bounds(np.zeros(1), np.full(1, np.inf))
    assert low > -np.inf
    assert high == np.inf


def test_matrix_scores_are_compared_in_the_precision_supplied() -> None:
    assert rank_matrix(np.array([[0.30000001, 0.3]]), [[0]]).equal.tolist() == [0]
    assert rank_matrix(np.array([[0.30000001, 0.3]], np.float32), [[0]]).equal.tolist() == [1]
    assert rank_matrix(np.array([[0.7501, 0.7502]], np.float16), [[0]]).equal.tolist() == [1]


def test_matrix_scores_must_be_finite_unless_they_may_miss() -> None:
    scores = [[0.5, np.nan, 0.7], [np.nan, np.inf, -np.inf]]
    with pytest.raises(InputError) as error:
        rank_matrix(scores, [[0], [1]])
    assert codes(error) == ["E442", "E442"]
    assert "1 of 3 scores" in error.value.faults[0].found
    with pytest.raises(InputError, match=r"query row 1 \('b'\): .* first that of corpus row 2 \('z'\)"):
        rank_matrix([[1, 2, 3], [1, np.nan, np.nan]], [[0], [0]], candidates=[[0, 1], [0, 2]],
                    query_ids=["a", "b"], corpus_ids=["x", "y", "z"])  # fmt: skip
    ranks = rank_matrix(scores, [[0, 1], [1]], on_nonfinite="miss")
    assert ranks.higher.tolist() == [1, 0, 0]
    assert ranks.retrieved.tolist() == [True, False, False]
    assert ranks.answered is not None
    assert ranks.answered.tolist() == [True, False]


def test_matrix_scores_outside_the_candidates_are_not_looked_at() -> None:
    ranks = rank_matrix([[0.5, np.nan, 0.7]], [[0]], candidates=[np.array([0, 2])])
    assert (ranks.higher.tolist(), ranks.candidates.tolist()) == ([1], [2])


def test_large_matrices_are_ranked_in_parts() -> None:
    scores = RNG.integers(0, 50, (30, 700000)).astype(np.float32)
    ranks = rank_matrix(scores, [[q] for q in range(30)])
    for q in (0, 13, 29):
        assert ranks.higher[q] == (scores[q] > scores[q, q]).sum()
        assert ranks.equal[q] == (scores[q] == scores[q, q]).sum() - 1


def test_what_a_run_does_not_list_is_not_retrieved() -> None:
    ranking = rank_lists([[3, 1], None, []], [[0.2, 0.2], None, []], [[1, 2], [0], [4]], corpus_size=5)
    assert ranking.retrieved.tolist() == [True, False, False, False]
    assert ranking.equal.tolist() == [1, 0, 0, 0]
    assert ranking.candidates.tolist() == [5, 5, 5]
    assert ranking.answered is not None
    assert ranking.answered.tolist() == [True, False, False]


def test_lists_that_are_malformed_are_refused() -> None:
    with pytest.raises(InputError, match="1 lists of items, 2 of scores"):
        rank_lists([[1]], [[0.5], [0.5]], [[1]], corpus_size=5)
    with pytest.raises(InputError, match="2 items, 1 scores"):
        rank_lists([[1, 2]], [[0.5]], [[1]], corpus_size=5)
    with pytest.raises(InputError, match="item 5"):
        rank_lists([[5]], [[0.5]], [[1]], corpus_size=5)
    with pytest.raises(InputError, match="item 1 is listed twice") as error:
        rank_lists([[1, 2, 1]], [[0.9, 0.8, 0.1]], [[1]], corpus_size=5)
    assert codes(error) == ["E448"]
    with pytest.raises(InputError, match="item 2 scores nan"):
        rank_lists([[1, 2]], [[0.9, np.nan]], [[1]], corpus_size=5)
    with pytest.raises(InputError, match="lists row 2"):
        rank_lists([[1, 2]], [[0.9, 0.8]], [[1]], corpus_size=5, candidates=[np.array([1, 3])])


def test_lists_may_miss_items_without_a_score() -> None:
    ranks = rank_lists([[1, 2]], [[0.9, np.nan]], [[2]], corpus_size=5, on_nonfinite="miss")
    assert ranks.retrieved.tolist() == [False]


def test_long_runs_are_counted_in_chunks() -> None:
    scores = RNG.integers(0, 9, (600, 1000)).astype(float)
    ranks = rank_lists([np.arange(1000)] * 600, list(scores), [[q] for q in range(600)], corpus_size=1000)
    wanted = rank_matrix(scores, [[q] for q in range(600)])
    assert ranks.higher.tolist() == wanted.higher.tolist()
    assert ranks.equal.tolist() == wanted.equal.tolist()


def test_a_failing_piece_of_work_stops_the_rest() -> None:
    from crossgauge.ranking.workers import Workers

    def work(piece: int) -> None:
        if piece == 3:
            raise ValueError("three")

    for threads in (1, 2):
        with pytest.raises(ValueError, match="three"), Workers(threads) as workers:
            workers.each(work, range(9))


def test_a_matrix_of_scores_must_be_a_matrix() -> None:
    with pytest.raises(InputError) as error:
        rank_matrix(np.zeros(3), [[0]])
    assert codes(error) == ["E440"]


def test_undecided_pairs_may_be_settled_in_several_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.sign(RNG.standard_normal((40, 6))).astype(
        np.float32
    )  # tied with one another, hardly ever equal
    wanted = rank(vectors, vectors)
    monkeypatch.setattr("crossgauge.ranking.tally.PENDING", 3)
    monkeypatch.setattr("crossgauge.ranking.engine.WIDEN", 1.0)
    found = rank(vectors, vectors)
    assert found.equal.tolist() == wanted.equal.tolist()
    assert found.top.items.tolist() == wanted.top.items.tolist()


@pytest.mark.parametrize("megabytes", [48, 64])
@pytest.mark.parametrize("top", [0, 10])
def test_ranking_stays_within_the_memory_it_may_use(megabytes: int, top: int) -> None:
    """The whole matrix of scores would take 144 MB."""
    rng = np.random.default_rng(0)
    queries, corpus = rng.standard_normal((2, 6000, 64)).astype(np.float32)
    rank(queries[:64], corpus[:64])  # imports are not ranking
    tracemalloc.start()
    try:
        rank(queries, corpus, memory=megabytes << 20, threads=2, top=top)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= megabytes << 20
