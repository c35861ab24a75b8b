"""Winoground: two pictures, two captions of the same words in another order (Thrush et al. 2022)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crossgauge.benchmark import Benchmark, Published, Task
from crossgauge.benchmarks._choices import strict_profile
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import is_file, is_folder
from crossgauge.benchmarks._gathering import MISSING, Gathering
from crossgauge.benchmarks._line_gathering import located
from crossgauge.benchmarks.winoground.pairs import Pair, Pairs
from crossgauge.captions import lacking
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.tables import Row, read_table
from crossgauge.types import Item

ITEMS = 400
_TABLES = ("examples.jsonl", "winoground.jsonl", "metadata.jsonl", "metadata.csv", "metadata.parquet")
_BESIDE = ("", "data")
_NEEDED = (("image_0",), ("image_1",), ("caption_0",), ("caption_1",))
_TAGS = ("collapsed_tag", "tag")

HELP = """\
The authors publish the data at huggingface.co/datasets/facebook/winoground (accept the licence). DIR or
DIR/data holds examples.jsonl (or metadata.csv|jsonl|parquet) with image_0, image_1, caption_0, caption_1 and,
if there, id and collapsed_tag or tag; the pictures lie beside it or in images/. Names may leave out .png."""


def open_winoground(data: Path | None, options: Mapping[str, str]) -> Pairs:
    """Read every item; raises InputError with every fault at once (missing pictures each by name)."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "Winoground", HELP))
    found = [data / place / name for place in _BESIDE for name in _TABLES if is_file(data / place / name)]
    if not found:
        raise InputError(Fault("E131", str(data), f"no {_TABLES[0]}", f"{' or '.join(_TABLES)}", HELP))
    path = found[0]
    gathering = Gathering(path.parent, missing=options.get("missing", "error"))
    table = read_table(path)
    gathering.report(*table.faults, *(table.lacks(*_NEEDED) if table.columns else ()))
    rows = [] if gathering.failed else list(table.rows)
    drafts = list(_drafts(gathering, rows))
    pictures = {picture.id: picture.path for picture in gathering.pictures()}
    whole = [draft for draft in drafts if all(name in pictures for name in draft.pictures)]
    if len(whole) != ITEMS:
        found_items, wanted = f"{len(whole)} items", f"{ITEMS}, as published"
        gathering.report(Fault("W373", path.name, found_items, wanted, "not comparable"))
    items = {name: Item(name, image=pictures[name]) for draft in whole for name in draft.pictures}
    pairs = tuple(
        Pair(draft.id, (items[draft.pictures[0]], items[draft.pictures[1]]), draft.captions, draft.tag)
        for draft in whole
    )
    return Pairs(pairs, warnings=gathering.warnings, notes={"in the paper": f"{ITEMS} items"})


class _Draft:
    """An item whose pictures may still turn out to be missing."""

    def __init__(self, row: Row, pictures: tuple[str, str], captions: tuple[str, str], *, name: str) -> None:
        self.id, self.pictures, self.captions = name, pictures, captions
        tag = row.first(_TAGS)
        self.tag = tag.strip() if isinstance(tag, str) and tag.strip() else None


def _drafts(gathering: Gathering, rows: list[Row]) -> Iterator[_Draft]:
    """Every item that can be used; what is wrong with the others is told."""
    places: dict[str, str] = {}
    for number, row in enumerate(rows):
        name = str(row.values.get("id", number)).strip()
        if name in places:
            told = f"id {name!r} is already that of {places[name]}"
            gathering.report(Fault("E126", row.place, told, "one item an id", "give each its own"))
            continue
        places[name] = row.place
        captions = [_caption(gathering, row, f"caption_{slot}") for slot in (0, 1)]
        pictures = [_picture(gathering, row, f"image_{slot}", f"{name}:image_{slot}") for slot in (0, 1)]
        left, right = captions
        if left is not None and right is not None:
            yield _Draft(row, (pictures[0], pictures[1]), (left, right), name=name)


def _caption(gathering: Gathering, row: Row, column: str) -> str | None:
    place, silent = f"{row.place} {column}", lacking(row.values, column)
    if silent is None:
        return gathering.text(row.values[column], place)
    gathering.report(Fault("E127", place, silent, "a text that says something", "write it or drop the row"))
    return None


def _picture(gathering: Gathering, row: Row, column: str, name: str) -> str:
    """Take a picture, whose name may lack its suffix; returns its id."""
    place, silent = f"{row.place} {column}", lacking(row.values, column)
    if silent is not None:
        gathering.report(Fault("E129", place, silent, "the name of a picture file", "complete the row"))
        return name
    said = row.values[column]
    file: Any = said
    if isinstance(said, str):
        forms = (said, f"{said}.png", f"{said}.jpg")
        places = [located(gathering.root, ("images", ""), form) for form in forms]
        file = next((place for place in places if is_file(gathering.root / place)), places[0])
    gathering.add(place, file=file, name=name, label=name)
    return name


def sample(folder: Path) -> None:
    """Four items of drawings; names without .png, two tags."""
    pairs = [("circle", "square", "Object"), ("cross", "bar", "Object"), ("bar", "circle", "Relation"),
             ("square", "cross", "Relation")]  # fmt: skip
    rows = []
    for number, (one, other, tag) in enumerate(pairs):
        for slot, (shape, colour) in enumerate(((one, "red"), (other, "blue"))):
            draw(folder / "images" / f"ex_{number}_img_{slot}.png", colour, shape=shape)
        rows.append({
            "id": number, "image_0": f"ex_{number}_img_0", "image_1": f"ex_{number}_img_1",
            "caption_0": f"a red {one} and no blue {other}", "caption_1": f"a blue {other} and no red {one}",
            "collapsed_tag": tag,
        })  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "examples.jsonl").write_text(lines, encoding="utf-8")


_MEASURES = ("all_hit@1", "hit@1")
_SOURCE = "Thrush et al. 2022, Winoground, row Random Chance"

BENCHMARK = Benchmark(
    name="winoground",
    title="Winoground",
    version="1",
    description="400 items of two pictures and two captions that hold the same words in another order. text: "
    "each picture must prefer its caption; image: each caption must prefer its picture; group: all four. An "
    "item counts only when all of its comparisons are right (all_hit@1); hit@1 counts comparisons.",
    citation="Thrush et al. (2022). Winoground: Probing Vision and Language Models for Visio-Linguistic "
    "Compositionality. arXiv:2204.03162.",
    licence="Winoground's own licence (research only; pictures by Getty Images)",
    tasks=(
        Task("text", "image", "text", _MEASURES),
        Task("image", "text", "image", _MEASURES),
        Task("group", "image+text", "image+text", _MEASURES, label="image↔text"),
    ),
    open=open_winoground,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(MISSING,),
    published=tuple(
        Published("random scores", task, "all_hit@1", value, _SOURCE, note, queries=None, gallery=None)
        for task, value, note in (
            ("text", 0.25, "cited from memory, not checked against the paper; two fair comparisons"),
            ("image", 0.25, "cited from memory, not checked against the paper; two fair comparisons"),
            ("group", 0.1667, "cited from memory, not checked; four scores, both right ones above: 2!2!/4!"),
        )
    ),
    profiles=(
        strict_profile(
            "winoground-strict",
            ("text", "image", "group"),
            measure="all_hit@1",
            source="facebook/winoground, the paper's definition of the three scores",
        ),
    ),
)
