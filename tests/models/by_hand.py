"""Measures by a loop that anybody can check, over the vectors that a library's documented call gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossgauge.types import Split
from tests.models import documented


def by_hand(queries: Any, corpus: Any, split: Split) -> dict[str, float]:
    """Means over queries of the place of the best relevant candidate; places by counting, not sorting."""
    scores = documented.unit(queries) @ documented.unit(corpus).T
    places = []
    for query, row in enumerate(scores):
        relevant = split.qrels.items[split.qrels.start[query] : split.qrels.start[query + 1]]
        best = max(row[item] for item in relevant)
        assert sum(abs(row - best) < 1e-9) == 1, "no ties, so that counting is enough"
        places.append(1 + sum(score > best for n, score in enumerate(row) if n not in relevant))
    return {
        "hit@1": float(np.mean([place <= 1 for place in places])),
        "hit@5": float(np.mean([place <= 5 for place in places])),
        "mrr": float(np.mean([1 / place for place in places])),
        "medr": float(np.median(places)),
    }
