"""Which concepts a query mentions: the ground of the query-informed variants, in our reading."""

from __future__ import annotations

import re
from functools import lru_cache

from crossgauge.concepts.hierarchy import Hierarchy

LONGEST = 3  # words of a name: "fire hydrant", "pair of trousers"
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")


class Mentions:
    """Looks up the concepts that words of a query name: every run of up to three words that names one counts.

    So "hot dog" mentions dogs too. That is the generous side to err on: of what a query mentions only
    concepts that the truth shows are looked at, and "red fire hydrant" must not stop at the red fire.

    >>> from crossgauge.concepts.similarity import SimilarityTable
    >>> mentions = Mentions(SimilarityTable({("hot dog", "dog"): 0.1, ("cat", "park"): 0.1}))
    >>> sorted(mentions.of("A hot dog in the park"))
    ['dog', 'hot dog', 'park']
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._resolve = lru_cache(maxsize=1 << 16)(hierarchy.resolve)

    def of(self, query: str) -> frozenset[str]:
        """The concepts that the query mentions."""
        words = _WORD.findall(query.lower())
        runs = (
            " ".join(words[at : at + length])
            for length in range(1, LONGEST + 1)
            for at in range(len(words) - length + 1)
        )
        found = (self._resolve(run) for run in runs)
        return frozenset(concept for concept in found if concept is not None)
