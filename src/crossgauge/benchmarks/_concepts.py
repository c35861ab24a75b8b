"""Concepts of EgMM-Corpus as its likely layouts tell them: ids, names, categories, descriptions, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._gathering import Gathering
from crossgauge.benchmarks._metadata import Record, chosen, read, tables
from crossgauge.errors import Fault, UsageError
from crossgauge.media import SUFFIXES
from crossgauge.tables import Row, read_table

FILE = ("file_name", "image", "image_path", "path", "filename")
CONCEPT = ("concept", "Concept", "concept_name", "label", "name")
CONCEPT_ID = ("concept_id", "label_id")
CATEGORY = ("category", "Category")
TEXT = ("description", "Description", "text", "caption")
CONCEPTS, CATEGORIES, BACKGROUND = "concepts.csv", "concept_category_map.csv", "background.md"
_LONGEST_CATEGORY = 40  # characters; more is a language model's apology, not a category
_IMAGES = ("conceptImgDataset", "images")
_PICTURES = frozenset().union(*SUFFIXES.values())


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
    records, faults = read(tables(gathering.root), [FILE, CONCEPT])
    gathering.report(*faults)
    concepts = _listed(gathering, gathering.root)
    by_name = {concept.name: concept.id for concept in reversed(concepts.values())}  # the first of a name
    ids = [(record, _concept_of(gathering, concepts, record, by_name)) for record in records]
    wanted, shown = chosen(records, split)
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
    top = next((name for name in _IMAGES if (root / name).is_dir()), "")
    concepts = _listed(gathering, root)
    named = bool(concepts)
    pictures: list[tuple[str, Any, str]] = []
    for folder in sorted(path for path in (root / top).iterdir() if path.is_dir()):
        files = _pictures(folder)
        place = folder.relative_to(root).as_posix()
        concept = concepts.get(folder.name)
        if concept is None and not files:
            continue
        if concept is None and named:
            found = f"concept {folder.name!r} is not in {CONCEPTS}"
            gathering.report(Fault("E133", f"{place}/", found, "a row with its id and name", "add the row"))
            continue
        if concept is None:
            concept = concepts[folder.name] = Concept(folder.name, f"{place}/", spaced(folder.name))
        _background(gathering, concept, folder / BACKGROUND)
        pictures += [(f"{place}/{file}", f"{place}/{file}", concept.id) for file in files]
    _categories(gathering, concepts)
    return Found(concepts, pictures, "all")


def is_table_layout(root: Path) -> bool:
    """Whether metadata tables tell which picture is which."""
    return bool(tables(root))


def _listed(gathering: Gathering, root: Path) -> dict[str, Concept]:
    """``concepts.csv``, where there is one: ``id`` and ``Concept``; an unnamed index does not matter."""
    concepts: dict[str, Concept] = {}
    if not (root / CONCEPTS).is_file():
        return concepts
    table = read_table(root / CONCEPTS)
    gathering.report(*table.faults, *table.lacks(("id", *CONCEPT_ID), CONCEPT))
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
    if concept.descriptions or not path.is_file():
        return
    place = path.relative_to(gathering.root).as_posix()
    paragraph = first_paragraph(path.read_bytes().decode("utf-8-sig", errors="replace"))
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
    if not path.is_file():
        return
    table = read_table(path)
    gathering.report(*table.faults, *table.lacks(CONCEPT, CATEGORY))
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
    """Picture files by name, 2.png before 10.png; what is inside decides how they are decoded."""
    names = [
        p.name for p in folder.iterdir() if p.suffix.casefold() in _PICTURES and not p.name.startswith(".")
    ]
    return sorted(names, key=lambda name: (len(name), name))
