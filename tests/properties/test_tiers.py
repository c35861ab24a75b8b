"""Every kernel of the compiled ranks gives what the definition gives, to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgauge.errors import EnvironmentFault, UsageError
from crossgauge.ranking import Blocks, compiled, native, rank, rank_matrix
from crossgauge.types import Qrels, Ranks, Similarity
from tests.unit.test_ranking_exact import KINDS, assert_same, duplicates, gauss, slow_scores, some_relevant

Array = npt.NDArray[Any]
Kind = Callable[..., tuple[Array, Array]]
LOADED = native._loaded()
SETS = range(0 if LOADED is None else LOADED.set + 1)
KERNELS = list(itertools.product(native.LEVELS, SETS))
needs_library = pytest.mark.skipif(LOADED is None, reason="the compiled ranks are not built (no C compiler?)")
pytestmark = needs_library


@pytest.fixture(params=KERNELS, ids=lambda pair: f"{pair[0]}, {native.SETS[pair[1]]}")
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A level and an instruction set, forced; makes sure that the compiled tier did the work."""
    level, instructions = request.param
    with forced(level, instructions, monkeypatch) as runs:
        yield level
    assert runs, "the compiled tier was not used"


class forced:  # noqa: N801  (reads as a phrase)
    """Rank by one kernel only; gives the list of what was counted with it."""

    def __init__(self, level: str, instructions: int, patch: pytest.MonkeyPatch) -> None:
        assert LOADED is not None
        self._one, self._level, self._patch = replace(LOADED, set=instructions), level, patch

    def __enter__(self) -> list[str]:
        runs: list[str] = []
        count = compiled.Compiled.count

        def counted(made: compiled.Compiled, *args: Any) -> None:
            runs.append(self._level)
            count(made, *args)

        self._patch.setattr(native, "_loaded", lambda: self._one)
        self._patch.setattr(compiled.Compiled, "count", counted)
        self._patch.setenv(native.VARIABLE, self._level)
        return runs

    def __exit__(self, *_: object) -> None:
        self._patch.undo()


def portably(patch: pytest.MonkeyPatch, *args: Any, **options: Any) -> Ranks:
    """The ranks by numpy alone."""
    with patch.context() as inner:
        inner.setenv(native.VARIABLE, "portable")
        return rank(*args, **options)


def usable(*sides: Array) -> bool:
    return all(np.isfinite(x.astype(float)).all() and x.astype(float).any(axis=1).all() for x in sides)


def rational_scores(queries: Array, corpus: Array) -> Array:
    """The definition with nothing but fractions: each partial sum is rounded to a float64 once."""
    scores = np.zeros((len(queries), len(corpus)))
    for (i, q), (j, c) in itertools.product(enumerate(queries.tolist()), enumerate(corpus.tolist())):
        total = 0.0
        for x, y in zip(q, c, strict=True):
            total = float(Fraction(total) + Fraction(x) * Fraction(y))
        scores[i, j] = total
    return scores


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_kernel_counts_by_the_definition(
    kernel: str, kind: Kind, dtype: Any, similarity: Similarity
) -> None:
    rng = np.random.default_rng(7)
    for n, m, d in ((5, 11, 3), (19, 33, 17), (9, 70, 40)):
        with np.errstate(over="ignore", under="ignore"):
            queries, corpus = (x.astype(dtype) for x in kind(rng, n, m, d))
        if not usable(queries, corpus):  # float16 cannot hold 1e30 or 1e-40
            queries, corpus = (x.astype(dtype) for x in gauss(rng, n, m, d))
        relevant = some_relevant(rng, n, m)
        wanted = rank_matrix(slow_scores(queries, corpus, similarity), relevant)
        for threads, blocks in ((1, None), (2, Blocks(queries=7, corpus=20)), (8, Blocks(3, 1000, False))):
            found = rank(queries, corpus, relevant, similarity=similarity, threads=threads, blocks=blocks)
            assert_same(found, wanted)


@pytest.mark.parametrize("dimensions", [1, 3, 15, 63, 64, 65, 511, 4096])
def test_every_number_of_dimensions(kernel: str, dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    n, m = (6, 30) if dimensions > 1000 else (23, 90)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, n, m, dimensions))
    corpus[m // 2 :] = corpus[: m - m // 2] + np.float32(1e-6)  # near ties and, for large numbers, ties
    wanted = rank_matrix(slow_scores(queries, corpus, "dot"), [[i] for i in range(n)])
    assert_same(rank(queries, corpus, [[i] for i in range(n)], similarity="dot"), wanted)


def test_every_number_of_rows(kernel: str) -> None:
    rng = np.random.default_rng(1)
    for n, m in itertools.chain(
        zip(range(1, 71, 3), range(70, 0, -3), strict=False), [(1, 1), (70, 64), (7, 65)]
    ):
        queries, corpus = (x.astype(np.float32) for x in duplicates(rng, n, m, 9))
        relevant = some_relevant(rng, n, m)
        assert_same(rank(queries, corpus, relevant), rank_matrix(slow_scores(queries, corpus), relevant))


@given(st.integers(0, 2**32 - 1), st.sampled_from(KERNELS), st.sampled_from([1, 2, 8]))
@settings(deadline=None, max_examples=60)
def test_near_ties_by_rational_arithmetic(seed: int, which: tuple[str, int], threads: int) -> None:
    """One row and neighbours a last place away, over a wide range of lengths."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 9)), int(rng.integers(2, 24))
    row = rng.standard_normal(d) * 10.0 ** rng.integers(-44, 37, d if seed % 2 else 1)
    corpus = np.tile(row.astype(np.float32), (m, 1))
    for _ in range(int(rng.integers(0, 3))):
        toward = rng.choice(np.array([-np.inf, np.inf], np.float32), (m, d))
        corpus = np.where(rng.random((m, d)) < 0.3, np.nextafter(corpus, toward), corpus)
    queries = corpus[rng.integers(0, m, 3)] * rng.choice(np.array([-1, 1, 0.5, 1e-20], np.float32), (3, 1))
    with pytest.MonkeyPatch.context() as patch, forced(*which, patch):
        found = rank(queries, corpus, [[0], [1, 0], []], similarity="dot", threads=threads)
    assert_same(found, rank_matrix(rational_scores(queries, corpus), [[0], [1, 0], []]))


def test_rows_of_every_length_meet(kernel: str) -> None:
    """From subnormal to the largest float32 holds: some rows have no grid, and are decided one by one."""
    rng = np.random.default_rng(2)
    corpus = rng.standard_normal((60, 12)) * 10.0 ** rng.integers(-44, 37, (60, 1))
    queries = rng.standard_normal((30, 12)) * 10.0 ** rng.integers(-44, 37, (30, 1))
    queries, corpus = queries.astype(np.float32), corpus.astype(np.float32)
    corpus[7] = 0
    relevant = some_relevant(rng, 30, 60)
    wanted = rank_matrix(slow_scores(queries, corpus, "dot"), relevant)
    assert_same(rank(queries, corpus, relevant, similarity="dot"), wanted)


def test_rows_that_are_not_finite_are_misses(kernel: str) -> None:
    rng = np.random.default_rng(3)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, 12, 40, 20))
    queries[3, 1], corpus[[5, 6], 0], corpus[8] = np.nan, (np.inf, np.nan), 0
    with pytest.MonkeyPatch.context() as patch:
        wanted = portably(patch, queries, corpus, [[i] for i in range(12)], on_nonfinite="miss")
    found = rank(queries, corpus, [[i] for i in range(12)], on_nonfinite="miss")
    assert_same(found, wanted)
    assert not found.retrieved[[3, 5, 6, 8]].any()


@pytest.mark.parametrize("top", [0, 1, 10, 128])
@pytest.mark.parametrize("order", ["rising", "equal", "random"])
def test_lists_are_those_of_the_portable_tier(kernel: str, order: str, top: int) -> None:
    """Rising: every column is a rival when it comes. Equal: all stay rivals, and ties go by corpus row."""
    rng = np.random.default_rng(4)
    queries = np.abs(rng.standard_normal((5, 16))).astype(np.float32)
    corpus = rng.standard_normal((1500, 16)).astype(np.float32)
    if order == "rising":
        corpus = np.sort(corpus, axis=0)
    if order == "equal":
        queries[:], corpus = 1.0, np.stack([rng.permutation(np.arange(16)) for _ in range(1500)])
    corpus = np.concatenate([corpus, corpus[rng.integers(0, 1500, 40)]]).astype(np.float32)
    options = {"similarity": "dot", "top": top}
    with pytest.MonkeyPatch.context() as patch:
        wanted = portably(patch, queries, corpus, [[i] for i in range(5)], **options)
    for blocks in (None, Blocks(queries=2, corpus=700)):
        assert_same(rank(queries, corpus, [[i] for i in range(5)], blocks=blocks, **options), wanted)


def test_a_modality_gap_and_outlier_dimensions(kernel: str) -> None:
    rng = np.random.default_rng(5)
    queries, corpus = gauss(rng, 40, 300, 96)
    queries[:, :2] += (30, -9)
    corpus[:, :2] += (-25, 14)
    queries, corpus = queries.astype(np.float32), corpus.astype(np.float32)
    relevant = some_relevant(rng, 40, 300)
    assert_same(rank(queries, corpus, relevant), rank_matrix(slow_scores(queries, corpus), relevant))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_left_to_itself_it_gives_the_same(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels chosen by samples, query by query."""
    rng = np.random.default_rng(6)
    queries, corpus = (x.astype(np.float32) for x in kind(rng, 150, 700, 24))
    monkeypatch.setattr(compiled, "MANY", 1)
    monkeypatch.setattr(compiled, "SHORT", 24)
    relevant = some_relevant(rng, 150, 700)
    wanted = portably(monkeypatch, queries, corpus, relevant, similarity="dot")
    assert_same(rank(queries, corpus, relevant, similarity="dot"), wanted)


def test_samples_choose_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    chosen: list[dict[str, int]] = []
    levels = compiled.choose_levels

    def seen(*args: Any) -> Any:
        found = levels(*args)
        chosen.append({level: len(queries) for level, queries in (found or {}).items()})
        return found

    monkeypatch.setattr(compiled, "choose_levels", seen)
    monkeypatch.setattr(compiled, "MANY", 1)
    monkeypatch.setattr(compiled, "SHORT", 64)  # as if these rows were long
    for collapse in (1.0, 1e-3, 1e-6, 1e-9):  # ever more alike: int8, int16, float32, float64
        corpus = 1 + collapse * rng.standard_normal((500, 64))
        queries = corpus + collapse * rng.standard_normal((500, 64))
        corpus[:, 0] += 10 * collapse * rng.standard_normal(500)
        rank(queries.astype(np.float32), corpus.astype(np.float32), similarity="dot", top=0)
    assert chosen[-1] == {}
    assert len({tuple(levels) for levels in chosen}) >= 3, chosen


def test_what_it_does_not_know_is_ranked_portably(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, 8, 30, 6))
    chosen = [rng.permutation(30)[:20] for _ in range(8)]
    relevant = [rows[:2].tolist() for rows in chosen]
    wanted = rank_matrix(slow_scores(queries, corpus), relevant, candidates=chosen)
    assert_same(rank(queries, corpus, relevant, candidates=chosen), wanted)
    wanted = rank_matrix(slow_scores(queries, corpus, "l2"), relevant)
    assert_same(rank(queries, corpus, relevant, similarity="l2"), wanted)
    wide = queries.astype(np.float64) + 1e-12
    assert_same(rank(wide, corpus, relevant), rank_matrix(slow_scores(wide, corpus), relevant))
    rank(queries, corpus, relevant)  # and this, not: the fixture looks


def test_a_tier_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "int4")
    with pytest.raises(UsageError, match="E450"):
        rank([[1.0]], [[1.0]])


def test_without_a_library_ranks_are_portable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_loaded", lambda: None)
    assert native.tier() == "portable"
    assert "same" in native.described()
    rng = np.random.default_rng(10)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, 8, 30, 6))
    found = rank(queries, corpus, Qrels.of([[i] for i in range(8)]))
    assert_same(found, rank_matrix(slow_scores(queries, corpus), [[i] for i in range(8)]))
    monkeypatch.setenv(native.VARIABLE, "int8")
    with pytest.raises(EnvironmentFault, match="E451"):
        rank(queries, corpus, [[i] for i in range(8)])
