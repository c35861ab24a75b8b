"""Crossmodal-3600: 3,600 pictures with about two captions each in 36 languages (Thapliyal et al. 2022)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import is_file, is_folder
from crossgauge.benchmarks._gathering import MISSING
from crossgauge.benchmarks._line_gathering import LineGathering, cut_captions
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks._textfile import annotation
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.languages import canonical, reading
from crossgauge.tables import Row, read_table

CAPTIONS = "captions.jsonl"
KEY = "image/key"
PICTURES = 3600
_PLACES = ("images", "", "xm3600")

HELP = f"""\
DIR holds {CAPTIONS} from google.github.io/crossmodal-3600 (a line a picture: "{KEY}", and for each language
{{"caption": [...]}}) and the pictures, KEY.jpg, in DIR/images, DIR or DIR/xm3600."""


def open_xm3600(data: Path | None, options: Mapping[str, str]) -> CaptionLines:
    """Read every language; raises InputError with every fault at once (missing pictures each by name)."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "Crossmodal-3600", HELP))
    path = data / CAPTIONS
    if not is_file(path):
        raise InputError(Fault("E131", str(data), f"no {CAPTIONS}", CAPTIONS, HELP))
    faults = annotation(path, CAPTIONS)[1]
    if faults:
        raise InputError(faults)
    gathering = LineGathering(data, _PLACES, missing=options.get("missing", "error"))
    table = read_table(path)
    gathering.told.report(*table.faults)
    for row in table.rows:
        _row(gathering, row, options.get("captions") or "all")
    if table.rows and len(table.rows) != PICTURES:
        found, wanted = f"{len(table.rows)} pictures", f"{PICTURES}, as published"
        gathering.told.report(Fault("W373", CAPTIONS, found, wanted, "not comparable"))
    return gathering.dataset(notes={"in the data set": f"{PICTURES} pictures, 36 languages"})


def _row(gathering: LineGathering, row: Row, policy: str) -> None:
    """One picture with its captions in every language that it has."""
    key = row.values.get(KEY)
    file = f"{key}.jpg" if isinstance(key, str) and key else None
    picture = gathering.picture(row.place, file)
    for code, captions in _captions(gathering, row):
        known, unknown = reading(code, place=row.place)
        if known is None:
            gathering.told.report(*([unknown] if unknown else []))
            continue
        for text in cut_captions(captions, policy) if picture is not None else ():
            gathering.caption(f"{row.place} {code}", picture or "", canonical(code), text)


def _captions(gathering: LineGathering, row: Row) -> Iterator[tuple[str, list[Any]]]:
    """Language and captions: of every key that holds an object; others (image/locale) say no caption."""
    for code, said in row.values.items():
        if not isinstance(said, dict):
            continue
        captions = said.get("caption")
        if isinstance(captions, list):
            yield code, captions
        else:
            found = f"{code!r} holds {captions!r:.40} as caption"
            gathering.told.report(Fault("E370", row.place, found, '{"caption": [text, …]}', "mend the line"))


def sample(folder: Path) -> None:
    """Five drawings in four languages, uneven numbers of captions, one text of one letter."""
    shapes = {"circle": ("Kreis", "duyurkuna", "bilog"), "bar": ("Balken", "k’aspi", "guhit")}
    rows = []
    for number, colour in enumerate(("red", "blue", "gold", "green", "black")):
        shape = ("circle", "bar")[number % 2]
        german, quechua, filipino = shapes[shape]
        key = f"{number:016x}"
        draw(folder / "images" / f"{key}.jpg", colour, shape=shape, kind="JPEG")
        said = {
            "de": [f"{german} {number}", f"Ein Bild von {german} {number}"][: 1 + number % 2],
            "en": [f"a {colour} {shape}", f"{shape} drawn in {colour}"],
            "fil": [f"{filipino} {number}"],
            "quz": ["o" if number == 0 else f"{quechua} {number}"],
        }
        rows.append({KEY: key, "image/locale": "en"} | {
            code: {"caption/tokenized": texts, "caption": texts} for code, texts in said.items()
        })  # fmt: skip
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / CAPTIONS).write_text(lines, encoding="utf-8")


_MEASURES = ("hit@1", "hit@5", "hit@10", "medr", "mean_recall")

BENCHMARK = Benchmark(
    name="xm3600",
    title="Crossmodal-3600",
    version="1",
    description="Retrieval between 3,600 pictures from where 36 languages are spoken and captions written in "
    "each (not translated), about two a picture. A captioning set without a retrieval scorer of its own: "
    "captions=all makes every caption a text→image query (as mteb does), captions=first the first of each "
    "picture only (as CLIP_benchmark does); the two are not comparable.",
    citation="Thapliyal et al. (2022). Crossmodal-3600: A Massively Multilingual Multimodal Evaluation "
    "Dataset. arXiv:2205.12522.",
    licence="CC BY (pictures from Open Images)",
    tasks=(Task("i2t", "image", "text", _MEASURES), Task("t2i", "text", "image", _MEASURES)),
    open=open_xm3600,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("captions", ("all", "first"), "which captions of a picture are taken in each language"),
        MISSING,
    ),
)
