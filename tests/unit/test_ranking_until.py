"""Counting that stops at a place: exact for all that looks no further, and refused for the rest."""

from __future__ import annotations

import numpy as np
import pytest

from crossgauge.errors import UsageError
from crossgauge.measures import measure
from crossgauge.ranking import Blocks, compiled, native, rank
from crossgauge.ranking.workers import Workers

RNG = np.random.default_rng(9)
MEASURES = ["hit@1", "hit@5", "recall@5", "precision@5", "ndcg@5", "acc_macro@1"]


def problem(n: int, m: int, *, several: bool):
    corpus = RNG.integers(-3, 4, (m, 12)).astype(np.float32)  # many ties, some equal rows
    queries = (corpus[:n] + RNG.integers(-2, 3, (n, 12))).astype(np.float32)
    queries[~queries.any(axis=1)] = 1.0
    corpus[~corpus.any(axis=1)] = 1.0
    sizes = RNG.integers(0, 6, n) if several else np.ones(n, int)
    relevant = [
        {int(i): float(RNG.integers(1, 4)) for i in RNG.choice(m, size, replace=False)} for size in sizes
    ]
    return queries, corpus, relevant


@pytest.mark.parametrize("tier", ["portable", "f32", "int16", "int8"])
@pytest.mark.parametrize("several", [False, True])
def test_measures_up_to_the_place_are_as_without_it(
    tier: str, several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tier != "portable" and native._loaded() is None:
        pytest.skip("the compiled ranks are not built (no C compiler?)")
    monkeypatch.setenv(native.VARIABLE, tier)
    monkeypatch.setattr(compiled, "SOON", 16)
    queries, corpus, relevant = problem(60, 500, several=several)
    for until in (5, 12):
        stopped = rank(queries, corpus, relevant, until=until, blocks=Blocks(corpus=70))
        whole = rank(queries, corpus, relevant, top=0)
        found, wanted = measure(stopped, MEASURES), measure(whole, MEASURES)
        for name in MEASURES:
            np.testing.assert_array_equal(found[name].per_query, wanted[name].per_query)
            assert found[name].interval == wanted[name].interval or np.isnan(wanted[name].value)
        assert not stopped.top.items.size
        far = whole.higher >= until
        assert (stopped.higher[far] >= until).all()
        assert (stopped.higher <= whole.higher).all()


@pytest.mark.skipif(native._loaded() is None, reason="the compiled ranks are not built (no C compiler?)")
def test_hopeless_queries_are_not_counted_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    count = compiled.Compiled.count

    def watched(made: compiled.Compiled, job: native.Job, queries: np.ndarray, workers: Workers) -> None:
        counted.append(len(queries))
        count(made, job, queries, workers)

    monkeypatch.setenv(native.VARIABLE, "int16")
    monkeypatch.setattr(compiled.Compiled, "count", watched)
    queries, corpus = (RNG.standard_normal((4000, 16)).astype(np.float32) for _ in range(2))
    rank(queries, corpus, until=10)
    assert counted[0] == 4000
    assert sum(counted[1:]) < 400


@pytest.mark.parametrize("name", ["hit@11", "medr", "mrr", "map", "ndcg", "recall@11"])
def test_measures_beyond_the_place_are_refused(name: str) -> None:
    ranks = rank(np.eye(20), np.eye(20), until=10)
    with pytest.raises(UsageError, match="E690"):
        measure(ranks, ["hit@10", name])
    assert measure(ranks, ["hit@10", "mean_recall"])["hit@10"].value == 1.0


@pytest.mark.parametrize("until", [0, -1, 2.0, True, "10"])
def test_a_place_is_a_whole_number(until: object) -> None:
    with pytest.raises(UsageError, match="E140"):
        rank(np.eye(3), np.eye(3), until=until)  # type: ignore[arg-type]
