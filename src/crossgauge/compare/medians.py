"""Bootstrap intervals of medians from order statistics: exact, and nothing is drawn.

Of n draws from n values the k-th smallest is at most a value that ``c`` of them do not exceed if at least k
draws are among those, so with the chance that a Binomial(n, c / n) is at least k. An even number of draws has
two in the middle, k and k + 1, of which the median is half-way. Their joint distribution is as simple: one is
at most the i-th value and the other above the j-th if k draws are among the first i, the rest beyond j.
"""

from __future__ import annotations

import numpy as np

from crossgauge.compare.percentiles import ends
from crossgauge.types import Floats

NEGLIGIBLE = 1e-18


def median_interval(values: Floats, *, tail: float) -> tuple[float, float]:
    """The ends of the bootstrap interval of a plain median; infinite values are values like others.

    >>> median_interval(np.array([1.0, 2.0]), tail=0.2)
    (1.0, 2.0)
    >>> median_interval(np.array([1.0, 2.0]), tail=0.3)
    (1.5, 1.5)
    """
    kinds, counts = np.unique(values, return_counts=True)
    n = len(values)
    medians, chance = (_odd if n % 2 else _even)(kinds, np.cumsum(counts), n)
    return ends(medians, chance, tail=tail)


def _odd(kinds: Floats, reached: Floats, n: int) -> tuple[Floats, Floats]:
    """The values that the middle one may have, and the chance of each."""
    return kinds, np.diff(_at_most(reached, (n + 1) // 2, n), prepend=0.0)


def _even(kinds: Floats, reached: Floats, n: int) -> tuple[Floats, Floats]:
    """Half-way values of the two in the middle, and the chance of each pair."""
    from scipy.special import gammaln

    k = n // 2
    with np.errstate(divide="ignore", invalid="ignore"):  # logarithms of 0: impossible
        below, beyond = np.log(np.r_[0.0, reached] / n), np.log(1.0 - np.r_[0.0, reached] / n)
        # Exactly value i as the k-th and exactly value j > i as the next: a product, here in logarithms.
        first = gammaln(n + 1) - 2.0 * gammaln(k + 1) + k * below[1:] + _log_gap(k * (below[:-1] - below[1:]))
        last = k * beyond[:-1] + _log_gap(k * (beyond[1:] - beyond[:-1]))
        apart = np.exp(first + k * beyond[1:])
    medians = [kinds]
    chance = [np.maximum(np.diff(_at_most(reached, k, n), prepend=0.0) - apart, 0.0)]  # both are value i
    for steps in range(1, len(kinds)):
        pairs = np.exp(first[:-steps] + last[steps:])
        if pairs.max() < NEGLIGIBLE:
            break
        medians.append((kinds[:-steps] + kinds[steps:]) / 2.0)
        chance.append(pairs)
    return np.concatenate(medians), np.concatenate(chance)


def _log_gap(logarithm: Floats) -> Floats:
    """log(1 - p) from log p."""
    gap: Floats = np.log(-np.expm1(logarithm))
    return gap


def _at_most(reached: Floats, k: int, n: int) -> Floats:
    """The chance that the k-th smallest of n draws is at most each value."""
    from scipy.special import bdtrc

    chance: Floats = bdtrc(k - 1, n, reached / n)
    return chance
