"""Lengths of longest common subsequences of many pairs at once, bit-parallel in NumPy.

Bit ``i`` of a pair's state is 0 where position ``i`` of its shorter sequence ends a longer common
subsequence than position ``i - 1``; a token of the longer sequence updates all positions with one addition.
The zeros that are left are the length. Source: Hyyrö, Bit-parallel LCS-length computation revisited (2004).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from crossgauge.rouge.token_ids import TokenIds
from crossgauge.types import Ints

_BLOCK = 1 << 14  # pairs at once: enough to hide the cost of a NumPy call, little enough for the cache
_WORDS = (np.uint8, np.uint16, np.uint32, np.uint64)
_ONES = np.array([value.bit_count() for value in range(256)], dtype=np.uint8)
_WIDEST = 64


def lcs_lengths(left: TokenIds, right: TokenIds, left_rows: Ints, right_rows: Ints) -> Ints:
    """The length of the longest common subsequence of each pair of rows, (P,).

    >>> both = TokenIds.of([[1, 2, 3, 4], [2, 9, 4]])
    >>> lcs_lengths(both, both, np.array([0, 0]), np.array([1, 0])).tolist()
    [2, 4]
    """
    found = np.zeros(len(left_rows), dtype=np.int64)
    ids = np.concatenate([left.ids, right.ids, [-1]]).astype(np.int32, copy=False)
    start = np.stack([left.start[left_rows], right.start[right_rows] + len(left.ids)])
    size = np.stack([left.length[left_rows], right.length[right_rows]])
    if len(found):
        order = np.argsort(size, axis=0, kind="stable")  # the shorter of the two first
        start, size = np.take_along_axis(start, order, axis=0), np.take_along_axis(size, order, axis=0)
    for block in _blocks(*size):
        short = _padded(ids, start[0, block], size[0, block], -1)
        long = _padded(ids, start[1, block], size[1, block], -2)
        found[block] = _bits(short, long)
    for pair in np.flatnonzero(size[0] > _WIDEST):
        low, high = start[:, pair], start[:, pair] + size[:, pair]
        found[pair] = _long(ids[low[0] : high[0]].tolist(), ids[low[1] : high[1]].tolist())
    return found


def _blocks(shorter: Ints, longer: Ints) -> Iterator[Ints]:
    """Pairs of like sizes together; pairs with an empty side share nothing, long ones go another way."""
    kept = np.flatnonzero((shorter > 0) & (shorter <= _WIDEST))
    order = kept[np.lexsort((longer[kept], shorter[kept]))]
    return (order[at : at + _BLOCK] for at in range(0, len(order), _BLOCK))


def _padded(ids: npt.NDArray[np.int32], start: Ints, size: Ints, filler: int) -> npt.NDArray[np.int32]:
    """Sequences as columns, filled up with a number that is no token, (longest, B)."""
    place = np.arange(size.max())[:, None]
    columns = ids[np.minimum(start + place, len(ids) - 1)]
    columns[place >= size] = filler
    return columns


def _bits(short: npt.NDArray[np.int32], long: npt.NDArray[np.int32]) -> Ints:
    width, pairs = short.shape
    word = next(kind for kind in _WORDS if np.dtype(kind).itemsize * 8 >= width)
    weights = np.left_shift(np.ones(width, dtype=word), np.arange(width, dtype=word))
    state = np.full(pairs, np.iinfo(word).max, dtype=word)
    same, shared, bit = np.empty(pairs, dtype=bool), np.empty(pairs, dtype=word), np.empty(pairs, dtype=word)
    for token in long:
        shared.fill(0)
        for place in range(width):
            np.equal(short[place], token, out=same)
            np.multiply(same.view(np.uint8), weights[place], out=bit, dtype=word, casting="unsafe")
            np.bitwise_or(shared, bit, out=shared)
        np.bitwise_and(state, shared, out=shared)
        np.subtract(state, shared, out=bit)
        np.add(state, shared, out=state)
        np.bitwise_or(state, bit, out=state)
    zeros = np.invert(state).view(np.uint8).reshape(pairs, -1)
    counts: Ints = _ONES[zeros].sum(axis=1, dtype=np.int64)
    return counts


def _long(left: list[int], right: list[int]) -> int:
    """The same for one pair of any size, on Python's whole numbers."""
    places: dict[int, int] = {}
    for place, token in enumerate(left):
        places[token] = places.get(token, 0) | 1 << place
    full = (1 << len(left)) - 1
    state = full
    for token in right:
        shared = state & places.get(token, 0)
        state = ((state + shared) | (state - shared)) & full
    return len(left) - state.bit_count()
