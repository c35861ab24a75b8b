"""Is a paired difference more than chance? Signs flipped in all ways, counted and not drawn.

If neither of two systems is better, each difference might as well have the other sign. The p-value is the
share of all 2ⁿ choices of signs whose sum is at least as far from 0 as the observed one.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from crossgauge.types import Floats, Ints

DEVIATIONS = 20.0  # more is less likely than 1e-86 (Hoeffding), so nothing wraps around
NATURAL = 1 << 20  # cells of a window up to which a grid of the differences' own is taken
FINE = 1 << 17
PARTS = 60  # natural grids are whole 60ths: all shares of 2, 3, 4, 5 and 6 tied items
LARGEST = 2.0**40
LEAST = 1e-12  # what the transform's rounding leaves of a p-value
NEGLIGIBLE = 1e-18
FEW = 16  # differences of which every choice of signs is tried


def sign_flip_p(differences: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None) -> float:
    """The two-sided p-value of the mean of paired differences being 0, over all choices of signs.

    Arguments:
        differences: (Q,) after minus before, query by query; NaN is left out.
        clusters: (Q,) labels; queries with the same label (captions of one picture) flip together.

    Exact for differences on a common grid (hits, ranks, thirds) and for up to 16; others are rounded to
    1/131,072 of 20 standard deviations of their sum first. Differences of one size (hits gained and lost) are
    McNemar's test. Values below 1e-12 are given as 1e-12, except for those. 1 where nothing differs; NaN for
    an infinite difference.

    Source: Fisher, The Design of Experiments (1935), section 21; the sum of signed numbers has the product
    of their cosines as its Fourier transform.

    >>> sign_flip_p([1.0, 1.0, 1.0, 1.0])
    0.125
    >>> sign_flip_p([1.0, 1.0, -1.0, 0.0])
    1.0
    """
    numbers = np.asarray(differences, dtype=np.float64)
    defined = ~np.isnan(numbers)
    numbers = numbers[defined]
    if clusters is not None:
        unit = np.unique(np.asarray(clusters)[defined], return_inverse=True)[1].reshape(-1)
        numbers = np.bincount(unit, numbers).astype(np.float64)
    numbers = numbers[numbers != 0.0]
    if not np.isfinite(numbers).all():
        return math.nan
    if not len(numbers):
        return 1.0
    if (np.abs(numbers) == abs(numbers[0])).all():
        return mcnemar_p(int((numbers > 0).sum()), int((numbers < 0).sum()))
    if len(numbers) <= FEW:
        return _of_few(numbers)
    whole = _whole(numbers)
    sizes, counts = np.unique(np.abs(whole), return_counts=True)
    if len(sizes) == 1:
        return mcnemar_p(int((whole > 0).sum()), int((whole < 0).sum()))
    return _p(sizes, counts, abs(int(whole.sum())))


def mcnemar_p(gained: int, lost: int) -> float:
    """The exact two-sided p-value of McNemar's test: hits gained and lost between two systems.

    >>> round(mcnemar_p(2, 10), 6)
    0.038574
    """
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(gained, lost), gained + lost, 0.5)))


def _of_few(numbers: Floats) -> float:
    sums = np.zeros(1)
    for number in numbers:
        sums = np.concatenate([sums - number, sums + number])
    rounding = len(numbers) * np.spacing(np.abs(numbers).sum())
    return float((np.abs(sums) >= abs(numbers.sum()) - rounding).mean())


def _whole(numbers: Floats) -> Ints:
    """The differences in whole steps: their own, or fine ones."""
    deviation = float(np.sqrt(np.sum(numbers**2)))
    if np.abs(numbers).max() < LARGEST:
        parts = np.rint(numbers * PARTS).astype(np.int64)
        common = int(np.gcd.reduce(parts))
        fits = common and DEVIATIONS * deviation * PARTS / common < NATURAL
        if fits and np.allclose(parts / PARTS, numbers, rtol=1e-14, atol=0.0):
            return parts // common
    step = 2.0 ** np.ceil(np.log2(DEVIATIONS * deviation / FINE))
    rounded: Ints = np.rint(numbers / step).astype(np.int64)
    return rounded


def _p(sizes: Ints, counts: Ints, observed: int) -> float:
    """The chance that signed sizes add up to ``observed`` or more, or to minus that or less.

    Sums are all even or all odd. Those from -m to m, the ones nearer to 0, are m + 1 steps of 2, so what
    their Fourier terms add up to is sin((m + 1) t) / sin(t) times the product of cosines, at each angle t.
    """
    total = int(sizes @ counts)
    nearer = observed - 1 if (observed - 1 - total) % 2 == 0 else observed - 2
    if nearer < 0:
        return 1.0
    deviation = float(np.sqrt(counts @ sizes**2))
    cells = 2 * (min(total, int(DEVIATIONS / 2 * deviation)) // 2 + 1)  # sums repeat after 2 * cells
    angle, product = _cosines(sizes, counts, cells)
    with np.errstate(invalid="ignore"):  # 0 / 0 at 0
        terms = _sine(angle * (nearer + 1), cells) / _sine(angle, cells)
    terms[angle == 0] = nearer + 1.0
    twice = np.where((angle == 0) | (angle == cells // 2), 1.0, 2.0)  # the angles beyond are like these
    return float(min(1.0, max(LEAST, 1.0 - (twice * terms * product).sum() / cells)))


def _cosines(sizes: Ints, counts: Ints, cells: int) -> tuple[Ints, Floats]:
    """The angles (times cells / pi) where the product of all cosines is not negligible, and the product."""
    angle = np.arange(cells // 2 + 1)
    product = np.ones(len(angle))
    order = np.argsort(-counts, kind="stable")
    begin, take = 0, 1
    while begin < len(order):
        some = order[begin : begin + take]
        for size, count in zip(sizes[some].tolist(), counts[some].tolist(), strict=True):
            product *= _cosine(angle * size, cells) ** count
        kept = np.flatnonzero(np.abs(product) > NEGLIGIBLE)
        angle, product = angle[kept], product[kept]
        begin, take = begin + take, 2 * take
    return angle, product


def _cosine(angle: Ints, cells: int) -> Floats:
    cosine: Floats = np.cos((angle % (2 * cells)) * (np.pi / cells))
    return cosine


def _sine(angle: Ints, cells: int) -> Floats:
    sine: Floats = np.sin((angle % (2 * cells)) * (np.pi / cells))
    return sine
