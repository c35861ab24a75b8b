"""The first K of each ranking, for people to look at; ties are listed in corpus order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.tally import Sheet
from crossgauge.types import Floats, Ints, TopK


def empty_top(queries: int, k: int) -> TopK:
    """Lists with nothing in them yet."""
    return TopK(np.full((queries, k), -1, dtype=np.int64), np.full((queries, k), np.nan))


def promising(sheet: Sheet, rows: slice, *, floor: Floats, reach: Floats, k: int) -> tuple[Ints, Ints]:
    """Pairs (row of the sheet, column) that may be among the first ``k`` of their row.

    ``floor`` (rows,) is a product that ``k`` items are known to reach; ``reach`` how far products may be off.
    """
    values = sheet.values[rows]
    kth = _lower_bound_of_kth(values, k).astype(np.float64)
    # An item whose product is 2 reaches below that of k others scores lower than all of them.
    low = np.maximum(kth - 2.0 * reach, floor - reach)
    lowest = np.finfo(values.dtype).min  # not -inf: what does not compete stays out
    limit = np.maximum(np.nextafter(low.astype(values.dtype), values.dtype.type(-np.inf)), lowest)
    at = np.flatnonzero(values >= limit[:, None])
    return at // values.shape[1] + rows.start, at % values.shape[1]


def merge(top: TopK, query: Ints, items: Ints, scores: Floats) -> None:
    """Put scored items into the lists of their queries, keeping the best: by score, then corpus row."""
    k = top.items.shape[1]
    touched = np.unique(query)
    held = top.items[touched] >= 0
    query = np.concatenate([np.repeat(touched, held.sum(axis=1)), query])
    items = np.concatenate([top.items[touched][held], items])
    scores = np.concatenate([top.scores[touched][held], scores])
    order = np.lexsort((items, -scores, query))
    query, items, scores = query[order], items[order], scores[order]
    place = np.arange(len(query)) - np.searchsorted(query, query)
    kept = place < k
    top.items[query[kept], place[kept]] = items[kept]
    top.scores[query[kept], place[kept]] = scores[kept]


def _lower_bound_of_kth(values: npt.NDArray[Any], k: int) -> npt.NDArray[Any]:
    """A number that at least ``k`` of each row reach (-inf if there are fewer): cheap and nearly tight.

    The maxima of disjoint strips are values of the row, so the k-th best of them will do.
    """
    rows, width = values.shape
    strips = max(32 * k, 64)
    if width >= 4 * strips:
        deep = width // strips
        values = np.maximum.reduce(values[:, : deep * strips].reshape(rows, deep, strips), axis=1)
        width = strips
    if width < k:
        return np.full(rows, -np.inf, dtype=values.dtype)
    return np.partition(values, width - k, axis=1)[:, width - k]
