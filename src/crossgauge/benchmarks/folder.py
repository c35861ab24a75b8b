"""Your own captioned or labelled pictures: a folder with a metadata table, or one JSON-lines file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossgauge.benchmark import ANY_LANGUAGE, Benchmark, Option, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import (
    entries,
    folders,
    is_folder,
    is_picture,
    is_there,
    many,
    normal,
    pictures_below,
    some,
)
from crossgauge.benchmarks._gathering import MISSING, Gathering
from crossgauge.benchmarks._metadata import Record, chosen, read, tables
from crossgauge.captions import Picture, clean
from crossgauge.collection import Collection
from crossgauge.errors import Fault, InputError
from crossgauge.languages import canonical
from crossgauge.tables import SUFFIXES as TABLES
from crossgauge.tables import content

FILE = ("image", "file_name", "image_path", "path", "filename")
TEXT = ("text", "texts", "caption", "captions", "description")
LABEL = ("label", "class")
LANGUAGE = ("lang", "language", "locale")
CATEGORY = ("category",)
ID = ("id", "_id")
CLASSES = "classes.json"
KNOWN = (*FILE, *TEXT, *LABEL, *LANGUAGE, *CATEGORY, *ID)

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
        none = _class_folders(gathering)
        return _collection(gathering, default, "all", none=none)
    records = read(gathering, found, [FILE, (*TEXT, *LABEL)], known=KNOWN)
    records, split = chosen(gathering, records, options.get("split", ""))
    for record in records:
        _add(gathering, record, default)
    return _collection(gathering, default, split)


def _sources(data: Path | None) -> tuple[Path, tuple[tuple[Path, str], ...]]:
    """The folder that holds the pictures, and its tables."""
    if data is None or not is_there(data):
        raise InputError(Fault("E131", str(data), "no such folder or file", "a folder of pictures", HELP))
    if not is_folder(data):
        if data.suffix.casefold() not in TABLES:
            raise InputError(Fault("E131", str(data), "not a table", f"a file *{', *'.join(TABLES)}", HELP))
        return data.parent, ((data, ""),)
    return data, tables(data) or tuple((path, "") for path in entries(data) if path.suffix == ".jsonl")


def _class_folders(gathering: Gathering) -> Fault:
    """Every picture in a folder of the root; returns what to say when that is none."""
    root, empty, taken = gathering.root, [], set()
    for folder in folders(root):
        files = [path.name for path in entries(folder) if is_picture(path.name)]
        for name in (f"{folder.name}/{file}" for file in files):
            gathering.add(name, file=name, label=clean(folder.name))
            taken.add(normal(name))
        if not files:
            empty.append(f"{folder.name}/")
    stray = [name for name in pictures_below(root) if name not in taken]
    wanted = "metadata.csv (or .jsonl, .parquet), or one folder of pictures a class"
    if stray and not taken:
        found = f"{many(len(stray), 'picture file')} but no table that tells of them: {some(stray)}"
        return Fault("E124", str(root), found, wanted, "write one")
    if stray:
        found = f"picture files in no class folder: {len(stray)} ({some(stray)})"
        gathering.report(Fault("W140", str(root), found, "DIR/class/picture", "they are left out"))
    if empty:
        found = f"folders without a picture: {len(empty)} ({some(empty)})"
        gathering.report(Fault("W142", str(root), found, "pictures of the class", "they are no class"))
    return Fault("E124", str(root), "no picture and no table", wanted, "check --data")


def _add(gathering: Gathering, record: Record, default: str) -> None:
    row = record.row
    language = row.first(LANGUAGE)
    texts = [
        pair for column in TEXT for pair in _texts(row.values.get(column), str(language or default).strip())
    ]
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


def _collection(gathering: Gathering, default: str, split: str, *, none: Fault | None = None) -> Collection:
    classes = _classes(gathering)
    labels = gathering.labels
    if labels and classes:
        gathering.report(*_unnamed(classes, labels))
    pictures = gathering.pictures(none=none)
    if labels and not classes:
        classes = {_label_language(pictures, default): {label: label for label in labels}}
    return Collection(pictures, classes=classes, warnings=gathering.warnings, notes={"split": split})


def _label_language(pictures: Iterable[Picture], default: str) -> str:
    """Labels are in the language of the captions where that is one, else in the one the user names."""
    languages = {language for picture in pictures for language in picture.texts}
    return languages.pop() if len(languages) == 1 else default


def _classes(gathering: Gathering) -> dict[str, dict[str, str]]:
    """``classes.json``, where there is one."""
    path = gathering.root / CLASSES
    if not is_there(path):
        return {}
    data, faults = content(path, CLASSES)
    gathering.report(*faults)
    try:
        named = {} if faults else json.loads(data)
    except (ValueError, RecursionError) as error:
        gathering.report(Fault("E122", CLASSES, str(error), _NAMES, "mend it"))
        return {}
    wrong = _misshapen(named)
    if wrong:
        gathering.report(Fault("E122", CLASSES, wrong, _NAMES, "mend it"))
        return {}
    pairs = [(language, label, name) for language, names in named.items() for label, name in names.items()]
    classes: dict[str, dict[str, str]] = {}
    for language, label, name in pairs:
        code, text = (
            gathering.language(language, CLASSES),
            gathering.text(name, f"{CLASSES} {language}.{label}"),
        )
        if code is not None and text is not None:
            classes.setdefault(code, {})[label] = text
    return classes


def _misshapen(named: Any) -> str:
    """What is wrong with the shape of ``classes.json``; empty when nothing is."""
    if not isinstance(named, dict):
        return f"a JSON {type(named).__name__}"
    return next(
        (f"{language!r} holds a JSON {type(names).__name__}"
         for language, names in named.items() if not isinstance(names, dict)), ""
    )  # fmt: skip


def _unnamed(classes: Mapping[str, Mapping[str, str]], labels: Sequence[str]) -> Iterator[Fault]:
    """Every class needs a name in every language, or accuracies of languages would not compare."""
    for language, names in classes.items():
        lacking = [label for label in labels if label not in names]
        if lacking:
            found = f"{language!r} lacks {len(lacking)} of {len(labels)} classes: {', '.join(lacking[:5])}"
            yield Fault("E136", CLASSES, found, "a name for each class", "add them")


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


_NAMES = "{language: {label: name}}"
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
        MISSING,
    ),
)
