"""Pictures and things as a reader meets them, checked and made into scenes; every fault is kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from sys import intern

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.resolve import Resolver
from crossgauge.annotations.told import Place, Told
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault, InputError
from crossgauge.scenes import Annotations, Box, Scene, Thing

MOST = 1000  # faults after which a file is not read on
LARGEST = 2**31 - 1  # of a count or a length in pixels; sums and areas of such stay exact
_ONCE = "each picture once"
_BOX = f"x, y, width, height: finite numbers up to {LARGEST}, sizes from 0"


class SceneGathering:
    """What one file of annotations holds so far."""

    def __init__(self, name: str, hierarchy: Hierarchy, choice: Choice) -> None:
        self.faults: list[Fault] = []
        self.told = Told()
        self._name, self._hierarchy, self._choice = name, hierarchy, choice
        self._resolver = Resolver(hierarchy, choice)
        self._places: dict[str, str] = {}
        self._sizes: dict[str, tuple[int | None, int | None]] = {}
        self._things: dict[str, list[Thing]] = {}
        self._called: dict[str, str | None] = {}  # other name → picture; None: of several
        self._objects = self._with_concept = self._by_name = 0

    @property
    def full(self) -> bool:
        """Whether so much is wrong that reading on tells nothing."""
        return len(self.faults) >= MOST

    def picture(self, image: str, place: str, width: int | None, height: int | None) -> bool:
        """Begin a picture; False where it stands twice (E293)."""
        if image in self._places:
            found = f"picture {image!r} again, first at {self._places[image]}"
            self.faults.append(Fault("E293", place, found, _ONCE, "drop one of the two"))
            return False
        self._places[image] = place
        for length, side in ((width, "width"), (height, "height")):
            if length is not None and not 0 < length <= LARGEST:
                wanted = f"pixels, from 1 to {LARGEST}"
                self.faults.append(Fault("E292", place, f"{side} {length}", wanted, "mend it"))
        if self._choice.wants(image):
            self._sizes[image] = width, height
            self._things[image] = []
        return True

    def also_called(self, image: str, names: Iterable[str]) -> None:
        """What else a picture that is kept is called; a name of several pictures is of none."""
        for name in names:
            self._called[name] = image if self._called.get(name, image) == image else None

    def knows(self, image: str) -> bool:
        """Whether a picture was begun, kept or not."""
        return image in self._places

    def keeps(self, image: str) -> bool:
        """Whether the objects of a picture are asked for."""
        return image in self._things

    def thing(
        self,
        image: str,
        place: Place,
        *,
        names: Sequence[str] = (),
        synsets: Sequence[str] = (),
        box: Sequence[float | None] | None = None,
        count: int = 1,
    ) -> None:
        """Take an object of a picture that is kept; ``box`` is x, y, width, height, all None for no box."""
        made = self._box(image, place, box)
        if not 1 <= count <= LARGEST or (count > 1 and made is not None):
            wanted = f"a whole number from 1 to {LARGEST}; with a box always 1"
            self.faults.append(Fault("E292", place(), f"count {count}", wanted, "one entry for each box"))
        self._objects += 1
        if made is None:
            self.told.count("no box", place, names[0] if names else "")
        meaning = self._resolver.meaning(names, synsets)
        if meaning.several:
            self.told.count("several", place, ", ".join(synsets))
        if meaning.unknown:
            self._unknown(place, meaning.unknown)
        if meaning.other:
            self.told.count("other part", place, meaning.other[0])
        if meaning.concept is None:
            self.told.count("no concept", place, names[0] if names else "")
        self._with_concept += meaning.concept is not None
        self._by_name += meaning.by_name
        said = intern(names[0]) if names else ""
        self._things[image].append(Thing(said, meaning.concept, made, count, meaning.also, meaning.unknown))

    def annotations(self, *, sizes: str = "") -> Annotations:
        """The scenes; raises InputError with every fault. ``sizes`` says where pictures' sizes came from."""
        if not self.faults and not self._places:
            fix = "is this the right file?"
            self.faults.append(Fault("E290", self._name, "0 pictures", "at least one picture", fix))
        if self.faults:
            raise InputError(self.faults)
        scenes = {
            image: Scene(image, tuple(things), *self._sizes[image]) for image, things in self._things.items()
        }
        facts = self._facts(scenes.values(), sizes)
        names = {name: image for name, image in self._called.items() if image is not None}
        return Annotations(scenes, self._hierarchy.name, facts, self.told.findings(), names)

    def _facts(self, scenes: Iterable[Scene], sizes: str) -> dict[str, str]:
        listed = list(scenes)
        boxes = self._objects - self.told.counts["no box"]
        known = sum(scene.width is not None and scene.height is not None for scene in listed)
        facts = {
            "annotated pictures": f"{len(listed)}, {sum(not one.things for one in listed)} without an object",
            "objects": f"{self._objects}, {boxes} with a box",
            "with a concept": share(self._with_concept, self._objects),
            "distinct concepts": str(len({c for scene in listed for c in scene.concepts})),
            "picture sizes": f"{known} known{sizes and f' ({sizes})'}",
            "annotations read as": str(self._choice),
        }
        if self._choice.names == "resolve":
            facts["resolved by name"] = share(self._by_name, self._objects)
        return facts

    def _unknown(self, place: Place, synsets: Sequence[str]) -> None:
        self.told.count("unknown", place, synsets[0])
        if self._choice.unknown == "error":
            found = f"{', '.join(map(repr, synsets))}: no concept of {self._hierarchy.name}"
            self.faults.append(Fault("E294", place(), found, "a concept", "mend it, or unknown=unresolved"))

    def _box(self, image: str, place: Place, box: Sequence[float | None] | None) -> Box | None:
        if box is None or all(length is None for length in box):
            return None
        whole = [length for length in box if length is not None and abs(length) <= LARGEST]
        if len(whole) < 4 or whole[2] < 0 or whole[3] < 0:  # noqa: PLR2004  (x, y, width, height)
            found = ", ".join("nothing" if length is None else f"{length:g}" for length in box)
            self.faults.append(Fault("E292", place(), f"the box {found}", _BOX, "mend it"))
            return None
        made = Box(*whole)
        width, height = self._sizes[image]
        if leaves(made, width, height):
            self.told.count("outside", place)
            made = clipped(made, width, height) if self._choice.boxes == "clip" else made
        if made.area == 0:
            self.told.count("no area", place)
        return made


def leaves(box: Box, width: int | None, height: int | None) -> bool:
    """Whether a box goes beyond its picture, as far as the size of that is known.

    >>> leaves(Box(0, 0, 4, 3), 4, 3), leaves(Box(-1, 0, 4, 3), None, None), leaves(Box(1, 0, 4, 3), 4, None)
    (False, True, True)
    """
    beyond = (
        width is not None and box.x + box.width > width,
        height is not None and box.y + box.height > height,
    )
    return box.x < 0 or box.y < 0 or any(beyond)


def clipped(box: Box, width: int | None, height: int | None) -> Box:
    """The part of a box inside its picture; without an area, at the nearest edge, where there is none.

    >>> clipped(Box(-1, 0, 4, 9), 10, 5), clipped(Box(12, 0, 4, 3), 10, 5)
    (Box(x=0, y=0, width=3, height=5), Box(x=10, y=0, width=0, height=3))
    """
    left, right = _inside(box.x, box.x + box.width, width)
    top, bottom = _inside(box.y, box.y + box.height, height)
    return Box(left, top, right - left, bottom - top)


def _inside(low: float, high: float, length: int | None) -> tuple[float, float]:
    end = math.inf if length is None else length
    return min(max(low, 0), end), min(max(high, 0), end)


def share(part: int, whole: int) -> str:
    """A count with its share.

    >>> share(1, 3)
    '1 of 3 (33.3 %)'
    """
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else f"{part} of 0"
