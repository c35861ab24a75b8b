"""Texts and rows as Markdown (GitHub's) that shows them and does nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crossgauge.report import wording

_OBEYED = re.compile(r"([\\`*_\[\]|~<>&])")  # texts never begin a line, so #, - and + need no escape


def escape(text: str) -> str:
    r"""The text as Markdown that shows it and nothing else.

    >>> escape("a|b *c* <d>")
    'a\\|b \\*c\\* \\<d\\>'
    """
    return _OBEYED.sub(r"\\\1", wording.visible(text))


def row(cells: Sequence[str]) -> str:
    """One line of a table, its cells being Markdown already."""
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    """A code span, whose fence is longer than any run of backticks inside."""
    shown = wording.visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence} {shown} {fence}"
