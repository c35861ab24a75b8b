"""CA: which concepts of the truth are found again, and which stand on one side only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossgauge.concepts.sides import Side
from crossgauge.types import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """The concepts of many pairs sorted into common and exclusive ones, as rows of the two sides."""

    truth: Ints  # (C,) rows of common concepts on the side of the truth
    retrieved: Ints  # (C,) the same concepts on the other side
    only_truth: Ints  # rows of the truth
    only_retrieved: Ints  # rows of the retrieved


def overlap(truth: Side, retrieved: Side, judged: Bools) -> Overlap:
    """Sort the concepts of each pair.

    ``judged`` says which rows of the truth count at all: all of them, or those that the query mentions. A
    retrieved concept is exclusive when the whole truth lacks it, judged or not.
    """
    known, at = among(retrieved.key, truth.key)
    found = np.zeros(len(truth.key), dtype=bool)
    found[at[known]] = True
    both = np.flatnonzero(known)  # ascending keys on either side: the same order
    both = both[judged[at[both]]]
    return Overlap(
        truth=at[both],
        retrieved=both,
        only_truth=np.flatnonzero(~found & judged),
        only_retrieved=np.flatnonzero(~known),
    )


def among(keys: Ints, others: Ints) -> tuple[Bools, Ints]:
    """Which of some keys are among others that ascend, and where."""
    if not len(others):
        return np.zeros(len(keys), dtype=bool), np.zeros(len(keys), dtype=np.int64)
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return others[at] == keys, at
