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
EVERYWHERE = 0.8  # of the pictures with a concept
SEVERAL = 2  # pictures: one alone shows neither a habit nor an exception from it


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
    elsewhere: Ints  # (K, S) how many other pictures show that sense


def senses(scenes: Sequence[Scene], hierarchy: Senses) -> Iterator[Suspect]:
    """Suspicious senses of a data set.

    ``odd-sense`` names a thing where another sense of its word fits 1.5 times as well or better, and other
    pictures, at least two, confirm that it is the other sense: they show that one, or they show this very
    concept, and in 8 of 10 of them it is at home: it fits 1.5 times as well as here, and no other sense is
    nearer. ``better-sense`` names a concept of which one other sense fits 1.5 times as well in 8 of 10 of the
    pictures that show it, which are at least two; it stands at the picture where the gain is largest.
    Severity is 1 − fit / fit of the suggestion. Both look only at pictures that show a sense of the word, so
    no others change what is named.
    """
    table = _Table.of(scenes, hierarchy)
    for concept in table.concepts:
        fits = table.fits(concept, hierarchy)
        if fits is not None and len(fits.senses):
            yield from _odd(fits, scenes)
            yield from _everywhere(fits, scenes)


def _odd(fits: _Fits, scenes: Sequence[Scene]) -> Iterator[Suspect]:
    others = np.where(np.isnan(fits.others), -1.0, fits.others)
    nearer = others >= NEARER * fits.own  # (K, S) never where the concept stands alone: NaN
    at_home = np.sort(fits.own[fits.own * NEARER > others.max(axis=0)])
    homes = len(at_home) - np.searchsorted(at_home, NEARER * fits.own)  # (S,) NaN sorts last: none
    enough = max(SEVERAL, EVERYWHERE * (int((~np.isnan(fits.own)).sum()) - 1))
    known = nearer & (fits.elsewhere >= SEVERAL)
    for at in np.flatnonzero(known.any(axis=0) | (nearer.any(axis=0) & (homes >= enough))).tolist():
        among = known[:, at] if known[:, at].any() else nearer[:, at]
        choice = int(np.where(among, others[:, at], -1.0).argmax())
        suggestion, own, other = fits.senses[choice], fits.own[at], others[choice, at]
        if known[choice, at]:
            why = f"{fits.elsewhere[choice, at]} other pictures show {suggestion}"
        else:
            why = f"in {homes[at]} other pictures {fits.concept} fits {NEARER:g} times as well, and best"
        evidence = f"mean path similarity to the rest {own:.3f}, {suggestion} has {other:.3f}; {why}"
        scene = scenes[fits.scenes[at]]
        yield Suspect.of(
            scene,
            _first(scene, fits.concept),
            "odd-sense",
            _gain(own, other),
            evidence,
            suggestion=suggestion,
        )


def _everywhere(fits: _Fits, scenes: Sequence[Scene]) -> Iterator[Suspect]:
    known = ~np.isnan(fits.own)
    count = int(known.sum())
    if count < SEVERAL:
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
        return _Fits(concept, scenes, means[0], others, means[1:], self._elsewhere(scenes, others))

    def _elsewhere(self, scenes: Ints, senses: Sequence[str]) -> Ints:
        """How many pictures show each sense, beside each of these, (K, S)."""
        counts = np.zeros((len(senses), len(scenes)), dtype=np.int64)
        for row, sense in enumerate(senses):
            if sense in self.place:
                column = self.place[sense]
                begin, end = self.by_concept.indptr[column : column + 2]
                showing = self.by_concept.indices[begin:end]
                counts[row] = len(showing) - np.isin(scenes, showing)
        return counts

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
