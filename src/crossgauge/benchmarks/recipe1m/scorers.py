"""The official scorers of Recipe1M, as they compute, ties and units included; each scores the drawn tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.benchmark import Contest, Official, Profile
from crossgauge.benchmarks.recipe1m.protocol import DRAWN
from crossgauge.types import Draw, Ints

KS = (1, 5, 10)
Matrix: TypeAlias = npt.NDArray[Any]  # (n, n) float32 or float64, whatever the vectors are


@dataclass(frozen=True, slots=True)
class Place:
    """One draw, scored: the rank of each query's own item, 1-based, and whether it is within each of KS."""

    ranks: Ints  # (n,)
    hits: dict[int, float]  # share
    tied: int  # queries whose own item ties with a rival


Mean: TypeAlias = Callable[[Sequence[float]], Any]
Scorer: TypeAlias = Callable[[Matrix, Ints], Place]  # similarities, column of each query's own item


def by_position(similarities: Matrix, own: Ints) -> Place:
    """The position in a reversed ``argsort``: not stable, so a tie falls as the machine's sort has it.

    >>> by_position(np.array([[0.9, 0.1], [0.3, 0.2]]), np.arange(2)).ranks.tolist()
    [1, 2]
    """
    ranks = np.empty(len(own), dtype=np.int64)
    for row, column in enumerate(own):
        order = np.argsort(similarities[row])[::-1]  # called row by row, as the script does
        ranks[row] = int(np.flatnonzero(order == column)[0]) + 1
    return Place(ranks, _within(ranks), _tied(similarities, own))


def by_other_side(similarities: Matrix, own: Ints) -> Place:
    """The position of each query in an ``argsort`` over the queries: the other direction than it is called.

    >>> by_other_side(np.array([[0.9, 0.1], [0.3, 0.2]]), np.arange(2)).ranks.tolist()
    [1, 1]
    """
    order = np.argsort(-similarities, axis=0)[:, own]
    ranks = np.argmax(order == np.arange(len(own)), axis=0).astype(np.int64) + 1
    return Place(ranks, _within(ranks), _tied(similarities.T[own], np.arange(len(own))))


def by_strict_count(similarities: Matrix, own: Ints) -> Place:
    """Ranks count strictly smaller distances; hits come from ``argpartition``, whose ties fall anyhow.

    >>> by_strict_count(np.ones((2, 2)), np.arange(2)).ranks.tolist()
    [1, 1]
    """
    distances = np.clip(1 - similarities, 0, 2)
    at_own = distances[np.arange(len(own)), own][:, None]
    ranks = np.count_nonzero(distances < at_own, axis=1).astype(np.int64) + 1
    most = min(max(KS), distances.shape[1])
    first = np.argpartition(distances, range(most), axis=-1)[:, :most]
    found = np.cumsum(first == own[:, None], axis=-1)
    hits = {k: float(np.mean(found[:, min(k, most) - 1])) for k in KS}
    return Place(ranks, hits, _tied(similarities, own))


def _profile(
    contest: Contest, scorer: Scorer, *, normalise: bool, base: int = 1, mean: Mean = np.mean
) -> Official:
    """Means over draws of the median rank (less ``1 - base``) and of the hits."""
    places = [scorer(similarities, own) for similarities, own in _draws(contest, normalise=normalise)]
    values = {"medr": float(np.average([np.median(one.ranks + (base - 1)) for one in places]))}
    for k in KS:
        values[f"hit@{k}"] = float(mean([one.hits[k] for one in places]))
    return Official(values, tuple(_notes(places, base)))


def _draws(contest: Contest, *, normalise: bool) -> Iterator[tuple[Matrix, Ints]]:
    """The similarities of each draw in the order drawn, and the column of each query's own item."""
    split = contest.split
    everything = (Draw(np.arange(len(split.queries)), np.arange(len(split.corpus))),)
    for draw in split.draws or everything:
        column = np.full(len(split.corpus), -1, dtype=np.int64)
        column[draw.corpus] = np.arange(len(draw.corpus))
        own = column[split.qrels.items[split.qrels.start[draw.queries]]]
        if contest.scores is not None:
            yield contest.scores[np.ix_(draw.queries, draw.corpus)], own
        elif contest.queries is not None and contest.corpus is not None:
            left, right = contest.queries[draw.queries], contest.corpus[draw.corpus]
            yield np.dot(*((_unit(left), _unit(right).T) if normalise else (left, right.T))), own


def _unit(vectors: Matrix) -> Matrix:
    """Rows of length 1 in their own precision; a row of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.where(norms == 0, 1, norms)[:, None]


def _added_up(values: Sequence[float]) -> float:
    """A mean as the script adds it up, which can differ from ``np.mean`` in the last bit."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def _within(ranks: Ints) -> dict[int, float]:
    return {k: float(np.count_nonzero(ranks <= k)) / len(ranks) for k in KS}


def _tied(similarities: Matrix, own: Ints) -> int:
    at_own = similarities[np.arange(len(own)), own][:, None]
    return int(np.count_nonzero(np.count_nonzero(similarities == at_own, axis=1) > 1))


def _notes(places: list[Place], base: int) -> Iterator[str]:
    tied, asked = sum(one.tied for one in places), sum(len(one.ranks) for one in places)
    if tied:
        yield f"{tied} of {asked} drawn queries tie with a rival: what they count is arbitrary"
    split = sum(_within(one.ranks)[1] != one.hits[1] for one in places)
    if split:
        yield f"in {split} of {len(places)} draws the median rank and R@1 place ties differently"
    if base == 0:
        yield "medr counts from 0: add 1 to compare it; the directions are swapped"


PROFILES = (
    Profile(
        "im2recipe-pytorch", DRAWN,
        "draws by row number although it sorts the names, so the order of a dump decides which pairs are "
        "drawn; does not normalise vectors; ties fall as an unstable argsort has them",
        "torralba-lab/im2recipe-Pytorch scripts/rank.py at ba82c18",
        lambda contest: _profile(contest, by_position, normalise=False, mean=_added_up),
        {"sampling": "im2recipe-pytorch"},
    ),
    Profile(
        "im2recipe-lua", DRAWN,
        "draws as Python 2.7 did; ties fall as an unstable argsort has them",
        "torralba-lab/im2recipe pyscripts/rank.py at c2523e3",
        lambda contest: _profile(contest, by_position, normalise=True, mean=_added_up),
        {"sampling": "im2recipe-lua"},
    ),
    Profile(
        "amzn", DRAWN,
        "medR is optimistic under ties while R@K takes whatever argpartition puts first",
        "amzn/image-to-recipe-transformers src/utils/metrics.py at f198356",
        lambda contest: _profile(contest, by_strict_count, normalise=True),
        {"sampling": "by-id"},
    ),
    Profile(
        "adamine", DRAWN,
        "medR counts from 0, so it is 1 below everybody's; the two directions are swapped (im2recipe ranks "
        "pictures for each recipe); bags are consecutive rows, nothing is drawn; does not normalise vectors",
        "Cadene/recipe1m.bootstrap.pytorch recipe1m/models/metrics/trijoint.py at 5e65df0",
        lambda contest: _profile(contest, by_other_side, normalise=False, base=0),
        {"sampling": "consecutive"},
    ),
)  # fmt: skip
