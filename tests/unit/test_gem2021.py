"""The profile gem2021 against the description of the script, ties, NaN and infinities included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crossgauge.benchmark import Contest
from crossgauge.benchmarks.gem.official import GEM2021, MEASURES, places, score
from crossgauge.types import Ints, Item, Qrels, Split, Vectors


def split(queries: int, corpus: int, relevant: list[list[int]] | None = None) -> Split:
    qrels = Qrels.diagonal(queries) if relevant is None else Qrels.of(relevant)
    return Split(
        tuple(Item(f"q{n}") for n in range(queries)), tuple(Item(f"i{n}") for n in range(corpus)), qrels
    )


def as_described(scores: Vectors) -> Ints:
    """Sort each negated row, take off the negated right answer, keep the places of every zero."""
    kept: list[int] = []
    with np.errstate(invalid="ignore"):
        for row, values in enumerate(-scores):
            differences = np.sort(values) - values[row]
            kept += [place for place, one in enumerate(differences) if one == 0]
    return np.array(kept, dtype=np.int64)


def test_against_the_description_on_many_small_matrices() -> None:
    draw = np.random.default_rng(11)
    for _ in range(500):
        rows = int(draw.integers(1, 8))
        shape = (rows, rows + int(draw.integers(0, 4)))
        scores = draw.integers(-2, 3, shape).astype(draw.choice([np.float32, np.float64]))
        for odd in (np.nan, np.inf, -np.inf, -0.0):
            scores[draw.random(shape) < 0.08] = odd
        assert places(scores).columns.tolist() == as_described(scores).tolist()


def test_a_tie_adds_places() -> None:
    found = places(np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]))
    assert found.columns.tolist() == [0, 0, 1, 0]
    assert found.values["hit@1"] == 0.75


def test_without_ties_it_is_the_rank() -> None:
    scores = np.random.default_rng(2).standard_normal((50, 50))
    ranks = (scores > np.diag(scores)[:, None]).sum(axis=1)
    found = places(scores)
    assert found.columns.tolist() == ranks.tolist()
    assert found.values["medr"] == np.median(ranks) + 1
    assert found.values["meanr"] == np.mean(ranks) + 1


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_right_answer_that_is_no_number_is_left_out(odd: float) -> None:
    scores = np.eye(3)
    scores[1, 1] = odd
    said = score(Contest(split(3, 3), scores=scores))
    assert said.values["hit@1"] == 1.0
    assert said.notes == (
        "it divides by 2 places, not by 3 queries",
        "1 queries are left out: their right answer scores NaN or infinity",
    )


def test_a_rival_that_is_nan_does_no_harm() -> None:
    scores = np.array([[0.5, np.nan], [0.1, 0.2]])
    said = score(Contest(split(2, 2), scores=scores))
    assert (said.values["hit@1"], said.notes) == (1.0, ())


def test_more_columns_than_rows_only_compete() -> None:
    assert places(np.array([[0.5, 0.1, 0.9], [0.1, 0.2, 0.1]])).columns.tolist() == [1, 0]


def test_more_rows_than_columns() -> None:
    with pytest.raises(ValueError, match="3 rows, 2 columns"):
        places(np.zeros((3, 2)))
    said = score(Contest(split(3, 2, [[0], [1], [0]]), scores=np.zeros((3, 2))))
    assert all(math.isnan(value) for value in said.values.values())
    assert "ValueError" in said.notes[0]


def test_nothing_left_to_divide_by() -> None:
    for scores in (np.full((2, 2), np.nan), np.zeros((0, 0))):
        said = score(Contest(split(len(scores), len(scores)), scores=scores))
        assert set(said.values) == set(MEASURES)
        assert all(math.isnan(value) for value in said.values.values())
        assert "ZeroDivisionError" in said.notes[0]


@pytest.mark.parametrize("relevant", [[[0, 1], [1]], [[0], []], [[1], [1]]])
def test_what_cannot_stand_on_a_diagonal(relevant: list[list[int]]) -> None:
    said = score(Contest(split(2, 3, relevant), scores=np.zeros((2, 3))))
    assert said.notes[0].startswith("it cannot score this cell: ")


def test_right_answers_are_brought_to_the_diagonal() -> None:
    scores = np.random.default_rng(0).integers(0, 5, (4, 6)).astype(np.float64)
    order = [4, 0, 5, 2]
    said = score(Contest(split(4, 6, [[one] for one in order]), scores=scores))
    rest = [column for column in range(6) if column not in order]
    assert said.values == places(scores[:, order + rest]).values


def test_vectors_are_multiplied_in_float32() -> None:
    draw = np.random.default_rng(1)
    left, right = draw.standard_normal((2, 20, 8)).astype(np.float32)
    dot = score(Contest(split(20, 20), queries=left, corpus=right, similarity="dot"))
    assert dot.values == places(left @ right.T).values
    cosine = score(Contest(split(20, 20), queries=left, corpus=right, similarity="cosine"))
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right)]
    assert cosine.values == places(unit[0] @ unit[1].T).values
    near = score(Contest(split(20, 20), queries=left, corpus=left + np.float32(0.01), similarity="l2"))
    assert near.values["hit@1"] == 1.0


def test_the_profile_says_what_it_does() -> None:
    assert GEM2021.tasks == ("QI", "QIT", "QV", "QVT")
    assert GEM2021.score is score
    assert "denominator" in GEM2021.fault
