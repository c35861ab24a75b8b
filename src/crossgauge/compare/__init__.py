"""How sure a number is, and whether two differ: intervals over queries or clusters, and paired tests.

What can be had without drawing is had without drawing: a bootstrap of a mean is a convolution, that of a
median follows from order statistics, and flipped signs are a product of cosines.
"""

from __future__ import annotations

from crossgauge.compare.intervals import bootstrap_interval
from crossgauge.compare.resampled import CELLS, Statistic
from crossgauge.compare.signs import mcnemar_p, sign_flip_p

__all__ = ["CELLS", "Statistic", "bootstrap_interval", "mcnemar_p", "sign_flip_p"]
