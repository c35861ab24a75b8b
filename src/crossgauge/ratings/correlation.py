"""Whether an automatic measure orders answers as people do: Spearman's rank correlation over pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossgauge.errors import UsageError
from crossgauge.ratings.resampling import interval
from crossgauge.types import Floats

_FEWEST = 3  # pairs; of two the correlation is 1 or −1 whatever they are


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a measure goes with the mean rating of the pairs."""

    measure: str
    rho: float  # −1 to 1; NaN: fewer than three pairs, or one side does not vary
    low: float  # 95 % interval over pairs
    high: float
    pairs: int
    undefined: int  # pairs left out because the measure has no value there
    higher_is_better: bool | None  # None: not known


def correlations(values: Mapping[str, Floats], means: npt.ArrayLike) -> tuple[Correlation, ...]:
    """Spearman's rho of each measure, in the order given, with the mean ratings.

    Arguments:
        values: measure → (P,); NaN where a pair has no value: the pair is left out and counted.
        means: (P,) the mean rating of each pair.

    Equal values share their mean rank. A measure of which lower is better should have a *negative* rho.

    Source: Spearman (1904) through :func:`scipy.stats.spearmanr`; the interval is the percentile bootstrap
    over pairs, with ranks taken anew in each resample.

    >>> found = correlations({"ca": np.array([0.1, 0.5, 0.9, np.nan])}, [2.0, 5.0, 9.0, 1.0])
    >>> round(found[0].rho, 6), found[0].pairs, found[0].undefined
    (1.0, 3, 1)
    """
    ratings = np.asarray(means, dtype=np.float64)
    return tuple(_correlation(name, column, ratings) for name, column in values.items())


def _correlation(name: str, values: Floats, ratings: Floats) -> Correlation:
    from scipy.stats import spearmanr

    defined = ~np.isnan(values)
    left, right = values[defined], ratings[defined]
    undefined = int(np.count_nonzero(~defined))
    better = higher_is_better(name)
    if len(left) < _FEWEST or len(np.unique(left)) == 1 or len(np.unique(right)) == 1:
        return Correlation(name, np.nan, np.nan, np.nan, len(left), undefined, better)
    rho = float(spearmanr(left, right).statistic)
    first, second = _Ranking.of(left), _Ranking.of(right)
    low, high = interval(lambda times: _pearson(first.ranks(times), second.ranks(times), times), len(left))
    return Correlation(name, rho, low, high, len(left), undefined, better)


def higher_is_better(measure: str) -> bool | None:
    """In which direction a measure points, where this is known.

    >>> higher_is_better("hit@1"), higher_is_better("ce"), higher_is_better("my own")
    (True, False, None)
    """
    from crossgauge.concepts.measures import CONCEPT_MEASURES
    from crossgauge.measures import parse

    name = measure.partition(":")[0]
    concepts = {one.name: one.higher_is_better for one in CONCEPT_MEASURES}
    if name in concepts:
        return concepts[name]
    try:
        return parse(measure).higher_is_better
    except UsageError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Ranking:
    """Values that are ranked again and again, each drawn some number of times."""

    order: npt.NDArray[np.intp]  # ascending
    starts: npt.NDArray[np.intp]  # where each distinct value begins in that order
    group: npt.NDArray[np.intp]  # (P,) which distinct value each pair has

    @classmethod
    def of(cls, values: Floats) -> _Ranking:
        """Sort once."""
        order = np.argsort(values, kind="stable")
        group = np.unique(values, return_inverse=True)[1].reshape(-1)
        starts = np.searchsorted(group[order], np.arange(int(group.max()) + 1))
        return cls(order, starts, group)

    def ranks(self, times: Floats) -> Floats:
        """The mean rank of each pair's value when pairs are drawn so many times, (R, P)."""
        weight = np.add.reduceat(times[:, self.order], self.starts, axis=1)
        before = np.cumsum(weight, axis=1) - weight
        ranks: Floats = (before + (weight + 1.0) / 2.0)[:, self.group]
        return ranks


def _pearson(left: Floats, right: Floats, times: Floats) -> Floats:
    """The correlation of ranks whose pairs count so many times, (R,); NaN where one side does not vary."""
    n = times.sum(axis=1, keepdims=True)
    left = left - (times * left).sum(axis=1, keepdims=True) / n
    right = right - (times * right).sum(axis=1, keepdims=True) / n
    product = (times * left * right).sum(axis=1)
    spread = (times * left**2).sum(axis=1) * (times * right**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(spread > 0.0, product / np.sqrt(spread), np.nan)
    return values
