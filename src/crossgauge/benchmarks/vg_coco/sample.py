"""A small made-up set in the layout of both data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crossgauge.benchmarks.vg_coco.sample_pictures import paint
from crossgauge.benchmarks.vg_coco.sample_scenes import HEIGHT, SCENES, WIDTH, Box, Scene, Thing

_FIRST = 9_000_001  # COCO has no such ids
_SIZE = {"width": WIDTH, "height": HEIGHT}


def sample(folder: Path) -> None:
    """Eight pictures with five captions, objects and regions each; one more of each data set alone."""
    folder.mkdir(parents=True, exist_ok=True)
    data, objects, graphs, attributes, regions = [], [], [], [], []
    captions: dict[str, list[Any]] = {"images": [], "annotations": []}
    for number, scene in enumerate(SCENES, start=1):
        coco = _FIRST + number
        paint(scene, folder / "images" / f"{number}.jpg")
        data.append({"image_id": number, **_SIZE, "coco_id": coco, "flickr_id": None})
        listed = _objects(number, scene)
        objects.append({"image_id": number, "objects": listed})
        graphs.append({"image_id": number, "objects": listed, "relationships": []})
        attributes.append(
            {"image_id": number, "attributes": [{**one, "attributes": ["near"]} for one in listed]}
        )
        regions.append({"id": number, "regions": _regions(number, scene)})
        captions["images"].append({"id": coco, "file_name": f"{coco:012d}.jpg", **_SIZE})
        captions["annotations"] += [
            {"image_id": coco, "id": 10 * number + at, "caption": caption}
            for at, caption in enumerate(scene.captions)
        ]
    data.append({"image_id": len(SCENES) + 1, **_SIZE, "coco_id": None, "flickr_id": 7})
    captions["images"].append({"id": _FIRST, "file_name": f"{_FIRST:012d}.jpg", **_SIZE})
    captions["annotations"].append({"image_id": _FIRST, "id": 5, "caption": "A picture of COCO alone."})
    files = {
        "image_data": data, "objects": objects, "scene_graphs": graphs, "attributes": attributes,
        "region_descriptions": regions, "captions_val2017": captions,
    }  # fmt: skip
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


def _objects(number: int, scene: Scene) -> list[dict[str, Any]]:
    noted: list[tuple[Thing, Box | None]] = []
    for thing in scene.things:
        noted += [(thing, box) for box in thing.boxes] + [(thing, None) for _ in thing.unboxed]
    return [
        {
            "object_id": 100 * number + at, **_placed(box), "names": [thing.name],
            "synsets": [thing.synset] if thing.synset else [], "merged_object_ids": [],
        }
        for at, (thing, box) in enumerate(noted)
    ]  # fmt: skip


def _placed(box: Box | None) -> dict[str, int]:
    return {} if box is None else dict(zip("xywh", box, strict=True))


def _regions(number: int, scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "region_id": 10 * number + at, "image_id": number, "phrase": phrase,
            "x": 5, "y": 5, "width": 60, "height": 50,
        }
        for at, phrase in enumerate(scene.regions)
    ]  # fmt: skip
