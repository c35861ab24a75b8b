"""Memory stays flat over pairs: scenes go as they came, and of a pair only few bytes are kept."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import fields
from weakref import WeakSet

import numpy as np
import pytest

from crossgauge.concepts.counted import count_pairs
from crossgauge.concepts.pairs import PairCounter, PairCounts
from crossgauge.concepts.requests import pairs_by_query
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.scenes import Box, Scene, Thing

NAMES = [f"c{n}" for n in range(30)]
NEAR = {(a, b): 1 / (2 + abs(i - j)) for i, a in enumerate(NAMES) for j, b in enumerate(NAMES) if i < j}
BATCH = 200


BOXED = [Thing(name, name, Box(0, 0, 1 + n, 2)) for n, name in enumerate(NAMES)]
SHOWN = [tuple(BOXED[at : at + 4]) for at in range(20)]  # made once: only scenes come and go


def stream(image: str, many: int) -> Iterator[Scene]:
    """Scenes that nobody else holds."""
    for n in range(many):
        yield Scene(f"{image}{n}", SHOWN[n % (17 if image == "t" else 20)])


def peak(many: int) -> int:
    """The most bytes that counting holds at once."""
    counter = PairCounter(SimilarityTable(NEAR), ConceptSettings())
    asked = pairs_by_query(stream("t", many), stream("r", many), None, ConceptSettings())
    tracemalloc.start()
    try:
        counted = count_pairs(counter, asked, batch=BATCH)
        assert len(counted.pairs) == many
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_counting_needs_few_bytes_for_each_further_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.concepts.shelf.FEW", 64)  # so that the shelf is full early
    peak(200)  # what is made once
    assert (peak(2600) - peak(1000)) / 1600 < 100


def test_scenes_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.concepts.shelf.FEW", 64)
    alive, most = WeakSet[Scene](), 0

    def watched(scenes: Iterator[Scene]) -> Iterator[Scene]:
        nonlocal most
        for scene in scenes:
            alive.add(scene)
            most = max(most, len(alive))
            yield scene
            del scene

    given = watched(stream("t", 1000)), watched(stream("r", 1000))
    concept_scores(*given, hierarchy=NEAR, batch=BATCH)
    assert BATCH <= most <= 4 * BATCH
    assert not alive


def kept(scores: ConceptScores) -> float:
    """The bytes of all arrays of a study, over its pairs."""
    columns = [getattr(scores.pairs, field.name) for field in fields(PairCounts)]
    columns += [scores.query, *(score.per_query for score in scores.scores.values())]
    arrays = {id(column): column for column in columns if isinstance(column, np.ndarray)}
    assert all(array.base is None for array in arrays.values())  # none holds a larger one
    return sum(array.nbytes for array in arrays.values()) / len(scores.pairs)


def test_of_a_pair_few_numbers_are_kept() -> None:
    scores = concept_scores(stream("t", 500), stream("r", 500), hierarchy=NEAR, batch=BATCH)
    assert kept(scores) <= 10 * 4 + 2 * 8 + 1 + 4 + 10 * 8  # counts, sums, answered, query; values
    macro, micro = scores["ca"].per_query, scores["ca:micro"].per_query
    assert macro is micro  # of one pair a query both are the same


def test_counts_beyond_32_bits_are_kept_whole() -> None:
    many, one = (Scene(f"{n}", (Thing("dog", "dog", count=n), Thing("cat", "cat"))) for n in (1 << 31, 1))
    scores = concept_scores([many, one], [one, many], hierarchy={}, batch=1)
    assert scores.pairs.enumeration.tolist() == [2**31 - 1, 2**31 - 1]
    assert scores.pairs.common.dtype == np.int32
    assert scores["ce"].value == 2**31 - 1
