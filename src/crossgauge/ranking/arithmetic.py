"""Fast products and what they prove: how far a BLAS product can be from the defined score.

Write ``u`` for the unit roundoff of the product's type (2^-24, 2^-53) and ``g(n, u) = nu / (1 - nu)``.

*Any order, fused or not.* A sum of ``d`` products computed in any order, with or without fused
multiply-add, passes each term through at most ``d`` roundings, so it is off by at most
``g(d, u) * sum |q_j c_j| <= g(d, u) |q| |c|`` (Higham, Accuracy and Stability, section 3.1).

*Underflow.* Each product and each partial sum may also lose up to 2^-126 (2^-1022) where the processor
flushes subnormal numbers to zero, and each subnormal factor may be read as zero: in all at most
``d * 2^-126 * (2 + |q| + |c|)``, times ``1 + g``.

*The definition rounds too*: the float64 sum is within ``g(d, 2^-53) |q| |c|`` of the true value.

*l2.* ``-|q - c|^2 > t``  iff  ``q.c - |c|^2 / 2 > (t + |q|^2) / 2``. The left side is a product again, of
``(q, 1, 1)`` and ``(c, h, l)`` with ``h + l`` the half square in two parts (what is left is below
``2 u^2 |c|^2``). Its terms sum to at most ``|q| |c| + |c|^2``; the defined score is within
``g(d + 3, 2^-53) (|q| + |c|)^2`` of the true one, ``|q|^2`` and ``|c|^2`` are as good.

*The bound itself* is computed in float64 from norms rounded up, and inflated by 2^-10; adding it to a
threshold rounds once more, hence the step to the next number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.vectors import Rows
from crossgauge.types import Floats, Ints, Similarity, Vectors

ROOMY = 2.0**120  # (|q| + |c|)^2 below this cannot overflow float32; float64 cannot, see vectors.LARGEST
MANTISSA = 53
TINY_STEP = -500  # products of smaller steps could underflow
CHUNK = 1024
SHORT, LONG = np.dtype(np.float32), np.dtype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic:
    """How products are made for one ranking, and the bound that goes with them."""

    similarity: Similarity
    dtype: np.dtype[Any]  # of the products
    dimensions: int
    exact: bool  # every product is proved to equal the defined score: nothing is left to decide
    query_lengths: Floats  # (Q,) upper bounds of the norms
    corpus_length: float  # upper bound of the largest norm

    def factors(self, rows: Rows, which: slice | Ints) -> Vectors:
        """Rows as the product takes them: of its type, and with two more columns under l2."""
        taken = rows.take(which)
        if self.similarity != "l2":
            return taken.astype(self.dtype, copy=False)
        wide = np.empty((len(taken), self.dimensions + 2), self.dtype)
        wide[:, :-2] = taken
        return wide

    def as_queries(self, rows: Rows, which: slice | Ints) -> Vectors:
        """The left factor of the product."""
        factors = self.factors(rows, which)
        if self.similarity == "l2":
            factors[:, -2:] = 1.0
        return factors

    def as_corpus(self, rows: Rows, which: slice | Ints) -> Vectors:
        """The right factor of the product."""
        factors = self.factors(rows, which)
        if self.similarity == "l2":
            half = np.where(rows.usable[which], -0.5 * rows.squares[which], 0.0)
            factors[:, -2] = half
            factors[:, -1] = half - factors[:, -2]
        return factors

    def threshold(self, scores: Floats, squares: Floats) -> Floats:
        """What a product is compared with instead of the score; ``squares`` are those of the queries."""
        return (scores + squares) / 2.0 if self.similarity == "l2" else scores

    def reach(self, queries: Ints | slice) -> Floats:
        """How far the product of each of these queries can be from its threshold and still be undecided."""
        if self.exact:
            return np.zeros(len(self.query_lengths[queries]))
        return _reach(self, self.query_lengths[queries])

    def bounds(self, thresholds: Floats, reach: Floats) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Products below the first are lower and above the second higher, for certain."""
        if self.exact:
            same = thresholds.astype(self.dtype)
            return same, same
        low = np.nextafter((thresholds - reach).astype(self.dtype), self.dtype.type(-np.inf))
        low = np.maximum(low, np.finfo(self.dtype).min)  # -inf marks what does not compete
        high = np.nextafter((thresholds + reach).astype(self.dtype), self.dtype.type(np.inf))
        return low, high


def choose(pair: Pair) -> Arithmetic:
    """The fastest arithmetic that cannot overflow; float64 vectors need float64 products."""
    lengths = pair.queries.lengths
    largest = float(pair.corpus.lengths.max(initial=0.0))
    spread = (float(lengths.max(initial=0.0)) + largest) ** 2
    short = pair.queries.dtype == SHORT and spread < ROOMY
    return Arithmetic(
        similarity=pair.similarity,
        dtype=SHORT if short else LONG,
        dimensions=pair.dimensions,
        exact=False,
        query_lengths=lengths,
        corpus_length=largest,
    )


def widened(narrow: Arithmetic, pair: Pair) -> Arithmetic:
    """Float64 products: a bound half a billion times closer, or none at all for vectors on a coarse grid.

    If all numbers are multiples of ``2^a`` and no partial sum can reach ``2^53`` such steps, no order of
    summation rounds (whole numbers, binary codes, most quantised vectors): the product is the score.
    """
    spread = (float(narrow.query_lengths.max(initial=0.0)) + narrow.corpus_length) ** 2
    step = min(_lowest_bit(pair.queries), _lowest_bit(pair.corpus))
    # Half squares (l2) need one bit more; 2^51 leaves room for it and for the norms' own rounding.
    exact = step > TINY_STEP and spread < 2.0 ** (51 + 2 * step)
    return replace(narrow, dtype=LONG, exact=exact)


def _reach(arithmetic: Arithmetic, q: Floats) -> Floats:
    c = arithmetic.corpus_length
    short = arithmetic.dtype == SHORT
    unit, lost = (2.0**-24, 2.0**-126) if short else (2.0**-53, 2.0**-1022)
    terms = arithmetic.dimensions + 4  # the two columns of l2, and what its definition rounds more
    # With so many dimensions that the bound is no bound, everything is undecided and still exact.
    fast = terms * unit / (1.0 - terms * unit) if terms * unit < 1.0 else np.inf
    defined = terms * 2.0**-53 / (1.0 - terms * 2.0**-53)
    if arithmetic.similarity == "l2":
        # 4 covers the definition's own error, both squares, and the rest of the half square.
        error = fast * (q * c + c * c) + 4.0 * defined * (q + c) ** 2 + 2.0 * unit**2 * c * c
    else:
        error = (fast + defined) * q * c
    return (error + 2.0 * terms * lost * (2.0 + q + c + c * c)) * (1.0 + 2.0**-10)


def _lowest_bit(rows: Rows) -> int:
    """The largest ``a`` such that every number in the rows is a multiple of ``2^a``."""
    lowest = MANTISSA  # more than enough if all numbers are zero
    for begin in range(0, len(rows), CHUNK):
        taken = rows.take(slice(begin, begin + CHUNK))
        fraction, exponent = np.frexp(taken[taken != 0].astype(np.float64))
        whole = np.ldexp(fraction, MANTISSA).astype(np.int64)
        bit = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # the place of the last one
        lowest = min(lowest, int((exponent - MANTISSA + bit).min(initial=lowest)))
    return lowest
