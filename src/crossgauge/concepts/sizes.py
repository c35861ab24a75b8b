"""SD: how differently large the things are that both pictures show, under the kindest pairing of boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossgauge.concepts.agreement import Overlap
from crossgauge.concepts.matching import SLIGHT, edges, lightest, parts
from crossgauge.concepts.settings import ConceptSettings, Denominator
from crossgauge.concepts.sides import Side
from crossgauge.types import Bools, Floats, Ints

CELLS = 1 << 18  # edges looked at together
ROUNDING = 16 * 2.0**-52  # more than the areas, their difference and its division can be off by


@dataclass(frozen=True, slots=True, eq=False)
class SizeCounts:
    """What SD needs of each pair, (P,)."""

    pairs: Ints  # matched boxes
    over: Ints  # those that differ by the threshold or more
    difference: Floats  # the sum of their differences; infinite when a denominator was 0


def area_differences(truth: Floats, retrieved: Floats, denominator: Denominator) -> Floats:
    """|A_truth − A_retrieved| as a share of one of the two areas: 0 when equal, infinite when that is 0.

    >>> area_differences(np.array([2.0, 0.0, 0.0]), np.array([5.0, 0.0, 1.0]), "gold").tolist()
    [1.5, 0.0, inf]
    """
    gap = np.abs(truth - retrieved)
    share_of = {"gold": truth, "retrieved": retrieved, "min": np.minimum(truth, retrieved)}[denominator]
    differences = np.zeros(np.shape(gap))
    with np.errstate(divide="ignore", over="ignore"):
        np.divide(gap, share_of, out=differences, where=gap > 0)
    return differences


def reaches(differences: Floats, threshold: float) -> Bools:
    """Which differences are the threshold or more; what rounding may have taken from them is given back.

    Areas are products of decimals, perhaps divided by those of their pictures, and their differences are
    divided again: exact numbers would say "equal to the threshold" where these fall short by a few units in
    the last place. Hence the tolerance, 16 of these units of 1 + the threshold; nobody can draw such a box.

    >>> tenth, three_tenths = 10 / 100, 30 / 100
    >>> difference = (three_tenths - tenth) / tenth
    >>> difference >= 2, bool(reaches(np.array(difference), 2.0))
    (False, True)
    """
    found: Bools = differences >= threshold - ROUNDING * (1.0 + threshold)
    return found


def matching_weights(differences: Floats, rows: Ints, columns: Ints, threshold: float) -> Floats:
    """What to minimise: the number of infinite differences, then their sum, then how many are too large.

    ``rows`` and ``columns`` are the shapes of the graphs, at least 1. Each graph is weighed by itself.
    """
    sizes = rows * columns
    start, graph = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    finite = np.isfinite(differences)
    largest = np.maximum.reduceat(np.where(finite, differences, 0.0), start)
    slight = SLIGHT * np.maximum(largest, 1.0)
    instead = largest * np.minimum(rows, columns) + 1.0
    weights: Floats = np.where(finite, differences, instead[graph])
    weights += slight[graph] * reaches(differences, threshold)
    return weights


def match_sizes(
    truth: Side, retrieved: Side, both: Overlap, pairs: int, settings: ConceptSettings
) -> SizeCounts:
    """Match the boxes of every common concept and count; things without a box take no part."""
    rows, columns = truth.boxes[both.truth], retrieved.boxes[both.retrieved]
    graphs = np.flatnonzero((rows > 0) & (columns > 0))
    rows, columns = rows[graphs], columns[graphs]
    pair = truth.pair[both.truth[graphs]]
    first_row = truth.first_box[both.truth[graphs]]
    first_column = retrieved.first_box[both.retrieved[graphs]]
    counts = SizeCounts(np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), np.zeros(pairs))
    for part in parts(rows * columns, CELLS):
        graph, left, right = edges(rows[part], columns[part], first_row[part], first_column[part])
        differences = area_differences(
            truth.areas[left], retrieved.areas[right], settings.sd_denominator
        )  # fmt: skip
        weights = matching_weights(differences, rows[part], columns[part], settings.sd_threshold)
        chosen = lightest(weights, rows[part], columns[part])
        owner, matched = pair[part][graph[chosen]], differences[chosen]
        counts.pairs[:] += np.bincount(owner, minlength=pairs)
        counts.over[:] += np.bincount(owner[reaches(matched, settings.sd_threshold)], minlength=pairs)
        np.add.at(counts.difference, owner, matched)
    return counts
