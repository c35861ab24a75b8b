"""Matchings of least total weight in complete bipartite graphs, of any shape, for many graphs at once.

Totals that differ by less than about 2⁻⁴⁰ of the heaviest edge count as equal: callers add a *slight* weight
to what they would rather not have matched, which decides between equal totals and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from math import perm

import numpy as np

from crossgauge.types import Floats, Ints

SLIGHT = 2.0**-40  # far above the rounding of a sum of weights about 1, far below what anyone can mean
_TRIED = 128  # ways to match up to which all are tried, many graphs at once
_ORDERED = 2500  # edges up to which the first of equally good matchings is looked for


def edges(
    rows: Ints, columns: Ints, first_row: Ints, first_column: Ints
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    """Every edge of many complete bipartite graphs: its graph, its left and its right node.

    Graph ``g`` joins the nodes from ``first_row[g]``, ``rows[g]`` of them, with those from
    ``first_column[g]``, ``columns[g]`` of them. Graph after graph, row after row.

    >>> [part.tolist() for part in edges(*(np.array([n]) for n in (1, 2, 7, 4)))]
    [[0, 0], [7, 7], [4, 5]]
    """
    sizes = rows * columns
    graph = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(graph)) - (np.cumsum(sizes) - sizes)[graph]
    row, column = np.divmod(within, columns[graph])
    return graph, first_row[graph] + row, first_column[graph] + column


def parts(sizes: Ints, most: int) -> Iterator[slice]:
    """Runs of graphs that together have at most so many edges; a larger graph comes alone.

    >>> list(parts(np.array([2, 2, 9, 1]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    reached = np.cumsum(sizes)
    low = 0
    while low < len(sizes):
        before = reached[low] - sizes[low]
        high = max(low + 1, int(np.searchsorted(reached, before + most, side="right")))
        yield slice(low, high)
        low = high


def lightest(weights: Floats, rows: Ints, columns: Ints) -> Ints:
    """The edges of a full matching of least total weight for each graph, ascending, as places in ``weights``.

    Arguments:
        weights: finite, of every edge in the order of :func:`edges`.
        rows, columns: (G,) the shape of each graph, at least 1; min(rows, columns) edges are chosen.

    Source: Crouse, On implementing 2D rectangular assignment algorithms (2016), as in SciPy; small graphs by
    trying all.

    >>> lightest(np.array([1.0, 2.0, 2.0, 4.0]), np.array([2]), np.array([2])).tolist()
    [1, 2]
    """
    start = np.cumsum(rows * columns) - rows * columns
    ways = _ways(np.minimum(rows, columns), np.maximum(rows, columns))
    chosen = list(_by_trying(weights, start, rows, columns, np.flatnonzero(ways <= _TRIED)))
    chosen += _by_augmenting(weights, start, rows, columns, np.flatnonzero(ways > _TRIED))
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, dtype=np.int64)


def _ways(fewer: Ints, more: Ints) -> Ints:
    """In how many ways each graph can be matched, as far as that is worth knowing."""
    table = _few_ways()
    n, m = np.minimum(fewer, len(table)) - 1, np.minimum(more, _TRIED + 1)
    return np.where(fewer > len(table), _TRIED + 1, table[n, m])


@lru_cache(maxsize=1)
def _few_ways() -> Ints:
    return np.array([[min(perm(m, n), _TRIED + 1) for m in range(_TRIED + 2)] for n in range(1, 7)])


@lru_cache(maxsize=256)
def _all_matchings(rows: int, columns: int) -> Ints:
    """Every full matching, (ways, min(rows, columns)), as places of its edges, in lexicographic order."""
    if rows <= columns:
        found = [[r * columns + c for r, c in enumerate(to)] for to in permutations(range(columns), rows)]
    else:
        found = sorted(
            sorted(r * columns + c for c, r in enumerate(to)) for to in permutations(range(rows), columns)
        )
    return np.array(found, dtype=np.int64)


def _by_trying(weights: Floats, start: Ints, rows: Ints, columns: Ints, which: Ints) -> Iterator[Ints]:
    shape = rows[which] * (_TRIED + 1) + columns[which]
    for one in np.unique(shape):
        begin = start[which[shape == one]]
        places = _all_matchings(*divmod(int(one), _TRIED + 1))
        total = np.zeros((len(begin), len(places)))
        for edge in places.T:
            total += weights[begin[:, None] + edge]
        yield (begin[:, None] + places[total.argmin(axis=1)]).ravel()


def _by_augmenting(weights: Floats, start: Ints, rows: Ints, columns: Ints, which: Ints) -> list[Ints]:
    from scipy.optimize import linear_sum_assignment

    if not len(which):
        return []
    start, rows, columns = start[which], rows[which], columns[which]
    shapes = [column.tolist() for column in (start, start + rows * columns, rows, columns)]
    found = [
        linear_sum_assignment(weights[begin:end].reshape(height, width))
        for begin, end, height, width in zip(*shapes, strict=True)
    ]
    graph = np.repeat(np.arange(len(which)), np.minimum(rows, columns))
    row, column = (np.concatenate([one[side] for one in found]) for side in (0, 1))
    return [row * columns[graph] + column + start[graph]]


def first_lightest(weights: Floats, *, slack: float = SLIGHT / 8) -> list[tuple[int, int]]:
    """Of all lightest full matchings of one graph, the first in the order of its (row, column) pairs.

    ``weights`` is (rows, columns); totals that differ by no more than ``slack`` are equal. Above 2,500 edges
    any one is given: always the same for equal weights.

    >>> first_lightest(np.array([[1.0, 2.0, 1.0], [2.0, 3.0, 2.0]]))
    [(0, 0), (1, 2)]
    >>> first_lightest(np.array([[1.0, 2.0], [2.0, 4.0]]))
    [(0, 1), (1, 0)]
    """
    any_one = [(int(row), int(column)) for row, column in np.argwhere(_mask(weights))]
    if weights.size > _ORDERED:
        return any_one
    left = len(any_one)
    best = _total(weights) + slack
    columns = list(range(weights.shape[1]))
    found: list[tuple[int, int]] = []
    spent = 0.0
    for row in range(weights.shape[0]):
        below = weights[row + 1 :]
        for column in columns if left else ():
            rest = [other for other in columns if other != column]
            if min(len(below), len(rest)) < left - 1:
                continue
            total = spent + weights[row, column] + (_total(below[:, rest]) if left > 1 else 0.0)
            if total <= best:
                found.append((row, column))
                spent, left, columns = spent + float(weights[row, column]), left - 1, rest
                break
    return found if len(found) == len(any_one) else any_one  # sums too rough to tell equals


def _mask(weights: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which edges a lightest matching of one graph uses."""
    mask = np.zeros(weights.size, dtype=bool)
    shape = (np.array([side]) for side in weights.shape)
    mask[lightest(np.ascontiguousarray(weights).ravel(), *shape)] = True
    return mask.reshape(weights.shape)


def _total(weights: Floats) -> float:
    return float(weights[_mask(weights)].sum())
