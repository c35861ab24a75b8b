"""The Result document itself, or that of a study alone: full precision, null for what is undefined."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from crossgauge.report.source import Source


def render(sources: Sequence[Source]) -> str:
    """The one document; several give an array of documents."""
    documents = [(source.study() if source.alone else None) or source.result for source in sources]
    if len(documents) == 1:
        return documents[0].to_json().decode("utf-8")
    encoded = msgspec.json.encode(documents, order="sorted")
    return msgspec.json.format(encoded, indent=1).decode("utf-8") + "\n"
