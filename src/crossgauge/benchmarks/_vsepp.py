"""VSE++'s scorer (Faghri et al. 2018): places in a reversed unstable argsort, floored median, five folds.

Three things it does that the measures here do not: equal scores are put in whatever order NumPy's unstable
sort left them in, turned round; the median is the floor of the median of 0-based ranks, plus one, so [1, 2]
gives 1 and not 1.5; and its five-fold summary prints numbers under the wrong names (see ``_misprinted``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crossgauge.benchmark import Contest, Official, Profile
from crossgauge.benchmarks._scores import scorer
from crossgauge.types import Draw, Floats, Ints, Split

CAPTIONS = 5  # of each picture: it counts on exactly so many
_CUTOFFS = (1, 5, 10)


def vsepp(contest: Contest) -> Official:
    """``hit@1``, ``hit@5``, ``hit@10`` and ``medr`` as its evaluation.py computes them, means over folds."""
    split = contest.split
    draws = split.draws or (Draw(np.arange(len(split.queries)), np.arange(len(split.corpus))),)
    ranks = [_ranks(contest, draw) for draw in draws]
    values = {f"hit@{k}": float(np.mean([np.mean(fold < k) for fold in ranks])) for k in _CUTOFFS}
    values["medr"] = float(np.mean([np.floor(np.median(fold)) + 1 for fold in ranks]))
    pictures_ask = bool(split.queries) and split.queries[0].image is not None
    notes = list(_ragged(split, pictures_ask=pictures_ask))
    if split.draws and pictures_ask:
        notes.append(_misprinted(ranks))
    return Official(values, tuple(notes))


def profile(*, folds: bool) -> Profile:
    """The profile; with ``folds`` its options also fix nothing but the five captions."""
    return Profile(
        name="vsepp",
        tasks=("i2t", "t2i"),
        fault="equal scores keep the order of a reversed unstable argsort, and medR is the floor of the "
        "median of 0-based ranks, plus one"
        + ("; its five-fold summary prints numbers under the wrong names" if folds else ""),
        source="fartashf/vsepp evaluation.py at d3a68af (i2t, t2i, evalrank)",
        score=vsepp,
        options={"captions": "first-five"},
    )


def _ranks(contest: Contest, draw: Draw) -> Floats:
    """The 0-based place of the best placed relevant item of each query of a fold, (Q,)."""
    start, items = contest.split.qrels.start, contest.split.qrels.items
    at = np.full(len(contest.split.corpus), -1, dtype=np.int64)
    at[draw.corpus] = np.arange(len(draw.corpus))
    places = []
    scores = scorer(contest, draw.corpus)
    for rows in _blocks(contest.split, draw.queries):
        for query, line in zip(rows, scores(rows), strict=True):
            order = np.argsort(line)[::-1]  # NumPy's default sort, as there
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            right = at[items[start[query] : start[query + 1]]]
            places.append(place[right[right >= 0]].min())
    return np.array(places, dtype=np.float64)


def _blocks(split: Split, queries: Ints) -> Iterator[Ints]:
    """Queries that are multiplied at once: one picture, or the captions of one picture."""
    if split.clusters is None:
        yield from queries.reshape(-1, 1)
        return
    ends = np.flatnonzero(np.diff(split.clusters[queries])) + 1
    yield from np.split(queries, ends)


def _ragged(split: Split, *, pictures_ask: bool) -> Iterator[str]:
    """A picture without exactly five captions would shift every later one there."""
    qrels = split.qrels if pictures_ask else split.qrels.transposed(len(split.corpus))
    ragged = int((np.diff(qrels.start) != CAPTIONS).sum())
    if ragged:
        yield (
            f"{ragged} pictures have not exactly five captions: evaluation.py would match the wrong ones "
            "from there on; here the right ones were matched"
        )


def _misprinted(ranks: list[Floats]) -> str:
    """The five-fold summary reads its columns one place too early."""
    mean = 100.0 * float(np.mean([np.mean([np.mean(fold < k) for k in _CUTOFFS]) for fold in ranks]))
    return (
        f"its five-fold summary would print rsum {6 * mean:.1f}, which is six times the mean image→text "
        "recall; what it calls the average i2t recall is that of text→image, and the t2i one is the true rsum"
    )
