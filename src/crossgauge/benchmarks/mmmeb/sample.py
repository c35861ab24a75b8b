"""Tiny made-up MMMEB and MMEB data in the real layouts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._drawing import draw

_COLOURS = ("red", "blue")
_SHAPES = ("circle", "square", "bar")
_DRAWN = tuple((colour, shape) for shape in _SHAPES for colour in _COLOURS)
_PLACEHOLDER = "<|image_1|>\n"


@dataclass(frozen=True, slots=True)
class _Words:
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    caption: str
    question: str = ""  # empty: no questions in this language


_WORDS = {
    "en": _Words(("red", "blue"), ("Disc", "Block", "Beam"), "{1} that is {0}.", "What colour is it?"),
    "it": _Words(("rosso", "blu"), ("Disco", "Blocco", "Trave"), "{1} {0} su bianco."),
    "es": _Words(("rojo", "azul"), ("Disco", "Bloque", "Viga"), "{1} de color {0}."),
    "fr": _Words(
        ("rouge", "bleu"), ("Disque", "Bloc", "Poutre"), "{1} en {0}.", "De quelle couleur est-ce ?"
    ),
    "de": _Words(("rot", "blau"), ("Scheibe", "Block", "Balken"), "{1} in {0}."),
}


def mmmeb(folder: Path) -> None:
    """All seven kinds of file, in every language that has prompts; six drawings a data set."""
    data = folder / "eval_data"
    for language, words in _WORDS.items():
        said = [words.caption.format(colour, shape) for shape in words.shapes for colour in words.colours]
        for dataset in ("xm", "xtd"):
            names = _drawings(data, dataset, suffix=dataset == "xm")
            named = list(zip(names, said, strict=True))
            rows = [{"id": name, "img": name, "captions": _first(said, text)} for name, text in named]
            _write(data, f"{dataset}_{language}_1000_formatted_i2t", rows)
            rows = [{"id": name, "text": text, "images": _first(names, name)} for name, text in named]
            _write(data, f"{dataset}_{language}_1000_formatted_t2i", rows)
        right = [shape for shape in words.shapes for _ in words.colours]
        rows = [
            {"id": name, "img": name, "classes": _first(words.shapes, shape)}
            for name, shape in zip(_drawings(data, "imagenet-1k-val", suffix=False), right, strict=True)
        ]
        _write(data, f"imagenet-1k-val_{language}_1000_formatted_c", rows)
        if words.question:
            _about_parts(data, language, words)


def _about_parts(data: Path, language: str, words: _Words) -> None:
    """Questions about pictures, and pictures with a part to find."""
    rows = [
        {"id": name, "img": name, "question": words.question, "answers": _first(words.colours, colour)}
        for name, colour in zip(_drawings(data, "maxm_v1", suffix=True), 3 * words.colours, strict=True)
    ]
    _write(data, f"maxm_v1_{language}_100_formatted_vqa", rows)
    crops = [f"flickr30k_entities_images/crops/{colour}.png" for colour in _COLOURS]
    for crop, colour in zip(crops, _COLOURS, strict=True):
        draw(data / crop, colour, shape="circle", size=12)
    rows = [
        {"id": name, "img": name, "text": f"{words.shapes[0]} {colour}", "imgs": _first(crops, crop)}
        for name, colour, crop in zip(
            _drawings(data, "flickr30k_entities", suffix=True)[:2], words.colours, crops, strict=True
        )
    ]
    _write(data, f"flickr30k_entities_{language}_1000_formatted_vg", rows)


def mmeb(folder: Path) -> None:
    """One data set for each meta-task, in a folder of its name, and one of none."""
    paths = []
    for number, (colour, shape) in enumerate(_DRAWN):
        paths.append(f"shapes/{number}.jpg")
        draw(folder / "images" / paths[-1], colour, shape=shape, kind="JPEG")
    texts = [_first(_COLOURS, colour) for colour, _ in _DRAWN]
    twins = [_first(paths[n - n % 2 : n - n % 2 + 2], path) for n, path in enumerate(paths)]
    for place, name, says, of_texts in (
        ("classification", "Colours", "Name the colour", True),
        ("vqa", "ColourQA", "Which colour has the {1}?", True),
        ("retrieval", "Twins", "Find the same drawing", False),
        ("grounding", "Parts", "Select the {0} part", False),
        ("", "Others", "Find what is like it", False),
    ):
        rows = [
            {
                "qry_text": _PLACEHOLDER + says.format(*_DRAWN[n]),
                "qry_img_path": path,
                "tgt_text": texts[n] if of_texts else [f"{_PLACEHOLDER}Represent the given picture"] * 2,
                "tgt_img_path": ["", ""] if of_texts else twins[n],
            }
            for n, path in enumerate(paths)
        ]
        _write(folder / place, name, rows)


def _drawings(data: Path, dataset: str, *, suffix: bool) -> list[str]:
    """Six drawings of a data set, drawn once, and their names as rows write them."""
    names = []
    for number, (colour, shape) in enumerate(_DRAWN):
        path = data / f"{dataset}_images" / f"{number}.jpg"
        if not path.exists():
            draw(path, colour, shape=shape, size=20 + len(dataset), kind="JPEG")
        names.append(path.name if suffix else path.stem)
    return names


def _first(listed: Sequence[str], gold: str) -> list[str]:
    """The list with the right one in front."""
    return [gold, *(one for one in listed if one != gold)]


def _write(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
