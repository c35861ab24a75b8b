"""How answers are rated on the whole, and how much of it there is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossgauge.compare import bootstrap_interval
from crossgauge.ratings.reading import Ratings


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % bootstrap interval over pairs, in the unit of the scale."""

    value: float
    low: float  # NaN: fewer than two pairs
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts and means of a study."""

    pairs: int
    queries: int
    raters: int
    ratings: int
    fewest: int  # ratings of a pair
    most: int
    mean: Estimate  # over pairs of the mean of their raters: every pair counts the same
    mean_of_ratings: Estimate  # over ratings: a pair counts as often as it was rated


def summary(ratings: Ratings) -> Summary:
    """The counts of a study, and its mean rating, ↑.

    Pairs are drawn with all their ratings, so that many raters of one pair are not taken for many pairs.
    """
    pairs = ratings.pairs
    each = [len(pair.ratings) for pair in pairs]
    scores = [rating.score for pair in pairs for rating in pair.ratings]
    means = [pair.mean for pair in pairs]
    clusters = np.repeat(np.arange(len(pairs)), each)
    return Summary(
        pairs=len(pairs),
        queries=len({pair.query for pair in pairs}),
        raters=len({rating.rater for pair in pairs for rating in pair.ratings}),
        ratings=len(scores),
        fewest=min(each),
        most=max(each),
        mean=Estimate(float(np.mean(means)), *bootstrap_interval(means)),
        mean_of_ratings=Estimate(float(np.mean(scores)), *bootstrap_interval(scores, clusters=clusters)),
    )
