"""Bootstrap intervals of means and of ratios of sums, as limits of ever more resamples.

A resample of n queries is n independent draws from their list, so the sum over it is distributed as n-fold
convolution says (:mod:`crossgauge.compare.convolution`). Infinite values: a resample that holds one has an
infinite mean, so only the probability of the others is convolved.

For numbers that stand on no grid of their own, an end is off by less than a hundredth of the standard error:
the fine grid spreads each value of the sum over at most half that, and makes it wider by less than 2e-4.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from crossgauge.compare.convolution import fine_grid, grid_of, summed
from crossgauge.compare.percentiles import cut
from crossgauge.types import Floats

SURE = 1e-9  # probabilities are known that well; what is nearer to a tail counts as equal to it
DIGITS = 20  # binary places below the standard error that an end found by iteration keeps


def mean_interval(values: Floats, *, tail: float) -> tuple[float, float]:
    """The ends of the bootstrap interval of a plain mean.

    >>> mean_interval(np.array([0.0, 1.0]), tail=0.24)
    (0.0, 1.0)
    >>> mean_interval(np.array([0.0, 1.0]), tail=0.25)
    (0.5, 0.5)
    """
    draws, finite = len(values), values[np.isfinite(values)]
    if not len(finite):
        return (math.inf, math.inf)
    kinds, counts = np.unique(finite, return_counts=True)
    deviation = float(np.sqrt(draws) * np.std(finite)) if len(kinds) > 1 else 0.0
    grid = grid_of(kinds, counts / draws, deviation=deviation, draws=draws)
    begin, reached = summed(grid.mass, draws)

    def mean(at: int) -> float:
        if at == len(reached):
            return math.inf
        return min(max(grid.mean(begin + at, draws), float(kinds[0])), float(kinds[-1]))

    low, high = cut(reached, tail=tail, sure=SURE)
    return mean(low), mean(high)


def ratio_interval(sums: Floats, shares: Floats, *, tail: float) -> tuple[float, float]:
    """The ends for a mean over resamples of unequal sizes: of sums of ``sums`` over sums of ``shares``.

    The ratio is at most x if the sum of ``sums - x * shares`` is at most 0; x is found by iteration.

    >>> low, high = ratio_interval(np.array([0.0, 3.0]), np.array([1.0, 3.0]), tail=0.3)
    >>> round(low, 2), round(high, 2)
    (0.75, 0.75)
    """
    draws, finite = len(sums), np.isfinite(sums)
    if not finite.all():
        sums, shares = sums[finite], shares[finite]
    if not len(sums):
        return (math.inf, math.inf)
    lowest, highest = _ends(sums / shares)
    all_finite = (len(sums) / draws) ** draws
    centre = float(sums.sum() / shares.sum())
    error = float(np.sqrt(np.sum((sums - centre * shares) ** 2)) / shares.sum())
    rounding = 2.0 ** (math.floor(math.log2(error)) - DIGITS) if error > 0.0 else 0.0

    if lowest == highest:
        return (lowest if all_finite > tail else math.inf, lowest if all_finite == 1.0 else math.inf)

    def end(wanted: float) -> float:
        from scipy.special import ndtri

        if all_finite <= wanted:
            return math.inf
        likely = centre + float(ndtri(wanted)) * error

        @functools.cache
        def above(x: float) -> float:
            return _not_positive(sums - x * shares, draws) - wanted

        found = _crossing(
            above,
            (lowest, max(lowest, likely - error / 4), min(highest, likely + error / 4), highest),
            near=rounding,
        )
        return min(max(round(found / rounding) * rounding, lowest), highest)

    return end(tail), end(1.0 - tail)


def _ends(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _not_positive(values: Floats, draws: int) -> float:
    """How probable it is that the sum of so many draws is at most 0; less than 1 values may be missing."""
    deviation = float(np.sqrt(draws) * np.std(values))
    chance = np.broadcast_to(1.0 / draws, values.shape)
    grid = fine_grid(values, chance, deviation=deviation, draws=draws)
    begin, reached = summed(grid.mass, draws)
    at = int(-draws * grid.first / grid.step) - begin
    return float(reached[min(at, len(reached) - 1)]) if at >= 0 else 0.0


def _crossing(above: Callable[[float], float], places: tuple[float, ...], *, near: float) -> float:
    """Where a rising function reaches 0: between the second and third place most likely, else further out."""
    from scipy.optimize import brentq

    lowest, low, high, highest = places
    if above(low) >= 0.0:
        low, high = lowest, low
    elif above(high) <= 0.0:
        low, high = high, highest
    for end, outside in ((low, above(low) >= 0.0), (high, above(high) <= 0.0)):
        if outside:
            return end
    return float(brentq(above, low, high, xtol=near))
