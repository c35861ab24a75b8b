"""ImageNet-1k (or any folder of classes), zero-shot: class names and prompt ensembles in any language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Published, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import entries, folders, is_folder, is_picture, some
from crossgauge.benchmarks._gathering import MISSING, Gathering
from crossgauge.benchmarks._metadata import chosen, read, tables
from crossgauge.benchmarks.imagenet.class_names import (
    WNID,
    Names,
    aligned,
    language_files,
    read_names,
    read_templates,
)
from crossgauge.benchmarks.imagenet.ensembles import Ensembles
from crossgauge.benchmarks.imagenet.misplaced import misplaced
from crossgauge.errors import Fault, InputError
from crossgauge.folders import no_folder
from crossgauge.languages import canonical
from crossgauge.types import Item

ENGLISH = "en"
SEVEN = (
    "itap of a {}.",
    "a bad photo of the {}.",
    "a origami {}.",
    "a photo of the large {}.",
    "a {} in a video game.",
    "art of the {}.",
    "a photo of the small {}.",
)  # the subset that OpenAI's notebook found to do slightly better than all 80
ONE = ("a photo of {}.",)  # mteb's template, without the line break that mteb's label file puts into it
BUILT_IN = {"seven": SEVEN, "one": ONE}
_FILE, _LABEL = ("file_name", "image", "file"), ("label", "class", "wnid")
_HOMES = ("val", "test", "")  # where the class folders may lie

HELP = """\
DIR holds one folder of pictures a class, named by its WordNet id (n01440764) or its name, in DIR/val,
DIR/test or DIR; or metadata.csv|jsonl|parquet with file_name and label. classnames.txt names the classes, one
a line in the order of the sorted ids; or classnames.json {id: name}, or classnames.csv (wnid, name).
templates.txt holds templates such as a photo of a {}. for --set templates=file. classnames.de.txt and
templates.de.txt are German."""


def open_imagenet(data: Path | None, options: Mapping[str, str]) -> Ensembles:
    """Read pictures, names and templates; raises InputError with every fault at once."""
    if data is None or not is_folder(data):
        raise InputError(Fault("E131", str(data), no_folder(data), "folders of pictures", HELP))
    gathering = Gathering(data, missing=options.get("missing", "error"))
    default = canonical(options.get("language", "") or ENGLISH)
    home = _pictures(gathering, data, options.get("split", ""))
    labels = gathering.labels
    classes = _classes(gathering, data, labels, default)
    templates = _templates(gathering, data, options.get("templates") or "seven", default, classes)
    none = Fault("E124", str(data), "no picture", "one folder a class, or metadata.csv", "check --data")
    pictures = gathering.pictures(none=none)
    return Ensembles(
        pictures=tuple(Item(picture.id, image=picture.path) for picture in pictures),
        labels={picture.id: picture.label or "" for picture in pictures},
        classes=classes,
        templates=templates,
        warnings=gathering.warnings,
        notes={"pictures from": home, "templates": options.get("templates") or "seven"},
    )


def _pictures(gathering: Gathering, data: Path, split: str) -> str:
    """Take every picture with its class, from tables where there are any; returns from where."""
    found = tables(data)
    if found:
        records = read(gathering, found, [_FILE, _LABEL], known=(*_FILE, *_LABEL))
        records, chosen_split = chosen(gathering, records, split)
        for record in records:
            label = record.row.first(_LABEL)
            said = str(label) if type(label) is int else label
            named = gathering.text(said, record.row.place)
            gathering.add(record.row.place, file=record.file(_FILE), label=named)
        return f"metadata, split {chosen_split}"
    homes = [split] if split else [home for home in _HOMES if _has_classes(data / home)][:1]
    for home in homes:
        for folder in folders(data / home) if is_folder(data / home) else []:
            for path in entries(folder):
                if is_picture(path.name):
                    name = f"{folder.name}/{path.name}"
                    shown = f"{home}/{name}" if home else name
                    gathering.add(shown, file=shown, name=name, label=folder.name)
    return homes[0] if homes and homes[0] else "the folder itself"


def _has_classes(root: Path) -> bool:
    """Whether a folder holds folders that hold pictures."""
    if not is_folder(root):
        return False
    return any(is_picture(path.name) for folder in folders(root) for path in entries(folder))


def _classes(gathering: Gathering, data: Path, labels: list[str], default: str) -> dict[str, dict[str, str]]:
    """Class id → name in each language; without a file the folders are the names."""
    found = read_names(gathering, data, default)
    if not found and not gathering.failed:
        ids = [label for label in labels if WNID.fullmatch(label)]
        if ids:
            told = f"{len(ids)} classes are called by WordNet ids: {some(ids)}"
            gathering.report(Fault("E376", str(data), told, "classnames.txt", HELP))
        return {default: {label: label.replace("_", " ") for label in labels}}
    return _aligned(gathering, found, labels)


def _aligned(
    gathering: Gathering, found: Mapping[str, Names], labels: list[str]
) -> dict[str, dict[str, str]]:
    classes: dict[str, dict[str, str]] = {}
    for language, names in found.items():
        put = aligned(names, labels)
        if isinstance(put, Fault):
            gathering.report(put)
        else:
            classes[language] = put
            if language == ENGLISH and put and all(map(WNID.fullmatch, put)):
                gathering.report(*misplaced(put, names.file))
    return classes


def _templates(
    gathering: Gathering, data: Path, choice: str, default: str, classes: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[str, ...]]:
    """Templates by language: the built-in ones are English; files that stay unread are told (W376)."""
    files = list(language_files(data, "templates", (".txt",)))
    if choice in BUILT_IN:
        unread = [path.name for _, path in files]
        silent = sorted(language for language in classes if language != ENGLISH)
        if unread or silent:
            told = [f"not read: {some(unread)}"] if unread else []
            told += [f"left out, as the built-in templates are English: {some(silent)}"] if silent else []
            fix = "--set templates=file reads templates.txt, templates.de.txt …"
            gathering.report(Fault("W376", f"templates={choice}", "; ".join(told), "", fix))
        return {ENGLISH: BUILT_IN[choice]}
    found: dict[str, tuple[str, ...]] = {}
    for code, path in files:
        language = gathering.language(code, path.name) if code else default
        if language is not None:
            found[language] = read_templates(gathering, path)
    lacking = sorted(classes.keys() - found.keys())
    if lacking:
        names = ", ".join(f"templates{'' if one == default else '.' + one}.txt" for one in lacking)
        gathering.report(
            Fault("E131", str(data), f"no {names}", "templates for each language of names", HELP)
        )
    return found


def sample(folder: Path) -> None:
    """Three classes of two or three drawings in val/, names and templates in two languages."""
    classes = {
        "n01440764": ("circle", "Kreis"),
        "n01443537": ("metal bar", "Balken"),
        "n02119789": ("cross", "Kreuz"),
    }
    colours = ("red", "blue", "gold")
    for wnid, (name, _) in classes.items():
        for number, colour in enumerate(colours[: 2 if name == "cross" else 3]):
            path = folder / "val" / wnid / f"ILSVRC2012_val_{number:08d}.JPEG"
            draw(path, colour, shape=name.rpartition(" ")[2], kind="JPEG")
    english, german = zip(*classes.values(), strict=True)
    (folder / "classnames.txt").write_text("\n".join(english) + "\n", encoding="utf-8")
    (folder / "classnames.de.txt").write_text("\n".join(german) + "\n", encoding="utf-8")
    (folder / "templates.txt").write_text("a photo of a {}.\na drawing of a {c}.\n", encoding="utf-8")
    (folder / "templates.de.txt").write_text("ein Foto: {}.\neine Zeichnung: {}.\n", encoding="utf-8")


_TABLE = "LAION-AI/CLIP_benchmark benchmark/benchmark.csv (48de38c), imagenet1k"
_NOTE = "its own names and templates (80 in English): run with those files and templates=file to compare"

BENCHMARK = Benchmark(
    name="imagenet",
    title="ImageNet zero-shot",
    version="1",
    description="Zero-shot classification of ImageNet-1k's 50,000 validation pictures, or of any folder of "
    "classes. A class is the normalised mean of the vectors of its name in every template. Names and "
    "templates change scores by points, so their hashes are printed and are part of the data's fingerprint.",
    citation="Russakovsky et al. (2015). ImageNet Large Scale Visual Recognition Challenge. arXiv:1409.0575; "
    "prompt ensembles: Radford et al. (2021), arXiv:2103.00020.",
    licence="ImageNet's terms of access (non-commercial research)",
    tasks=(Task("classify", "image", "text", ("acc@1", "acc@5", "acc_macro@1")),),
    open=open_imagenet,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option("templates", ("seven", "one", "file"), "OpenAI's seven, mteb's one, or templates.txt"),
        Option("split", (), "the folder of class folders, or the rows' split; default: val, else test"),
        Option("language", (), "of files without a code in their name; default en"),
        MISSING,
    ),
    published=tuple(
        Published(
            f"OpenAI CLIP {model}", "classify", measure, value, _TABLE, _NOTE, queries=50000, gallery=1000
        )
        for model, first, fifth in (
            ("ViT-B/32", 0.63334, 0.88778),
            ("ViT-B/16", 0.68352, 0.91864),
            ("ViT-L/14", 0.7549, 0.9460),
        )
        for measure, value in (("acc@1", first), ("acc@5", fifth))
    ),
)
