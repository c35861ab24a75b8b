"""Karpathy's splits of COCO and Flickr30k: one JSON file of both, or CLIP_benchmark's text file a split."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from crossgauge.benchmark import Published, Task
from crossgauge.benchmarks._files import is_file, is_folder
from crossgauge.benchmarks._line_gathering import LineGathering, cut_captions, fewer_than_five
from crossgauge.benchmarks._lines import CaptionLines
from crossgauge.benchmarks._textfile import annotation, text_lines, to_last_text
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.folders import no_folder

ENGLISH = "en"
FOLD = 1000  # pictures of one fold of the 1K protocol
_BESIDE = ("", "annotations", "karpathy")  # where the annotations may lie in the data folder
_MARK = ".jpg,"  # the first ends the file name: captions hold commas
_UNREADABLE = (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_SHAPE = '{"images": [{"filename", "split", "sentences": [{"raw"}], …}]}'

MEASURES = ("hit@1", "hit@5", "hit@10", "medr", "mean_recall")
TASKS = (Task("i2t", "image", "text", MEASURES), Task("t2i", "text", "image", MEASURES))

_BENCHMARK_CSV = "LAION-AI/CLIP_benchmark benchmark/benchmark.csv (48de38c)"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a data set's files lie."""

    json: str  # dataset_coco.json
    text: str | None  # flickr30k_{split}_karpathy.txt
    folders: tuple[str, ...]  # in which pictures are looked for
    wanted: str  # how the folder must look


class _Sentence(msgspec.Struct):
    raw: str


class _Image(msgspec.Struct):
    filename: str
    split: str
    sentences: list[_Sentence]
    filepath: str = ""


class _Document(msgspec.Struct):
    images: list[msgspec.Raw]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Queries and candidates of both directions in print; None where they are not known."""

    pictures: int
    captions: int | None


def clip_rows(
    dataset: str, note: str, *, sizes: Sizes, values: Mapping[str, tuple[float, float]]
) -> tuple[Published, ...]:
    """OpenAI's CLIP in CLIP_benchmark's table: hit@5 text→image and image→text of each model."""
    source = f"{_BENCHMARK_CSV}, {dataset}"
    rows = []
    for model, (t2i, i2t) in values.items():
        system = f"OpenAI CLIP {model}"
        rows += [
            Published(system, "t2i", "hit@5", t2i, source, note, sizes.captions, sizes.pictures),
            Published(system, "i2t", "hit@5", i2t, source, note, sizes.pictures, sizes.captions),
        ]
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A picture of the split as an annotation file names it."""

    place: str
    file: str
    inside: str  # the folder it names, may be empty
    captions: Sequence[tuple[str, str]]  # place, text


def open_karpathy(data: Path | None, options: Mapping[str, str], layout: Layout) -> CaptionLines:
    """Read one split; raises InputError with every fault at once (missing pictures each by name)."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "the data set", layout.wanted))
    split = options.get("split") or "test"
    policy = options.get("captions") or "all"
    gathering = LineGathering(data, layout.folders, missing=options.get("missing", "error"))
    path = _annotations(gathering, data, layout, split)
    name = path.relative_to(data).as_posix()
    read = _read_json if path.name == layout.json else _read_text
    entries = read(gathering, path, name, split)
    counts: dict[str, int] = {}
    for entry in entries:
        picture = gathering.picture(entry.place, entry.file, inside=entry.inside)
        kept = cut_captions(entry.captions, policy)
        for place, text in kept if picture is not None else ():
            gathering.caption(place, entry.file, ENGLISH, text)
        counts[entry.file] = len(kept)
    if policy == "first-five":
        gathering.told.report(*fewer_than_five(counts, name))
    fold = FOLD if options.get("protocol") == "folds" else None
    return gathering.dataset(fold=fold, notes={"split": split, "annotations": name})


def entry(number: int, split: str, said: Sequence[str], *, step: int, **more: Any) -> dict[str, Any]:
    """A picture as samples write it; ids of sentences begin at ``number * step``."""
    ids = range(number * step, number * step + len(said))
    sentences = [
        {"tokens": text.lower().strip(".").split(), "raw": text, "imgid": number - 1, "sentid": sentid}
        for text, sentid in zip(said, ids, strict=True)
    ]
    return {"imgid": number - 1, "split": split, "sentids": list(ids), "sentences": sentences, **more}


def write_entries(folder: Path, name: str, images: Sequence[Mapping[str, Any]]) -> None:
    """The annotation file ``dataset_{name}.json`` of these pictures."""
    document = {"images": images, "dataset": name}
    (folder / f"dataset_{name}.json").write_text(json.dumps(document), encoding="utf-8")


def _annotations(gathering: LineGathering, data: Path, layout: Layout, split: str) -> Path:
    """The annotation file: the JSON before the text, which is told (W372)."""
    names = [layout.json, *([layout.text.format(split=split)] if layout.text else [])]
    found = [data / place / name for name in names for place in _BESIDE if is_file(data / place / name)]
    if not found:
        raise InputError(Fault("E131", str(data), f"no {' or '.join(names)}", "annotations", layout.wanted))
    if len(found) > 1:
        others = ", ".join(path.relative_to(data).as_posix() for path in found[1:])
        place = found[0].relative_to(data).as_posix()
        gathering.told.report(
            Fault("W372", place, f"also there: {others}", "one annotation file", f"{place} is read")
        )
    return found[0]


def _read_json(gathering: LineGathering, path: Path, name: str, split: str) -> list[_Entry]:
    """The split's entries; those that are misshapen become faults (E370), those of other splits too."""
    content, faults = annotation(path, name)
    if faults:
        raise InputError(faults)
    try:
        document = msgspec.json.decode(content, type=_Document)
    except _UNREADABLE as error:
        fault = Fault("E370", name, str(error), _SHAPE, "download it again; it may be cut off")
        raise InputError(fault) from None
    decoder = msgspec.json.Decoder(_Image)
    entries, splits = [], set()
    for number, raw in enumerate(document.images):
        place = f"{name}:images[{number}]"
        try:
            image = decoder.decode(raw)
        except _UNREADABLE as error:
            gathering.told.report(Fault("E370", place, str(error), _SHAPE, "mend the entry"))
            continue
        splits.add(image.split)
        if image.split == split:
            captions = [(f"{place}.sentences[{at}]", one.raw) for at, one in enumerate(image.sentences)]
            entries.append(_Entry(place, image.filename, image.filepath, captions))
    if not entries and not gathering.told.failed:
        have = ", ".join(sorted(splits)) or "none"
        raise UsageError(
            Fault("E130", f"--set split={split}", f"no picture of it in {name}", f"one of: {have}")
        )
    return entries


def _read_text(gathering: LineGathering, path: Path, name: str, _split: str) -> list[_Entry]:
    """The entries of a text file: a header, then ``name.jpg,caption`` lines, a picture's in any order.

    Blank lines at the end are no lines.
    """
    lines, faults = text_lines(path, name)
    gathering.told.report(*faults)
    captions: dict[str, list[tuple[str, str]]] = {}
    for place, file, text in _pairs(gathering, to_last_text(lines)[1:], name):
        captions.setdefault(file, []).append((place, text))
    return [_Entry(said[0][0], file, "", said) for file, said in captions.items()]


def _pairs(gathering: LineGathering, lines: Sequence[str], name: str) -> Iterator[tuple[str, str, str]]:
    """Place, file and caption of each line; others are faults (E372)."""
    for number, line in enumerate(lines, start=2):
        file, mark, text = line.partition(_MARK)
        if mark and file:
            yield f"{name}:{number}", file + ".jpg", text
        else:
            found = f"no {_MARK!r} in {line[:60]!r}"
            gathering.told.report(
                Fault("E372", f"{name}:{number}", found, "name.jpg,caption", "mend or drop the line")
            )
