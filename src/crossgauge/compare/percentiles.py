"""Where a distribution is cut: the two ends of an interval."""

from __future__ import annotations

import numpy as np

from crossgauge.types import Floats


def cut(reached: Floats, *, tail: float, sure: float) -> tuple[int, int]:
    """The first place that more than ``tail`` reach, and the first that all but ``tail`` reach.

    Probabilities nearer to each other than ``sure`` are equal, so that roundings do not move an end. A place
    that is not reached is the number of places.

    >>> cut(np.array([0.25, 0.75, 1.0]), tail=0.25, sure=1e-9)
    (1, 1)
    """
    low = int(np.searchsorted(reached, tail + sure, side="right"))
    return low, int(np.searchsorted(reached, 1.0 - tail - sure, side="left"))


def ends(values: Floats, chance: Floats, *, tail: float) -> tuple[float, float]:
    """The ends for values in any order, each with its chance.

    >>> ends(np.array([3.0, 1.0, 2.0]), np.array([0.25, 0.25, 0.5]), tail=0.1)
    (1.0, 3.0)
    """
    order = np.argsort(values, kind="stable")
    low, high = cut(np.cumsum(chance[order]), tail=tail, sure=1e-12)
    last = len(order) - 1
    return float(values[order[min(low, last)]]), float(values[order[min(high, last)]])
