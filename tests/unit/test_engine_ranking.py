"""Ranks counted by workers, block by block: the same bytes as in one piece, whatever is ranked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from crossgauge.engines import Engine, Ranking, Recipe, open_engine
from crossgauge.engines.dealing import Heard
from crossgauge.engines.ranking import Mapped, Piece, in_one, pieces, worth_cutting
from crossgauge.errors import InputError
from crossgauge.models import load_model
from crossgauge.types import Draw, Qrels, Ranks, Split, TopK
from tests.unit.test_embeddings import Noting

DIM = 24


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(open_engine("processes", 2, Recipe("random:4", load_model))) as engine:
        yield engine


@pytest.fixture(autouse=True)
def _cut_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.engines.ranking.ALONE", 1)
    monkeypatch.setattr("crossgauge.engines.ranking.ROWS", 16)


def vectors(count: int, seed: int) -> np.ndarray:
    """Few levels a coordinate, so that many scores tie; the first rows are equal."""
    found = np.random.default_rng(seed).integers(-2, 3, (count, DIM)).astype(np.float32)
    found[:3] = found[3]
    found[np.abs(found).sum(axis=1) == 0, 0] = 1.0
    return found


def several(queries: int, corpus: int) -> Qrels:
    rng = np.random.default_rng(7)
    return Qrels.of([rng.choice(corpus, rng.integers(0, 4), replace=False) for _ in range(queries)])


def made(kind: str, **options: object) -> Ranking:
    split = Split((), (), several(90, 70))
    if kind == "candidates":
        rng = np.random.default_rng(3)
        rows = [
            split.qrels.items[a:b] for a, b in zip(split.qrels.start, split.qrels.start[1:], strict=False)
        ]
        few = tuple(np.union1d(some, rng.choice(70, 9)) for some in rows)
        split = replace(split, candidates=few)
    if kind in {"units", "drawn units"}:
        split = replace(split, units=np.arange(70) // 3)
    if kind in {"draws", "drawn units"}:
        rng = np.random.default_rng(4)
        draws = tuple(Draw(rng.permutation(90)[:20], rng.permutation(70)[: 9 + n]) for n in range(3))
        split = replace(split, draws=draws)
    ids = {"query_ids": [f"q{n}" for n in range(90)], "corpus_ids": [f"c{n}" for n in range(70)]}
    return Ranking(vectors(90, 1), vectors(70, 2), split, {"similarity": "cosine", **ids, **options})


def same(one: Ranks, other: Ranks) -> bool:
    """Whether two rankings are equal to the byte."""
    return parts(one) == parts(other)


def parts(ranks: Ranks) -> list[object]:
    values = [getattr(ranks, field.name) for field in fields(Ranks)]
    flat = [part for one in values for part in ((one.items, one.scores) if isinstance(one, TopK) else (one,))]
    return [(one.dtype, one.shape, one.tobytes()) if isinstance(one, np.ndarray) else one for one in flat]


@pytest.mark.parametrize("kind", ["all", "candidates", "units", "draws", "drawn units"])
@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_the_same_bytes_as_in_one_piece(engine: Engine, kind: str, similarity: str) -> None:
    ranking = made(kind, similarity=similarity)
    whole = in_one(ranking)
    assert whole.equal.sum() > 0, "ties are part of it"
    assert same(engine.rank(ranking, Noting()), whole)


def test_float64_and_misses(engine: Engine) -> None:
    ranking = made("all", on_nonfinite="miss", top=3, until=5)
    queries, corpus = ranking.queries.astype(np.float64) / 3, ranking.corpus.copy()
    queries[50], corpus[7] = np.nan, 0.0
    ranking = replace(ranking, queries=queries, corpus=corpus)
    whole = in_one(ranking)
    assert whole.answered is not None
    assert not whole.answered[50]
    assert same(engine.rank(ranking, Noting()), whole)


def test_what_is_wrong_is_told_by_the_numbers_of_the_whole(engine: Engine) -> None:
    ranking = made("all")
    queries, corpus = ranking.queries.copy(), ranking.corpus.copy()
    queries[[2, 80]], corpus[7] = np.nan, 0.0
    with pytest.raises(InputError) as caught:
        engine.rank(replace(ranking, queries=queries, corpus=corpus), Noting())
    assert [fault.place for fault in caught.value.faults] == [
        "query row 2 ('q2')", "query row 80 ('q80')", "corpus row 7 ('c7')",
    ]  # fmt: skip


def test_every_query_is_in_one_piece_and_pieces_are_light(tmp_path: Path) -> None:
    ranking = made("all")
    works = list(pieces(ranking, lambda array: Mapped(tmp_path / str(len(array))), 2))
    assert [(work.rows.start, work.rows.stop) for work in works] == [(0, 22), (22, 45), (45, 67), (67, 90)]
    assert sum(len(work.split.qrels) for work in works) == 90
    assert all(not work.split.queries and "query_ids" not in work.options for work in works)


def test_small_rankings_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.engines.ranking.ALONE", 1 << 26)
    assert not worth_cutting(made("all"), 8)
    assert not worth_cutting(made("draws"), 8)
    big = replace(made("all"), queries=np.zeros((1 << 14, 1)), corpus=np.zeros((1 << 13, 1)))
    assert worth_cutting(big, 2)
    assert not worth_cutting(big, 1), "one worker has nobody to share with"


def test_a_worker_that_dies_while_ranking(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first death that is heard of is made up: the real worker is ended and replaced for it."""
    crew = engine._crew  # type: ignore[attr-defined]
    hear, told = crew.hear, Noting()

    def once() -> Heard:
        monkeypatch.setattr(crew, "hear", hear)
        return Heard(0, died="signal SIGTEST")

    monkeypatch.setattr(crew, "hear", once)
    ranking = made("all")
    assert same(engine.rank(ranking, told), in_one(ranking))
    assert [note.split(";")[0] for note in told.notes] == ["W671 worker 1: it died (signal SIGTEST)"]


def test_a_piece_uses_the_threads_of_its_worker(tmp_path: Path) -> None:
    ranking = made("all")
    for name, array in (("q", ranking.queries), ("c", ranking.corpus)):
        np.save(tmp_path / f"{name}.npy", array)

    class Worker:
        threads = 1

    whole = slice(None)
    piece = Piece(Mapped(tmp_path / "q.npy"), Mapped(tmp_path / "c.npy"), whole, ranking.split, {"top": 10})
    assert same(piece.run(Worker()), in_one(ranking))
