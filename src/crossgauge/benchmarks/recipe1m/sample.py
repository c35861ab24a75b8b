"""A tiny made-up Recipe1M in the real layout, with what the filter leaves out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks.recipe1m.filter import LONGEST, REMOVE, VOCABULARY

_DISHES = {
    "Aubergine": "purple", "Borscht": "crimson", "Chowder": "ivory", "Dumplings": "wheat",
    "Empanadas": "peru", "Falafel": "olive", "Gnocchi": "khaki", "Hummus": "tan", "Injera": "sienna",
    "Jambalaya": "orange", "Kedgeree": "gold", "Laksa": "coral",
}  # fmt: skip
_NAMES = ("salt", "olive oil", "onion", "flour")


def sample(folder: Path) -> None:
    """Twelve test pairs; one recipe without a picture, too long, removed, of train and of val."""
    folder.mkdir(parents=True, exist_ok=True)
    layer1, layer2, detected = [], [], []
    for number, (dish, colour) in enumerate(_DISHES.items()):
        name = f"{number:02x}c0ffee{number:02x}"
        names = _NAMES[: 1 + number % len(_NAMES)]
        layer1.append(_recipe(name, dish, colour, names))
        layer2.append(_pictured(folder, name, colour, count=1 + number % 2))
        detected.append(_detected(name, names))
    others = (("0d", LONGEST, "test"), ("0e", 3, "test"), ("0f", 3, "train"), ("10", 3, "val"))
    for key, steps, partition in others:
        name = f"{key}c0ffee{key}"
        layer1.append(_recipe(name, "Toast", "brown", _NAMES, steps=steps, partition=partition))
        layer2.append(_pictured(folder, name, "brown", count=1, partition=partition))
        detected.append(_detected(name, _NAMES))
    layer1.append(_recipe("11c0ffee11", "Water", "clear", ()))
    detected.append(_detected("11c0ffee11", ()))
    for file, content in (("layer1", layer1), ("layer2", layer2), ("det_ingrs", detected)):
        (folder / f"{file}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / REMOVE).write_text("0fc0ffee0f\n0ec0ffee0e\n", encoding="utf-8")
    (folder / VOCABULARY).write_text("</s>\n" + "\n".join(_NAMES).replace(" ", "_") + "\n", encoding="utf-8")
    rows = [f"{recipe['id']},{'main' if row < 10 else 'side'}" for row, recipe in enumerate(layer1)]  # noqa: PLR2004
    for file in ("courses.csv", "dishes.csv"):
        (folder / file).write_text("\n".join(["id,label", *rows]) + "\n", encoding="utf-8")


def _recipe(
    name: str, dish: str, colour: str, names: Sequence[str], *, steps: int = 3, partition: str = "test"
) -> dict[str, Any]:
    done = [
        f"Prepare the {names[step % len(names)] if names else 'glass'}, step {step}." for step in range(steps)
    ]
    return {
        "id": name,
        "title": f"{dish} in {colour}",
        "ingredients": [{"text": f"{2 + count} spoons of {one}"} for count, one in enumerate(names)],
        "instructions": [{"text": one} for one in done],
        "partition": partition,
        "url": f"http://recipes.example/{name}",
    }


def _pictured(folder: Path, name: str, colour: str, *, count: int, partition: str = "test") -> dict[str, Any]:
    images = [f"{number}{name[1:]}.jpg" for number in range(count)]
    for number, image in enumerate(images):
        path = folder.joinpath("images", partition, *image[:4], image)
        draw(path, colour, shape=("circle", "square")[number], size=24 + number, kind="JPEG")
    return {"id": name, "images": [{"id": one, "url": f"http://recipes.example/{one}"} for one in images]}


def _detected(name: str, names: Sequence[str]) -> dict[str, Any]:
    return {"id": name, "valid": [True] * len(names), "ingredients": [{"text": one} for one in names]}
