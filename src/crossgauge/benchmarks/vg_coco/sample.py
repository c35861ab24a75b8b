"""A tiny made-up set in the layout of both data sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._drawing import draw

_FIRST = 9_000_001  # COCO has no such ids
_SCENES: Sequence[tuple[str, str, Sequence[tuple[str, str, int]]]] = (
    ("zebra", "grass", (("zebras", "zebra.n.01", 2), ("grass", "grass.n.01", 1))),
    ("horse", "fence", (("horse", "horse.n.01", 1), ("fence", "fence.n.01", 1))),
    ("dog", "beach", (("dog", "dog.n.01", 1), ("frisbee", "frisbee.n.01", 1), ("sand", "sand.n.01", 1))),
    ("bus", "street", (("bus", "bus.n.01", 1), ("street", "street.n.01", 1), ("lamp post", "", 1))),
    ("train", "station", (("train", "train.n.01", 1), ("tracks", "path.n.04", 2))),
    ("pizza", "table", (("pizza", "pizza.n.01", 1), ("plate", "plate.n.04", 1), ("forks", "fork.n.01", 2))),
)
_COLOURS = ("gray", "sienna", "goldenrod", "crimson", "navy", "orange")
_SAID = (
    "A {thing} near the {place}.",
    "The {place} with one {thing} on it",
    "There is a {thing} standing by a {place}.",
    "Picture of a {thing} and some {place}",
    "{thing} seen from the side, {place} behind",
)


def sample(folder: Path) -> None:
    """Six pictures with five captions, objects and regions each; one more of each data set alone."""
    folder.mkdir(parents=True, exist_ok=True)
    data, objects, graphs, attributes, regions = [], [], [], [], []
    captions: dict[str, list[Any]] = {"images": [], "annotations": []}
    for number, (thing, place, noted) in enumerate(_SCENES, start=1):
        coco = _FIRST + number
        draw(folder / "images" / f"{number}.jpg", _COLOURS[number - 1], size=24 + number, kind="JPEG")
        data.append({"image_id": number, "width": 640, "height": 480, "coco_id": coco, "flickr_id": None})
        listed = _objects(number, noted)
        objects.append({"image_id": number, "objects": listed})
        graphs.append({"image_id": number, "objects": listed, "relationships": []})
        attributes.append(
            {"image_id": number, "attributes": [{**one, "attributes": ["near"]} for one in listed]}
        )
        regions.append({"id": number, "regions": _regions(number, thing, place)})
        captions["images"].append({"id": coco, "file_name": f"{coco:012d}.jpg", "width": 640, "height": 480})
        captions["annotations"] += [
            {"image_id": coco, "id": 10 * number + at, "caption": said.format(thing=thing, place=place)}
            for at, said in enumerate(_SAID)
        ]
    data.append({"image_id": 7, "width": 640, "height": 480, "coco_id": None, "flickr_id": 7})
    captions["images"].append({"id": _FIRST, "file_name": f"{_FIRST:012d}.jpg", "width": 640, "height": 480})
    captions["annotations"].append({"image_id": _FIRST, "id": 5, "caption": "A picture of COCO alone."})
    files = {
        "image_data": data, "objects": objects, "scene_graphs": graphs, "attributes": attributes,
        "region_descriptions": regions, "captions_val2017": captions,
    }  # fmt: skip
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def _objects(number: int, noted: Sequence[tuple[str, str, int]]) -> list[dict[str, Any]]:
    things = [(name, synset) for name, synset, count in noted for _ in range(count)]
    return [
        {
            "object_id": 100 * number + at, "x": 40 * at, "y": 30 * at, "w": 100 + 10 * number, "h": 90,
            "names": [name], "synsets": [synset] if synset else [], "merged_object_ids": [],
        }
        for at, (name, synset) in enumerate(things)
    ]  # fmt: skip


def _regions(number: int, thing: str, place: str) -> list[dict[str, Any]]:
    said = (f"the {thing} is looking left", f"light falls on the {place}", f"shadow of the {thing}")
    return [
        {
            "region_id": 10 * number + at, "image_id": number, "phrase": phrase,
            "x": 5, "y": 5, "width": 60, "height": 50,
        }
        for at, phrase in enumerate(said)
    ]  # fmt: skip
