"""Scores of chosen pairs, by the definition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossgauge.ranking.exact import LANES, Exact, exact_here
from crossgauge.ranking.relevance import Judged
from crossgauge.ranking.vectors import Rows
from crossgauge.ranking.workers import Workers
from crossgauge.types import Floats, Ints, Similarity

PAIRS = 1 << 14  # judgements scored by one thread in one go


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Both sides, measured, and how they are compared."""

    queries: Rows
    corpus: Rows
    similarity: Similarity

    @property
    def dimensions(self) -> int:
        """D, the same on both sides."""
        return int(self.queries.given.shape[1])


def score_judged(judged: Judged, pair: Pair, workers: Workers) -> None:
    """Fill in the score of every judgement."""
    step = max(LANES, min(PAIRS, -(-len(judged.index) // (2 * workers.threads))))

    def work(begin: int) -> None:
        part = slice(begin, begin + step)
        exact = exact_here(workers.local, pair.dimensions, pair.similarity)
        judged.score[part] = score_pairs(pair, query=judged.query[part], item=judged.item[part], exact=exact)

    workers.each(work, range(0, len(judged.index), step))


def score_pairs(pair: Pair, *, query: Ints, item: Ints, exact: Exact) -> Floats:
    """The scores of pairs of rows, (P,); rows that are not at hand are fetched a few at a time."""
    left, right = pair.queries.whole, pair.corpus.whole
    with np.errstate(all="ignore"):
        if left is not None and right is not None:
            return exact.scores(left, right, rows=query, others=item)
        found = np.empty(len(query))
        everyone = np.arange(LANES)
        for begin in range(0, len(query), LANES):
            part = slice(begin, min(begin + LANES, len(query)))
            rows = everyone[: part.stop - begin]
            left, right = pair.queries.take(query[part]), pair.corpus.take(item[part])
            found[part] = exact.scores(left, right, rows=rows, others=rows)
    return found
