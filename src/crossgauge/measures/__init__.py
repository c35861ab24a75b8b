"""Measures by name, as expectations over ties; importing this package registers them in ``FAMILIES``."""

from __future__ import annotations

from crossgauge.measures.clusters import all_hit
from crossgauge.measures.family import FAMILIES, Family, Measure, example, family, parse, parse_all
from crossgauge.measures.retrieval import first_rank
from crossgauge.measures.scores import measure, whole_clusters
from crossgauge.measures.ties import constant, optimistic, pessimistic

__all__ = [
    "FAMILIES",
    "Family",
    "Measure",
    "all_hit",
    "constant",
    "example",
    "family",
    "first_rank",
    "measure",
    "optimistic",
    "parse",
    "parse_all",
    "pessimistic",
    "whole_clusters",
]
