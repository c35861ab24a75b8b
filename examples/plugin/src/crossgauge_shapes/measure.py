"""``above_half``: the share of queries whose relevant item is in the upper half of the candidates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crossgauge.measures import Family, first_rank
from crossgauge.types import Ranks


def above_half(ranks: Ranks) -> npt.NDArray[np.float64]:
    """1 where the best relevant item's expected rank is in the upper half of the candidates, else 0, (Q,)."""
    rank = first_rank(ranks)
    return np.where(np.isnan(rank), np.nan, (rank <= (ranks.candidates + 1) / 2).astype(np.float64))


ABOVE_HALF = Family("above_half", "upper half", above_half, source="crossgauge, examples/plugin")
