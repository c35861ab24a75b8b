"""Bootstrap intervals of a mean over very few queries or clusters: every resample there is."""

from __future__ import annotations

import itertools
import math

import numpy as np

from crossgauge.compare.percentiles import ends
from crossgauge.types import Floats

FEW = 8  # 6,435 different resamples


def few_interval(sums: Floats, shares: Floats, *, tail: float) -> tuple[float, float]:
    """The ends for a sum of ``sums`` over a sum of ``shares``, both over up to eight units.

    >>> few_interval(np.array([0.0, 3.0]), np.array([1.0, 3.0]), tail=0.3)
    (0.75, 0.75)
    """
    n = len(sums)
    drawn = np.array(list(itertools.combinations_with_replacement(range(n), n)))
    times = np.stack([(drawn == unit).sum(axis=1) for unit in range(n)], axis=1)
    orders = np.array([math.factorial(k) for k in range(n + 1)])
    chance = orders[n] / orders[times].prod(axis=1) / float(n) ** n
    means = sums[drawn].sum(axis=1) / shares[drawn].sum(axis=1)
    return ends(means, chance, tail=tail)
