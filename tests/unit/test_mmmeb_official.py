"""The published scorers: bfloat16 as others round it, the gold before its equals, what is said of ties."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from crossgauge import evaluate
from crossgauge.benchmark import Contest
from crossgauge.benchmarks.mmmeb import BENCHMARK
from crossgauge.benchmarks.mmmeb.official import argmax, baseline, bfloat16, unit, xvlm2vec
from crossgauge.types import Floats, Item, Qrels, Split


def contest(queries: Floats, corpus: Floats, gold: list[int], *, candidates: list[list[int]] | None = None,
            scores: Floats | None = None) -> Contest:  # fmt: skip
    split = Split(
        tuple(Item(f"q{n}", text="q") for n in range(len(queries))),
        tuple(Item(f"c{n}", text="c") for n in range(len(corpus))),
        Qrels.of([[row] for row in gold]),
        candidates=None if candidates is None else tuple(np.array(rows) for rows in candidates),
    )
    if scores is not None:
        return Contest(split, scores=scores, similarity="dot")
    return Contest(split, queries.astype(np.float32), corpus.astype(np.float32), similarity="dot")


def test_bfloat16_rounds_as_others_do() -> None:
    bits = np.random.default_rng(1).integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32)
    edge = np.array([0, 1, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F808000, 0x3F818000], np.uint32)
    values = np.concatenate([bits, edge]).view(np.float32)
    with np.errstate(all="ignore"):
        theirs = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(bfloat16(values), theirs)


def test_vectors_of_length_one_stay_and_others_are_scaled() -> None:
    half = bfloat16(np.array([[0.6, 0.8]]) / 1.0)
    np.testing.assert_array_equal(unit(half), half)
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0]])), [[0.6, 0.8]])


def test_a_tie_made_by_half_precision_goes_to_the_gold() -> None:
    queries = np.array([[1.0, 0.0]])
    corpus = np.array([[0.7501, 0.0], [0.7502, 0.0], [0.1, 0.0]])
    said = xvlm2vec(contest(queries, corpus, [0]))
    assert said.values == {"p@1": 1.0, "hit@5": 1.0, "hit@10": 1.0}
    assert len(said.notes) == 1
    assert said.notes[0].startswith(
        "1 of 1 queries (100.0 %) have a rival level with the right one (0 in full"
    )
    assert said.notes[0].endswith("1 of them for the first place; with it last, p@1 would be 0.0000")
    assert argmax(contest(queries, corpus, [0])).values["p@1"] == 1.0
    assert xvlm2vec(contest(queries, corpus, [2])).values["p@1"] == 0.0


def test_products_are_rounded_by_one_scorer_and_not_by_the_other() -> None:
    queries = np.array([[1.0, 2**-6]])
    corpus = np.array([[0.75, 0.0], [0.75, 2**-4]])  # 0.75 and 0.75 + 2**-10: one bfloat16
    assert xvlm2vec(contest(queries, corpus, [0])).values["p@1"] == 1.0
    assert argmax(contest(queries, corpus, [0])).values["p@1"] == 0.0


def test_base_models_round_candidates_only() -> None:
    queries = np.array([[0.7501, 0.6613]])
    corpus = np.array([[0.7499, 0.6615], [0.7501, 0.6613]])
    half = bfloat16(corpus)
    assert (half[0] == half[1]).all()
    assert baseline(contest(queries, corpus, [0])).values["p@1"] == 1.0
    corpus[1] = [0.6, 0.8]
    assert baseline(contest(queries, corpus, [1])).values["p@1"] == 0.0


def test_base_models_normalise_candidates_in_half_precision() -> None:
    """Rounded once more, a candidate can end up longer than 1 and overtake a nearer one."""
    queries, corpus = np.array([[0.7501, 0.6613]]), np.array([[0.7499, 0.6615], [0.7, 0.71]])
    assert baseline(contest(queries, corpus, [1])).values["p@1"] == 1.0


def test_nan_is_the_highest_and_zeros_stay_zero() -> None:
    queries, corpus = np.array([[1.0, 0.0]] * 2), np.array([[np.nan, 0.0], [1.0, 0.0], [0.0, 0.0]])
    for scorer in (xvlm2vec, baseline, argmax):
        said = scorer(contest(queries, corpus, [0, 1]))
        assert said.values["p@1"] == 0.5
        assert said.notes[-1] == "2 queries have NaN among their scores, which it takes for the highest"
        alone = scorer(contest(queries, corpus, [1, 2], candidates=[[1, 2], [1, 2]]))
        assert alone.values["p@1"] == 0.5


def test_cosines_are_taken_of_rounded_vectors() -> None:
    """Rounding leaves lengths of 0.997 to 1.003; the script of VLM2Vec divides by them."""
    queries, corpus = np.array([[1.0, 0.0]]), np.array([[0.99609375, 0.0], [1.0, 0.0546875]])
    game = contest(queries, corpus, [0])
    assert game.queries is not None
    cosine = Contest(game.split, game.queries, game.corpus, similarity="cosine")
    assert argmax(game).values["p@1"] == 0.0
    assert argmax(cosine).values["p@1"] == 1.0


def test_only_the_candidates_of_a_query_compete() -> None:
    queries, corpus = np.eye(2), np.array([[0.5, 0.0], [1.0, 0.0], [0.0, 1.0]])
    said = xvlm2vec(contest(queries, corpus, [0, 2], candidates=[[0, 2], [1, 2]]))
    assert said.values["p@1"] == 1.0
    assert xvlm2vec(contest(queries, corpus, [0, 2])).values["p@1"] == 0.5


def test_scores_are_taken_as_given_and_missing_ones_are_misses() -> None:
    scores = np.array([[0.7501, 0.7502], [np.nan, 0.1]])
    said = xvlm2vec(contest(np.eye(2), np.eye(2), [0, 0], scores=scores))
    assert said.values["p@1"] == 0.0
    assert said.values["hit@5"] == 0.5
    assert said.notes[1:] == (
        "scores as given: without vectors nothing can be rounded",
        "queries whose right one has no finite score: 1, counted as misses",
    )


def test_half_precision_raises_the_number_gold_first_and_lowers_it_gold_last() -> None:
    draw = np.random.default_rng(3)
    queries = draw.standard_normal((1500, 24))
    corpus = draw.standard_normal((1500, 24)) * 1.6 + queries
    game = contest(unit(queries), unit(corpus), list(range(1500)))
    assert game.queries is not None
    assert game.corpus is not None
    exact = game.queries.astype(np.float64) @ game.corpus.astype(np.float64).T
    right = float(np.mean(exact.argmax(axis=1) == np.arange(1500)))
    said = xvlm2vec(game)
    last = float(said.notes[0].rpartition(" ")[2])
    assert last < right < said.values["p@1"]


@pytest.mark.parametrize("profile", ["xvlm2vec", "xvlm2vec-baseline"])
def test_a_profile_fixes_how_texts_are_worded(tmp_path: Path, profile: str) -> None:
    BENCHMARK.sample(tmp_path)
    result = evaluate("mmmeb", "random", tmp_path, languages="en", profiles=profile)
    assert result.options["mode"] == "reference"
    assert result.options["prompting"] == ("instruct" if profile == "xvlm2vec" else "dual")
    rows = {cell.task: [row.profile for row in cell.profiles] for cell in result.cells}
    assert rows["i2t-xm"] == [profile]
    assert rows["vg"] == ([profile] if profile == "xvlm2vec" else [])
