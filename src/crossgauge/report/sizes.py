"""How many were asked and how many competed, in words: the gallery, candidates of a query, or draws."""

from __future__ import annotations

from crossgauge.report import wording
from crossgauge.result import CellResult


def choosy(cell: CellResult) -> bool:
    """Whether a query met fewer than the whole gallery: candidates of its own, or those of a draw."""
    return bool(cell.draws) or cell.candidates not in {(0, 0), (cell.gallery, cell.gallery)}


def most(cell: CellResult) -> int:
    """The most that competed for one query."""
    return cell.candidates[1] or cell.gallery


def competing(cell: CellResult) -> str:
    """``298``; ``2–8`` candidates; ``10 × 1000`` in draws; — where nothing is ranked."""
    if cell.kind == "captioning":
        return wording.UNDEFINED
    rivals = _rivals(cell, "")
    return f"{cell.draws} × {rivals}" if cell.draws else rivals


def in_words(cell: CellResult) -> str:
    """``300 queries · gallery 298``, ``12 queries · 2–8 candidates each``, ``10 draws of 1,000``.

    In draws, the queries are counted only where they are not as many as compete.
    """
    if cell.kind == "captioning":
        return f"{cell.queries} items"
    if cell.draws and cell.queries == cell.draws * most(cell):
        return rivals_in_words(cell)
    return f"{format(cell.queries, ',' if cell.draws else '')} queries · {rivals_in_words(cell)}"


def rivals_in_words(cell: CellResult) -> str:
    """``gallery 298``, ``2–8 candidates each``, ``10 draws of 1,000``."""
    if cell.draws:
        return f"{cell.draws} draw{'s' if cell.draws > 1 else ''} of {_rivals(cell, ',')}"
    return f"{_rivals(cell, '')} candidates each" if choosy(cell) else f"gallery {cell.gallery}"


def _rivals(cell: CellResult, separator: str) -> str:
    low, high = cell.candidates if cell.candidates[1] else (cell.gallery, cell.gallery)
    ends = dict.fromkeys((format(low, separator), format(high, separator)))
    return "–".join(ends)
