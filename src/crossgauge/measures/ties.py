"""Expectations over a random order inside ties, in closed form; and the two orders that bound them.

Notation for a relevant item: ``a`` others score strictly higher, it shares its score with ``s - 1``
others (``s`` places, ``a + 1`` to ``a + s``), and ``r`` of those ``s`` are relevant, itself included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from crossgauge.types import Bools, Floats, Ints, Qrels, Ranks

PLACES = 1 << 22  # places added up at once


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Where some relevant items came: the tie each stands in."""

    above: Ints  # (n,) a
    size: Ints  # (n,) s
    relevant: Ints  # (n,) r
    retrieved: Bools  # (n,) False: no place at all; the other three mean nothing

    def within(self, k: int) -> Ints:
        """How many places of each tie are among the first ``k``, (n,)."""
        return np.where(self.retrieved, np.clip(k - self.above, 0, self.size), 0)


def ties_of(ranks: Ranks) -> Ties:
    """The tie of every judgement, (R,)."""
    return Ties(
        above=ranks.higher + ranks.higher_relevant,
        size=1 + ranks.equal + ranks.equal_relevant,
        relevant=1 + ranks.equal_relevant,
        retrieved=ranks.retrieved,
    )


def best_of(ranks: Ranks) -> tuple[Ints, Ties]:
    """The queries that have a relevant item, and the tie of the best placed item of each."""
    every = ties_of(ranks)
    positive = np.flatnonzero(np.diff(ranks.start))
    order = np.lexsort((every.above, ~every.retrieved, ranks.query))
    first = order[ranks.start[positive]]
    return positive, Ties(
        every.above[first], every.size[first], every.relevant[first], every.retrieved[first]
    )


def none_among(ties: Ties, drawn: Ints) -> Floats:
    """The chance that none of the relevant is in ``drawn`` of the places: hypergeometric."""
    kinds, inverse = _distinct(ties.size, ties.relevant, drawn)
    size, relevant, drawn = kinds
    few, many = np.minimum(relevant, drawn), np.maximum(relevant, drawn)
    chance = np.ones(len(size))
    for i in range(int(few.max(initial=0))):
        going = i < few
        chance[going] *= np.maximum(size[going] - many[going] - i, 0) / (size[going] - i)
    return chance[inverse]


def mean_over_places(ties: Ties, value: Callable[[Ints, Ints], Floats], *, k: int | None = None) -> Floats:
    """The mean over a tie's places of ``value(place, how many places of the tie come before)``.

    Places after ``k`` count 0, and so does an item that was not retrieved.
    """
    reach = ties.size if k is None else ties.within(k)
    reach = np.where(ties.retrieved, reach, 0)
    means = np.zeros(len(reach))
    single = (ties.size == 1) & (reach == 1)
    means[single] = value(ties.above[single] + 1, np.zeros(int(single.sum()), dtype=np.int64))
    tied = np.flatnonzero((ties.size > 1) & (reach > 0))
    (above, places), inverse = _distinct(ties.above[tied], reach[tied])
    sums = np.empty(len(above))
    for part in _bounded(places):
        count = places[part]
        start = np.cumsum(count) - count
        before = np.arange(int(count.sum())) - np.repeat(start, count)
        sums[part] = np.add.reduceat(value(np.repeat(above[part], count) + before + 1, before), start)
    means[tied] = sums[inverse] / ties.size[tied]
    return means


def reciprocal_of_first(ties: Ties) -> Floats:
    """The expected reciprocal place of the first relevant item of each tie; 0 if it was not retrieved."""
    expected = mean_over_places(ties, lambda place, _: 1.0 / place)
    several = np.flatnonzero((ties.relevant > 1) & ties.retrieved)
    kinds, inverse = _distinct(ties.above[several], ties.size[several], ties.relevant[several])
    sums = np.empty(len(kinds[0]))
    for i, (a, s, r) in enumerate(zip(*kinds, strict=True)):
        # P(first relevant at j + 1) / P(at j) = (s - j - r + 1) / (s - j), and P(at 1) = r / s.
        j = np.arange(1, s - r + 1)
        chance = np.cumprod(np.concatenate([[r / s], (s - j - r + 1) / (s - j)]))
        sums[i] = (chance / np.arange(a + 1, a + s - r + 2)).sum()
    expected[several] = sums[inverse]
    return expected


def optimistic(ranks: Ranks) -> Ranks:
    """The same ranks with every tie settled in the system's favour: relevant first, highest gain first."""
    return _settled(ranks, favour=1)


def pessimistic(ranks: Ranks) -> Ranks:
    """The same ranks with every tie settled against the system: relevant last, lowest gain first."""
    return _settled(ranks, favour=-1)


def constant(qrels: Qrels, candidates: Ints) -> Ranks:
    """What a system gets that scores everything equal: one tie of all candidates, (Q,) of them.

    >>> constant(Qrels.diagonal(3), np.array([3, 3, 3])).equal.tolist()
    [2, 2, 2]
    """
    positives = np.diff(qrels.start)
    rivals = np.maximum(candidates - positives, 0)[qrels.query]
    nothing = np.zeros(len(qrels.items), dtype=np.int64)
    return Ranks(
        start=qrels.start,
        items=qrels.items,
        gains=qrels.gains,
        higher=nothing,
        equal=rivals,
        higher_relevant=nothing,
        equal_relevant=positives[qrels.query] - 1,
        retrieved=np.ones(len(qrels.items), dtype=np.bool_),
        candidates=candidates,
    )


def _settled(ranks: Ranks, *, favour: int) -> Ranks:
    above = ranks.higher + ranks.higher_relevant
    query = ranks.query
    order = np.lexsort((ranks.items, -favour * ranks.gains, above, ~ranks.retrieved, query))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(query[order]) != 0) | (np.diff(above[order]) != 0) | np.diff(ranks.retrieved[order])
    heads = np.flatnonzero(new)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(heads, np.diff(np.r_[heads, len(order)]))
    place[~ranks.retrieved] = 0
    nothing = np.zeros_like(ranks.equal)
    return replace(
        ranks,
        higher=ranks.higher if favour > 0 else ranks.higher + ranks.equal,
        equal=nothing,
        higher_relevant=ranks.higher_relevant + place,
        equal_relevant=nothing,
    )


def _distinct(*columns: Ints) -> tuple[tuple[Ints, ...], Ints]:
    """The distinct rows of some columns, column by column, and which of them each row is."""
    rows, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return tuple(np.ascontiguousarray(column) for column in rows.T), inverse.reshape(-1)


def _bounded(sizes: Ints) -> Iterator[slice]:
    """Runs whose sizes add up to about ``PLACES`` each."""
    total = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = int(total[begin - 1]) if begin else 0
        stop = max(begin + 1, int(np.searchsorted(total, done + PLACES, side="right")))
        yield slice(begin, stop)
        begin = stop
