"""The ranking measures: each one function from ranks to a number a query, NaN where undefined."""

from __future__ import annotations

import numpy as np

from crossgauge.measures.family import family
from crossgauge.measures.ties import (
    best_of,
    mean_over_places,
    none_among,
    reciprocal_of_first,
    ties_of,
)
from crossgauge.types import Floats, Ints, Ranks

CLIP = "Radford et al. 2021 and the image-text retrieval literature print it as R@k; trec_eval: success"
TIES = "McSherry and Najork 2008, Computing IR Performance Measures Efficiently in the Presence of Ties"


@family("hit@k", "R@{k}", source=CLIP, cutoff=1)
def hit(ranks: Ranks, k: int) -> Floats:
    """The chance that some relevant item is among the first ``k``, (Q,)."""
    positive, best = best_of(ranks)
    drawn = best.within(k)
    chance = np.where(best.relevant == 1, drawn / best.size, 1.0 - none_among(best, drawn))
    return _filled(ranks, positive, chance)


@family("acc@k", "Acc@{k}", source="Russakovsky et al. 2015, ImageNet (top-k accuracy)", cutoff=1)
def accuracy(ranks: Ranks, k: int) -> Floats:
    """The chance that a right label is among the first ``k``: ``hit@k`` under classification's name."""
    return hit(ranks, k)


@family(
    "acc_macro@k",
    "macro Acc@{k}",
    source="mean per-class accuracy, as for Caltech-101 and Oxford Pets",
    summary="macro",
    cutoff=1,
)
def accuracy_per_class(ranks: Ranks, k: int) -> Floats:
    """As ``acc@k``, but summed up as the mean over classes (relevant corpus rows) of each one's mean."""
    return hit(ranks, k)


@family("recall@k", "recall@{k}", source=f"trec_eval: recall; ties: {TIES}", cutoff=10)
def recall(ranks: Ranks, k: int) -> Floats:
    """The share of a query's relevant items among the first ``k``, those not retrieved included below."""
    return _over_positives(ranks, _found(ranks, k))


@family("precision@k", "P@{k}", source=f"trec_eval: P; ties: {TIES}", cutoff=10)
def precision(ranks: Ranks, k: int) -> Floats:
    """The share of the first ``k`` places that hold a relevant item: over ``k``, however few compete."""
    return _per_query(ranks, _found(ranks, k)) / k


@family("p@k", "P@{k}", source=f"trec_eval: P; ties: {TIES}", cutoff=1)
def precision_short(ranks: Ranks, k: int) -> Floats:
    """The same as ``precision@k``."""
    return precision(ranks, k)


@family(
    "mean_recall",
    "mR",
    source="the mean of R@1, R@5 and R@10, as in multilingual image-text retrieval",
    cutoff=10,
)
def mean_recall(ranks: Ranks) -> Floats:
    """The mean of ``hit@1``, ``hit@5`` and ``hit@10``, (Q,)."""
    return (hit(ranks, 1) + hit(ranks, 5) + hit(ranks, 10)) / 3.0


@family(
    "medr",
    "medR",
    source="Salvador et al. 2017, im2recipe: plain median of 1-based ranks",
    summary="median",
    unit="rank",
    higher_is_better=False,
    range=(1.0, np.inf),
)
def first_rank(ranks: Ranks) -> Floats:
    """The 1-based rank of the best placed relevant item, its mean inside ties; infinite if not retrieved."""
    positive, best = best_of(ranks)
    # The lowest of r random places out of s is at (s + 1) / (r + 1) on average.
    rank = np.where(best.retrieved, best.above + (best.size + 1) / (best.relevant + 1), np.inf)
    return _filled(ranks, positive, rank)


@family(
    "meanr",
    "meanR",
    source="Faghri et al. 2018, VSE++ (there also 1-based)",
    unit="rank",
    higher_is_better=False,
    range=(1.0, np.inf),
)
def mean_rank(ranks: Ranks) -> Floats:
    """The rank as for ``medr``; summed up as a mean, so one query without an answer makes it infinite."""
    return first_rank(ranks)


@family("mrr", "MRR", source="Voorhees 1999, TREC-8 QA; ties: expected over random orders")
def reciprocal_rank(ranks: Ranks) -> Floats:
    """One over the rank of the first relevant item; 0 if none was retrieved."""
    positive, best = best_of(ranks)
    return _filled(ranks, positive, reciprocal_of_first(best))


@family("map", "MAP", source=f"trec_eval: map; ties: {TIES}")
def average_precision(ranks: Ranks) -> Floats:
    """The mean over a query's relevant items of the precision at each one's place; 0 if not retrieved."""
    ties = ties_of(ranks)
    once = mean_over_places(ties, lambda place, _: 1.0 / place)
    before = mean_over_places(ties, lambda place, before: before / place)
    # Of the places before it in its tie, each holds one of the other relevant with chance (r-1)/(s-1).
    share = (ties.relevant - 1) / np.maximum(ties.size - 1, 1)
    return _over_positives(ranks, (ranks.higher_relevant + 1) * once + share * before)


@family(
    "ndcg@k",
    "nDCG@{k}",
    source=f"Järvelin and Kekäläinen 2002, linear gains, log2(1 + rank); ties: {TIES}",
    cutoff=10,
)
def ndcg_at(ranks: Ranks, k: int) -> Floats:
    """Discounted gain of the first ``k`` places over that of the best possible order."""
    return _ndcg(ranks, k)


@family("ndcg", "nDCG", source=f"Järvelin and Kekäläinen 2002, linear gains, log2(1 + rank); ties: {TIES}")
def ndcg(ranks: Ranks) -> Floats:
    """Discounted gain over that of the best possible order, every place counted."""
    return _ndcg(ranks, None)


def _ndcg(ranks: Ranks, k: int | None) -> Floats:
    ties = ties_of(ranks)
    gained = ranks.gains * mean_over_places(ties, lambda place, _: _discount(place), k=k)
    order = np.lexsort((-ranks.gains, ranks.query))
    place = np.arange(1, len(order) + 1) - ranks.start[:-1][ranks.query]
    ideal = ranks.gains[order] * _discount(place)
    if k is not None:
        ideal[place > k] = 0.0
    with np.errstate(invalid="ignore"):  # 0 / 0 where there is no relevant item
        return _per_query(ranks, gained) / _per_query(ranks, ideal)


def _discount(place: Ints) -> Floats:
    discount: Floats = 1.0 / np.log2(1.0 + place)
    return discount


def _found(ranks: Ranks, k: int) -> Floats:
    """For each judgement the chance that it is among the first ``k``, (R,)."""
    ties = ties_of(ranks)
    found: Floats = ties.within(k) / ties.size
    return found


def _per_query(ranks: Ranks, values: Floats) -> Floats:
    """Sums over each query's judgements, NaN for a query without any."""
    sums = np.bincount(ranks.query, values, minlength=len(ranks)).astype(
        np.float64
    )  # ints without judgements
    sums[np.diff(ranks.start) == 0] = np.nan
    return sums


def _over_positives(ranks: Ranks, values: Floats) -> Floats:
    """Means over each query's relevant items, NaN for a query without any."""
    return _per_query(ranks, values) / np.maximum(np.diff(ranks.start), 1)


def _filled(ranks: Ranks, queries: Ints, values: Floats) -> Floats:
    """Values for some queries, NaN for the others."""
    full = np.full(len(ranks), np.nan)
    full[queries] = values
    return full
