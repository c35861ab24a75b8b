"""From scores to the rows, counts and warnings of a cell: what every Result holds, whoever made the ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from crossgauge.measures import parse
from crossgauge.result import ScoreRow
from crossgauge.signature import signature
from crossgauge.types import Qrels, Score

TIED_SHARE = 0.01  # of the queries: above it, ties are worth a warning


def score_rows(
    scores: Mapping[str, Score], place: str, *, gallery: int, data: str, fields: Mapping[str, str]
) -> tuple[ScoreRow, ...]:
    """One row a score, each with its title and signature."""
    return tuple(
        ScoreRow.of(
            score,
            title=parse(name).title,
            signature=signature(
                place, name, n=score.n, gallery=gallery, missing=score.n_missing, data=data, fields=fields
            ),
        )
        for name, score in scores.items()
    )


def positives(qrels: Qrels) -> tuple[int, float, int]:
    """How many relevant items a query has: minimum, median, maximum.

    >>> positives(Qrels.of([[0], [0, 1], [1, 2]]))
    (1, 2.0, 2)
    """
    counts = np.diff(qrels.start)
    if not len(counts):
        return (0, 0.0, 0)
    return (int(counts.min()), float(np.median(counts)), int(counts.max()))


def score_warnings(scores: Mapping[str, Score], unanswered: str = "") -> Iterator[str]:
    """What a reader of these scores should know: ties (W301), undefined (W302) and missing queries (W303)."""
    first = next(iter(scores.values()))
    if first.n_tied > TIED_SHARE * first.n:
        tied = f"{first.n_tied} of {first.n} queries tie with a rival"
        yield f"W301 {tied}: expected values are printed, bounds beside"
    if first.n_undefined:
        without = f"{first.n_undefined} of {first.n} queries have no relevant item"
        yield f"W302 {without}: undefined, not averaged in"
    if first.n_missing:
        missed = f"{first.n_missing} of {first.n} queries were not answered"
        yield f"W303 {missed}: counted as misses{unanswered}"
