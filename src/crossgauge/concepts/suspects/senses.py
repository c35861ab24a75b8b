"""Concepts that do not go with the rest of their picture while another sense of the same word would.

How well a concept goes with a picture is its mean path similarity to the other distinct concepts there: its
*fit*. Automatic annotations give every "branch" the sense of a firm's branch; its fit among trees is low.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.sparse import csr_array

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.suspects.finding import Suspect
from crossgauge.scenes import Scene
from crossgauge.types import Floats, Ints

NEARER = 1.5  # times the fit, from which on another sense is nearer
FAR = 3.0  # scaled median absolute deviations below the median fit
ENOUGH = 10  # pictures from which on a concept has a distribution of its own
EVERYWHERE = 0.8  # of the pictures with a concept
SEVERAL = 2  # pictures, below which "everywhere" means nothing
_SCALE = 1.4826  # makes the median absolute deviation of normal values their standard deviation


@runtime_checkable
class Senses(Hierarchy, Protocol):
    """A hierarchy whose words can have several senses: WordNet."""

    def senses(self, name: str, pos: str | None = None) -> tuple[str, ...]:
        """All concepts that a word may mean."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Fits:
    """How well a concept and the other senses of its word go with the pictures it is in."""

    concept: str
    scenes: Ints  # (S,) rows of the pictures
    own: Floats  # (S,)
    senses: Sequence[str]  # the others, (K,)
    others: Floats  # (K, S)


def senses(scenes: Sequence[Scene], hierarchy: Senses) -> Iterator[Suspect]:
    """Suspicious senses of a data set.

    ``odd-sense`` names a thing whose fit lies more than 3 scaled median absolute deviations below the median
    fit of its concept (below that of all concepts, where fewer than 10 pictures show it), while another sense
    fits 1.5 times as well. ``better-sense`` names a concept of which one other sense fits 1.5 times as well
    in 8 of 10 of the pictures that show it, which are at least two; it stands at the picture where the gain
    is largest. Severity is 1 − fit / fit of the suggestion.
    """
    table = _Table.of(scenes, hierarchy)
    found = [fits for concept in table.concepts if (fits := table.fits(concept, hierarchy)) is not None]
    if not found:
        return
    usual = _threshold(np.concatenate([fits.own for fits in found]))
    for fits in found:
        threshold = usual if len(fits.own) < ENOUGH else _threshold(fits.own)
        yield from _odd(fits, scenes, threshold, whole=len(fits.own) < ENOUGH)
        yield from _everywhere(fits, scenes)


def _threshold(fits: Floats) -> tuple[float, float]:
    """The median fit, and what is far below it; NaN left out."""
    known = fits[~np.isnan(fits)]
    if not len(known):
        return (np.nan, -np.inf)
    median = float(np.median(known))
    return median, median - FAR * _SCALE * float(np.median(np.abs(known - median)))


def _odd(
    fits: _Fits, scenes: Sequence[Scene], threshold: tuple[float, float], *, whole: bool
) -> Iterator[Suspect]:
    if not len(fits.senses):
        return
    median, far = threshold
    best = np.where(np.isnan(fits.others), -1.0, fits.others)
    choice = best.argmax(axis=0)
    nearest = best.max(axis=0)
    strange = (fits.own < far) & (nearest >= NEARER * fits.own)
    for at in np.flatnonzero(strange).tolist():
        suggestion = fits.senses[choice[at]]
        usual = "of all concepts" if whole else f"of {fits.concept} in {len(fits.own)} pictures"
        evidence = (
            f"mean path similarity to the rest {fits.own[at]:.3f}, the median {usual} {median:.3f}; "
            f"{suggestion} has {nearest[at]:.3f}"
        )
        scene = scenes[fits.scenes[at]]
        yield Suspect.of(
            scene, _first(scene, fits.concept), "odd-sense", _gain(fits.own[at], nearest[at]), evidence,
            suggestion=suggestion,
        )  # fmt: skip


def _everywhere(fits: _Fits, scenes: Sequence[Scene]) -> Iterator[Suspect]:
    known = ~np.isnan(fits.own)
    count = int(known.sum())
    if count < SEVERAL or not len(fits.senses):
        return
    nearer = (fits.others >= NEARER * fits.own)[:, known].sum(axis=1)
    means = np.array([_mean(row[known]) for row in fits.others])
    wins = np.flatnonzero(nearer >= EVERYWHERE * count)
    if not len(wins):
        return
    choice = int(wins[means[wins].argmax()])
    own = _mean(fits.own)
    gains = np.where(np.isnan(fits.others[choice]), -np.inf, fits.others[choice] - fits.own)
    scene = scenes[fits.scenes[int(np.where(known, gains, -np.inf).argmax())]]
    evidence = (
        f"in {nearer[choice]} of {count} pictures {fits.senses[choice]} is nearer to the rest: mean path "
        f"similarity {means[choice]:.3f}, {fits.concept} {own:.3f}"
    )
    yield Suspect.of(
        scene, _first(scene, fits.concept), "better-sense", _gain(own, means[choice]), evidence,
        suggestion=fits.senses[choice],
    )  # fmt: skip


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else -np.inf


def _gain(own: float, other: float) -> float:
    return float(1.0 - own / other)


def _first(scene: Scene, concept: str) -> int:
    return next(number for number, thing in enumerate(scene.things) if thing.concept == concept)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Which picture shows which concept."""

    concepts: tuple[str, ...]  # sorted
    shown: csr_array  # (scenes, concepts) 1 where a picture shows a concept
    by_concept: csr_array  # the same, (concepts, scenes)
    place: Mapping[str, int]  # the column of each
    names: Mapping[str, tuple[str, ...]]  # how each was written

    @classmethod
    def of(cls, scenes: Sequence[Scene], hierarchy: Hierarchy) -> _Table:
        written: dict[str, dict[str, None]] = {}
        for scene in scenes:
            for thing in scene.things:
                if thing.concept is not None:
                    written.setdefault(thing.concept, {})[thing.name] = None
        concepts = tuple(sorted(concept for concept in written if concept in hierarchy))
        place = {concept: number for number, concept in enumerate(concepts)}
        rows, columns = [], []
        for row, scene in enumerate(scenes):
            known = [place[concept] for concept in sorted(scene.concepts) if concept in place]
            rows += [row] * len(known)
            columns += known
        shape = (len(scenes), len(concepts))
        shown = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        names = {concept: tuple(sorted(written[concept])) for concept in concepts}
        return cls(concepts, shown, csr_array(shown.T), place, names)

    def fits(self, concept: str, hierarchy: Senses) -> _Fits | None:
        """The fits of a concept and of the other senses of its word; None where it always stands alone."""
        column = self.place[concept]
        ends = self.by_concept.indptr
        scenes = np.asarray(self.by_concept.indices[ends[column] : ends[column + 1]], dtype=np.int64)
        here = self.shown[scenes]
        neighbours = np.unique(here.indices)
        if len(neighbours) <= 1:
            return None
        others = [one for one in self._senses(concept, hierarchy) if one != concept]
        near = hierarchy.similarities([concept, *others], [self.concepts[n] for n in neighbours.tolist()])
        near[:, neighbours == column] = np.nan  # the rest of a picture is what it shows beside the concept
        for row, sense in enumerate(others, start=1):
            near[row, neighbours == self.place.get(sense, -1)] = np.nan  # and beside the sense itself
        means = _means(here[:, neighbours], near)
        return _Fits(concept, scenes, means[0], others, means[1:])

    def _senses(self, concept: str, hierarchy: Senses) -> list[str]:
        """What the words that were written may mean, if that includes this concept; else what its own may."""
        pos = concept.rpartition(".")[0].rpartition(".")[2].replace("s", "a")
        words = [*self.names[concept], hierarchy.words(concept)[0]]
        for word in words:
            found = hierarchy.senses(word, pos) if word else ()
            if concept in found:
                return list(found)
        return []


def _means(shown: csr_array, values: Floats) -> Floats:
    """The mean of each row of values, (K, V), over what each picture shows, (S, V) → (K, S)."""
    defined = ~np.isnan(values)
    counts = (shown @ defined.T.astype(np.float64)).T
    sums = (shown @ np.where(defined, values, 0.0).T).T
    means: Floats = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return means
