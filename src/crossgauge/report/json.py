"""The Result document itself: full precision, null for what is undefined."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from crossgauge.report.source import Source


def render(sources: Sequence[Source]) -> str:
    """The one document; several give an array of documents."""
    if len(sources) == 1:
        return sources[0].result.to_json().decode("utf-8")
    encoded = msgspec.json.encode([source.result for source in sources], order="sorted")
    return msgspec.json.format(encoded, indent=1).decode("utf-8") + "\n"
