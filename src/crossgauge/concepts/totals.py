"""The counts over a whole data set that the source prints beside its means, as a checklist."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from crossgauge.concepts.pairs import PairCounts


@dataclass(frozen=True, slots=True)
class Modes:
    """The commonest values, ascending, and how often each of them occurred."""

    values: tuple[int, ...] = ()
    times: int = 0

    @classmethod
    def of(cls, often: Counter[int]) -> Modes:
        """Those of what was counted; none of nothing.

        >>> Modes.of(Counter([4, 0, 2])), Modes.of(Counter([1, 1, 3])).values
        (Modes(values=(0, 2, 4), times=1), (1,))
        """
        times = max(often.values(), default=0)
        return cls(tuple(sorted(value for value, count in often.items() if count == times)), times)

    @property
    def smallest(self) -> float:
        """The first of them; NaN where there is none."""
        return float(self.values[0]) if self.values else float("nan")


@dataclass(frozen=True, slots=True)
class ConceptTotals:
    """Totals over all measured pairs; "exclusive" is what only one picture of a pair shows.

    Shares and means are NaN where there is nothing to divide by. Source: the running text and Table 3 of
    Lymperaiou et al., COLING 2022.
    """

    pairs: int
    # names of objects that both pictures have, with a concept or not; blanks are none. They are those of the
    # whole pictures, whatever a query mentions, also where it decides which concepts of the truth count
    common_names: int
    exclusive_names: int
    common: int  # with a concept
    exclusive: int
    matchings: int  # exclusive concepts of the truth that found a partner among the retrieved
    equal_counts: int  # common concepts with the same number of instances
    different_counts: int
    ce_mode: float  # the commonest CE of a pair (the smallest of several: see ``ce_modes``)
    ce_mode_of_class: float  # the commonest difference in number of a common concept (the smallest too)
    box_pairs: int
    oversized: int  # matched boxes that differ by the threshold or more
    hits: int  # concepts of the truth that the retrieved picture shows
    misses: int  # and those that it lacks
    ce_modes: Modes = Modes()  # all CE of a pair that are commonest
    ce_modes_of_class: Modes = Modes()

    @property
    def matchings_per_exclusive(self) -> float:
        """Matchings over exclusive concepts, as the source prints it: at most 1/2, for each uses two."""
        return _share(self.matchings, self.exclusive)

    @property
    def share_matched(self) -> float:
        """The share of exclusive concepts that have a partner: twice the figure above."""
        return _share(2 * self.matchings, self.exclusive)

    @property
    def share_miscounted(self) -> float:
        """The share of common concepts that the two pictures show in different numbers."""
        return _share(self.different_counts, self.common)

    @property
    def share_oversized(self) -> float:
        """The share of all matched boxes whose areas differ by the threshold or more: SD, micro."""
        return _share(self.oversized, self.box_pairs)

    @property
    def matched_share(self) -> float:
        """The share of all concepts of the truths that were found: CA, micro ("matched % synsets")."""
        return _share(self.hits, self.hits + self.misses)


def totals(counts: PairCounts) -> ConceptTotals:
    """Sum up pairs."""
    modes = Modes.of(Counter(counts.enumeration[counts.answered].tolist()))
    of_class = Modes.of(counts.differences)
    common, different = int(counts.common.sum()), int(counts.miscounted.sum())
    return ConceptTotals(
        pairs=len(counts),
        common_names=int(counts.common_names.sum()),
        exclusive_names=int(counts.other_names.sum()),
        common=common,
        exclusive=int(counts.only_truth.sum() + counts.only_retrieved.sum()),
        matchings=int(counts.matched.sum()),
        equal_counts=common - different,
        different_counts=different,
        ce_mode=modes.smallest,
        ce_mode_of_class=of_class.smallest,
        box_pairs=int(counts.box_pairs.sum()),
        oversized=int(counts.oversized.sum()),
        hits=common,
        misses=int(counts.only_truth.sum()),
        ce_modes=modes,
        ce_modes_of_class=of_class,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float(np.nan)
