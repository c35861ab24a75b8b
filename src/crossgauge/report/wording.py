"""How a number, a name and a direction are written, the same in every format.

Fractions become percent here and nowhere else. A bound that JSON could not hold (an infinite rank)
is written ∞; a number that no query defines is written —.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from crossgauge.compare.signs import LEAST
from crossgauge.result import Result, ScoreRow
from crossgauge.types import Unit

UNDEFINED = "—"
INFINITE = "∞"
NOT_APPLICABLE = "n/a"  # the model cannot do the task: neither 0 nor missing

# C0 and C1 controls, bidi embeddings and isolates, line and paragraph separators, lone surrogates:
# a terminal or an editor would obey them instead of showing them.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ASCII = str.maketrans(
    {
        "↑": "^",
        "↓": "v",
        "→": "->",
        "—": "-",
        "–": "..",
        "∞": "inf",
        "…": "...",
        "·": ";",
        "≥": ">=",
        "≠": "!=",
        "±": "+-",
        "×": "x",
        "≤": "<=",
        "↔": "<->",
    }
)


def number(value: float | None, unit: Unit) -> str:
    """A number with one decimal, fractions in percent; — when there is none.

    >>> number(0.3744, "fraction"), number(12, "rank"), number(None, "rank")
    ('37.4', '12.0', '—')
    """
    if value is None:
        return UNDEFINED
    return f"{100 * value:.1f}" if unit == "fraction" else f"{value:.1f}"


def change_text(delta: float | None, low: float | None, high: float | None, unit: Unit) -> str:
    """A difference and its interval, signs always written; in points where the unit is a fraction.

    >>> change_text(-0.11, -0.168, 0.0, "fraction"), change_text(None, None, None, "rank")
    ('-11.0 [-16.8, 0.0]', '—')
    """
    if delta is None:
        return UNDEFINED
    interval = "" if low is None or high is None else f" [{_signed(low, unit)}, {_signed(high, unit)}]"
    return _signed(delta, unit) + interval


def _signed(value: float, unit: Unit) -> str:
    return signed(number(value, unit))


def signed(shown: str) -> str:
    """A number that was written already, with its sign; without one where no digit is left of it.

    >>> signed("3.0"), signed("-3.0"), signed("-0.00")
    ('+3.0', '-3.0', '0.00')
    """
    if not shown.strip("-0."):
        return shown.lstrip("-")  # nothing is left of it at this many digits
    return shown if shown.startswith("-") else f"+{shown}"


def p_value(value: float | None) -> str:
    """A p-value with two digits, however small; — when there is none.

    >>> p_value(0.012834), p_value(3.2e-9), p_value(1.0), p_value(1e-12), p_value(None)
    ('0.013', '3.2e-09', '1', '<1e-12', '—')
    """
    if value is None:
        return UNDEFINED
    return f"{'<' * (value == LEAST)}{value:.2g}"


def value_text(row: ScoreRow) -> str:
    """The headline value; a rank that is missing though queries define it is infinite."""
    if row.value is None and row.unit == "rank" and row.n_undefined < row.n:
        return INFINITE
    return number(row.value, row.unit)


def spread_text(row: ScoreRow) -> str:
    """``± 1.2``: one standard deviation over draws; empty where there are none."""
    return f"± {number(row.sd, row.unit)}" if row.sd is not None else ""


def interval_text(row: ScoreRow) -> str:
    """The 95 % interval, ``[34.5, 40.4]``; — where a value has none, empty where there is no value."""
    if without_interval(row):
        return UNDEFINED
    if row.low is None:
        return ""
    return f"[{number(row.low, row.unit)}, {_upper(row.high, row)}]"


def without_interval(row: ScoreRow) -> bool:
    """Whether a value stands without an interval: too few of its queries are independent."""
    return row.value is not None and row.low is None and row.high is None


def bounds_text(row: ScoreRow) -> str:
    """Where ties leave room, ``36.9–38.1``; empty when they don't, to the digits that are printed."""
    if row.value is None and row.unit == "fraction":
        return ""
    lower, upper = (
        (row.pessimistic, row.optimistic) if row.higher_is_better else (row.optimistic, row.pessimistic)
    )
    if lower is None:
        return ""
    texts = number(lower, row.unit), _upper(upper, row)
    return "" if texts == (value_text(row),) * 2 else "–".join(texts)


def _upper(value: float | None, row: ScoreRow) -> str:
    return INFINITE if value is None and row.unit == "rank" else number(value, row.unit)


def arrow(*, higher_is_better: bool) -> str:
    """Which way is better: ↑ or ↓."""
    return "↑" if higher_is_better else "↓"


def heading(title: str, unit: Unit, *, higher_is_better: bool) -> str:
    """A column's name with unit and direction.

    >>> heading("R@1", "fraction", higher_is_better=True), heading("medR", "rank", higher_is_better=False)
    ('R@1 % ↑', 'medR ↓')
    """
    percent = " %" if unit == "fraction" else ""
    return f"{title}{percent} {arrow(higher_is_better=higher_is_better)}"


def visible(text: str) -> str:
    r"""The text on one line, with whatever would be obeyed instead of shown written as an escape.

    >>> visible("a\x1b[31mb\n"), visible("漢字 عربي")
    ('a\\x1b[31mb\\n', '漢字 عربي')
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def plain(text: str, encoding: str = "utf-8") -> str:
    r"""The text with ASCII twins for our signs; what an encoding cannot hold is written as an escape.

    >>> plain("image→text ↑ é"), plain("image→text ↑ é", "ascii")
    ('image->text ^ é', 'image->text ^ \\xe9')
    """
    return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)


def few(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def system(result: Result) -> str:
    """``conse@1f3a9c``."""
    return f"{result.model}@{result.model_revision}" if result.model_revision else result.model


def short_data(fingerprint: str) -> str:
    """The first digits of a fingerprint, enough to tell two data sets apart by eye.

    >>> short_data("sha256:4be1f00d4be1f00d4be1")
    'sha256:4be1f00d4be1'
    """
    kind, colon, digits = fingerprint.rpartition(":")
    return f"{kind}{colon}{digits[:12]}"
