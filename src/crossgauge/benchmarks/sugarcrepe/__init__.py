"""SugarCrepe: the true caption of a picture or a false one, made in seven ways (Hsieh et al. 2023)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmark import Benchmark, Task
from crossgauge.benchmarks._choices import strict_profile
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import is_file, is_folder, some
from crossgauge.benchmarks._gathering import MISSING, Gathering
from crossgauge.benchmarks._line_gathering import located
from crossgauge.benchmarks.sugarcrepe.entries import ENGLISH, Entries, Entry
from crossgauge.captions import lacking
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.readers.strict_json import read_json
from crossgauge.result import Aggregate, CellResult

SIZES = {
    "add_att": 692, "add_obj": 2062, "replace_att": 788, "replace_obj": 1652, "replace_rel": 1406,
    "swap_att": 666, "swap_obj": 245,
}  # fmt: skip
TOTAL = sum(SIZES.values())
_BESIDE = ("", "data")
_PLACES = ("val2017", "images/val2017", "images", "")
_SHAPE = '{"0": {"filename", "caption", "negative_caption"}, …}'

HELP = f"""\
DIR holds the seven files of github.com/RAIVNLab/sugar-crepe, folder data: {", ".join(SIZES)},
each .json, or DIR/data does; the pictures are COCO's val2017, in DIR/val2017, DIR/images/val2017, DIR/images
or DIR."""


def open_sugarcrepe(data: Path | None, options: Mapping[str, str]) -> Entries:
    """Read every file; raises InputError with every fault at once (missing pictures each by name)."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "SugarCrepe", HELP))
    gathering = Gathering(data, missing=options.get("missing", "error"))
    found = {kind: path for kind in SIZES if (path := _file(data, kind)) is not None}
    absent = [f"{kind}.json" for kind in SIZES if kind not in found]
    if absent:
        gathering.report(Fault("E131", str(data), f"no {', '.join(absent)}", "all seven files", HELP))
    entries = [entry for kind, path in found.items() for entry in _entries(gathering, path, data, kind)]
    pictures = {picture.id: picture.path for picture in gathering.pictures()}
    left = tuple(entry for entry in entries if entry.picture in pictures)
    gathering.report(*_sizes(left))
    return Entries(left, pictures, tuple(SIZES), warnings=gathering.warnings)


def _file(data: Path, kind: str) -> Path | None:
    places = (data / place / f"{kind}.json" for place in _BESIDE)
    return next((path for path in places if is_file(path)), None)


def _entries(gathering: Gathering, path: Path, data: Path, kind: str) -> list[Entry]:
    """The entries of one file in the order of its keys, which may have gaps."""
    name = path.relative_to(data).as_posix()
    try:
        document = read_json(path)
    except InputError as error:
        gathering.report(*error.faults)
        return []
    if not isinstance(document, dict):
        gathering.report(
            Fault("E370", name, f"a JSON {type(document).__name__}", _SHAPE, "download it again")
        )
        return []
    read = (_entry(gathering, f"{name}:{key}", kind, key, said) for key, said in document.items())
    return [entry for entry in read if entry is not None]


def _entry(gathering: Gathering, place: str, kind: str, key: str, said: Any) -> Entry | None:
    if not isinstance(said, dict):
        gathering.report(Fault("E370", place, f"a JSON {type(said).__name__}", _SHAPE, "mend the entry"))
        return None
    file, silent = said.get("filename"), lacking(said, "filename")
    if silent is not None:
        wanted, fix = "the name of a picture file", "complete the entry"
        gathering.report(Fault("E129", f"{place}.filename", silent, wanted, fix))
    elif isinstance(file, str):
        shown = located(gathering.root, _PLACES, file)
        gathering.add(place, file=shown, name=file, label=file)
    else:
        gathering.add(f"{place}.filename", file=file)
    texts = [_text(gathering, place, said, key) for key in ("caption", "negative_caption")]
    if not isinstance(file, str) or texts[0] is None or texts[1] is None:
        return None
    return Entry(kind, key, file, texts[0], texts[1])


def _text(gathering: Gathering, place: str, said: Mapping[str, Any], key: str) -> str | None:
    silent = lacking(said, key)
    if silent is None:
        return gathering.text(said[key], f"{place}.{key}")
    wanted, fix = "a text that says something", "write it or drop the entry"
    gathering.report(Fault("E127", f"{place}.{key}", silent, wanted, fix))
    return None


def _sizes(entries: Sequence[Entry]) -> list[Fault]:
    """Files of another size than the published ones (W373)."""
    counts = {kind: sum(entry.kind == kind for entry in entries) for kind in SIZES}
    other = [f"{kind} {counts[kind]} of {size}" for kind, size in SIZES.items() if counts[kind] != size]
    if not other:
        return []
    found = f"{sum(counts.values())} of {TOTAL} entries: {some(other)}"
    return [Fault("W373", "the seven files", found, "the published sizes", "not comparable")]


def averages(cells: Sequence[CellResult]) -> tuple[Aggregate, ...]:
    """Macro (mean of the seven accuracies, as papers report) and micro (over all entries, as mteb)."""
    found = []
    for prompt in dict.fromkeys(cell.prompt for cell in cells):
        done = {cell.task: cell for cell in cells if cell.prompt == prompt}
        rows = {kind: _row(done.get(kind)) for kind in SIZES}
        known = {kind: row for kind, row in rows.items() if row is not None}
        absent = tuple(f"{kind}.{ENGLISH}.{prompt}" for kind in SIZES if kind not in known)
        cells_used = tuple(done[kind].key for kind in known)
        total = sum(n for _, n in known.values())
        for name, value, rule in (
            ("macro (7 types)", sum(value for value, _ in known.values()) / len(SIZES),
             "mean of hit@1 of the seven types"),
            ("micro (all entries)", sum(value * n for value, n in known.values()) / max(total, 1),
             f"hit@1 over all entries of the seven types together ({TOTAL} in the published data)"),
        ):  # fmt: skip
            found.append(
                Aggregate(name=name, measure="hit@1", value=None if absent else value, rule=rule,
                          cells=cells_used, missing=absent, prompt=prompt)
            )  # fmt: skip
    return tuple(found)


def _row(cell: CellResult | None) -> tuple[float, int] | None:
    """The accuracy of a cell and over how many entries."""
    rows = () if cell is None else cell.scores
    return next(
        ((row.value, row.n) for row in rows if row.measure == "hit@1" and row.value is not None), None
    )


def sample(folder: Path) -> None:
    """Four drawings; two entries of each type, with a gap in the keys."""
    shapes = ("circle", "bar", "cross", "square")
    for number, shape in enumerate(shapes):
        draw(folder / "val2017" / f"{number:012d}.jpg", "red", shape=shape, kind="JPEG")
    for at, kind in enumerate(SIZES):
        entries = {}
        for number in (at % 4, (at + 1) % 4):
            key = str(number if number != 1 else 7)
            entries[key] = {
                "filename": f"{number:012d}.jpg",
                "caption": f"A red {shapes[number]} by {kind}.",
                "negative_caption": f"A red {shapes[number - 1]} by {kind}.",
            }
        text = json.dumps(entries, indent=4)
        (folder / f"{kind}.json").write_text(text, encoding="utf-8")


BENCHMARK = Benchmark(
    name="sugarcrepe",
    title="SugarCrepe",
    version="1",
    description="7,511 COCO pictures' captions, each beside one that is false: an attribute or object added, "
    "an attribute, object or relation replaced, two attributes or objects swapped. One task a type; the "
    "model picks the caption nearer to the picture. Papers report each type and macro means, mteb one micro "
    "number.",
    citation="Hsieh et al. (2023). SugarCrepe: Fixing Hackable Benchmarks for Vision-Language "
    "Compositionality. arXiv:2306.14610.",
    licence="annotations: see the authors' repository; COCO's pictures belong to their Flickr authors",
    tasks=tuple(Task(kind, "image", "text", ("hit@1",)) for kind in SIZES),
    open=open_sugarcrepe,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(MISSING,),
    profiles=(
        strict_profile(
            "sugarcrepe-strict",
            tuple(SIZES),
            measure="hit@1",
            source="RAIVNLab/sugar-crepe main_eval.py at 6e45274",
        ),
    ),
    aggregate=averages,
)
