"""All pairs of many queries, counted batch after batch: here, or by worker processes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

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
    query: Ints  # (P,) in 32 bits
    queries: int

    def summed(self, values: Floats) -> Floats:
        """Sums over the pairs of each query, (Q,)."""
        return np.bincount(self.query, values, minlength=self.queries).astype(np.float64)


def count_pairs(
    counter: PairCounter,
    queries: Iterable[Sequence[Pair]],
    *,
    batch: int,
    crew: Crew[RequestCounter] | None = None,
) -> Counted:
    """Count the pairs of each query; no count depends on ``batch`` or on who counts.

    Of the crew (:func:`crew_of`) this process counts with ``counter``; None: it counts alone. Raises as
    :meth:`PairCounter.request` does.
    """
    sizes = array("i")
    pieces = (_Piece(counter.request(pairs), counter.vocabulary) for pairs in _batches(queries, batch, sizes))
    each = crew.each(pieces) if crew else (piece(counter.by_number) for piece in pieces)
    pairs = joined(list(each))
    return Counted(pairs, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), len(sizes))


def crew_of(workers: int, counter: PairCounter) -> Crew[RequestCounter]:
    """This process with its counter, and others that make their own."""
    make = partial(_fresh_counter, counter.vocabulary.hierarchy, counter.settings)
    return Crew(workers, counter.by_number, make)


def _fresh_counter(hierarchy: Hierarchy, settings: ConceptSettings) -> RequestCounter:
    return RequestCounter(Vocabulary(hierarchy), settings)


def _batches(queries: Iterable[Sequence[Pair]], batch: int, sizes: array[int]) -> Iterator[list[Pair]]:
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
    """A request, and what numbers its concepts; another process gets it with all that it needs."""

    request: Request
    vocabulary: Vocabulary  # of this process

    def __call__(self, counter: RequestCounter) -> PairCounts:
        return counter.count(self.request).packed()

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        request, pairs = self.request, np.arange(len(self.request.truth))
        shown = request.shown.only(np.concatenate([request.truth, request.retrieved]))
        there = np.zeros(shown.concept.max(initial=-1) + 1, dtype=bool)
        there[shown.concept] = True
        names = [self.vocabulary.names[number] for number in np.flatnonzero(there).tolist()]
        shown = replace(shown, concept=(np.cumsum(there) - 1)[shown.concept])
        return _Sent, (replace(request, shown=shown, truth=pairs, retrieved=len(pairs) + pairs), names)


@dataclass(frozen=True, slots=True, eq=False)
class _Sent:
    """A request from another process, whose concepts are numbered by ``names``."""

    request: Request
    names: Sequence[str]

    def __call__(self, counter: RequestCounter) -> PairCounts:
        vocabulary, shown = counter.vocabulary, self.request.shown
        for name in self.names:
            if name not in vocabulary.numbers:
                vocabulary.add(name)
        numbers = np.array([vocabulary.numbers[name] for name in self.names], dtype=np.int64)
        shown = replace(shown, concept=numbers[shown.concept])
        return counter.count(replace(self.request, shown=shown)).packed()
