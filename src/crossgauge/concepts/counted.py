"""All pairs of many queries, counted batch after batch: here, or by worker processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crossgauge.concepts.crew import Crew
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.pairs import Pair, PairCounter, PairCounts, Request, RequestCounter, joined
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.sides import Vocabulary
from crossgauge.types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """All pairs with the queries that they belong to."""

    pairs: PairCounts
    query: Ints  # (P,)
    queries: int

    def summed(self, values: Floats) -> Floats:
        """Sums over the pairs of each query, (Q,)."""
        return np.bincount(self.query, values, minlength=self.queries).astype(np.float64)


def count_pairs(
    counter: PairCounter, queries: Iterable[Sequence[Pair]], *, batch: int, crew: Crew | None = None
) -> Counted:
    """Count the pairs of each query; no count depends on ``batch`` or on who counts.

    The crew's state is a RequestCounter (:func:`fresh_counter`). Raises as :meth:`PairCounter.request` does.
    """
    sizes: list[int] = []
    batches = _batches(queries, batch, sizes)
    if crew is None:
        parts = [counter.count(pairs) for pairs in batches]
    else:
        parts = list(crew.each(_piece(counter.request(pairs), counter.vocabulary) for pairs in batches))
    return Counted(joined(parts), np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def fresh_counter(hierarchy: Hierarchy, settings: ConceptSettings) -> RequestCounter:
    """What a worker counts with."""
    return RequestCounter(Vocabulary(hierarchy), settings)


def _batches(queries: Iterable[Sequence[Pair]], batch: int, sizes: list[int]) -> Iterator[list[Pair]]:
    """At least one batch; ``sizes`` gets the number of pairs of each query."""
    waiting: list[Pair] = []
    for pairs in queries:
        waiting += pairs
        sizes.append(len(pairs))
        if len(waiting) >= batch:
            yield waiting
            waiting = []
    yield waiting


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A request that holds all it needs; its concepts are numbered by ``concepts``."""

    request: Request
    concepts: tuple[str, ...]

    def __call__(self, counter: RequestCounter) -> PairCounts:
        vocabulary, shown = counter.vocabulary, self.request.shown
        for name in self.concepts:
            if name not in vocabulary.numbers:
                vocabulary.add(name)
        numbers = np.array([vocabulary.numbers[name] for name in self.concepts], dtype=np.int64)
        return counter.count(replace(self.request, shown=replace(shown, concept=numbers[shown.concept])))


def _piece(request: Request, vocabulary: Vocabulary) -> _Piece:
    pairs = np.arange(len(request.truth))
    shown = request.shown.only(np.concatenate([request.truth, request.retrieved]))
    there = np.zeros(len(vocabulary.names), dtype=bool)
    there[shown.concept] = True
    concept = (np.cumsum(there) - 1)[shown.concept]
    return _Piece(
        replace(request, shown=replace(shown, concept=concept), truth=pairs, retrieved=len(pairs) + pairs),
        tuple(vocabulary.names[number] for number in np.flatnonzero(there).tolist()),
    )
