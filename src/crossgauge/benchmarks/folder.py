"""Your own captioned or labelled pictures: a folder with a metadata table, or one JSON-lines file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmark import ANY_LANGUAGE, Benchmark, Option, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._gathering import SUFFIXES, Gathering
from crossgauge.benchmarks._metadata import Record, chosen, read, tables
from crossgauge.captions import Picture
from crossgauge.collection import Collection
from crossgauge.errors import Fault, InputError
from crossgauge.languages import canonical
from crossgauge.tables import SUFFIXES as TABLES

FILE = ("image", "file_name", "image_path", "path", "filename")
TEXT = ("text", "texts", "caption", "captions", "description")
LABEL = ("label", "class")
LANGUAGE = ("lang", "language", "locale")
CATEGORY = ("category",)
ID = ("id", "_id")
CLASSES = "classes.json"

HELP = """\
DIR with metadata.csv, metadata.jsonl or metadata.parquet (also in one folder a split: test/metadata.csv), or
with *.jsonl files, or such a file itself; without any table, one folder of pictures a class. A row has
  image (or file_name)   the picture, relative to the table, inside the folder
  text or texts          one caption, a list of them, or {language: caption or list}
  lang                   the language of the row's captions (default: --set language=…, else "und")
  label, category, split, id   optional; ids are opaque, the file name stands in; rows of one id add captions
classes.json ({language: {label: name}}) names the classes in other words or languages."""


def open_folder(data: Path | None, options: Mapping[str, str]) -> Collection:
    """Read the folder or file; raises InputError with every fault of it."""
    root, found = _sources(data)
    default = canonical(options.get("language", "") or ANY_LANGUAGE)
    gathering = Gathering(root, missing=options.get("missing", "error"))
    if not found:
        _class_folders(gathering)
        return _collection(gathering, default, "all")
    records, faults = read(found, [FILE, (*TEXT, *LABEL)])
    gathering.report(*faults)
    records, split = chosen(records, options.get("split", ""))
    for record in records:
        _add(gathering, record, default)
    return _collection(gathering, default, split)


def _sources(data: Path | None) -> tuple[Path, tuple[tuple[Path, str], ...]]:
    """The folder that holds the pictures, and its tables."""
    if data is None or not data.exists():
        raise InputError(Fault("E131", str(data), "no such folder or file", "a folder of pictures", HELP))
    if data.is_file():
        if data.suffix.casefold() not in TABLES:
            raise InputError(Fault("E131", str(data), "not a table", f"a file *{', *'.join(TABLES)}", HELP))
        return data.parent, ((data, ""),)
    return data, tables(data) or tuple((path, "") for path in sorted(data.glob("*.jsonl")))


def _class_folders(gathering: Gathering) -> None:
    for path in sorted(gathering.root.glob("*/*")):
        if path.suffix.casefold() in SUFFIXES and not path.name.startswith("."):
            name = f"{path.parent.name}/{path.name}"
            gathering.add(name, file=name, label=path.parent.name)


def _add(gathering: Gathering, record: Record, default: str) -> None:
    row = record.row
    language = row.first(LANGUAGE)
    texts = [pair for column in TEXT for pair in _texts(row.values.get(column), str(language or default))]
    gathering.add(
        row.place,
        file=record.file(FILE),
        name=row.first(ID),
        texts=texts,
        label=_word(gathering, row.first(LABEL), row.place),
        category=_word(gathering, row.first(CATEGORY), row.place),
    )


def _texts(value: Any, language: str) -> Iterator[tuple[str, Any]]:
    """(language, text) pairs of a cell; None says nothing, everything else must be a text."""
    if isinstance(value, dict):
        for code, inner in value.items():
            yield from _texts(inner, code)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, language)
    elif value is not None:
        yield language, value


def _word(gathering: Gathering, value: Any, place: str) -> str | None:
    """A label or category: text, or a whole number in decimal."""
    if value is None:
        return None
    return gathering.text(str(value) if type(value) is int else value, place)


def _collection(gathering: Gathering, default: str, split: str) -> Collection:
    classes = _classes(gathering)
    pictures = gathering.pictures()
    labels = sorted({picture.label for picture in pictures if picture.label is not None})
    if labels and not classes:
        classes = {_label_language(pictures, default): {label: label for label in labels}}
    if labels:
        _all_named(classes, labels)
    return Collection(pictures, classes=classes, warnings=gathering.warnings, notes={"split": split})


def _label_language(pictures: Iterable[Picture], default: str) -> str:
    """Labels are in the language of the captions where that is one, else in the one the user names."""
    languages = {language for picture in pictures for language in picture.texts}
    return languages.pop() if len(languages) == 1 else default


def _classes(gathering: Gathering) -> dict[str, dict[str, str]]:
    """``classes.json``, where there is one."""
    path = gathering.root / CLASSES
    if not path.is_file():
        return {}
    try:
        named = json.loads(path.read_bytes())
        pairs = [
            (language, label, name) for language, names in named.items() for label, name in names.items()
        ]
    except (ValueError, AttributeError) as error:
        gathering.report(Fault("E122", CLASSES, str(error), "{language: {label: name}}", "mend it"))
        return {}
    classes: dict[str, dict[str, str]] = {}
    for language, label, name in pairs:
        code, text = (
            gathering.language(language, CLASSES),
            gathering.text(name, f"{CLASSES} {language}.{label}"),
        )
        if code is not None and text is not None:
            classes.setdefault(code, {})[label] = text
    return classes


def _all_named(classes: Mapping[str, Mapping[str, str]], labels: Sequence[str]) -> None:
    """Every class needs a name in every language, or accuracies of languages would not compare."""
    faults = []
    for language, names in classes.items():
        lacking = [label for label in labels if label not in names]
        if lacking:
            found = f"{language!r} lacks {len(lacking)} of {len(labels)} classes: {', '.join(lacking[:5])}"
            faults.append(Fault("E136", CLASSES, found, "a name for each class", "add them"))
    if faults:
        raise InputError(faults)


def sample(folder: Path) -> None:
    """Six drawings with captions in three languages, two classes and two splits."""
    rows = []
    for number, (colour, shape) in enumerate(
        [("red", "circle"), ("red", "square"), ("blue", "circle"), ("blue", "square"), ("green", "circle"),
         ("green", "square")]
    ):  # fmt: skip
        draw(folder / "images" / f"{colour} {shape}.png", colour, shape=shape)
        texts = {"en": [f"a {colour} {shape}", shape], "de": f"{shape} {number}", "ja": f"図 {number}"}
        rows.append({
            "image": f"images/{colour} {shape}.png", "texts": texts, "label": shape, "category": colour,
            "split": "train" if colour == "green" else "test",
        })  # fmt: skip
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "metadata.jsonl").write_text(lines, encoding="utf-8")


_RETRIEVAL = ("hit@1", "hit@5", "hit@10", "recall@5", "mrr", "medr")

BENCHMARK = Benchmark(
    name="folder",
    title="Your own pictures",
    version="1",
    description="Retrieval in every language of your captions; classification where pictures have labels.",
    citation="Your data: cite whoever made them.",
    licence="that of your data",
    tasks=(
        Task("i2t", "image", "text", _RETRIEVAL),
        Task("t2i", "text", "image", _RETRIEVAL),
        Task("classify", "image", "text", ("acc@1", "acc@5", "acc_macro@1")),
    ),
    open=open_folder,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("split", (), "rows of this split; default: test where there is one, else all"),
        Option("language", (), "the language of captions and labels that say none"),
        Option(
            "missing", ("error", "skip"), "whether a picture that is not there stops the work or is left out"
        ),
    ),
)
