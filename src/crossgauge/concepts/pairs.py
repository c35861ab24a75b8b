"""What all concept measures need to know of a pair of scenes, counted for many pairs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from crossgauge.concepts.agreement import Overlap, among, overlap
from crossgauge.concepts.counting import count_differences
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.mentions import Mentions
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.shelf import Shelf, Shown
from crossgauge.concepts.sides import Side, Vocabulary
from crossgauge.concepts.similarity import Similarities, match_concepts
from crossgauge.concepts.sizes import match_sizes
from crossgauge.scenes import Scene
from crossgauge.types import Bools, Floats, Ints

NOTHING = Scene("", ())  # the picture that was not retrieved


@dataclass(frozen=True, slots=True)
class Pair:
    """A picture that should have come first, and one that did."""

    truth: Scene
    retrieved: Scene | None  # None: nothing was retrieved
    query: str | None = None  # what was asked; only the query-informed variant looks at it


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """One row a pair, (P,): every measure is a ratio of two of these, or one of them."""

    answered: Bools  # False: nothing was retrieved
    common: Ints  # concepts of the truth that count (all, or those the query mentions) and are found again
    only_truth: Ints  # and how many the retrieved picture does not show
    only_retrieved: Ints  # concepts of the retrieved picture that the truth lacks
    common_names: Ints  # names, with or without a concept, that both pictures have; no name is none
    other_names: Ints  # names that only one of them has
    matched: Ints  # exclusive concepts that found a partner, in couples
    similarity: Floats  # the sum over these couples
    enumeration: Ints  # the sum of differences in number over common concepts
    miscounted: Ints  # common concepts that differ in number
    box_pairs: Ints  # matched boxes
    oversized: Ints  # matched boxes that differ by the threshold or more
    size_difference: Floats  # the sum of their differences; infinite when a denominator was 0
    differences: Counter[int]  # over all pairs: how often a common concept differed by so many

    def __len__(self) -> int:
        return len(self.answered)

    @property
    def truth(self) -> Ints:
        """How many concepts of the truth count."""
        return self.common + self.only_truth

    def packed(self) -> PairCounts:
        """The same in half the memory: counts in 32 bits, columns that need more as they are."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        small = {
            name: column.astype(np.int32)
            for name, column in columns.items()
            if column.dtype == np.int64 and column.max(initial=0) < _SMALL
        }
        return replace(self, **small)


_COLUMNS = tuple(field.name for field in fields(PairCounts) if field.name != "differences")
_SMALL = 1 << 30  # so that sums and differences of two have room in 32 bits too


def joined(parts: Sequence[PairCounts]) -> PairCounts:
    """The rows of all parts, in order."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    return PairCounts(**columns, differences=sum((part.differences for part in parts), Counter()))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The concepts of some pairs as rows of two sides, and how they overlap."""

    truth: Side
    retrieved: Side
    both: Overlap


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """Pairs to be counted, by the numbers of their scenes."""

    shown: Shown
    truth: Ints  # (P,)
    retrieved: Ints  # (P,) of what was not retrieved the number of a scene without anything
    answered: Bools  # (P,)
    queries: tuple[str, ...] | None  # where they decide what counts


class RequestCounter:
    """Counts pairs of numbered scenes; what it has learnt about similarities serves the next request."""

    def __init__(self, vocabulary: Vocabulary, settings: ConceptSettings) -> None:
        self.settings, self.vocabulary = settings, vocabulary
        self._similarities = Similarities(vocabulary, settings.similarity)
        self._mentions = Mentions(vocabulary.hierarchy)

    def rows(self, request: Request) -> Rows:
        """The distinct concepts of each pair."""
        places = self.vocabulary.places()
        truth, retrieved = (request.shown.side(one, places) for one in (request.truth, request.retrieved))
        return Rows(truth, retrieved, overlap(truth, retrieved, self._judged(request, truth, places)))

    def count(self, request: Request) -> PairCounts:
        """Count the pairs; the counts of a pair depend on nothing but the pair."""
        rows, n = self.rows(request), len(request.truth)
        truth, retrieved, both = rows.truth, rows.retrieved, rows.both
        owner = truth.pair[both.truth]
        common, here, there = (
            np.bincount(of, minlength=n)
            for of in (owner, truth.pair[both.only_truth], retrieved.pair[both.only_retrieved])
        )
        matched, similarity = match_concepts(truth, retrieved, both, n, self._similarities)
        differences = count_differences(truth, retrieved, both)
        enumeration = np.zeros(n, dtype=np.int64)
        np.add.at(enumeration, owner, differences)
        sizes = match_sizes(truth, retrieved, both, n, self.settings)
        common_names, other_names = _names(request)
        kinds, often = np.unique(differences, return_counts=True)
        return PairCounts(
            answered=request.answered,
            common=common,
            only_truth=here,
            only_retrieved=there,
            common_names=common_names,
            other_names=other_names,
            matched=matched,
            similarity=similarity,
            enumeration=enumeration,
            miscounted=np.bincount(owner[differences > 0], minlength=n),
            box_pairs=sizes.pairs,
            oversized=sizes.over,
            size_difference=sizes.difference,
            differences=Counter(dict(zip(kinds.tolist(), often.tolist(), strict=True))),
        )

    def _judged(self, request: Request, truth: Side, places: Ints) -> Bools:
        """Which rows of the truth count."""
        if request.queries is None:
            return np.ones(len(truth.key), dtype=bool)
        numbers, width = self.vocabulary.numbers, max(len(places), 1)
        mentioned = [
            at * width + places[numbers[concept]]
            for at, query in enumerate(request.queries)
            for concept in self._mentions.of(query)
            if concept in numbers
        ]
        return np.isin(truth.key, np.array(mentioned, dtype=np.int64))


class PairCounter:
    """Counts pairs of scenes, part after part; what it has learnt serves the next part.

    >>> from crossgauge.scenes import Thing
    >>> from crossgauge.concepts.similarity import SimilarityTable
    >>> dogs, dog = (Scene(str(n), (Thing("dog", "dog", count=n),)) for n in (10, 1))
    >>> counted = PairCounter(SimilarityTable({}), ConceptSettings()).count([Pair(dogs, dog)])
    >>> counted.enumeration.tolist(), counted.differences
    ([9], Counter({9: 1}))
    """

    def __init__(self, hierarchy: Hierarchy, settings: ConceptSettings) -> None:
        self.settings = settings
        self.vocabulary = Vocabulary(hierarchy)
        self.by_number = RequestCounter(self.vocabulary, settings)
        self._shelf = Shelf(self.vocabulary, settings)

    def request(self, pairs: Sequence[Pair]) -> Request:
        """The pairs by number. Raises InputError (E282, E286, E287) for impossible scenes."""
        informed = self.settings.variant == "informed"
        scenes = [pair.truth for pair in pairs]
        scenes += [pair.retrieved or NOTHING for pair in pairs]
        truth, retrieved = np.split(self._shelf.numbers(scenes), 2)
        return Request(
            shown=self._shelf.shown,
            truth=truth,
            retrieved=retrieved,
            answered=np.array([pair.retrieved is not None for pair in pairs], dtype=bool),
            queries=tuple(pair.query or "" for pair in pairs) if informed else None,
        )

    def rows(self, pairs: Sequence[Pair]) -> Rows:
        """The distinct concepts of each pair."""
        return self.by_number.rows(self.request(pairs))

    def count(self, pairs: Sequence[Pair]) -> PairCounts:
        """Count the next pairs."""
        return self.by_number.count(self.request(pairs))


def _names(request: Request) -> tuple[Ints, Ints]:
    """How many names both pictures of each pair have, and how many only one; a blank is no name."""
    shown, n = request.shown, len(request.truth)
    width = int(shown.name.max(initial=0)) + 1
    (here, owner), (there, other) = (shown.names(side, width) for side in (request.truth, request.retrieved))
    both, _ = among(here, there)
    common = np.bincount(owner[both], minlength=n)
    return common, np.bincount(owner, minlength=n) + np.bincount(other, minlength=n) - 2 * common
