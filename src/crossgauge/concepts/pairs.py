"""What all concept measures need to know of a pair of scenes, counted for many pairs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain

import numpy as np

from crossgauge.concepts.agreement import Overlap, overlap
from crossgauge.concepts.counting import count_differences
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.mentions import Mentions
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.sides import Side, Vocabulary, side, things
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
    truth: Ints  # concepts of the truth that count (all, or those the query mentions)
    common: Ints  # of these, how many the retrieved picture shows too
    only_truth: Ints  # and how many it does not show
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

    def __len__(self) -> int:
        return len(self.truth)


def joined(parts: Sequence[PairCounts]) -> PairCounts:
    """The rows of all parts, in order."""
    names = [field.name for field in fields(PairCounts)]
    return PairCounts(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The concepts of some pairs as rows of two sides, and how they overlap."""

    truth: Side
    retrieved: Side
    both: Overlap


class PairCounter:
    """Counts pairs, part after part; what it has learnt about similarities serves the next part.

    >>> from crossgauge.scenes import Thing
    >>> from crossgauge.concepts.similarity import SimilarityTable
    >>> dogs, dog = (Scene(str(n), (Thing("dog", "dog", count=n),)) for n in (10, 1))
    >>> counter = PairCounter(SimilarityTable({}), ConceptSettings())
    >>> counter.count([Pair(dogs, dog)]).enumeration.tolist(), counter.differences
    ([9], Counter({9: 1}))
    """

    def __init__(self, hierarchy: Hierarchy, settings: ConceptSettings) -> None:
        self.settings = settings
        self.vocabulary = Vocabulary(hierarchy)
        self.differences: Counter[int] = Counter()  # how often a common concept differed by so many
        self._similarities = Similarities(self.vocabulary, settings.similarity)
        self._mentions = Mentions(hierarchy)

    def rows(self, pairs: Sequence[Pair]) -> Rows:
        """The distinct concepts of each pair. Raises InputError (E282, E286, E287) for impossible scenes."""
        sides = [pair.truth for pair in pairs], [pair.retrieved or NOTHING for pair in pairs]
        found = [things(scenes, self.vocabulary, self.settings) for scenes in sides]
        self.vocabulary.check(chain(*sides))
        places = self.vocabulary.places()
        truth, retrieved = (side(one, places) for one in found)
        return Rows(truth, retrieved, overlap(truth, retrieved, self._judged(pairs, truth, places)))

    def count(self, pairs: Sequence[Pair]) -> PairCounts:
        """Count the next pairs; the counts of a pair depend on nothing but the pair."""
        rows, n = self.rows(pairs), len(pairs)
        truth, retrieved, both = rows.truth, rows.retrieved, rows.both
        common, here, there = (
            np.bincount(of, minlength=n)
            for of in (
                truth.pair[both.truth],
                truth.pair[both.only_truth],
                retrieved.pair[both.only_retrieved],
            )
        )
        matched, similarity = match_concepts(truth, retrieved, both, n, self._similarities)
        differences = count_differences(truth, retrieved, both)
        owner = truth.pair[both.truth]
        enumeration = np.zeros(n, dtype=np.int64)
        np.add.at(enumeration, owner, differences)
        kinds, often = np.unique(differences, return_counts=True)
        self.differences.update(dict(zip(kinds.tolist(), often.tolist(), strict=True)))
        sizes = match_sizes(truth, retrieved, both, n, self.settings)
        common_names, other_names = _names(pairs)
        return PairCounts(
            answered=np.array([pair.retrieved is not None for pair in pairs], dtype=bool),
            truth=common + here,
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
        )

    def _judged(self, pairs: Sequence[Pair], truth: Side, places: Ints) -> Bools:
        """Which rows of the truth count."""
        if self.settings.variant == "agnostic":
            return np.ones(len(truth.key), dtype=bool)
        numbers, width = self.vocabulary.numbers, max(len(places), 1)
        mentioned = [
            at * width + places[numbers[concept]]
            for at, pair in enumerate(pairs)
            for concept in self._mentions.of(pair.query or "")
            if concept in numbers
        ]
        return np.isin(truth.key, np.array(mentioned, dtype=np.int64))


def _names(pairs: Iterable[Pair]) -> tuple[Ints, Ints]:
    """How many names both pictures of each pair have, and how many only one; a blank is no name."""
    common, other = [], []
    for pair in pairs:
        here, there = (
            {thing.name for thing in scene.things if thing.name.strip()}
            for scene in (pair.truth, pair.retrieved or NOTHING)
        )
        both = len(here & there)
        common.append(both)
        other.append(len(here) + len(there) - 2 * both)
    return np.array(common, dtype=np.int64), np.array(other, dtype=np.int64)
