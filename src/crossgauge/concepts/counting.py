"""CE: by how many instances the two pictures differ in the concepts they share."""

from __future__ import annotations

import numpy as np

from crossgauge.concepts.agreement import Overlap
from crossgauge.concepts.sides import Side
from crossgauge.types import Ints


def count_differences(truth: Side, retrieved: Side, both: Overlap) -> Ints:
    """|instances in the truth − instances in the retrieved| of each common concept, (C,)."""
    differences: Ints = np.abs(truth.count[both.truth] - retrieved.count[both.retrieved])
    return differences
