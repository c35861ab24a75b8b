"""A picture with its boxes, made ready to be drawn: outlines in pixels, names where they can be read."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from crossgauge.concept_study import BoxView, SceneView
from crossgauge.report import wording
from crossgauge.report.concepts_labels import Area, Label, labels
from crossgauge.report.thumbnails import FORMATS, MAX_FILE

MOST_BOXES = 150  # drawn of one picture, the largest
NAMED_BOXES = 12  # up to so many boxes, each has its name; of more, the largest of each concept and state
_SPOKEN = 12  # concepts that the description of a picture names
_LARGEST = 1e7  # pixels a side: beyond it nothing is drawn
_APART = 0.03  # proportions that differ by more are not the same
_ODD = "the file has other proportions than the annotation: boxes may be off"
_SENSE = re.compile(r"\.[nvars]\.\d+$")

Kind = Literal["both", "unpaired", "truth", "retrieved"]
_KINDS: Mapping[str, Kind] = {"matched": "both", "unpaired": "unpaired"}  # by the state of a box


@dataclass(frozen=True, slots=True)
class Outline:
    """One box; ``place`` says where its name stands, in CSS."""

    concept: str
    name: str  # "zebra"; "zebra ×7" where one name stands for all; empty: without one, or without room for it
    number: int  # of the concept within the pair
    pair: int  # of the pair of boxes it belongs to, from 1; 0: to none
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
    names: int  # that boxes have, with those for which there is no room
    note: str
    sized: bool  # the picture's proportions are known, not guessed from its boxes

    @property
    def spoken(self) -> str:
        """``14 boxes: zebra ×7, mane ×5, …`` for those who cannot see them."""
        often = Counter(short(box.concept) for box in self.boxes)
        named = wording.few([f"{name} ×{count}" for name, count in often.items()], _SPOKEN)
        return f"{self.boxed} boxes" + (f": {named}" if named else "")


def frame(
    scene: SceneView, kind: Kind, numbers: Mapping[str, int], pairs: Mapping[int, int] | None = None
) -> Frame:
    """The scene to be drawn; ``kind`` is that of a box whose concept only this picture shows.

    ``numbers`` are those of concepts, ``pairs`` those of pairs of boxes by the place of a box in the scene.
    """
    usual = [(place, box) for place, box in enumerate(scene.boxes) if _drawable(box)]
    size = _size(scene, [box for _, box in usual])
    largest = sorted(usual, key=lambda placed: -placed[1].width * placed[1].height)[:MOST_BOXES]
    chosen = [box for _, box in largest]
    paired = [(pairs or {}).get(place, 0) for place, _ in largest]
    names = _names(chosen, paired)
    places = labels(names, [_area(box, size) for box in chosen], size.width / size.height)
    return Frame(
        image=scene.image,
        path=scene.path,
        width=size.width,
        height=size.height,
        boxes=tuple(
            Outline(
                concept=box.concept,
                name="" if place is None else name,
                number=numbers.get(box.concept, -1),
                pair=pair,
                kind=_KINDS.get(box.state, kind),
                path=_path(box),
                place="" if place is None else _css(place),
            )
            for box, pair, name, place in zip(chosen, paired, names, places, strict=True)
        ),
        more=len(scene.boxes) - len(chosen),
        boxed=len(scene.boxes),
        names=sum(map(bool, names)),
        note=size.note,
        sized=size.known,
    )


def short(concept: str) -> str:
    """The name of a concept without its sense.

    >>> short("zebra.n.01"), short("tomato soup")
    ('zebra', 'tomato soup')
    """
    return _SENSE.sub("", concept) or concept


def _drawable(box: BoxView) -> bool:
    return all(abs(one) <= _LARGEST for one in (box.x, box.y, box.width, box.height))


def _names(boxes: Sequence[BoxView], paired: Sequence[int]) -> list[str]:
    """What stands on each box, the largest coming first; a paired one always has its number: ``zebra #2``."""
    if len(boxes) <= NAMED_BOXES:
        return [short(box.concept) + _numbered(pair) for box, pair in zip(boxes, paired, strict=True)]
    kinds = [(box.concept, box.state, pair > 0) for box, pair in zip(boxes, paired, strict=True)]
    often = Counter(kinds)  # by state, for the sign beside a name says it
    names = []
    for box, pair, kind in zip(boxes, paired, kinds, strict=True):
        count = often.pop(kind, 0)
        name = short(box.concept) if count else ""
        times = f" ×{count}" if count > 1 else ""
        names.append((name + (_numbered(pair) or times)).strip())
    return names


def _numbered(pair: int) -> str:
    return f" #{pair}" if pair else ""


class _Size(NamedTuple):
    """Of a picture, and what is odd about it."""

    width: float
    height: float
    note: str = ""
    known: bool = True


def _size(scene: SceneView, boxes: Iterable[BoxView]) -> _Size:
    """As annotated, else of the file, else around the boxes."""
    file = _file_size(scene.path)
    width, height = scene.width or 0, scene.height or 0
    if 0 < width <= _LARGEST and 0 < height <= _LARGEST:
        odd = file is not None and abs(file[0] * height / (file[1] * width) - 1) > _APART
        return _Size(width, height, _ODD if odd else "")
    if file is not None:
        return _Size(*file, "size as in the file: the annotation says none")
    right = max((box.x + box.width for box in boxes), default=0.0)
    bottom = max((box.y + box.height for box in boxes), default=0.0)
    if right <= 0 or bottom <= 0:
        return _Size(4.0, 3.0, "size not known", known=False)
    return _Size(_tidy(right), _tidy(bottom), "size not known: drawn around its boxes", known=False)


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


def _area(box: BoxView, size: _Size) -> Area:
    """The part of the picture that a box takes."""
    right, bottom = box.x + box.width, box.y + box.height
    return Area(
        _share(box.x, size.width),
        _share(box.y, size.height),
        _share(right, size.width),
        _share(bottom, size.height),
    )


def _css(place: Label) -> str:
    return f"{place.side}:{_tidy(place.across)}%;top:{_tidy(place.top)}%"


def _share(value: float, whole: float) -> float:
    return min(max(value / whole, 0.0), 1.0)


def _tidy(value: float) -> float | int:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded
