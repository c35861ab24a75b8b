"""Tux Paint's stamps: several hundred real pictures described in up to 78 languages (Debian package)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from crossgauge.benchmark import Benchmark, Option, Task
from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks._files import is_file, is_folder
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.collection import Collection
from crossgauge.errors import Fault, InputError
from crossgauge.languages import reading
from crossgauge.tables import content, not_utf8

INSTALLED = "usr/share/tuxpaint/stamps"
MINIMUM = 50  # described stamps, for a language to be offered
DRAWN = frozenset({"cartoon", "flags", "roadsigns", "symbols"})  # folders whose stamps are no photographs
_TRANSLATION = re.compile(r"([A-Za-z]{2,3}(?:_[A-Z]{2})?(?:@[a-z]+)?)\.utf8=(.*)")
_NAMES = {
    "arttools": "art tools", "asl": "sign language letters", "masstransit": "mass transit",
    "naturalforces": "natural forces", "newyears": "New Year", "roadsigns": "road signs", "us": "US money",
    "00_symbols": "money symbols",
}  # fmt: skip

HELP = f"""\
DIR is the unpacked Debian package tuxpaint-stamps-default, its {INSTALLED}, or that folder's copy:
  apt-get download tuxpaint-stamps-default && dpkg-deb -x tuxpaint-stamps-default_*.deb DIR
Each stamp is name.png beside name.txt: the English description, then lines such as de.utf8=Ein Hund."""


def open_stamps(data: Path | None, options: Mapping[str, str]) -> Collection:
    """Read every described PNG stamp (or photograph); raises InputError with every fault."""
    root = _root(data)
    leaf = options.get("labels", "top") == "leaf"
    gathering = Gathering(root)
    without = 0
    for path in sorted(root.rglob("*.txt")):
        folders = path.relative_to(root).parts[:-1]
        if not folders or (options.get("subset", "all") == "photos" and not DRAWN.isdisjoint(folders)):
            continue
        if is_file(path.with_suffix(".png")):
            _add(gathering, path, _leaf(folders) if leaf else folders[0])
        else:
            without += 1
    pictures = gathering.pictures()
    labels = sorted({picture.label for picture in pictures if picture.label})
    return Collection(
        pictures,
        classes={"en": {label: class_name(label) for label in labels}},
        minimum=min(MINIMUM, (len(pictures) + 1) // 2),
        warnings=gathering.warnings,
        notes={"descriptions without a PNG": str(without)},
    )


def _root(data: Path | None) -> Path:
    """The stamps folder in whatever was given."""
    for place in (data / INSTALLED, data / "stamps", data) if data else ():
        if is_folder(place) and next(place.glob("*/**/*.txt"), None) is not None:
            return place
    raise InputError(Fault("E131", str(data), "no stamps", "folders with name.png and name.txt", HELP))


def _leaf(folders: tuple[str, ...]) -> str:
    """The folder path as a class; a cartoon of a bird is a bird."""
    return "/".join(folder for folder in folders if folder != "cartoon")


def class_name(label: str) -> str:
    """A folder as a class name in English.

    >>> class_name("animals/birds"), class_name("naturalforces"), class_name("people/body_parts")
    ('birds', 'natural forces', 'body parts')
    """
    folder = label.rpartition("/")[2]
    return _NAMES.get(folder, folder.replace("_", " "))


def _add(gathering: Gathering, path: Path, label: str) -> None:
    stem = path.relative_to(gathering.root).with_suffix("").as_posix()
    name = f"{stem}.txt"
    data, bad = content(path, name)
    bad = bad or not_utf8(data, name)
    gathering.report(*bad)
    if bad:
        return
    english, *lines = data.decode().split("\n")
    texts = [("en", english)]
    for line in lines:
        match = _TRANSLATION.fullmatch(line.strip())
        if match and match[2].strip():  # an empty translation is one not made yet
            texts.append((reading(match[1], place=name)[0] or match[1], match[2]))
    gathering.add(
        name, file=f"{stem}.png", name=stem, texts=texts, label=label, category=stem.partition("/")[0]
    )


def sample(folder: Path) -> None:
    """Eight drawings in three folders, one of them a cartoon, in four languages."""
    colours = {"red": ("Rotes", "rouge", "红色"), "blue": ("Blaues", "bleu", "蓝色")}
    root = folder / INSTALLED
    places = {
        "animals/birds": "bird",
        "animals/birds/cartoon": "bird",
        "food": "apple",
        "naturalforces": "storm",
    }
    for place, thing in places.items():
        for colour, (german, french, chinese) in colours.items():
            draw(root / place / f"{colour}.png", colour, shape="circle" if thing == "apple" else "bar")
            lines = [f"A {colour} {thing}.", f"de.utf8={german}: {thing}.", f"fr.utf8={thing} {french}.",
                     f"zh_CN.utf8={chinese} {thing}。"]  # fmt: skip
            (root / place / f"{colour}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


_RETRIEVAL = ("hit@1", "hit@5", "hit@10", "recall@10", "mrr", "medr")

BENCHMARK = Benchmark(
    name="stamps",
    title="Tux Paint stamps",
    version="1",
    description="Photographs, cut-outs and drawings, each with a short English description and translations, "
    f"in every language with at least {MINIMUM} described stamps (half of them, where there are fewer than "
    "100). Equal descriptions are one text with several right answers.",
    citation="Tux Paint stamps, the Tux Paint developers (GPL-2), Debian package tuxpaint-stamps-default.",
    licence="GPL-2.0-only; read in place, never part of this package",
    tasks=(
        Task("i2t", "image", "text", _RETRIEVAL),
        Task("t2i", "text", "image", _RETRIEVAL),
        Task("classify", "image", "text", ("acc@1", "acc@5", "acc_macro@1")),
    ),
    open=open_stamps,
    sample=sample,
    needs_data=True,
    data_help=HELP,
    options=(
        Option(
            "subset", ("all", "photos"), f"photos: nothing below folders named {', '.join(sorted(DRAWN))}"
        ),
        Option("labels", ("top", "leaf"), "classes are the 16 top folders, or the innermost ones"),
    ),
)
