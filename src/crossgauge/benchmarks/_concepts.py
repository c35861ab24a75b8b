"""Concepts of EgMM-Corpus as its likely layouts tell them: ids, names, categories, descriptions, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._files import (
    entries,
    folders,
    is_folder,
    is_picture,
    is_there,
    normal,
    pictures_below,
    some,
)
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.benchmarks._metadata import Record, chosen, read, tables
from crossgauge.errors import Fault, UsageError
from crossgauge.tables import Row, content, read_table

FILE = ("file_name", "image", "image_path", "path", "filename")
CONCEPT = ("concept", "concept_name", "label", "name")
CONCEPT_ID = ("concept_id", "label_id")
CATEGORY = ("category",)
TEXT = ("description", "text", "caption")
KNOWN = (*FILE, *CONCEPT, *CONCEPT_ID, *CATEGORY, *TEXT, "id")
CONCEPTS, CATEGORIES, BACKGROUND = "concepts.csv", "concept_category_map.csv", "background.md"
_LONGEST_CATEGORY = 40  # characters; more is a language model's apology, not a category
_IMAGES = ("conceptImgDataset", "images")


@dataclass(slots=True)
class Concept:
    """A class: what it is called and how it is described."""

    id: str
    place: str
    name: str
    category: str | None = None
    descriptions: list[str] = field(default_factory=list)  # distinct


@dataclass(slots=True)
class Found:
    """All concepts by id, the pictures chosen as (place, file, concept id), and the split's name."""

    concepts: dict[str, Concept]
    pictures: list[tuple[str, Any, str]]
    split: str


def spaced(name: str) -> str:
    """A concept's name as people write it.

    >>> spaced("Great_Pyramid_of__Giza")
    'Great Pyramid of Giza'
    """
    return " ".join(name.replace("_", " ").split())


def from_tables(gathering: Gathering, *, split: str) -> Found:
    """A metadata table beside pictures; ``concepts.csv`` may add concepts that no row shows."""
    records = read(gathering, tables(gathering.root), [FILE, CONCEPT], known=KNOWN)
    concepts = _listed(gathering, gathering.root)
    listed = frozenset(concepts)
    by_name = {concept.name: concept.id for concept in reversed(concepts.values())}  # the first of a name
    ids = [(record, _concept_of(gathering, concepts, record, by_name)) for record in records]
    _nameless(gathering, concepts, listed)
    wanted, shown = chosen(gathering, records, split)
    kept = {id(record) for record in wanted}
    pictures = [
        (record.row.place, record.file(FILE), concept)
        for record, concept in ids
        if concept is not None and id(record) in kept
    ]
    return Found(concepts, pictures, shown)


def from_folders(gathering: Gathering, *, split: str) -> Found:
    """One folder a concept id, with pictures and perhaps ``background.md``, and ``concepts.csv``."""
    if split not in ("", "all"):
        raise UsageError(Fault("E130", f"--set split={split}", "one folder a concept tells no splits", "all"))
    root = gathering.root
    top = next((name for name in _IMAGES if is_folder(root / name)), "")
    concepts = _listed(gathering, root)
    listed = frozenset(concepts)
    pictures: list[tuple[str, Any, str]] = []
    numbers: dict[str, list[str]] = {}
    for folder in folders(root / top):
        files = _pictures(folder)
        place = folder.relative_to(root).as_posix()
        numbers[place] = files
        concept = _concept_in(gathering, folder, concepts, listed) if files else concepts.get(folder.name)
        if concept is not None:
            _background(gathering, concept, folder / BACKGROUND)
            pictures += [(f"{place}/{file}", f"{place}/{file}", concept.id) for file in files]
    _nameless(gathering, concepts, listed)
    _gaps(gathering, numbers)
    _astray(gathering, {normal(f"{place}/{file}") for place, files in numbers.items() for file in files})
    _categories(gathering, concepts)
    return Found(concepts, pictures, "all")


def _concept_in(
    gathering: Gathering, folder: Path, concepts: dict[str, Concept], listed: frozenset[str]
) -> Concept | None:
    """The concept that a folder of pictures belongs to; its own name stands where no table names any."""
    place = f"{folder.relative_to(gathering.root).as_posix()}/"
    if folder.name in concepts:
        return concepts[folder.name]
    if listed:
        found = f"concept {folder.name!r} is not in {CONCEPTS}"
        gathering.report(Fault("E133", place, found, "a row with its id and name", "add the row"))
    if is_there(gathering.root / CONCEPTS):
        return None  # a table without a usable row is told once, not once a folder
    return concepts.setdefault(folder.name, Concept(folder.name, place, spaced(folder.name)))


def _nameless(gathering: Gathering, concepts: Mapping[str, Concept], listed: frozenset[str]) -> None:
    """A number is an id, not a name: nothing can be recognised by it (E137)."""
    bare = [concept for key, concept in concepts.items() if key not in listed and concept.name.isdecimal()]
    if bare:
        found = f"concepts with a number and no name: {len(bare)} ({some(one.name for one in bare)})"
        wanted = f"{CONCEPTS} with id and Concept, or names"
        gathering.report(Fault("E137", bare[0].place, found, wanted, f"put {CONCEPTS} into the data folder"))


def _gaps(gathering: Gathering, numbers: Mapping[str, list[str]]) -> None:
    """Numbers that are missing between the first and the last picture of a concept (W141)."""
    lost = []
    for place, files in numbers.items():
        have = {int(stem) for stem in (Path(file).stem for file in files) if _is_number(stem)}
        every = range(min(have, default=0), max(have, default=-1) + 1)
        if len(every) - len(have) <= len(files) * 10:  # more is no numbering
            lost += [f"{place}/{number}" for number in every if number not in have]
    if lost:
        found = f"numbers missing between pictures: {len(lost)} ({some(lost)})"
        gathering.report(Fault("W141", lost[0], found, "every picture", "look whether all were copied"))


def _is_number(stem: str) -> bool:
    return stem.isascii() and stem.isdecimal() and len(stem) < 10  # noqa: PLR2004


def _astray(gathering: Gathering, taken: set[str]) -> None:
    """Pictures beside the folders of concepts, or too deep in them (W140)."""
    stray = [name for name in pictures_below(gathering.root) if name not in taken]
    if stray:
        found = f"pictures in no folder of a concept: {len(stray)} ({some(stray)})"
        fix = "they are left out: move them"
        gathering.report(Fault("W140", stray[0], found, "one folder a concept, no folder in it", fix))


def is_table_layout(root: Path) -> bool:
    """Whether metadata tables tell which picture is which."""
    return bool(tables(root))


def _listed(gathering: Gathering, root: Path) -> dict[str, Concept]:
    """``concepts.csv``, where there is one: ``id`` and ``Concept``; an unnamed index does not matter."""
    concepts: dict[str, Concept] = {}
    if not is_there(root / CONCEPTS):
        return concepts
    table = read_table(root / CONCEPTS)
    lacks = table.lacks(("id", *CONCEPT_ID), CONCEPT) if table.columns or not table.faults else ()
    gathering.report(*table.faults, *lacks)
    if lacks:
        return concepts
    if not table.rows and not table.faults:
        gathering.report(Fault("E137", CONCEPTS, "no row", "an id and a name for each concept", "write them"))
    for row in table.rows:
        key, name = row.first(("id", *CONCEPT_ID)), row.first(CONCEPT)
        if key is None or name is None:
            gathering.report(
                Fault("E129", row.place, "a concept without id or name", "both", "complete the row")
            )
        elif key in concepts:
            found = f"id {key!r} is already that of {concepts[key].place}"
            gathering.report(Fault("E126", row.place, found, "one concept an id", "give each its own id"))
        else:
            concepts[key] = Concept(key, row.place, spaced(name), _category(gathering, row))
            _describe(gathering, concepts[key], row)
    return concepts


def _concept_of(
    gathering: Gathering, concepts: dict[str, Concept], record: Record, by_name: dict[str, str]
) -> str | None:
    """The concept id of a row, which may be the first to tell of it; without ids, equal names are one."""
    row = record.row
    name, key = row.first(CONCEPT), row.first(CONCEPT_ID)
    if not record.has(CONCEPT):
        return None  # told of its table
    if key is None and str(name) in concepts and str(name).isdecimal():
        key, name = str(name), concepts[str(name)].name  # a number is an id
    if name is None or not str(name).strip():
        gathering.report(
            Fault("E129", row.place, "no concept", "the name of what it shows", "complete the row")
        )
        return None
    called = spaced(str(name))
    identity = by_name.setdefault(called, called) if key is None else str(key)
    concept = concepts.setdefault(identity, Concept(identity, row.place, called))
    if concept.name != called:
        found = f"concept {identity!r} is called {called!r}, but {concept.name!r} at {concept.place}"
        gathering.count(Fault("W129", row.place, found, "one name", f"{concept.name!r} is used"))
    concept.category = concept.category or _category(gathering, row)
    _describe(gathering, concept, row)
    return identity


def _describe(gathering: Gathering, concept: Concept, row: Row) -> None:
    raw = row.first(TEXT)
    text = None if raw is None else gathering.text(raw, row.place)
    if text is not None and text not in concept.descriptions:
        concept.descriptions.append(text)


def _background(gathering: Gathering, concept: Concept, path: Path) -> None:
    """The first paragraph of ``background.md``, for a concept that has no description of its own."""
    if concept.descriptions or not is_there(path):
        return
    place = path.relative_to(gathering.root).as_posix()
    data, faults = content(path, place)
    gathering.report(*faults)
    paragraph = first_paragraph(data.decode(errors="replace"))
    text = gathering.text(paragraph, place) if paragraph else None
    if text is not None:
        concept.descriptions.append(text)


def first_paragraph(markdown: str) -> str:
    r"""The first lines that are no heading, joined; empty when there are none.

    >>> first_paragraph("# Wikipedia: Koshary\n\nKoshary is a dish\nof Egypt.\n\nIt has rice.")
    'Koshary is a dish of Egypt.'
    """
    lines: list[str] = []
    for line in (line.strip() for line in markdown.split("\n")):
        if line and not line.startswith("#"):
            lines.append(line)
        elif lines:
            break
    return " ".join(lines)


def _categories(gathering: Gathering, concepts: Mapping[str, Concept]) -> None:
    """``concept_category_map.csv``: by name, since its ids are its own."""
    path = gathering.root / CATEGORIES
    if not is_there(path):
        return
    table = read_table(path)
    lacks = table.lacks(CONCEPT, CATEGORY) if table.columns or not table.faults else ()
    gathering.report(*table.faults, *lacks)
    told = {spaced(str(row.first(CONCEPT))): _category(gathering, row) for row in table.rows}
    for concept in concepts.values():
        concept.category = concept.category or told.get(concept.name)


def _category(gathering: Gathering, row: Row) -> str | None:
    raw = row.first(CATEGORY)
    if raw is None:
        return None
    text = spaced(str(raw))
    if len(text) <= _LONGEST_CATEGORY and "\n" not in str(raw).strip():
        return text.casefold()
    found = "texts that are no category"
    gathering.count(
        Fault("W127", row.place, found, "landmarks, food or folklore", "counted as uncategorised")
    )
    return None


def _pictures(folder: Path) -> list[str]:
    """Picture files by name, 2.png before 10.png."""
    names = [path.name for path in entries(folder) if is_picture(path.name)]
    return sorted(names, key=lambda name: (len(name), name))
