"""COCO's instances_*.json: categories become synsets by a reviewed table that comes with the package."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.decoding import Shape
from crossgauge.annotations.document import read_document
from crossgauge.annotations.gathering import SceneGathering
from crossgauge.annotations.told import Place
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault
from crossgauge.scenes import Annotations

T = TypeVar("T")

TABLE = "coco_synsets.csv"
_NUMBERED = re.compile(r"(?:COCO_(?:train|val|test)20\d\d_)?(\d{12})\.jpg")
_RELEASES = ("", "COCO_train2014_", "COCO_val2014_")  # of one picture: 2017 mixed both parts of 2014


class _Document(msgspec.Struct):
    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]
    categories: list[msgspec.Raw]


class _Image(msgspec.Struct, gc=False):
    id: int
    width: int | None = None
    height: int | None = None
    file_name: str | None = None


class _Category(msgspec.Struct, gc=False):
    id: int
    name: str


class _Annotation(msgspec.Struct, gc=False):
    image_id: int
    category_id: int
    id: int | None = None
    bbox: tuple[float, float, float, float] | None = None
    iscrowd: int = 0


@cache
def coco_synsets() -> Mapping[str, str]:
    """The synset of each of COCO's 80 categories.

    >>> coco_synsets()["mouse"], len(coco_synsets())
    ('mouse.n.04', 80)
    """
    text = (files(__package__) / "data" / TABLE).read_text(encoding="utf-8")
    return {row["category"]: row["synset"] for row in csv.DictReader(io.StringIO(text))}


def read_coco(path: Path, *, hierarchy: Hierarchy, choice: Choice) -> Annotations:
    """The objects of every picture of the file, also of those without any.

    A category that the table does not have has no synset. A crowd region is one thing without a box. Pictures
    are called by their id, and also by the name of their file. Raises InputError with all faults (E290 to
    E295).
    """
    gathering = SceneGathering(str(path), hierarchy, choice)
    document = read_document(path, _Document)
    reading = _Reading(str(path), gathering)
    images = reading.each("images", document.images, Shape(_Image))
    categories = reading.each("categories", document.categories, Shape(_Category))
    names = reading.by_id(categories)
    for place, image in images:
        gathering.picture(str(image.id), place, image.width, image.height)
        if gathering.keeps(str(image.id)):
            gathering.also_called(str(image.id), file_names(image.file_name or ""))
    objects: Counter[int] = Counter()
    for number, raw in enumerate(document.annotations):
        reading.take(number, raw, names, objects)
        if gathering.full:
            break
    again = [(one, count) for one, count in objects.items() if count > 1]
    for one, count in again:
        found = f"annotation {one} stands {count} times"
        gathering.faults.append(Fault("E293", f"{path} $.annotations", found, "each once", "drop the others"))
    return gathering.annotations(sizes="of the file")


def file_names(written: str) -> Iterator[str]:
    """What a picture's file is called: as written, without its folder, and, if COCO's own, in each release.

    >>> list(file_names("val2017/000000000009.jpg"))[1:3]
    ['000000000009.jpg', 'COCO_train2014_000000000009.jpg']
    """
    name = PurePosixPath(written).name
    numbered = _NUMBERED.fullmatch(name)
    releases = [f"{release}{numbered[1]}.jpg" for release in _RELEASES] if numbered else []
    yield from dict.fromkeys(one for one in (written, name, *releases) if one)


class _Reading:
    """The lists of one file."""

    def __init__(self, name: str, gathering: SceneGathering) -> None:
        self._name, self._gathering = name, gathering
        self._annotation = Shape(_Annotation)

    def each(self, listed: str, raws: list[msgspec.Raw], shape: Shape[T]) -> list[tuple[str, T]]:
        """Every record that fits, with its place."""
        found = []
        for number, raw in enumerate(raws):
            place = self._place(listed, number)
            record = shape.read(raw, place.__add__, self._gathering.faults)
            if record is not None:
                found.append((place, record))
        return found

    def by_id(self, categories: list[tuple[str, _Category]]) -> dict[int, str]:
        """Names of categories; an id that stands twice is a fault (E293)."""
        names: dict[int, str] = {}
        for place, one in categories:
            if one.id in names:
                found = f"category {one.id} again: {names[one.id]!r} and {one.name!r}"
                self._gathering.faults.append(Fault("E293", place, found, "each category once", "drop one"))
            names.setdefault(one.id, one.name)
        return names

    def take(self, number: int, raw: msgspec.Raw, names: Mapping[int, str], objects: Counter[int]) -> None:
        """One annotation; what it points at must be in the file (E295)."""

        def place(path: str = "") -> str:
            return self._place("annotations", number) + path

        one = self._annotation.read(raw, place, self._gathering.faults)
        if one is None:
            return
        if one.id is not None:
            objects[one.id] += 1
        image = str(one.image_id)
        absent = [] if self._gathering.knows(image) else [f"image_id {one.image_id}"]
        absent += [] if one.category_id in names else [f"category_id {one.category_id}"]
        if absent:
            found = f"{' and '.join(absent)}: not in the file"
            fault = Fault("E295", place(), found, "ids of the file", "take the whole file")
            self._gathering.faults.append(fault)
        elif self._gathering.keeps(image):
            self._add(image, place, one, names[one.category_id])

    def _add(self, image: str, place: Place, one: _Annotation, name: str) -> None:
        if one.iscrowd:
            self._gathering.told.count("crowd", place, name)
        synset = coco_synsets().get(name)
        self._gathering.thing(
            image, place, names=(name,), synsets=() if synset is None else (synset,),
            box=None if one.iscrowd else one.bbox,
        )  # fmt: skip

    def _place(self, listed: str, number: int) -> str:
        return f"{self._name} $.{listed}[{number}]"
