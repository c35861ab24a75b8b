"""Results as something to read: terminal, Markdown, LaTeX, CSV, JSON, TREC run, one HTML file.

Every format is one module with ``render(sources) -> str``; :data:`FORMATS` is the table of them, and adding a
format is adding a module and its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crossgauge.report.source import Source

FORMATS = {"csv": "csv", "json": "json", "md": "markdown", "tex": "latex", "trec": "trec"}  # ending → module


def render(sources: Sequence[Source], ending: str) -> str:
    """The sources in a format of :data:`FORMATS`.

    Raises InputError (E322) when several sources may not stand in one table.
    """
    from crossgauge.report.comparable import require_comparable

    require_comparable(sources)
    text: str = import_module(f"crossgauge.report.{FORMATS[ending]}").render(sources)
    return text
