"""COCO's captions_*.json: what people wrote about the pictures that are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from crossgauge.annotations.decoding import PathPlace, Shape
from crossgauge.annotations.document import read_document
from crossgauge.captions import clean
from crossgauge.errors import Fault


class _Document(msgspec.Struct):
    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]


class _Image(msgspec.Struct, gc=False):
    id: int
    file_name: str = ""


class _Caption(msgspec.Struct, gc=False):
    image_id: int
    id: int
    caption: str


@dataclass(slots=True)
class Captions:
    """Captions of pictures by COCO id, each with its own id, and what was left out."""

    texts: dict[str, dict[int, str]] = field(default_factory=dict)  # COCO id → caption id → caption
    files: dict[str, str] = field(default_factory=dict)  # COCO id → name of its picture
    left_out: Counter[str] = field(default_factory=Counter)

    def of(self, image: str) -> tuple[str, ...]:
        """The captions of a picture in the order of their ids, equal ones once."""
        ordered = [text for _, text in sorted(self.texts.get(image, {}).items())]
        distinct = tuple(dict.fromkeys(ordered))
        self.left_out["captions equal to another of their picture"] += len(ordered) - len(distinct)
        return distinct


def read_captions(paths: Iterable[Path], wanted: Mapping[str, str], faults: list[Fault]) -> Captions:
    """The captions of the pictures ``wanted``, from all files together.

    A caption id that stands twice with the same text (as in the files of 2014 and 2017) is one caption; with
    another text it is a fault (E293). Blank captions are left out and counted. Raises InputError (E290, E291)
    for a file that is no such document.
    """
    found = Captions()
    for path in paths:
        document = read_document(path, _Document)
        image, caption = Shape(_Image), Shape(_Caption)
        for number, raw in enumerate(document.images):
            pictured = image.read(raw, _place(path, "images", number), faults)
            if pictured is not None and str(pictured.id) in wanted:
                found.files.setdefault(str(pictured.id), pictured.file_name)
        for number, raw in enumerate(document.annotations):
            place = _place(path, "annotations", number)
            said = caption.read(raw, place, faults)
            if said is not None and str(said.image_id) in wanted:
                _take(found, said, place(""), faults)
    return found


def _take(found: Captions, said: _Caption, place: str, faults: list[Fault]) -> None:
    text = clean(said.caption)
    texts = found.texts.setdefault(str(said.image_id), {})
    if not text:
        found.left_out["blank captions"] += 1
    elif texts.setdefault(said.id, text) != text:
        wrong = f"caption {said.id} again, with another text"
        faults.append(Fault("E293", place, wrong, "each caption id once", "drop one of the two"))


def _place(path: Path, listed: str, number: int) -> PathPlace:
    return lambda inner: f"{path} $.{listed}[{number}]{inner}"
