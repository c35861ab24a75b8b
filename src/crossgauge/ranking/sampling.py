"""Small samples, spread evenly: enough to choose how to compute, never what."""

from __future__ import annotations

import numpy as np

from crossgauge.ranking.vectors import Rows
from crossgauge.types import Ints

SAMPLE_QUERIES, SAMPLE_ROWS = 16, 128
FILLED = 0.5  # share of numbers that are not 0 below which vectors count as sparse


def spaced(total: int, most: int) -> Ints:
    """At most ``most`` places, evenly spread over ``total``."""
    return np.arange(0, total, max(1, -(-total // most)))


def sparse(corpus: Rows, rows: Ints) -> bool:
    """Whether most numbers of some corpus rows are 0, so that many scores are exactly 0."""
    sample = corpus.take(rows[spaced(len(rows), SAMPLE_ROWS)])
    return bool(np.count_nonzero(sample) < FILLED * max(1, sample.size))
