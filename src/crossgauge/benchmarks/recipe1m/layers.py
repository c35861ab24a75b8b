"""The layer files of Recipe1M, read element by element: of each recipe only what a pair needs is kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from crossgauge.benchmarks._files import cut, is_file
from crossgauge.errors import Fault, InputError
from crossgauge.readers.json_elements import Element, decode_elements

Partition = Literal["train", "val", "test"]
FIRST_FIVE = 5  # pictures of a recipe that the official code ever looks at
_FOLDERS = re.compile(r"[0-9A-Za-z]{4}[^/\\\0]*")  # four folders are named after the first four characters


class Line(msgspec.Struct, frozen=True, gc=False):
    """One ingredient or instruction."""

    text: str


class Recipe(msgspec.Struct, frozen=True):
    """An element of ``layer1.json``; further fields are skipped."""

    id: str
    title: str
    ingredients: list[Line]
    instructions: list[Line]
    partition: Partition


class Named(msgspec.Struct, frozen=True, gc=False):
    """A picture of a recipe: ``0fa8309c13.jpg``."""

    id: str


class Pictured(msgspec.Struct, frozen=True):
    """An element of ``layer2.json``."""

    id: str
    images: list[Named]


class Detected(msgspec.Struct, frozen=True):
    """An element of ``det_ingrs.json``."""

    id: str
    ingredients: list[Line]


class _WithId(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_WithId)


@dataclass
class Layers:
    """The files of a data folder; faults of all of them are collected in ``faults``."""

    folder: Path
    faults: list[Fault] = field(default_factory=list)
    findings: list[Fault] = field(default_factory=list)

    def pictures(self, which: str) -> dict[str, str]:
        """The picture of each recipe that has one: ``first``, or ``five`` for one of the first five.

        ``five`` is chosen by a hash of the recipe's id, so it is the same in every run.
        """
        found: dict[str, str] = {}
        for element, recipe in self._elements(self._layer2(), Pictured):
            names = [image.id for image in recipe.images[:FIRST_FIVE]]
            if not names:
                continue
            number = 0 if which == "first" else _hashed(recipe.id) % len(names)
            found[recipe.id] = names[number]
            if not _FOLDERS.fullmatch(names[number]):
                told = f"the picture id {cut(names[number])!r}"
                wanted = "four letters or digits, which name its folders, and no slash"
                place = element.place(f".images[{number}].id")
                self.faults.append(Fault("E333", place, told, wanted, "mend it"))
        return found

    def detected(self, among: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The detected ingredients of the recipes ``among`` names; the file need not be there."""
        path = self.folder / "det_ingrs.json"
        if not is_file(path):
            return {}
        same: dict[str, str] = {}  # a name stands in thousands of recipes and is kept once
        return {
            recipe.id: tuple(same.setdefault(line.text, line.text) for line in recipe.ingredients)
            for _, recipe in self._elements(path, Detected)
            if recipe.id in among
        }

    def recipes(self) -> Iterator[tuple[Element, Recipe]]:
        """Every recipe with its place, in the order of the file."""
        return self._elements(self.needed("layer1.json"), Recipe)

    def needed(self, name: str) -> Path:
        """A file that must be there; raises InputError (E338)."""
        path = self.folder / name
        if not is_file(path):
            raise InputError(
                Fault("E338", str(path), "no such file", f"{name} of Recipe1M", "unpack it there")
            )
        return path

    def _layer2(self) -> Path:
        """``layer2+.json`` (Recipe1M+) or ``layer2.json``: it decides the pictures, so is not guessed."""
        plus, plain = self.folder / "layer2+.json", self.folder / "layer2.json"
        if is_file(plus) and is_file(plain):
            found = "both layer2.json and layer2+.json"
            fix = "move one away: the first is Recipe1M, the second Recipe1M+"
            raise InputError(Fault("E338", str(self.folder), found, "one of them", fix))
        return plus if is_file(plus) else self.needed("layer2.json")

    def _elements(self, path: Path, kind: type[T]) -> Iterator[tuple[Element, T]]:
        """Elements with an id that did not stand before."""
        seen: dict[str, int] = {}
        for element, value in decode_elements(path, kind, self.faults):
            first = seen.setdefault(value.id, element.index)
            if not value.id or first != element.index:
                found = f"the id {cut(value.id)!r} again (first in $[{first}])" if value.id else "an empty id"
                place = element.place(".id")
                self.faults.append(Fault("E332", place, found, "each recipe once", "drop one"))
            else:
                yield element, value


def _hashed(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")
