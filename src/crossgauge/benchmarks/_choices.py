"""Multiple choice: each query has its own few candidates, one of them right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crossgauge.benchmark import Contest, Official, Profile
from crossgauge.benchmarks._scores import scorer
from crossgauge.errors import Fault
from crossgauge.types import Bools, Floats, Item, Qrels, Split


@dataclass(frozen=True, slots=True)
class Choice:
    """One query and what it chooses from."""

    query: Item
    candidates: tuple[Item, ...]
    right: int  # which of them
    cluster: int  # queries of one cluster count together, or are resampled together
    group: str | None = None  # for breakdowns


def choices_split(choices: Sequence[Choice]) -> Split:
    """The choices as one cell: a corpus of every candidate once, by id, and each query's own rows of it.

    >>> a, b = Item("a", text="x"), Item("b", text="y")
    >>> split = choices_split([Choice(Item("q", text="z"), (a, b), 1, 0)])
    >>> split.qrels.items.tolist(), [rows.tolist() for rows in split.candidates]
    ([1], [[0, 1]])
    """
    corpus = {item.id: item for choice in choices for item in choice.candidates}
    row = {name: number for number, name in enumerate(corpus)}
    rows = [[row[item.id] for item in choice.candidates] for choice in choices]
    numbers = np.unique([choice.cluster for choice in choices], return_inverse=True)[1]
    together = len(set(numbers.tolist())) < len(choices)
    grouped = any(choice.group for choice in choices)
    return Split(
        queries=tuple(choice.query for choice in choices),
        corpus=tuple(corpus.values()),
        qrels=Qrels.of([[mine[choice.right]] for mine, choice in zip(rows, choices, strict=True)]),
        candidates=tuple(np.array(sorted(mine), dtype=np.int64) for mine in rows),
        clusters=numbers.reshape(-1).astype(np.int64) if together else None,
        groups=tuple(choice.group or "none" for choice in choices) if grouped else None,
    )


def strict_profile(name: str, tasks: tuple[str, ...], *, measure: str, source: str) -> Profile:
    """An official scorer that wants the right candidate strictly above all others: ties lose."""

    def score(contest: Contest) -> Official:
        won, tied = _won(contest)
        clusters = contest.split.clusters
        whole = clusters is not None and measure.startswith("all_")
        counted = _all_of(won, clusters) if whole and clusters is not None else won
        notes = (f"{int(tied.sum())} queries tie and count as lost",) if tied.any() else ()
        return Official({measure: float(np.mean(counted))}, notes)

    return Profile(
        name=name,
        tasks=tasks,
        fault="the right candidate must score strictly higher, so a tie is lost: the pessimistic bound, and "
        "0 for a constant model",
        source=source,
        score=score,
    )


def equal_candidates(choices: Sequence[Choice], place: str) -> tuple[Fault, ...]:
    """A warning (W378) where the right candidate of a choice has an equal: nothing can tell them apart."""
    same = [choice for choice in choices if _is_doubled(choice)]
    if not same:
        return ()
    text = same[0].candidates[same[0].right].text or ""
    found = f"{len(same)} of {len(choices)} have a wrong candidate equal to the right one, e.g. {text[:60]!r}"
    return (Fault("W378", place, found, "candidates that differ", "they tie exactly"),)


def _is_doubled(choice: Choice) -> bool:
    texts = [item.text for item in choice.candidates if item.text is not None]
    return len(set(texts)) < len(texts)


def _won(contest: Contest) -> tuple[Bools, Bools]:
    """For each query whether its right candidate beats every other, and whether one equals it, (Q,)."""
    split = contest.split
    scores = scorer(contest, np.arange(len(split.corpus), dtype=np.int64))
    won = np.zeros(len(split.queries), dtype=np.bool_)
    tied = np.zeros(len(split.queries), dtype=np.bool_)
    for query, right in enumerate(split.qrels.items):
        line: Floats = scores(np.array([query]))[0]
        mine = range(len(split.corpus)) if split.candidates is None else split.candidates[query]
        others = [line[one] for one in mine if one != right]
        won[query] = all(line[right] > other for other in others)
        tied[query] = any(line[right] == other for other in others)
    return won, tied


def _all_of(won: Bools, clusters: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Bools:
    whole = np.ones(int(clusters.max()) + 1, dtype=np.bool_)
    np.logical_and.at(whole, clusters, won)
    return whole
