"""The defined score, and the engine against it on vectors chosen to be hard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from crossgauge.ranking import Blocks, rank, rank_matrix
from crossgauge.ranking.arithmetic import choose, widened
from crossgauge.ranking.exact import LANES, Exact
from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.vectors import LARGEST, prepare, read_pair
from crossgauge.ranking.workers import Workers
from crossgauge.types import Qrels, Ranks, Similarity

Array = npt.NDArray[Any]
SIMILARITIES: tuple[Similarity, ...] = ("cosine", "dot", "l2")
COUNTS = ("higher", "equal", "higher_relevant", "equal_relevant", "retrieved", "candidates")
SMALL = (None, Blocks(queries=3, corpus=5), Blocks(queries=7, corpus=1000, keep=False))


def slow_scores(queries: Array, corpus: Array, similarity: Similarity = "cosine") -> Array:
    """Every score by the definition: plain loops over the dimensions."""
    short = all(x.dtype.itemsize <= 4 and x.dtype.kind in "fV" for x in (queries, corpus))
    dtype = np.float32 if short else np.float64
    q, c = queries.astype(dtype), corpus.astype(dtype)
    if similarity == "cosine":
        q, c = _unit(q), _unit(c)
    total = np.zeros((len(q), len(c)))
    for j in range(q.shape[1]):
        left, right = q[:, j].astype(np.float64)[:, None], c[:, j].astype(np.float64)[None, :]
        total = total + ((left - right) * (left - right) if similarity == "l2" else left * right)
    return -total if similarity == "l2" else total


def _unit(x: Array) -> Array:
    squares = np.zeros(len(x))
    for j in range(x.shape[1]):
        squares = squares + x[:, j].astype(np.float64) * x[:, j].astype(np.float64)
    return (x.astype(np.float64) / np.sqrt(squares)[:, None]).astype(x.dtype)


def assert_same(found: Ranks, wanted: Ranks) -> None:
    """Equal counts, equal top lists, equal scores to the last bit."""
    for name in COUNTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    np.testing.assert_array_equal(found.top.items, wanted.top.items)
    np.testing.assert_array_equal(found.top.scores, wanted.top.scores)


def check(queries: Array, corpus: Array, similarity: Similarity, relevant: Any = None) -> Ranks:
    """The engine agrees with the definition for several blocks and threads."""
    wanted = rank_matrix(slow_scores(queries, corpus, similarity), relevant)
    for blocks in SMALL:
        for threads in (1, 2):
            found = rank(queries, corpus, relevant, similarity=similarity, blocks=blocks, threads=threads)
            assert_same(found, wanted)
    return wanted


def some_relevant(rng: np.random.Generator, queries: int, corpus: int) -> Qrels:
    """None to three relevant items a query."""
    sizes = np.minimum(rng.integers(0, 4, queries), corpus)
    return Qrels.of([rng.choice(corpus, size, replace=False).tolist() for size in sizes])


def gauss(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    corpus = rng.standard_normal((m, d))
    return corpus[rng.integers(0, m, n)] + 0.7 * rng.standard_normal((n, d)), corpus


def duplicates(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    return queries, corpus[rng.integers(0, max(1, m // 4), m)]


def all_equal(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    return np.tile(rng.standard_normal((1, d)), (n, 1)), np.tile(rng.standard_normal((1, d)), (m, 1))


def nearly_equal(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    """One ulp apart in one dimension: float32 products cannot tell them apart."""
    one = rng.standard_normal((1, d)).astype(np.float32)
    corpus = np.tile(one, (m, 1))
    at = (np.arange(m), rng.integers(0, d, m))
    corpus[at] = np.nextafter(corpus[at], rng.choice(np.array([-9, 9], np.float32), m))
    return np.tile(one, (n, 1)) + rng.standard_normal((n, d)) * 1e-6, corpus


def permuted(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    """Equal in exact arithmetic, not always in float64: only the order of the sum decides."""
    row = rng.standard_normal(d)
    return np.ones((n, d)), np.stack([rng.permutation(row) for _ in range(m)])


def denormal(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    return queries * 1e-23, corpus * 1e-22


def tiny(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    return queries * 1e-40, corpus * 1e-40


def huge(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    return queries * 1e30, corpus * 1e30


def uneven(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    return queries, corpus * np.exp(8.0 * rng.standard_normal((m, 1)))


def sparse(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = (rng.integers(1, 3, (k, d)) * (rng.random((k, d)) < 0.2) for k in (n, m))
    queries[:, 0] = corpus[:, 1 % d] = 1  # no row of norm 0
    return queries.astype(float), corpus.astype(float)


def binary(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    return np.sign(rng.standard_normal((n, d))), np.sign(rng.standard_normal((m, d)))


def outlier(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array]:
    queries, corpus = gauss(rng, n, m, d)
    queries[:, -1], corpus[:, -1] = 1e4, 1e4
    return queries, corpus


KINDS = (
    gauss,
    duplicates,
    all_equal,
    nearly_equal,
    permuted,
    denormal,
    tiny,
    huge,
    uneven,
    sparse,
    binary,
    outlier,
)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_the_engine_counts_by_the_definition(
    kind: Callable[..., tuple[Array, Array]], dtype: Any, similarity: Similarity
) -> None:
    rng = np.random.default_rng(7)
    for n, m, d in ((5, 11, 3), (19, 23, 17), (9, 70, 40)):
        with np.errstate(over="ignore", under="ignore"):
            queries, corpus = (x.astype(dtype) for x in kind(rng, n, m, d))
        alive = [
            np.isfinite(x.astype(float)).all() and x.astype(float).any(axis=1).all()
            for x in (queries, corpus)
        ]
        if all(alive):  # float16 cannot hold 1e30 or 1e-40
            check(queries, corpus, similarity, some_relevant(rng, n, m))


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_blocks_of_every_size_agree(similarity: Similarity) -> None:
    rng = np.random.default_rng(3)
    queries, corpus = (x.astype(np.float32) for x in duplicates(rng, 6, 9, 5))
    relevant = some_relevant(rng, 6, 9)
    wanted = rank(queries, corpus, relevant, similarity=similarity)
    for rows in range(1, 8):
        for columns in range(1, 11):
            blocks = Blocks(queries=rows, corpus=columns)
            assert_same(rank(queries, corpus, relevant, similarity=similarity, blocks=blocks), wanted)


def test_sparse_candidates_are_scored_one_by_one_and_agree() -> None:
    rng = np.random.default_rng(4)
    queries, corpus = (x.astype(np.float32) for x in duplicates(rng, 40, 700, 8))
    chosen = [np.sort(rng.choice(700, 6, replace=False)) for _ in range(40)]
    relevant = [rows[:2].tolist() for rows in chosen]
    wanted = rank_matrix(slow_scores(queries, corpus), relevant, candidates=chosen)
    assert_same(rank(queries, corpus, relevant, candidates=chosen), wanted)


def test_dense_candidates_agree() -> None:
    rng = np.random.default_rng(5)
    queries, corpus = (x.astype(np.float32) for x in duplicates(rng, 12, 31, 8))
    chosen = [rng.permutation(31)[: int(rng.integers(3, 31))] for _ in range(12)]
    relevant = [rows[:2].tolist() for rows in chosen]
    wanted = rank_matrix(slow_scores(queries, corpus), relevant, candidates=chosen)
    for blocks in SMALL:
        assert_same(rank(queries, corpus, relevant, candidates=chosen, blocks=blocks), wanted)


def test_mixed_types_are_compared_in_float64() -> None:
    rng = np.random.default_rng(6)
    queries, corpus = gauss(rng, 8, 20, 6)
    found = rank(queries.astype(np.float32), corpus, [[0]] * 8)
    wide = rank(queries.astype(np.float32).astype(np.float64), corpus, [[0]] * 8)
    assert_same(found, wide)


def test_byte_order_and_memory_layout_do_not_matter() -> None:
    rng = np.random.default_rng(8)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, 8, 20, 6))
    wanted = rank(queries, corpus, [[0]] * 8)
    assert_same(rank(np.asfortranarray(queries), corpus.astype(">f4"), [[0]] * 8), wanted)
    assert_same(rank(np.repeat(queries, 2, axis=0)[::2], corpus[:, ::-1].copy()[:, ::-1], [[0]] * 8), wanted)


@pytest.mark.parametrize("pairs", [1, 2, LANES - 1, LANES, LANES + 1])
@pytest.mark.parametrize("dimensions", [1, 2, 7, 64, 513])
def test_sums_are_in_index_order(pairs: int, dimensions: int) -> None:
    """The definition rests on numpy adding outer rows one after the other."""
    rng = np.random.default_rng(pairs + dimensions)
    a = rng.standard_normal((pairs, dimensions)) * np.exp(20 * rng.standard_normal((pairs, dimensions)))
    b = rng.standard_normal((pairs, dimensions))
    everyone = np.arange(pairs)
    for similarity in SIMILARITIES:
        found = Exact(dimensions, similarity).scores(a, b, rows=everyone, others=everyone)
        for i in range(pairs):
            total = 0.0
            for x, y in zip(a[i].tolist(), b[i].tolist(), strict=True):
                total += (x - y) * (x - y) if similarity == "l2" else x * y
            assert found[i] == (-total if similarity == "l2" else total)


@pytest.mark.parametrize("rows", [1, LANES, LANES + 1])
@pytest.mark.parametrize("scale", [1e-40, 1.0, 1e38])
def test_loose_squares_are_off_by_roundings_only(rows: int, scale: float) -> None:
    """They stand for the squares in index order wherever a bound will do, and find the same rows unusable."""
    a = (scale * np.random.default_rng(rows).uniform(-1, 1, (rows, 513))).astype(np.float32)
    exact = Exact(513, "dot")
    np.testing.assert_allclose(exact.loose_squares(a), exact.squares(a), rtol=513 * 2.0**-52)
    a[0, 7], a[-1, 512] = np.nan, np.inf
    np.testing.assert_array_equal(exact.loose_squares(a) <= LARGEST, exact.squares(a) <= LARGEST)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_products_stay_within_their_bound(
    kind: Callable[..., tuple[Array, Array]], similarity: Similarity
) -> None:
    """The proof, tried: no product is further from the defined score than it says."""
    rng = np.random.default_rng(11)
    queries, corpus = (x.astype(np.float32) for x in kind(rng, 20, 60, 100))
    left, right, dtype = read_pair(queries, corpus)
    with Workers(1) as workers:
        q, c = prepare((left, right), dtype=dtype, similarity=similarity, keep=True, workers=workers)
    pair = Pair(q, c, similarity)
    narrow = choose(pair)
    scores = slow_scores(queries, corpus, similarity)
    everyone = np.arange(20)
    for arithmetic in (narrow, widened(narrow, pair)):
        products = arithmetic.as_queries(q, everyone) @ arithmetic.as_corpus(c, np.arange(60)).T
        thresholds = arithmetic.threshold(scores, q.squares[:, None])
        distance = np.abs(products.astype(np.float64) - thresholds).max(axis=1)
        assert (distance <= arithmetic.reach(everyone)).all()


@pytest.mark.parametrize("similarity", ["dot", "l2"])
def test_whole_numbers_need_no_second_look(similarity: Similarity) -> None:
    rng = np.random.default_rng(12)
    left, right, dtype = read_pair(*(x.astype(np.float32) for x in binary(rng, 10, 30, 64)))
    sides = (left, right, right / 3)
    with Workers(1) as workers:
        q, c, thirds = prepare(sides, dtype=dtype, similarity=similarity, keep=True, workers=workers)
    whole, broken = Pair(q, c, similarity), Pair(q, thirds, similarity)
    assert widened(choose(whole), whole).exact
    assert not widened(choose(broken), broken).exact
