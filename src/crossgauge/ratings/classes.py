"""Which classes disagree in a pair when several raters marked them, how often, and which together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from crossgauge.compare import bootstrap_interval
from crossgauge.ratings.reading import Pair, Ratings

Merge = Literal["majority", "any"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A pair as its raters see it together."""

    classes: frozenset[str]  # that disagree
    alternative: bool  # a valid answer although it is not the gold


@dataclass(frozen=True, slots=True)
class ClassCount:
    """How often one class disagrees, and how such pairs are rated."""

    name: str
    count: int  # pairs
    share: float  # of all pairs
    mean: float  # of their mean ratings; NaN when there is none
    low: float  # 95 % interval over these pairs
    high: float


@dataclass(frozen=True, slots=True)
class Together:
    """Two classes that disagree in the same pairs."""

    names: tuple[str, str]
    count: int
    share: float  # of all pairs


@dataclass(frozen=True, slots=True)
class Disagreements:
    """What disagrees over all pairs."""

    pairs: int
    alternatives: int  # pairs seen as a valid answer; these may have disagreements too
    sizes: Mapping[int, int]  # number of classes → pairs with so many, from 0 to the most
    classes: tuple[ClassCount, ...]  # most frequent first, then by name; all that are known
    together: tuple[Together, ...]  # most frequent first, then by name; only what occurs

    def share(self, size: int) -> float:
        """The share of pairs with just so many disagreeing classes, 0 to 1; NaN without pairs."""
        return self.sizes.get(size, 0) / self.pairs if self.pairs else np.nan


def merged(pair: Pair, *, merge: Merge) -> Marked:
    """What the raters of a pair say together.

    ``any``: what one of them marked; ``majority``: what at least half of them marked, so a tie counts as
    marked. The same rule decides whether the answer is a valid alternative.
    """
    needed = 1 if merge == "any" else (len(pair.ratings) + 1) // 2
    counts = Counter(name for rating in pair.ratings for name in rating.classes)
    alternative = sum(rating.alternative for rating in pair.ratings) >= needed
    return Marked(frozenset(name for name, count in counts.items() if count >= needed), alternative)


def disagreements(ratings: Ratings, *, merge: Merge) -> Disagreements:
    """How many classes disagree in a pair, which, and which together; see :func:`merged`."""
    marked = [merged(pair, merge=merge) for pair in ratings.pairs]
    sizes = Counter(len(one.classes) for one in marked)
    together = Counter(names for one in marked for names in combinations(sorted(one.classes), 2))
    counted = [_count(name, ratings.pairs, marked) for name in ratings.classes or ()]
    return Disagreements(
        pairs=len(marked),
        alternatives=sum(one.alternative for one in marked),
        sizes={size: sizes[size] for size in range(max(sizes, default=0) + 1)},
        classes=tuple(sorted(counted, key=lambda one: (-one.count, one.name))),
        together=tuple(
            Together((first, second), count, count / len(marked))
            for (first, second), count in sorted(together.items(), key=lambda item: (-item[1], item[0]))
        ),
    )


def _count(name: str, pairs: Sequence[Pair], marked: Sequence[Marked]) -> ClassCount:
    means = [pair.mean for pair, one in zip(pairs, marked, strict=True) if name in one.classes]
    low, high = bootstrap_interval(means)
    mean = float(np.mean(means)) if means else np.nan
    return ClassCount(name, len(means), len(means) / len(pairs), mean, low, high)
