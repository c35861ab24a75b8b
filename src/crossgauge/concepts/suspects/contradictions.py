"""Pairs of pictures whose concepts say one thing and a model, or people, another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossgauge.concepts.suspects.finding import Suspect
from crossgauge.scenes import Scene
from crossgauge.types import Floats

TENTH = 0.1  # the lowest and the highest part of the pairs
FEW = 10  # pairs below which a tenth means nothing


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A picture that should have come first, one that did, and what else is known of the two."""

    truth: str  # ids of pictures
    retrieved: str
    query: str = ""
    similarity: float | None = None  # by the model; higher is nearer
    rank: float | None = None  # of the truth; lower is nearer
    rating: float | None = None  # by people, of the retrieved picture; higher is better


@dataclass(frozen=True, slots=True)
class _Judged:
    """How one judge orders the pairs."""

    what: str  # "similarity"
    values: Floats  # (P,) NaN where the judge says nothing
    nearness: Floats  # (P,) the same, higher is nearer
    far: str  # the reason where concepts say far and the judge says near
    near: str | None  # and the other way round; None: this is no contradiction


def contradictions(retrievals: Sequence[Retrieval], scenes: Mapping[str, Scene]) -> Iterator[Suspect]:
    """Pairs among the tenth with the fewest concepts in common and the tenth that is judged nearest.

    Common concepts are CA (:mod:`crossgauge.concepts.measures`): the share of the truth's concepts that the
    retrieved picture shows too. Pairs judged are those with two different pictures, both annotated, the truth
    with a concept; of fewer than ten none is named. For ratings the opposite is named too: the most in common
    and the worst rated. Severity is (1 − CA) times the share of pairs that are judged less near, and CA times
    the share judged nearer for the opposite. The row stands at the truth.
    """
    known = [one for one in retrievals if _comparable(one, scenes)]
    shared = [_shared(scenes[one.truth], scenes[one.retrieved]) for one in known]
    agreement = np.array([common / whole for common, whole in shared], dtype=np.float64)
    for judge in _judges(known):
        said = np.flatnonzero(~np.isnan(judge.nearness))
        if len(said) >= FEW:
            yield from _named([known[at] for at in said.tolist()], agreement[said], judge, said)


def comparable(retrievals: Sequence[Retrieval], scenes: Mapping[str, Scene]) -> int:
    """How many pairs can be judged at all."""
    return sum(_comparable(one, scenes) for one in retrievals)


def _comparable(one: Retrieval, scenes: Mapping[str, Scene]) -> bool:
    there = one.truth in scenes and one.retrieved in scenes
    return there and one.truth != one.retrieved and bool(scenes[one.truth].concepts)


def _shared(truth: Scene, retrieved: Scene) -> tuple[int, int]:
    return len(truth.concepts & retrieved.concepts), len(truth.concepts)


def _judges(known: Sequence[Retrieval]) -> Iterator[_Judged]:
    similarity, rank, rating = (
        np.array(
            [np.nan if (value := getattr(one, name)) is None else value for one in known], dtype=np.float64
        )
        for name in ("similarity", "rank", "rating")
    )
    yield _Judged("similarity", similarity, similarity, "far-but-similar", None)
    yield _Judged("rank of the truth", rank, -rank, "far-but-similar", None)
    yield _Judged("mean rating", rating, rating, "far-but-well-rated", "near-but-badly-rated")


def _named(
    known: Sequence[Retrieval], agreement: Floats, judge: _Judged, said: np.ndarray
) -> Iterator[Suspect]:
    nearness, values = judge.nearness[said], judge.values[said]
    few, many = np.quantile(agreement, [TENTH, 1 - TENTH], method="inverted_cdf")
    low, high = np.quantile(nearness, [TENTH, 1 - TENTH], method="inverted_cdf")
    if few == many or low == high:
        return  # one side does not tell pairs apart
    order = np.sort(nearness)
    below = np.searchsorted(order, nearness, "left") / len(order)
    above = 1.0 - np.searchsorted(order, nearness, "right") / len(order)
    for at in np.flatnonzero((agreement <= few) & (nearness >= high)).tolist():
        severity = float((1.0 - agreement[at]) * below[at])
        yield _suspect(
            known[at], judge.far, severity, _evidence(agreement[at], judge, values[at], len(known))
        )
    for at in np.flatnonzero((agreement >= many) & (nearness <= low)).tolist() if judge.near else ():
        severity = float(agreement[at] * above[at])
        yield _suspect(
            known[at], str(judge.near), severity, _evidence(agreement[at], judge, values[at], len(known))
        )


def _evidence(agreement: float, judge: _Judged, value: float, pairs: int) -> str:
    return f"CA {agreement:.3f}, {judge.what} {value:g}, each in the last tenth of {pairs} pairs"


def _suspect(one: Retrieval, reason: str, severity: float, evidence: str) -> Suspect:
    return Suspect(severity, reason, one.truth, evidence, other=one.retrieved, query=one.query)
