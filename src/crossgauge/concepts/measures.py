"""The concept measures by name: each a ratio of two counts of a pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from crossgauge.concepts.pairs import PairCounts
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.types import Bools, Floats, Ints, Unit

Counted: TypeAlias = Callable[[PairCounts, ConceptSettings], Ints | Floats | Bools]
PAPER = "Lymperaiou et al., COLING 2022 (arXiv 2209.03723)"


@dataclass(frozen=True, slots=True)
class ConceptMeasure:
    """A measure of a pair: ``over / under``, undefined where ``under`` is 0; micro: the ratio of the sums."""

    name: str
    title: str
    about: str
    unit: Unit
    higher_is_better: bool
    over: Counted
    under: Counted
    micro_under: Counted | None  # what a micro average divides by, if there is one
    source: str = PAPER

    def terms(
        self, counts: PairCounts, settings: ConceptSettings, *, micro: bool = False
    ) -> tuple[Floats, Floats]:
        """What is divided by what in each pair, (P,) both; 0 by 0 where a pair has no value.

        A pair with an infinite term (a box without area) has none: no mean could hold it.
        """
        divide = self.micro_under if micro and self.micro_under is not None else self.under
        over, under = self.over(counts, settings), divide(counts, settings)
        known = np.isfinite(over) & (under > 0)
        return np.where(known, over, 0.0), np.where(known, under, 0.0)


def ratio(over: Floats, under: Floats) -> Floats:
    """``over / under``, NaN where ``under`` is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    found = np.full(len(over), np.nan)
    np.divide(over, under, out=found, where=under > 0)
    return found


def _partners(counts: PairCounts, settings: ConceptSettings) -> Ints:
    if settings.average == "matched":
        return counts.matched
    return np.minimum(counts.only_truth, counts.only_retrieved)


def _one(counts: PairCounts, settings: ConceptSettings) -> Ints:  # noqa: ARG001
    return np.ones(len(counts), dtype=np.int64)


CONCEPT_MEASURES: tuple[ConceptMeasure, ...] = (
    ConceptMeasure(
        name="ca",
        title="CA",
        about="concept agreement: the share of the right picture's concepts that the retrieved one shows",
        unit="fraction",
        higher_is_better=True,
        over=lambda c, _: c.common,
        under=lambda c, _: c.truth,
        micro_under=lambda c, _: c.truth,
    ),
    ConceptMeasure(
        name="ncs",
        title="NCS",
        about="non-common concept similarity: how near the concepts are that only one picture shows",
        unit="fraction",
        higher_is_better=True,
        over=lambda c, _: c.similarity,
        under=_partners,
        micro_under=_partners,
    ),
    ConceptMeasure(
        name="ce",
        title="CE",
        about="concept enumeration: by how many instances the common concepts differ, summed up",
        unit="count",
        higher_is_better=False,
        over=lambda c, _: c.enumeration,
        under=lambda c, _: c.answered,
        micro_under=lambda c, _: c.common,
    ),
    ConceptMeasure(
        name="sd",
        title="SD",
        about="size disagreement: the share of matched boxes whose areas differ by the threshold or more",
        unit="fraction",
        higher_is_better=False,
        over=lambda c, _: c.oversized,
        under=lambda c, _: c.box_pairs,
        micro_under=lambda c, _: c.box_pairs,
    ),
    ConceptMeasure(
        name="sd_mean",
        title="SD mean",
        about="the mean relative difference of the areas of matched boxes",
        unit="fraction",
        higher_is_better=False,
        over=lambda c, _: c.size_difference,
        under=lambda c, _: c.box_pairs,
        micro_under=lambda c, _: c.box_pairs,
        source="ours: SD before the threshold",
    ),
    ConceptMeasure(
        name="enumeration_disagreement",
        title="miscounted",
        about="the share of common concepts that the two pictures show in different numbers",
        unit="fraction",
        higher_is_better=False,
        over=lambda c, _: c.miscounted,
        under=lambda c, _: c.common,
        micro_under=lambda c, _: c.common,
    ),
    ConceptMeasure(
        name="hits",
        title="object hits",
        about="how many concepts of the right picture the retrieved one shows",
        unit="count",
        higher_is_better=True,
        over=lambda c, _: c.common,
        under=_one,
        micro_under=None,
    ),
    ConceptMeasure(
        name="misses",
        title="object misses",
        about="how many concepts of the right picture the retrieved one lacks",
        unit="count",
        higher_is_better=False,
        over=lambda c, _: c.only_truth,
        under=_one,
        micro_under=None,
    ),
)
