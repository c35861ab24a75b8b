"""What a picture shows, as annotated: things with their concepts, boxes and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from crossgauge.errors import Fault


@dataclass(frozen=True, slots=True)
class Box:
    """Where a thing is, in pixels from the upper left corner of the picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """In square pixels; 0 for a box without width or height.

        >>> Box(0, 0, 4, 3).area
        12
        """
        return self.width * self.height


@dataclass(frozen=True, slots=True)
class Thing:
    """One annotated object (or several alike, where only their number was noted)."""

    name: str  # as the annotator wrote it: "zebras"
    concept: str | None  # "zebra.n.01", or a node of another hierarchy; None: not resolved
    box: Box | None = None  # None: counted, but without a size
    count: int = 1  # how many it stands for; with a box always 1
    also: tuple[str, ...] = ()  # further concepts the annotation gives it
    # synsets it was given that the hierarchy does not have, as written; they change no number, so no repr
    unknown: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Scene:
    """All that is annotated about one picture."""

    image: str  # the id of the picture
    things: tuple[Thing, ...]
    width: int | None = None  # of the picture, in pixels; None: not known
    height: int | None = None
    predicted: bool = False  # by a classifier, not by people

    @property
    def concepts(self) -> frozenset[str]:
        """The distinct concepts shown; things without one are left out.

        >>> Scene("a", (Thing("dogs", "dog.n.01", count=2), Thing("thing", None))).concepts
        frozenset({'dog.n.01'})
        """
        return frozenset(thing.concept for thing in self.things if thing.concept is not None)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each concept, with or without a box.

        >>> Scene("a", (Thing("dogs", "dog.n.01", count=2), Thing("dog", "dog.n.01"))).counts
        Counter({'dog.n.01': 3})
        """
        counted: Counter[str] = Counter()
        for thing in self.things:
            if thing.concept is not None:
                counted[thing.concept] += thing.count
        return counted

    def boxes(self, concept: str) -> tuple[Box, ...]:
        """The boxes of one concept, in the order of the annotation."""
        return tuple(t.box for t in self.things if t.concept == concept and t.box is not None)


@dataclass(frozen=True, slots=True)
class Annotations:
    """The scenes of a data set by picture id, with what was dropped or mended while reading."""

    scenes: Mapping[str, Scene]
    hierarchy: str = "wordnet-3.0"  # which concepts these are nodes of
    facts: Mapping[str, str] = field(
        default_factory=dict
    )  # counts to print: objects, resolved, without box …
    findings: tuple[Fault, ...] = ()  # warnings: what was odd, with counts
    names: Mapping[str, str] = field(default_factory=dict)  # what else a picture is called → its id

    def called(self, asked: Iterable[str]) -> Mapping[str, str]:
        """Which of the names asked for are of which pictures: name → id; those of none are left out.

        All are ids, or all are other names, whichever finds more: a number can be the id of one picture of
        Visual Genome and the COCO id of another.

        >>> scenes = {"9": Scene("9", ()), "7": Scene("7", ())}
        >>> Annotations(scenes, names={"9": "7", "30": "9"}).called(["9", "30"])
        {'9': '7', '30': '9'}
        """
        listed: Collection[str] = dict.fromkeys(asked)
        own = {name: name for name in listed if name in self.scenes}
        named = {name: self.names[name] for name in listed if name in self.names}
        other = {name: image for name, image in named.items() if image in self.scenes}
        return other if len(other) > len(own) else own
