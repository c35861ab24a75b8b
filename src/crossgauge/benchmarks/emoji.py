"""Emoji: 291 Noto pictures and their Unicode CLDR names in 35 languages; needs no data, runs anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crossgauge.benchmark import Benchmark, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import is_there
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.collection import Collection
from crossgauge.errors import Fault, InputError
from crossgauge.tables import content

DATA = Path(__file__).parent / "data" / "emoji"
TABLE = "emoji.json"
_WANTED = (
    '{"subgroups": {id: phrase}, "emoji": [{"id", "group", "subgroup", "file", "names": {language: name}}]}'
)


def open_emoji(data: Path | None, options: Mapping[str, str]) -> Collection:  # noqa: ARG001  (it has no options)
    """The embedded pictures, or those of a folder in the same layout; raises InputError with every fault."""
    root = data or DATA
    document = _document(root)
    subgroups, rows = document.get("subgroups"), document.get("emoji")
    if not isinstance(subgroups, dict) or not isinstance(rows, list):
        raise InputError(Fault("E123", TABLE, f"keys: {', '.join(document) or 'none'}", _WANTED))
    gathering = Gathering(root)
    for number, row in enumerate(rows, start=1):
        place = f"{TABLE} emoji {number}"
        if not isinstance(row, dict) or not isinstance(row.get("names"), dict):
            gathering.report(Fault("E122", place, "not an object with names", _WANTED))
            continue
        subgroup = row.get("subgroup")
        if subgroup not in subgroups:
            gathering.report(Fault("E136", place, f"subgroup {subgroup!r} has no phrase", "one in subgroups"))
        gathering.add(place, file=row.get("file"), name=row.get("id"), texts=row["names"].items(),
                      label=subgroup, category=row.get("group"))  # fmt: skip
    names = {key: gathering.text(name, f"{TABLE} subgroups.{key}") or "" for key, name in subgroups.items()}
    pictures = gathering.pictures()
    return Collection(pictures, classes={"en": names}, warnings=gathering.warnings)


def _document(root: Path) -> dict[str, Any]:
    path = root / TABLE
    if not is_there(path):
        raise InputError(Fault("E131", str(root), f"no {TABLE}", BENCHMARK.data_help))
    data, faults = content(path, TABLE)
    if faults:
        raise InputError(faults)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(Fault("E122", TABLE, str(error), _WANTED, "write it again")) from None
    return document if isinstance(document, dict) else {}


def sample(folder: Path) -> None:
    """Six drawings in two subgroups, named in three languages."""
    shapes = {"circle": ("Kreis", "丸"), "square": ("Quadrat", "四角"), "cross": ("Kreuz", "十字")}
    rows = []
    for colour, farbe, iro in (("red", "rotes", "赤"), ("blue", "blaues", "青")):
        for shape, (german, japanese) in shapes.items():
            name = f"{colour}-{shape}"
            draw(folder / "images" / f"{name}.png", colour, shape=shape)
            rows.append({
                "id": name, "char": "", "group": "Symbols", "subgroup": colour, "file": f"images/{name}.png",
                "names": {"en": f"{colour} {shape}", "de": f"{farbe} {german}", "ja": iro + japanese},
            })  # fmt: skip
    document = {
        "source": "made up",
        "subgroups": {"red": "a red shape", "blue": "a blue shape"},
        "emoji": rows,
    }
    (folder / TABLE).write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


_RETRIEVAL = ("hit@1", "hit@5", "hit@10", "mrr", "medr")

BENCHMARK = Benchmark(
    name="emoji",
    title="Emoji",
    version="1",
    description="Small drawings and what 35 languages call them: a first look at any model, and a smoke test "
    "that needs no data. Pictures are 64 × 64 pixels and stylised, so numbers say nothing about photographs.",
    citation="Noto Emoji, Google (Apache-2.0); Unicode CLDR 48, short names (Unicode-3.0).",
    licence="pictures Apache-2.0, names Unicode-3.0",
    tasks=(
        Task("i2t", "image", "text", _RETRIEVAL),
        Task("t2i", "text", "image", _RETRIEVAL),
        Task("classify", "image", "text", ("acc@1", "acc@5", "acc_macro@1")),
    ),
    open=open_emoji,
    sample=sample,
    needs_data=False,
    data_help=f"Embedded. --data DIR reads your own {TABLE} in the same layout: {_WANTED}.",
)
