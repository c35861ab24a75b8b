"""Our ways to rank, as the table and the gate time them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

import numpy as np

from crossgauge.ranking import native, rank

TIERS = ("portable", "f32", "int16", "int8")


def ours_ranking(tier: str, queries: np.ndarray, corpus: np.ndarray, **options: int) -> Callable[[], float]:
    """A ranking by one tier, and its R@10."""

    def work() -> float:
        os.environ[native.VARIABLE] = tier
        ranks = rank(queries, corpus, **options)
        return float((ranks.higher < 10).mean())

    return work


def our_ranks() -> dict[str, Callable[..., Callable[[], float]]]:
    """Our ways to rank by name."""
    ways = {
        "crossgauge": functools.partial(ours_ranking, "auto", top=0),
        "crossgauge, and the first 10": functools.partial(ours_ranking, "auto", top=10),
        "crossgauge, until=10": functools.partial(ours_ranking, "auto", until=10),
    }
    tiers = TIERS if native.compiled() else TIERS[:1]
    return ways | {f"crossgauge, {tier}": functools.partial(ours_ranking, tier, top=0) for tier in tiers}


def kind() -> str:
    """Which instructions rank here: what ratios are recorded by."""
    return native.compiled().removeprefix("compiled, ") or native.PORTABLE
