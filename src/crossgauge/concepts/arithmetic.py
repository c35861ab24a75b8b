"""Sums and shares as people write them: ``(1/9 + 1/6)/2 = 5/36``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_LARGEST = 500  # denominators up to which a number is taken for a fraction; path similarities end near 1/40


def fraction(value: float) -> Fraction | None:
    """The fraction with a small denominator that this number is to the last bit, if there is one.

    >>> fraction(1 / 9), fraction(0.1386294361)
    (Fraction(1, 9), None)
    """
    near = Fraction(value).limit_denominator(_LARGEST)
    return near if float(near) == value else None


def number(value: float) -> str:
    """A fraction where it is one, else four digits.

    >>> number(1 / 6), number(1.23456), number(7.0)
    ('1/6', '1.235', '7')
    """
    exact = fraction(value)
    return f"{value:.4g}" if exact is None else str(exact)


def decimal(value: float) -> str:
    """Four digits at most.

    >>> decimal(2.3), decimal(1 / 3)
    ('2.3', '0.3333')
    """
    return f"{value:.4g}"


def mean_of(values: Sequence[float], divisor: int) -> str:
    """A sum over a divisor and what it comes to: exact where all terms are fractions.

    >>> mean_of([1 / 9, 1 / 6], 2), mean_of([1 / 7], 1)
    ('(1/9 + 1/6)/2 = 5/36', '1/7')
    """
    exact = [fraction(value) for value in values]
    terms = " + ".join(map(number, values)) or "0"
    if divisor == 1 and len(values) == 1:
        return terms
    known = [one for one in exact if one is not None]
    total = sum(known, Fraction(0)) if len(known) == len(values) else None
    result = decimal(sum(values) / divisor) if total is None else str(total / divisor)
    return f"({terms})/{divisor} = {result}"


def decimal_mean(values: Sequence[float], divisor: int) -> str:
    """A sum over a divisor and what it comes to, all in decimals: for measured values, which no fraction is.

    >>> decimal_mean([1.369, 1 / 3], 2), decimal_mean([0.5], 1)
    ('(1.369 + 0.3333)/2 = 0.8512', '0.5')
    """
    terms = " + ".join(map(decimal, values)) or "0"
    if divisor == 1 and len(values) == 1:
        return terms
    return f"({terms})/{divisor} = {decimal(sum(values) / divisor)}"


def differences(pairs: Sequence[tuple[int, int]]) -> str:
    """A sum of absolute differences.

    >>> differences([(1, 1), (5, 7)])
    '|1−1| + |5−7| = 2'
    """
    terms = " + ".join(f"|{a}−{b}|" for a, b in pairs)
    return f"{terms} = {sum(abs(a - b) for a, b in pairs)}" if pairs else "0"
