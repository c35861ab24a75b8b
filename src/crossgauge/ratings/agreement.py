"""Whether raters agree: Krippendorff's alpha for scores (interval) and for marks (nominal).

Written here although libraries exist, because none fits: ``krippendorff`` is GPL-3.0, which an Apache-2.0
package cannot depend on; ``simpledorff`` (MIT) has seen no release since its 0.0.2 and needs pandas;
``irrcac`` pins one SciPy version; none gives intervals over pairs. The tests hold the published examples.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from crossgauge.ratings.resampling import interval
from crossgauge.types import Floats

Level = Literal["nominal", "interval"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree beyond chance, over the pairs that at least two of them rated."""

    alpha: float  # 1 agreement, 0 as by chance, below 0 against one another; NaN: nothing varies
    low: float  # 95 % interval over pairs
    high: float
    pairs: int  # with at least two values
    values: int  # in these pairs


def krippendorff(units: Sequence[Sequence[Hashable]], *, level: Level) -> Agreement:
    """Krippendorff's alpha of the values that raters gave to units.

    Arguments:
        units: (U,) the values of each unit, as many as there are, in any order; units with fewer than two
            say nothing of agreement and are left out.
        level: ``nominal``: values are equal or not; ``interval``: numbers, whose squared differences count.

    Returns alpha = 1 − observed / expected disagreement, ↑: 1 where all agree, 0 as by chance, negative where
    raters contradict one another. It is NaN where all values are equal: nothing shows then whether raters
    can tell things apart.

    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); the interval is the percentile
    bootstrap over units, not the one of Hayes and Krippendorff (2007), which redraws single differences.

    >>> found = krippendorff([[1, 1], [2, 2], [1, 2], [3]], level="nominal")
    >>> round(found.alpha, 3), found.pairs, found.values
    (0.444, 3, 6)
    """
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    if len(set(values)) <= 1:
        return Agreement(np.nan, np.nan, np.nan, len(paired), len(values))
    moments = _by_value(paired) if level == "nominal" else _by_number(paired)
    alpha = float(moments.alphas(np.ones((1, len(paired))))[0])
    low, high = interval(moments.alphas, len(paired))
    return Agreement(alpha, low, high, len(paired), len(values))


@dataclass(frozen=True, slots=True)
class _Moments:
    """What of each unit alpha is made from: its differences, its size, and what pools into the expected ones.

    The disagreement expected is that among all values: n·Σsquares − (Σsums)² over the pool's columns.
    """

    observed: Floats  # (U,) differences of ordered value pairs, over the unit's size less one
    size: Floats  # (U,)
    squares: Floats  # (U,)
    sums: Floats  # (U, K)

    def alphas(self, times: Floats) -> Floats:
        """Alpha of units taken so many times each, (R, U) → (R,)."""
        n = times @ self.size
        pooled = 2.0 * (n * (times @ self.squares) - ((times @ self.sums) ** 2).sum(axis=1))
        expected = np.where(pooled > 1e-9 * np.maximum(n, 1.0) ** 2 * self._largest, pooled, np.nan)
        values: Floats = 1.0 - (n - 1.0) * (times @ self.observed) / expected
        return values

    @property
    def _largest(self) -> float:
        """The mean square of the values: tells a difference from what rounding leaves of equal values."""
        return float(self.squares.sum() / self.size.sum())


def _by_number(units: Sequence[Sequence[Hashable]]) -> _Moments:
    numbers = [np.asarray(unit, dtype=np.float64) for unit in units]
    centre = float(np.concatenate(numbers).mean())  # differences do not change, and fewer digits are lost
    numbers = [unit - centre for unit in numbers]
    size = np.array([len(unit) for unit in numbers], dtype=np.float64)
    sums = np.array([unit.sum() for unit in numbers])
    squares = np.array([(unit**2).sum() for unit in numbers])
    observed = np.array([2.0 * len(unit) * ((unit - unit.mean()) ** 2).sum() for unit in numbers]) / (
        size - 1.0
    )
    return _Moments(observed, size, squares, sums[:, None])


def _by_value(units: Sequence[Sequence[Hashable]]) -> _Moments:
    kinds = {value: place for place, value in enumerate(dict.fromkeys(v for unit in units for v in unit))}
    counts = np.zeros((len(units), len(kinds)))
    for row, unit in enumerate(units):
        for value in unit:
            counts[row, kinds[value]] += 1.0
    size = counts.sum(axis=1)
    different = size**2 - (counts**2).sum(axis=1)
    # two different values are 1 apart: half the squared distance of two unit vectors
    return _Moments(different / (size - 1.0), size, size / 2.0, counts / np.sqrt(2.0))
