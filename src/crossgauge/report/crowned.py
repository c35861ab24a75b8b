"""Who is best among competitors. Values compete as printed: a difference nobody can see wins nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crossgauge.report import wording
from crossgauge.report.lines import Column, Line


def crowned(lines: Sequence[Line], columns: Sequence[Column]) -> list[Line]:
    """The lines with the best of every group of competitors marked, ties in print included."""
    marked = {
        (position, column.measure)
        for column in columns
        for group in _competitors(lines)
        for position in winners(
            {p: lines[p].entry(column).value for p in group}, higher_is_better=column.higher_is_better
        )
    }
    return [
        replace(line, entries={m: replace(e, best=(position, m) in marked) for m, e in line.entries.items()})
        for position, line in enumerate(lines)
    ]


def winners(held: Mapping[int, str], *, higher_is_better: bool) -> list[int]:
    """Who holds the best printed value (the smallest, where smaller is better); nobody, when all are equal.

    >>> winners({0: "41.5", 1: "—", 2: "50.0"}, higher_is_better=True)
    [2]
    """
    known = {p: value for p, value in ((p, _printed(text)) for p, text in held.items()) if value is not None}
    if len(set(known.values())) < 2:  # noqa: PLR2004  (a race needs a winner and a loser)
        return []
    best = (max if higher_is_better else min)(known.values())
    return [p for p, value in known.items() if value == best]


def _competitors(lines: Sequence[Line]) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for position, line in enumerate(lines):
        if line.peers and not line.partial:
            groups.setdefault(line.peers, []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def _printed(text: str) -> float | None:
    if text == wording.INFINITE:
        return float("inf")
    return None if text in {"", wording.UNDEFINED, wording.NOT_APPLICABLE} else float(text)
