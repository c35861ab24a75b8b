"""GEM's own retrieval script of 2021, ties and NaN included: the numbers that its leaderboard printed."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from crossgauge.benchmark import Contest, Official, Profile
from crossgauge.types import Ints, Qrels, Vectors

MEASURES = ("hit@1", "hit@5", "hit@10", "mean_recall", "medr", "meanr")
_CUTS = (1, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the script saw right answers: with ties a query has several places, with NaN it has none."""

    columns: Ints  # (P,) 0-based places, row by row
    rows: int  # queries
    dropped: int  # queries that have no place

    @property
    def values(self) -> dict[str, float]:
        """The numbers printed; all NaN where there is no place to divide by."""
        if not len(self.columns):
            return dict.fromkeys(MEASURES, nan)
        hits = [int(np.count_nonzero(self.columns < cut)) / len(self.columns) for cut in _CUTS]
        middle, mean = float(np.median(self.columns)) + 1, float(np.mean(self.columns)) + 1
        return dict(zip(MEASURES, (*hits, sum(hits) / len(hits), middle, mean), strict=True))


def places(scores: Vectors) -> Places:
    """The places of a matrix whose right answers stand on the diagonal; more columns only compete.

    A row's places are those, among its scores from the highest down (NaN last), whose score equals that of
    the right answer: with ``t`` rivals tied, ``t + 1`` places. A right answer that is NaN or infinite has
    none. Raises ValueError where there are more rows than columns, as the script does.

    >>> places(np.array([[0.9, 0.1, 0.2], [0.5, 0.5, 0.1], [0.1, 0.2, 0.8]])).columns.tolist()
    [0, 0, 1, 0]
    """
    rows, columns = scores.shape
    if rows > columns:
        raise ValueError(f"{rows} rows, {columns} columns: no diagonal to compare with")
    own = scores[np.arange(rows), np.arange(rows)][:, None]
    above = np.count_nonzero(scores > own, axis=1)
    equal = np.where(np.isfinite(own[:, 0]), np.count_nonzero(scores == own, axis=1), 0)
    begin = np.repeat(above, equal)
    within = np.arange(len(begin)) - np.repeat(np.cumsum(equal) - equal, equal)
    return Places((begin + within).astype(np.int64), rows, int(np.count_nonzero(equal == 0)))


def score(contest: Contest) -> Official:
    """What the script prints for one cell, and what it did to the queries on the way.

    Scores are taken in the precision given; of vectors, it is NumPy's float32 product.
    """
    order = _diagonal(contest.split.qrels, len(contest.split.corpus))
    if isinstance(order, str):
        return Official(dict.fromkeys(MEASURES, nan), (f"it cannot score this cell: {order}",))
    found = places(_scores(contest)[:, order])
    return Official(found.values, tuple(_notes(found)))


GEM2021 = Profile(
    name="gem2021",
    tasks=("QI", "QIT", "QV", "QVT"),
    fault="it counts a tied right answer once for every place of the tie, over all queries together, and "
    "leaves out queries whose right answer scores NaN or infinity, so its denominator is not the number of "
    "queries",
    source="github.com/microsoft/GEM, evaluation/metric-retrieval.py (364a555)",
    score=score,
)


def _scores(contest: Contest) -> Vectors:
    if contest.scores is not None:
        return contest.scores
    if contest.queries is None or contest.corpus is None:
        raise ValueError("a contest has scores, or vectors of both sides")
    left, right = (np.asarray(side, dtype=np.float32) for side in (contest.queries, contest.corpus))
    if contest.similarity == "cosine":
        with np.errstate(invalid="ignore", divide="ignore"):
            left, right = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right))
    product: Vectors = left @ right.T
    if contest.similarity == "l2":
        squares = [np.square(side).sum(axis=1, dtype=np.float32) for side in (left, right)]
        product = 2 * product - squares[0][:, None] - squares[1]  # minus the squared distance
    return product


def _diagonal(qrels: Qrels, corpus: int) -> Ints | str:
    """The columns with the right answers first, in the order of queries; or why there is no such order."""
    if len(qrels) > corpus:
        return (
            f"{len(qrels)} queries and {corpus} candidates; with more rows than columns it stops (ValueError)"
        )
    if (np.diff(qrels.start) != 1).any():
        return "it knows one right answer a query, on the diagonal"
    right = qrels.items
    if len(np.unique(right)) != len(right):
        return "queries share a right answer, which can stand on the diagonal once"
    return np.concatenate([right, np.setdiff1d(np.arange(corpus), right)])


def _notes(found: Places) -> list[str]:
    notes = []
    counted = len(found.columns)
    if not counted:
        notes.append(f"0 places for {found.rows:,} queries: it divides by zero and stops (ZeroDivisionError)")
    elif counted != found.rows:
        notes.append(f"it divides by {counted:,} places, not by {found.rows:,} queries")
    if found.dropped and counted:
        notes.append(f"{found.dropped:,} queries are left out: their right answer scores NaN or infinity")
    return notes
