"""Exact ranks, with ties counted and never broken: the tie rule lives here and only here."""

from __future__ import annotations

from crossgauge.ranking.by_lists import rank_lists
from crossgauge.ranking.by_matrix import rank_matrix
from crossgauge.ranking.by_units import rank_units
from crossgauge.ranking.by_vectors import rank
from crossgauge.ranking.draws import drawn, rank_draws
from crossgauge.ranking.plan import Blocks

__all__ = ["Blocks", "drawn", "rank", "rank_draws", "rank_lists", "rank_matrix", "rank_units"]
