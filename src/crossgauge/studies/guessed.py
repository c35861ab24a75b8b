"""What guesses cannot say: how many of a concept a picture shows, for a classifier does not count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from crossgauge.concepts.evidence import PairResult
from crossgauge.types import Floats, Score

COUNTING = ("ce", "enumeration_disagreement")
TOTALS = frozenset({"equal_counts", "different_counts", "share_miscounted", "ce_mode", "ce_mode_of_class"})
FLAG = "not-counted"
WHY = "a classifier says what a picture shows, not how many: every count is 1"


def counts_nothing(measure: str) -> bool:
    """Whether a measure compares numbers of instances: ``ce``, ``ce:micro``.

    >>> counts_nothing("ce:micro"), counts_nothing("ca")
    (True, False)
    """
    return measure.partition(":")[0] in COUNTING


def uncounted_values(values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Values by measure; those of measures that count are undefined, in every pair."""
    return {
        name: np.full(len(column), np.nan) if counts_nothing(name) else column
        for name, column in values.items()
    }


def uncounted(score: Score) -> Score:
    """The score, undefined for every query where its measure counts; its flag says why."""
    if not counts_nothing(score.measure):
        return score
    nan = float("nan")
    kept = (flag for flag in score.flags if not flag.startswith("no-common"))
    return replace(
        score, value=nan, optimistic=nan, pessimistic=nan, interval=(nan, nan), n_undefined=score.n,
        flags=(*kept, FLAG), per_query=np.full(score.n, nan),
    )  # fmt: skip


def uncounted_pair(result: PairResult) -> PairResult:
    """One explained pair without what its counts would say."""
    return replace(
        result,
        ce=float("nan"),
        enumeration_disagreement=float("nan"),
        undefined={**result.undefined, **dict.fromkeys(COUNTING, WHY)},
        remarks=tuple(said for said in result.remarks if not said.startswith("CE ")),
        arithmetic={name: text for name, text in result.arithmetic.items() if name not in COUNTING},
        evidence=replace(result.evidence, counts=()),
    )
