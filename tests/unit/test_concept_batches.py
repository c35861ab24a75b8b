"""No number depends on how pairs are cut into batches and parts, and no more is read than a batch needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from crossgauge.concepts.hierarchy import Nearness
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.scenes import Box, Scene, Thing
from crossgauge.types import Floats, Score


def many(n: int) -> tuple[list[Scene], list[Scene]]:
    rng = np.random.default_rng(n)
    names = [f"c{i}" for i in range(40)]

    def scene(image: int) -> Scene:
        picked = rng.choice(names, rng.integers(1, 15))
        return Scene(
            str(image),
            tuple(
                Thing(p, p, Box(0, 0, *rng.integers(0, 9, 2)) if rng.random() < 0.8 else None) for p in picked
            ),
        )

    return [scene(i) for i in range(n)], [scene(n + i) for i in range(n)]


def same(first: ConceptScores, second: ConceptScores) -> bool:
    def numbers(score: Score) -> list[float]:
        return [*score.per_query, score.value, *score.interval]

    pairs = ((numbers(score), numbers(second[name])) for name, score in first.scores.items())
    return all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_numbers_do_not_depend_on_the_batch(batch: int) -> None:
    truths, others = many(60)
    whole = concept_scores(truths, others, hierarchy=NEAR, resamples=50)
    parts = concept_scores(truths, others, hierarchy=NEAR, resamples=50, batch=batch)
    assert same(whole, parts)
    assert whole.totals == parts.totals


class Counting(SimilarityTable):
    """Remembers how often it was asked."""

    asked = 0

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: Nearness = "path") -> Floats:
        self.asked += 1
        return super().similarities(left, right, kind=kind)


NEAR = {(f"c{i}", f"c{j}"): 1 / (1 + i % 3 + j % 4) for i in range(40) for j in range(i)}


@pytest.mark.parametrize(
    ("largest", "call", "least", "most"),
    [
        (4096, 3000, 2, 2),  # one table, made at once
        (4096, 0, 4, 150),  # pair by pair until enough was asked, then tables that grow
        (30, 3000, 200, 302),  # ten concepts have no place in it
        (0, 3000, 280, 300),  # none at all: every pair for itself
    ],
)
def test_similarities_are_the_same_with_and_without_a_table(
    largest: int, call: int, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    truths, others = many(300)
    plain = concept_scores(truths, others, hierarchy=NEAR, resamples=2)
    monkeypatch.setattr("crossgauge.concepts.similarity.LARGEST", largest)
    monkeypatch.setattr("crossgauge.concepts.similarity._CALL", call)
    hierarchy = Counting(NEAR)
    found = concept_scores(truths, others, hierarchy=hierarchy, batch=300 if call else 5, resamples=2)
    assert same(plain, found)
    assert least <= hierarchy.asked <= most


@pytest.mark.parametrize("cells", [1, 40])
def test_numbers_do_not_depend_on_how_many_edges_are_looked_at_together(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    truths, others = many(50)
    whole = concept_scores(truths, others, hierarchy=NEAR, resamples=2)
    monkeypatch.setattr("crossgauge.concepts.similarity.CELLS", cells)
    monkeypatch.setattr("crossgauge.concepts.sizes.CELLS", cells)
    assert same(whole, concept_scores(truths, others, hierarchy=NEAR, resamples=2))


def test_iterators_are_read_no_further_than_a_batch() -> None:
    truths, others = many(40)
    read = {"truths": 0, "others": 0}

    class Seen(SimilarityTable):
        """Is asked whether it knows a concept as soon as a batch is counted."""

        first: int | None = None

        def __contains__(self, concept: object) -> bool:
            self.first = read["truths"] if self.first is None else self.first
            return True

    def stream(name: str, scenes: list[Scene]) -> Iterator[Scene]:
        for scene in scenes:
            read[name] += 1
            yield scene

    seen = Seen({})
    given = stream("truths", truths), stream("others", others)
    streamed = concept_scores(*given, hierarchy=seen, batch=4, resamples=50)
    assert seen.first == 4
    assert read == {"truths": 40, "others": 40}
    assert same(streamed, concept_scores(truths, others, hierarchy={}, resamples=50))
