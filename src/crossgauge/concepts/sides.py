"""Scenes as arrays: the distinct concepts of one side of many pairs, with their counts and areas."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import Fault, InputError
from crossgauge.scenes import Scene, Thing
from crossgauge.types import Bools, Floats, Ints

_NEAR = 64  # scenes whose things are gone through again while they are in the processor's cache
MOST = 1 << 31  # instances that one annotated thing may stand for: sums over any data set stay exact


@dataclass(slots=True)
class Vocabulary:
    """The concepts met so far, numbered from 0 in the order of their coming."""

    hierarchy: Hierarchy
    names: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)  # unknown to the hierarchy
    _places: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def add(self, concept: str) -> None:
        """Give a number to a concept that had none."""
        if concept not in self.hierarchy:
            self.strangers.append(concept)
        self.names.append(concept)
        self.numbers[concept] = len(self.numbers)

    def places(self) -> Ints:
        """The place of each number in the alphabetical order of all concepts, (V,)."""
        if len(self._places) < len(self.names):
            order = sorted(range(len(self.names)), key=self.names.__getitem__)
            self._places = np.empty(len(order), dtype=np.int64)
            self._places[order] = np.arange(len(order))
        return self._places

    def check(self, scenes: Iterable[Scene]) -> None:
        """Raise InputError (E286) if the scenes showed concepts that the hierarchy does not hold."""
        if not self.strangers:
            return
        image = {
            concept: scene.image
            for scene in scenes
            for thing in scene.things
            for concept in (*thing.also, thing.concept)
        }
        wanted = f"a concept of {self.hierarchy.name}"
        fix = "give the hierarchy that the scenes were annotated with"
        raise InputError(Fault("E286", image[name], name, wanted, fix) for name in self.strangers)


@dataclass(frozen=True, slots=True, eq=False)
class Things:
    """All annotated things of many scenes, one after the other; those without a concept are left out."""

    scene: Ints  # (T,) the number of the scene
    concept: Ints  # (T,)
    count: Ints  # (T,)
    area: Floats  # (T,) NaN without a box


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The distinct concepts of one side of many pairs, a row each: pair after pair, in alphabetical order."""

    key: Ints  # (C,) pair and place in the alphabet as one number; ascending
    pair: Ints  # (C,)
    concept: Ints  # (C,) the number in the vocabulary
    count: Ints  # (C,) how many are shown, with or without a box
    boxes: Ints  # (C,) how many have a box
    first_box: Ints  # (C,) where their areas begin
    areas: Floats  # (B,) ascending in each row


@dataclass(slots=True)
class _Flat:
    """What things say, one value a thing; those with several concepts once for each."""

    concepts: list[str | None] = field(default_factory=list)
    counts: list[object] = field(default_factory=list)
    boxed: list[bool] = field(default_factory=list)
    widths: list[object] = field(default_factory=list)
    heights: list[object] = field(default_factory=list)

    def add(self, every: Sequence[Thing], concepts: Iterable[str | None]) -> None:
        """Some more things with their concepts."""
        boxes = [thing.box for thing in every]
        self.concepts += concepts
        self.counts += [thing.count for thing in every]
        self.boxed += [box is not None for box in boxes]
        self.widths += [np.nan if box is None else box.width for box in boxes]
        self.heights += [np.nan if box is None else box.height for box in boxes]


def things(scenes: Sequence[Scene], vocabulary: Vocabulary, settings: ConceptSettings) -> Things:
    """Flatten the scenes; raises InputError for boxes and counts that cannot be (E287, E282)."""
    flat, sizes = _flat(scenes, settings)
    for name in dict.fromkeys(flat.concepts):
        if name is not None and name not in vocabulary.numbers:
            vocabulary.add(name)
    number: dict[str | None, int] = {None: -1}
    number.update(vocabulary.numbers)
    concept = np.array(list(map(number.__getitem__, flat.concepts)), dtype=np.int64)
    count = _counts(flat.counts)
    scene_of = np.repeat(np.arange(len(sizes)), sizes)
    area = _areas(_lengths(flat.widths), _lengths(flat.heights), np.array(flat.boxed, dtype=bool))
    bad = np.isinf(area) | (count == _IMPOSSIBLE)
    if bad.any():
        raise InputError(_impossible(scenes[at]) for at in np.unique(scene_of[bad]).tolist())
    if settings.sd_area == "image":
        area = area / _pictures(scenes, scene_of, area)[scene_of]
    known = concept >= 0
    return Things(scene_of[known], concept[known], count[known], area[known])


def _flat(scenes: Sequence[Scene], settings: ConceptSettings) -> tuple[_Flat, list[int]]:
    """All things, once for each of their concepts, and how many come from each scene."""
    flat, sizes = _Flat(), list[int]()
    for begin in range(0, len(scenes), _NEAR):
        some = scenes[begin : begin + _NEAR]
        if settings.synsets == "first":  # makes no object a thing: collecting these would take longer
            every = [thing for scene in some for thing in scene.things]
            flat.add(every, [thing.concept for thing in every])
            sizes += [len(scene.things) for scene in some]
            continue
        for scene in some:
            found = [(thing, name) for thing in scene.things for name in concepts_of(thing, settings)]
            flat.add([thing for thing, _ in found], (name for _, name in found))
            sizes.append(len(found))
    return flat, sizes


def concepts_of(thing: Thing, settings: ConceptSettings) -> tuple[str, ...]:
    """The concepts that a thing counts for: its own, or with ``synsets="all"`` every one it was given.

    >>> concepts_of(Thing("zebra", "zebra.n.01", also=("equine.n.01",)), ConceptSettings(synsets="all"))
    ('zebra.n.01', 'equine.n.01')
    """
    given = (thing.concept, *thing.also) if settings.synsets == "all" else (thing.concept,)
    return tuple(concept for concept in dict.fromkeys(given) if concept is not None)


def _areas(width: Floats, height: Floats, boxed: Bools) -> Floats:
    """NaN without a box; infinite where a box cannot be: a side is negative, infinite or not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        possible = (width >= 0) & (height >= 0)
        area = np.where(possible, width * height, np.inf)
    area[np.isnan(area)] = np.inf  # 0 by infinity
    area[~boxed] = np.nan
    return area


def _lengths(given: Sequence[object]) -> Floats:
    """Sides of boxes; NaN for what is no number."""
    if set(map(type, given)) <= {float, int}:  # nearly always
        with suppress(OverflowError):
            return np.array(given, dtype=np.float64)
    return np.array([value if _is_length(value) else np.nan for value in given], dtype=np.float64)


def _is_length(value: object) -> bool:
    return isinstance(value, _NUMBERS) and bool(0 <= value <= sys.float_info.max)


def _counts(given: Sequence[object]) -> Ints:
    """Numbers of instances; _IMPOSSIBLE for what is no whole number from 1 to MOST."""
    if set(map(type, given)) == {int} and min(given) >= 1 and max(given) <= MOST:  # type: ignore[type-var, operator]
        return np.array(given, dtype=np.int64)  # nearly always
    return np.array([value if _is_count(value) else _IMPOSSIBLE for value in given], dtype=np.int64)


def _is_count(value: object) -> bool:
    return isinstance(value, _NUMBERS) and bool(1 <= value <= MOST and value % 1 == 0)


_NUMBERS = (int, float, np.integer, np.floating)
_IMPOSSIBLE = 0


def _impossible(scene: Scene) -> Fault:
    for thing in scene.things:
        sides = (0.0, 0.0) if thing.box is None else (thing.box.width, thing.box.height)
        if not (_is_count(thing.count) and all(map(_is_length, sides))):
            concept = "" if thing.concept in (None, thing.name) else f" ({thing.concept})"
            size = " × ".join(f"{side!r:.30}" for side in sides)
            found = f"{thing.name!r:.80}{concept:.80} × {thing.count!r:.30}, {size} px"
            wanted = f"a whole number from 1 to {MOST:,}, sides from 0"
            return Fault("E287", scene.image, found, wanted, "mend the annotation")
    return Fault("E287", scene.image, "an area beyond every number", "pixels", "mend the annotation")


def _pictures(scenes: Sequence[Scene], scene_of: Ints, area: Floats) -> Floats:
    """The area of each picture, (S,); raises InputError (E282) where it is needed and not known."""
    whole = np.array([(scene.width or 0) * (scene.height or 0) for scene in scenes], dtype=np.float64)
    needed = np.unique(scene_of[~np.isnan(area)])
    unknown = needed[whole[needed] <= 0]
    if len(unknown):
        raise InputError(
            Fault(
                "E282",
                scenes[at].image,
                f"a picture of {scenes[at].width} × {scenes[at].height} pixels",
                "the size of every picture, for sd_area=image",
                "give width and height, or take sd_area=pixels",
            )
            for at in unknown.tolist()
        )
    whole[whole <= 0] = np.nan
    return whole


def side(found: Things, places: Ints) -> Side:
    """One row a distinct concept of each scene; ``places`` is the alphabetical order of the vocabulary.

    >>> from crossgauge.concepts.similarity import SimilarityTable
    >>> from crossgauge.scenes import Box
    >>> dogs = Thing("dog", "dog", Box(0, 0, 2, 3)), Thing("dogs", "dog", count=4)
    >>> scene = Scene("a", (*dogs, Thing("cat", "cat")))
    >>> vocabulary = Vocabulary(SimilarityTable({}))
    >>> one = side(things([scene], vocabulary, ConceptSettings()), vocabulary.places())
    >>> [vocabulary.names[number] for number in one.concept], one.count.tolist(), one.areas.tolist()
    (['cat', 'dog'], [1, 5], [6.0])
    """
    every = found.scene * max(len(places), 1) + places[found.concept]
    order = np.lexsort((found.area, every))  # NaN last
    ordered = every[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    boxed: Bools = ~np.isnan(found.area[order])
    boxes = _sums(boxed.astype(np.int64), first)
    return Side(
        key=ordered[first],
        pair=found.scene[order[first]],
        concept=found.concept[order[first]],
        count=_sums(found.count[order], first),
        boxes=boxes,
        first_box=np.cumsum(boxes) - boxes,
        areas=found.area[order][boxed],
    )


def _sums(values: Ints, first: Ints) -> Ints:
    reached = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=reached[1:])
    return np.diff(reached[first], append=reached[-1])
