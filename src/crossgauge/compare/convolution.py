"""The distribution of a sum of independent draws, by one Fourier transform, without drawing.

The numbers that may be drawn stand on a grid. If they do so by themselves (hits, ranks, thirds), the result
is exact. If not, each is split between its two neighbours on a fine grid so that its mean stays: the mean of
the sum is exact then, and its variance too large by at most ``draws * step**2 / 4``.

A window of 40 standard deviations is transformed; what lies beyond wraps around into it. That is less than
1e-11 by Bernstein's inequality, as no number is further from the mean than the standard deviation of the sum
of as many draws as there are numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crossgauge.types import Floats

DEVIATIONS = 40.0
NATURAL = 1 << 21  # cells of a window up to which a grid of the numbers' own is taken
FEWEST, MOST, FINE = 1 << 16, 1 << 20, 4096.0
PARTS = 60  # natural grids are whole 60ths: all shares of 2, 3, 4, 5 and 6 tied items
LARGEST = 2.0**40  # whole numbers far below 2⁵³
PIECE = 1 << 17  # numbers put on a fine grid at a time
NEGLIGIBLE = -46.0  # a natural logarithm: 1e-20


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers in cells: cell ``c`` stands for ``first + c * step``."""

    first: Fraction
    step: Fraction
    mass: Floats  # (cells,) how probable each is; together less than 1 if not all numbers are finite

    def mean(self, total: int, draws: int) -> float:
        """The mean of draws whose cells add up to ``total``, rounded once.

        >>> Grid(Fraction(1), Fraction(1, 3), np.ones(1)).mean(4, 2)
        1.6666666666666667
        """
        return float(self.first + self.step * total / draws)


def grid_of(values: Floats, chance: Floats, *, deviation: float, draws: int) -> Grid:
    """The grid that all numbers stand on by themselves, or else a fine one.

    ``deviation`` is the standard deviation of the sum of ``draws`` of them.

    >>> grid_of(np.array([0.5, 2.5]), np.array([0.5, 0.5]), deviation=3.0, draws=4).step
    Fraction(2, 1)
    """
    if deviation == 0.0:
        return Grid(Fraction(float(values[0])), Fraction(1), np.array([chance.sum()]))
    if np.abs(values).max() < LARGEST:
        parts = np.rint(values * PARTS).astype(np.int64)
        common = int(np.gcd.reduce(parts - parts[0]))
        cells = DEVIATIONS * deviation * PARTS / max(common, 1)
        if common and cells < NATURAL and np.allclose(parts / PARTS, values, rtol=1e-14, atol=0.0):
            cell = (parts - parts.min()) // common
            mass = np.bincount(cell, chance).astype(np.float64)
            return Grid(Fraction(int(parts.min()), PARTS), Fraction(common, PARTS), mass)
    return fine_grid(values, chance, deviation=deviation, draws=draws)


def fine_grid(values: Floats, chance: Floats, *, deviation: float, draws: int) -> Grid:
    """Any numbers on a grid, each split between two neighbours so that its mean stays.

    Its step is a power of two and ``first`` a multiple of it, so that roundings cannot change them.

    >>> grid = fine_grid(np.array([0.1]), np.ones(1), deviation=1.0, draws=1)
    >>> round(float(grid.first + grid.step * (grid.mass @ np.arange(2))), 12)
    0.1
    """
    resolution = min(max(FINE * np.sqrt(draws), FEWEST), MOST)
    step = float(2.0 ** np.ceil(np.log2(DEVIATIONS * deviation / resolution)))
    lowest, highest = (int(np.floor(end / step)) for end in (values.min(), values.max()))
    cells = highest - lowest + 2
    mass = np.zeros(cells)
    for begin in range(0, len(values), PIECE):
        piece = slice(begin, begin + PIECE)
        place = values[piece] / step
        below = np.floor(place)
        cell, beyond = (below - lowest).astype(np.int64), place - below
        mass += np.bincount(cell, chance[piece] * (1.0 - beyond), minlength=cells)
        mass += np.bincount(cell + 1, chance[piece] * beyond, minlength=cells)
    return Grid(Fraction(step) * lowest, Fraction(step), mass)


def summed(mass: Floats, draws: int) -> tuple[int, Floats]:
    """How probable it is that the cells of independent draws add up to at most so much.

    Returns the sum that the window begins with, and the probability for it and each that follows.

    >>> begin, reached = summed(np.array([0.5, 0.5]), 2)
    >>> begin, reached[:3].round(6).tolist()
    (0, [0.25, 0.75, 1.0])
    """
    from scipy.fft import irfft, next_fast_len, rfft

    cells, all_of_it = np.arange(len(mass)), mass.sum()
    mean = float(mass @ cells / all_of_it)
    deviation = float(np.sqrt(draws * (mass @ (cells - mean) ** 2) / all_of_it))
    widest = draws * (len(mass) - 1) + 1
    size = int(next_fast_len(max(len(mass), min(widest, int(DEVIATIONS * deviation) + 2)), real=True))
    begin = 0 if widest <= size else round(draws * mean) - size // 2
    spectrum = rfft(mass, size)
    length = np.abs(spectrum)
    kept = np.flatnonzero(length > np.exp(NEGLIGIBLE / draws))
    raised = np.zeros_like(spectrum)
    raised[kept] = np.exp(draws * np.log(spectrum[kept]))
    probable = np.maximum(irfft(raised, size), 0.0)
    reached: Floats = np.cumsum(np.roll(probable, -(begin % size)))
    return begin, reached
