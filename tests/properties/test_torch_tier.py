"""The torch tier gives what the definition gives, to the last bit, at every level (here on CPU tensors)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from crossgauge.errors import EnvironmentFault
from crossgauge.ranking import native, rank, rank_matrix, torch_grid, torch_tier
from tests.unit.test_ranking_exact import KINDS, assert_same, duplicates, gauss, slow_scores, some_relevant

torch = pytest.importorskip("torch", reason="needs the extra [torch]")
LEVELS = ["int8", "tf32", "f32"]


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A level, forced; makes sure that the tier did the work, in several tiles and blocks."""
    runs = []
    run = torch_tier.OnDevice.run

    def watched(made: torch_tier.OnDevice) -> None:
        runs.append(made.level)
        run(made)

    monkeypatch.setenv(native.VARIABLE, "torch")
    monkeypatch.setattr(torch_tier, "starting", lambda *_: request.param)
    monkeypatch.setattr(torch_tier, "NEXT", {})
    monkeypatch.setattr(torch_tier, "ROWS", 8)
    monkeypatch.setattr(torch_tier, "CELLS", {"cpu": 8 * 70, "cuda": 8 * 70})
    monkeypatch.setattr(torch_tier, "PAIRS", 50)
    monkeypatch.setattr(torch_tier.OnDevice, "run", watched)
    yield request.param
    assert set(runs) == {request.param}


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_level_counts_by_the_definition(level: str, kind: Any, dtype: Any, similarity: Any) -> None:
    rng = np.random.default_rng(7)
    for n, m, d in ((5, 11, 3), (19, 33, 17), (9, 150, 40)):
        with np.errstate(over="ignore", under="ignore"):
            queries, corpus = (x.astype(dtype) for x in kind(rng, n, m, d))
        sides = [x.astype(float) for x in (queries, corpus)]
        if not all(np.isfinite(x).all() and x.any(axis=1).all() for x in sides):
            queries, corpus = (x.astype(dtype) for x in gauss(rng, n, m, d))
        relevant = some_relevant(rng, n, m)
        wanted = rank_matrix(slow_scores(queries, corpus, similarity), relevant)
        assert_same(rank(queries, corpus, relevant, similarity=similarity), wanted)


@pytest.mark.parametrize("top", [0, 1, 25, 200])
def test_lists_and_equal_rows(level: str, top: int) -> None:
    rng = np.random.default_rng(3)
    queries, corpus = (x.astype(np.float32) for x in duplicates(rng, 20, 160, 12))
    relevant = some_relevant(rng, 20, 160)
    wanted = rank_matrix(slow_scores(queries, corpus, "dot"), relevant, top=top)
    assert_same(rank(queries, corpus, relevant, similarity="dot", top=top), wanted)


def test_unusable_rows(level: str) -> None:
    rng = np.random.default_rng(5)
    queries, corpus = (x.astype(np.float32) for x in gauss(rng, 12, 90, 9))
    queries[3], corpus[[0, 40]] = np.nan, np.inf
    found = rank(queries, corpus, [[i, i + 30] for i in range(12)], on_nonfinite="miss")
    native_found = _elsewhere(queries, corpus)
    assert_same(found, native_found)


def _elsewhere(queries: np.ndarray, corpus: np.ndarray):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(native.VARIABLE, "portable")
        return rank(queries, corpus, [[i, i + 30] for i in range(12)], on_nonfinite="miss")


@pytest.mark.parametrize("level_name", LEVELS)
def test_the_band_holds_and_is_not_idle(level_name: Any) -> None:
    """No product is further from the exact one than its band, and most pairs are decided by it."""
    rng = np.random.default_rng(2)
    left, right = (torch.from_numpy(rng.standard_normal((60, 200), dtype=np.float32)) for _ in range(2))
    queries, columns = (torch_grid.on_grid(x, level_name, None) for x in (left, right))
    exact = left.double() @ right.double().T * queries.inverse[:, None] * columns.inverse[None, :]
    bands = torch_grid.band(queries, columns, None, 0.0, level_name)
    off = (torch_grid.product(queries, columns, level_name).double() - exact).abs()
    assert bool((off <= bands[:, None]).all())
    assert float((exact.abs() < bands[:, None]).double().mean()) < 0.5


@pytest.mark.parametrize(("spread", "expected"), [(1.0, "int8"), (0.1, "tf32"), (1e-3, "f32")])
def test_alike_vectors_take_a_finer_level(
    spread: float, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = []
    run = torch_tier.OnDevice.run
    monkeypatch.setenv(native.VARIABLE, "torch")
    monkeypatch.setattr(torch_tier, "starting", lambda *_: "int8")  # as on a GPU
    monkeypatch.setattr(torch_tier.OnDevice, "run", lambda made: (chosen.append(made.level), run(made))[1])
    rng = np.random.default_rng(1)
    # Centring takes away what all share, so these differ in two large numbers more than in all others.
    corpus = spread * rng.standard_normal((200, 64))
    corpus[:, 0] += np.where(np.arange(200) % 2, 3.0, -3.0)
    queries = corpus + spread * rng.standard_normal((200, 64))
    ranks = rank(queries.astype(np.float32), corpus.astype(np.float32), similarity="dot", top=0)
    assert chosen == [expected]
    monkeypatch.setenv(native.VARIABLE, "portable")
    assert_same(ranks, rank(queries.astype(np.float32), corpus.astype(np.float32), similarity="dot", top=0))


def test_without_torch_it_says_where_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "torch")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EnvironmentFault, match="E691"):
        rank(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32))


def test_precision_is_put_back() -> None:
    torch.set_float32_matmul_precision("medium")
    try:
        grid = torch_grid.on_grid(torch.eye(4), "f32", None)
        torch_grid.product(grid, grid, "f32")
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
