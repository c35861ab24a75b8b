"""What an official scorer compares: scores of some queries with some candidates, in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossgauge.benchmark import Contest
from crossgauge.errors import Fault, InputError
from crossgauge.types import Floats, Ints, Vectors


def scorer(contest: Contest, corpus: Ints) -> Callable[[Ints], Floats]:
    """A function from query rows to their scores with these corpus rows, (len(rows), len(corpus)).

    Higher is nearer. From the given matrix where there is one; else NumPy's product of the vectors, of
    length 1 for cosine. Raises InputError (E378) where there is neither.

    >>> from crossgauge.types import Item, Qrels, Split
    >>> split = Split((Item("q", text="a"),), (Item("c", text="b"),), Qrels.diagonal(1))
    >>> scorer(Contest(split, scores=np.array([[0.5]])), np.array([0]))(np.array([0])).tolist()
    [[0.5]]
    """
    if contest.scores is not None:
        given = np.asarray(contest.scores, dtype=np.float64)[:, corpus]
        return lambda rows: given[rows]
    if contest.queries is None or contest.corpus is None:
        fault = Fault("E378", "profile", "neither vectors nor scores", "one of them", "run with a model")
        raise InputError(fault)
    left = _ready(contest.queries, contest.similarity)
    right = _ready(contest.corpus[corpus], contest.similarity)
    if contest.similarity == "l2":
        return lambda rows: np.stack([-np.sqrt(((right - left[row]) ** 2).sum(axis=1)) for row in rows])
    return lambda rows: left[rows] @ right.T


def _ready(vectors: Vectors, similarity: str) -> Floats:
    """Vectors in float64, of length 1 for cosine."""
    wide = np.asarray(vectors, dtype=np.float64)
    if similarity != "cosine":
        return wide
    with np.errstate(invalid="ignore", divide="ignore"):
        unit: Floats = wide / np.sqrt((wide**2).sum(axis=1, keepdims=True))
    return unit
