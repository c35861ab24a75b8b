"""One picture a line: ``{"image": "a.jpg", "objects": [{"synset": "dog.n.01", "box": [0, 0, 9, 9]}]}``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from crossgauge.annotations.choice import Choice
from crossgauge.annotations.decoding import Shape
from crossgauge.annotations.gathering import SceneGathering
from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault
from crossgauge.readers.source import readable, size_of
from crossgauge.scenes import Annotations

MAX_LINE = 16 << 20  # bytes; a picture never has so many objects
_BOM = b"\xef\xbb\xbf"


class _Object(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    synset: str | None = None
    name: str | None = None
    box: tuple[float, float, float, float] | None = None  # x, y, width, height in pixels
    count: int = 1


class _Picture(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    image: str | int
    objects: list[_Object]
    width: int | None = None
    height: int | None = None


def read_jsonl(path: Path, *, hierarchy: Hierarchy, choice: Choice) -> Annotations:
    """The objects of every line; an object has a synset, a name, or both.

    A field that is none of these is a fault: a misspelt ``box`` would be a size that nobody
    notices is missing. Raises InputError with all faults (E290 to E294).
    """
    gathering = SceneGathering(str(path), hierarchy, choice)
    shape = Shape(_Picture, {"objects": _Object}, spare=("width", "height"))
    for number, line in _lines(path, gathering.faults):

        def place(inner: str = "", number: int = number) -> str:
            return f"{path}:{number}{f' ${inner}' if inner else ''}"

        before = len(gathering.faults)
        picture = shape.read(line, place, gathering.faults)
        if picture is not None:
            misshapen = tuple(fault.place for fault in gathering.faults[before:])
            image = str(picture.image)
            first = gathering.picture(image, place(), picture.width, picture.height)
            for index, one in enumerate(picture.objects if first and gathering.keeps(image) else ()):
                at = f".objects[{index}]"
                known = any(told == place(at) or told.startswith(f"{place(at)}.") for told in misshapen)
                _take(gathering, image, at, one, place=place, told=known)
        if gathering.full:
            break
    return gathering.annotations(sizes="of the file")


def _take(
    gathering: SceneGathering, image: str, path: str, one: _Object, *, place: Callable[[str], str], told: bool
) -> None:
    if one.synset is None and one.name is None and not told:
        found = "neither synset nor name"
        gathering.faults.append(Fault("E291", place(path), found, "what the object is", "name it"))
    gathering.thing(
        image, lambda: place(path), names=(one.name,) if one.name else (),
        synsets=(one.synset,) if one.synset else (), box=one.box, count=one.count,
    )  # fmt: skip


def _lines(path: Path, faults: list[Fault]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; one that never ends is a fault (E290)."""
    size_of(path)
    with readable(path), path.open("rb") as handle:
        number = 0
        while line := handle.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                found = f"a line of more than {MAX_LINE >> 20} MiB"
                faults.append(Fault("E290", f"{path}:{number}", found, "one picture a line", "write it so"))
                return
            said = line.removeprefix(_BOM) if number == 1 else line
            if said.strip():
                yield number, said
