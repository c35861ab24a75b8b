"""From scores to the rows, counts and warnings of a cell: what every Result holds, whoever made the ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from crossgauge.measures import parse, whole_clusters
from crossgauge.result import ScoreRow, finite
from crossgauge.signature import signature
from crossgauge.types import Floats, Ints, Qrels, Score

TIED_SHARE = 0.01  # of the queries: above it, ties are worth a warning


def score_rows(
    scores: Mapping[str, Score], place: str, *, gallery: int, data: str, fields: Mapping[str, str]
) -> tuple[ScoreRow, ...]:
    """One row a score, each with its title and signature."""
    return tuple(
        ScoreRow.of(
            score,
            title=title_of(name),
            signature=signature(
                place,
                name,
                n=score.n,
                gallery=gallery,
                missing=score.n_missing,
                data=data,
                fields=dict(fields) | _tokenizer(name),
            ),
        )
        for name, score in scores.items()
    )


def title_of(name: str) -> str:
    """What papers call a measure.

    >>> title_of("hit@1"), title_of("rouge_l"), title_of("rouge_l:coco")
    ('R@1', 'ROUGE-L', 'ROUGE-L (coco)')
    """
    if not _writes(name):
        return parse(name).title
    profile = name.partition(":")[2]
    return f"ROUGE-L ({profile})" if profile else "ROUGE-L"


def pooled(name: str, per_query: Floats, clusters: Ints | None = None) -> float | None:
    """Mean or median over the queries that define the measure; None where that means nothing.

    >>> pooled("medr", np.array([1.0, 4.0])), pooled("acc_macro@1", np.array([1.0]))
    (2.5, None)
    """
    kind = "mean" if _writes(name) else parse(name).summary
    if kind == "all":
        if clusters is None:
            return None
        per_query = whole_clusters(per_query, np.unique(clusters, return_inverse=True)[1].reshape(-1))
    defined = per_query[~np.isnan(per_query)]
    if kind == "macro" or not len(defined):  # a mean over classes says nothing inside one of them
        return None
    return finite(float(np.median(defined) if kind == "median" else np.mean(defined)))


def _writes(name: str) -> bool:
    """Whether it is a measure of captions, with its profile after the colon."""
    return name.partition(":")[0] == "rouge_l"


def _tokenizer(name: str) -> dict[str, str]:
    """How texts were cut into words: part of a caption score's signature."""
    if not _writes(name):
        return {}
    from crossgauge.rouge import PROFILES

    return {"tokenizer": PROFILES[name.partition(":")[2] or "multilingual"].tokenizer}


def positives(qrels: Qrels) -> tuple[int, float, int]:
    """How many relevant items a query has: minimum, median, maximum.

    >>> positives(Qrels.of([[0], [0, 1], [1, 2]]))
    (1, 2.0, 2)
    """
    counts = np.diff(qrels.start)
    if not len(counts):
        return (0, 0.0, 0)
    return (int(counts.min()), float(np.median(counts)), int(counts.max()))


def score_warnings(scores: Mapping[str, Score], unanswered: str = "") -> Iterator[str]:
    """What a reader of these scores should know: ties (W301), undefined (W302) and missing queries (W303)."""
    first = next(iter(scores.values()))
    if first.n_tied > TIED_SHARE * first.n:
        tied = f"{first.n_tied} of {first.n} queries tie with a rival"
        yield f"W301 {tied}: expected values are printed, bounds beside"
    if first.n_undefined:
        without = f"{first.n_undefined} of {first.n} queries have no relevant item"
        yield f"W302 {without}: undefined, not averaged in"
    if first.n_missing:
        missed = f"{first.n_missing} of {first.n} queries were not answered"
        yield f"W303 {missed}: counted as misses{unanswered}"
