"""Measures over clusters of queries that count only together, as the comparisons of a Winoground item."""

from __future__ import annotations

from crossgauge.measures.family import family
from crossgauge.measures.retrieval import hit
from crossgauge.types import Floats, Ranks


@family(
    "all_hit@k",
    "all R@{k}",
    source="Thrush et al. 2022, Winoground: text, image and group score (there ties lose)",
    summary="all",
    cutoff=1,
)
def all_hit(ranks: Ranks, k: int) -> Floats:
    """As ``hit@k``, but summed up as the share of clusters whose every query is a hit, (Q,).

    Inside a cluster the chances are multiplied: ties of different queries fall independently.
    """
    return hit(ranks, k)
