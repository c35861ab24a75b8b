"""A picture with its boxes, made ready to be drawn: outlines in pixels, names where they can be read."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crossgauge.concept_study import BoxView, SceneView
from crossgauge.report import wording
from crossgauge.report.thumbnails import FORMATS, MAX_FILE

MOST_BOXES = 150  # drawn of one picture, the largest
NAMED_BOXES = 12  # up to so many boxes, each has its name; of more, the largest of each concept
_SPOKEN = 12  # concepts that the description of a picture names
_LARGEST = 1e7  # pixels a side: beyond it nothing is drawn
_APART = 0.03  # proportions that differ by more are not the same
_ODD = "the file has other proportions than the annotation: boxes may be off"
_RIGHT = 60  # percent of the width: names of boxes that begin farther right hang on their right end
_SENSE = re.compile(r"\.[nvars]\.\d+$")

Kind = Literal["both", "truth", "retrieved"]


@dataclass(frozen=True, slots=True)
class Outline:
    """One box; ``place`` says where its name stands, in CSS."""

    concept: str
    name: str  # "zebra"; "zebra ×7" where one name stands for all; empty: without a name
    number: int  # of the concept within the pair
    kind: Kind
    path: str  # of an SVG path, in pixels
    place: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture and what is drawn over it."""

    image: str
    path: str | None
    width: float
    height: float
    boxes: tuple[Outline, ...]
    more: int  # boxes that are not drawn
    boxed: int  # all of them
    note: str

    @property
    def names(self) -> int:
        """How many boxes have a name."""
        return sum(bool(box.name) for box in self.boxes)

    @property
    def spoken(self) -> str:
        """``14 boxes: zebra ×7, mane ×5, …`` for those who cannot see them."""
        often = Counter(short(box.concept) for box in self.boxes)
        named = wording.few([f"{name} ×{count}" for name, count in often.items()], _SPOKEN)
        return f"{self.boxed} boxes" + (f": {named}" if named else "")


def frame(scene: SceneView, kind: Kind, numbers: Mapping[str, int]) -> Frame:
    """The scene to be drawn; ``kind`` is that of a box that only this picture has."""
    usual = [box for box in scene.boxes if _drawable(box)]
    width, height, note = _size(scene, usual)
    chosen = sorted(usual, key=lambda box: -box.width * box.height)[:MOST_BOXES]
    names = _names(chosen)
    return Frame(
        image=scene.image,
        path=scene.path,
        width=width,
        height=height,
        boxes=tuple(
            Outline(
                concept=box.concept,
                name=name,
                number=numbers.get(box.concept, -1),
                kind="both" if box.state == "matched" else kind,
                path=_path(box),
                place=_place(box, width, height),
            )
            for box, name in zip(chosen, names, strict=True)
        ),
        more=len(scene.boxes) - len(chosen),
        boxed=len(scene.boxes),
        note=note,
    )


def short(concept: str) -> str:
    """The name of a concept without its sense.

    >>> short("zebra.n.01"), short("tomato soup")
    ('zebra', 'tomato soup')
    """
    return _SENSE.sub("", concept) or concept


def _drawable(box: BoxView) -> bool:
    return all(abs(one) <= _LARGEST for one in (box.x, box.y, box.width, box.height))


def _names(boxes: Sequence[BoxView]) -> list[str]:
    """What stands on each box, the largest coming first."""
    if len(boxes) <= NAMED_BOXES:
        return [short(box.concept) for box in boxes]
    often = Counter(box.concept for box in boxes)
    names = []
    for box in boxes:
        count = often.pop(box.concept, 0)
        names.append(f"{short(box.concept)} ×{count}" if count > 1 else short(box.concept) if count else "")
    return names


def _size(scene: SceneView, boxes: Iterable[BoxView]) -> tuple[float, float, str]:
    """Width, height, and what is odd about them: as annotated, else of the file, else around the boxes."""
    file = _file_size(scene.path)
    width, height = scene.width or 0, scene.height or 0
    if 0 < width <= _LARGEST and 0 < height <= _LARGEST:
        odd = file is not None and abs(file[0] * height / (file[1] * width) - 1) > _APART
        return width, height, _ODD if odd else ""
    if file is not None:
        return *file, "size as in the file: the annotation says none"
    right = max((box.x + box.width for box in boxes), default=0.0)
    bottom = max((box.y + box.height for box in boxes), default=0.0)
    if right <= 0 or bottom <= 0:
        return 4.0, 3.0, "size not known"
    return _tidy(right), _tidy(bottom), "size not known: drawn around its boxes"


def _file_size(path: str | None) -> tuple[int, int] | None:
    """Of the picture as it is shown (upright), from its head alone; None where there is none."""
    from PIL import Image

    if path is None:
        return None
    try:
        if not Path(path).is_file() or Path(path).stat().st_size > MAX_FILE:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path, formats=FORMATS) as opened:
                turned = opened.getexif().get(0x0112, 1) in range(5, 9)
                width, height = opened.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return (height, width) if turned else (width, height)


def _path(box: BoxView) -> str:
    """Its outline; a path, for SVG draws no rectangle without width or height."""
    x, y, width, height = (_tidy(one) for one in (box.x, box.y, box.width, box.height))
    return f"M{x} {y}h{width}v{height}h{_tidy(-box.width)}z"


def _place(box: BoxView, width: float, height: float) -> str:
    """Its name stands in its upper left corner, or in the right one where there is little room."""
    left, top = _share(box.x, width), min(_share(box.y, height), 92)
    if left <= _RIGHT:
        return f"left:{left}%;top:{top}%"
    return f"right:{_tidy(100 - _share(box.x + box.width, width))}%;top:{top}%"


def _share(value: float, whole: float) -> float | int:
    return _tidy(100 * min(max(value / whole, 0.0), 1.0))


def _tidy(value: float) -> float | int:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded
