"""Visual Genome: objects.json, scene_graphs.json and attributes.json, one picture at a time.

The three differ in the list that holds a picture's objects. Sizes of pictures stand in image_data.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.decoding import Shape
from crossgauge.annotations.gathering import MOST, SceneGathering
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault
from crossgauge.readers.json_elements import Element, elements
from crossgauge.scenes import Annotations

T = TypeVar("T")

SIZES = "image_data.json"
LISTS = ("objects", "attributes")
_FILES = "objects.json, scene_graphs.json or attributes.json of Visual Genome"


class ImageData(msgspec.Struct, gc=False):
    """A line of image_data.json."""

    image_id: int | str | None = None
    id: int | str | None = None  # older releases
    width: int | None = None
    height: int | None = None
    coco_id: int | None = None

    @property
    def name(self) -> str | None:
        """The picture's id; None where there is none."""
        return named(self.image_id, self.id)


class _Object(msgspec.Struct, gc=False):
    x: float | None = None
    y: float | None = None
    w: float | None = None
    h: float | None = None
    object_id: int | str | None = None
    id: int | str | None = None  # older releases
    names: list[str] | None = None
    name: str | None = None  # scene graphs of some releases
    synsets: list[str] | None = None
    merged_object_ids: list[int | str] | None = None


class _Picture(msgspec.Struct, gc=False):
    image_id: int | str | None = None
    id: int | str | None = None
    objects: list[_Object] | None = None
    attributes: list[_Object] | None = None


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A file that is one list: each record of a shape, with its element."""

    path: Path
    shape: Shape[T]

    def records(self, faults: list[Fault]) -> Iterator[tuple[Element, T]]:
        """Every record that fits; what does not is a fault (E290 the list, E291 a record), up to 1,000."""
        wrong: list[Fault] = []
        for element in elements(self.path, wrong):
            record = self.shape.read(element.data, element.place, faults)
            if record is not None:
                yield element, record
            if len(faults) >= MOST:
                faults.append(
                    Fault("E290", str(self.path), f"{MOST} faults", "a few", "the rest was not read")
                )
                break
        faults += [replace(fault, code="E290") for fault in wrong]


def read_visual_genome(path: Path, *, hierarchy: Hierarchy, choice: Choice) -> Annotations:
    """The objects of every picture; sizes come from image_data.json beside the file, where it is there.

    Pictures are called by their id, and also by the COCO id that image_data.json has. An object that another
    one of its picture lists in ``merged_object_ids`` is left out, and so is one that stands there twice.
    Raises InputError with all faults of both files (E290 to E294).
    """
    gathering = SceneGathering(str(path), hierarchy, choice)
    beside = path.parent / SIZES
    data = read_image_data(beside, gathering.faults) if beside.is_file() else {}
    shape = Shape(_Picture, dict.fromkeys(LISTS, _Object))
    for element, picture in Listed(path, shape).records(gathering.faults):
        _take(gathering, element, picture, data)
    return gathering.annotations(sizes=SIZES if data else f"no {SIZES}")


def read_image_data(path: Path, faults: list[Fault]) -> dict[str, ImageData]:
    """The lines of image_data.json by picture id; faults E290, E291, E293."""
    found: dict[str, ImageData] = {}
    for element, line in Listed(path, Shape(ImageData)).records(faults):
        name = line.name
        if name is None:
            faults.append(Fault("E291", element.place(), "no image_id", "the picture's id", "mend it"))
        elif name in found:
            faults.append(
                Fault("E293", element.place(), f"picture {name!r} again", "each picture once", "drop one")
            )
        else:
            found[name] = line
    return found


def _take(
    gathering: SceneGathering, element: Element, picture: _Picture, data: Mapping[str, ImageData]
) -> None:
    image = named(picture.image_id, picture.id)
    listed = next((name for name in LISTS if getattr(picture, name) is not None), None)
    if image is None or listed is None:
        found = "no image_id" if image is None else f"neither {' nor '.join(LISTS)}"
        gathering.faults.append(Fault("E291", element.place(), found, f"a picture of {_FILES}", "mend it"))
        return
    known = data.get(image, ImageData())
    if not gathering.picture(image, element.place(), known.width, known.height):
        return
    if not gathering.keeps(image):
        return
    if known.coco_id is not None:
        gathering.also_called(image, (str(known.coco_id),))
    objects: Sequence[_Object] = getattr(picture, listed)
    gone = _absorbed(objects)
    met = set()
    for number, one in enumerate(objects):

        def place(number: int = number) -> str:
            return element.place(f".{listed}[{number}]")

        name = named(one.object_id, one.id)
        if name is not None and (name in gone or name in met):
            gathering.told.count("twice" if name in met else "merged", place, name)
            continue
        met.add(name)
        gathering.thing(
            image, place, names=_names(one), synsets=one.synsets or (), box=(one.x, one.y, one.w, one.h)
        )


def _absorbed(objects: Sequence[_Object]) -> set[str]:
    """The ids that other objects say they took in; of two that name each other the first stays."""
    gone: set[str] = set()
    for one in objects:
        name = named(one.object_id, one.id)
        if name not in gone:
            gone |= {str(other) for other in one.merged_object_ids or ()} - {name or ""}
    return gone


def _names(one: _Object) -> Sequence[str]:
    return one.names or ([one.name] if one.name else [])


def named(*ids: Any) -> str | None:
    """The first id there is, as text."""
    return next((str(one) for one in ids if one is not None), None)
