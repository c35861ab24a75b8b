"""From the layer files and pictures of Recipe1M to pairs: a picture and a recipe each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crossgauge.benchmarks._decodable import left_out, undecodable
from crossgauge.benchmarks._files import is_file, is_folder, many, some
from crossgauge.benchmarks.recipe1m.filter import PairFilter, listed_ids, pair_filter
from crossgauge.benchmarks.recipe1m.layers import Layers, Recipe
from crossgauge.benchmarks.recipe1m.text import parse_fields, text_of
from crossgauge.errors import Fault, InputError
from crossgauge.readers.json_elements import Element
from crossgauge.types import Ints

WHOLE = "all"


@dataclass(frozen=True, slots=True)
class Pair:
    """A recipe with its picture; the text is UTF-8, which takes a third of the room of a ``str``."""

    id: str
    image: str  # relative to the data folder
    text: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """What a data folder holds under some options."""

    pairs: tuple[Pair, ...]  # sorted by id
    order: Ints  # (N,) the pair of each row as the files (or the list of ids) order them
    notes: Mapping[str, str]
    warnings: tuple[Fault, ...]


def read_pairs(data: Path, options: Mapping[str, str]) -> Found:
    """Read every file once; raises InputError with the faults of all of them."""
    reading = _Reading(data, options)
    reading.read()
    return reading.found()


class _Reading:
    def __init__(self, data: Path, options: Mapping[str, str]) -> None:
        self._data, self._options = data, options
        self._fields = parse_fields(options.get("fields", ""))
        self._layers = Layers(data)
        self._partition = options.get("partition", "test")
        self._skips = options.get("missing") == "skip"
        self._listed = self._asked_ids()
        self._filter = self._asked_filter()
        self._bases = _bases(data, self._partition)
        self._pairs: dict[str, Pair] = {}
        self._dropped: Counter[str] = Counter()
        self._absent: list[tuple[str, str]] = []  # place and what is not there
        self._of_other: list[str] = []  # listed ids of another partition

    def read(self) -> None:
        """Gather the pairs; the small layers first, so that the large one is read once and not kept."""
        pictures = self._layers.pictures(self._options.get("image", "first"))
        detected = self._layers.detected(pictures)
        if self._options.get("ingredients") == "detected":
            self._layers.needed("det_ingrs.json")
        known = 0
        for element, recipe in self._layers.recipes():
            known += recipe.id in pictures
            if self._wanted(recipe, pictures.get(recipe.id), detected):
                self._add(element, recipe, pictures.get(recipe.id), detected)
        if known < len(pictures):
            found = f"{many(len(pictures) - known, 'recipe')} with pictures that layer1.json does not know"
            self._layers.findings.append(Fault("W335", str(self._data), found, "", "left out"))

    def found(self) -> Found:
        """The pairs, or InputError with everything that was wrong."""
        self._tell_listed()
        self._tell_absent()
        if self._skips and not self._layers.faults:
            self._drop_undecodable()
        if self._layers.faults:
            raise InputError(self._layers.faults)
        if not self._pairs:
            why = self._notes().get("left out", "nothing was left out")
            raise InputError(Fault("E337", str(self._data), f"no pair ({why})", "at least one", "see filter"))
        ids = sorted(self._pairs)
        row = {name: number for number, name in enumerate(ids)}
        given = [one for one in self._listed if one in row] if self._listed else list(self._pairs)
        return Found(
            tuple(self._pairs[name] for name in ids),
            np.array([row[name] for name in given], dtype=np.int64),
            self._notes(),
            tuple(self._layers.findings),
        )

    def _drop_undecodable(self) -> None:
        broken = undecodable({name: self._data / pair.image for name, pair in self._pairs.items()})
        if broken:
            self._layers.findings.append(left_out(broken, str(self._data)))
        for name in broken:
            del self._pairs[name]

    def _asked_ids(self) -> dict[str, None] | None:
        name = self._options.get("ids", "")
        return dict.fromkeys(listed_ids(self._data / name)) if name else None

    def _asked_filter(self) -> PairFilter | None:
        if self._listed is not None:
            return None  # a list says what the pairs are; a filter could only contradict it
        return pair_filter(self._data, self._options.get("filter", "published"), self._layers.findings)

    def _wanted(self, recipe: Recipe, image: str | None, detected: Mapping[str, tuple[str, ...]]) -> bool:
        if self._listed is not None and recipe.id not in self._listed:
            return False
        if self._partition not in (recipe.partition, WHOLE):
            if self._listed is not None:
                self._of_other.append(f"{recipe.id} ({recipe.partition})")
            return False
        if image is None and self._listed is None:
            self._dropped["without a picture"] += 1
            return False
        return self._filter is None or self._filter.keeps(recipe, detected.get(recipe.id))

    def _add(
        self, element: Element, recipe: Recipe, image: str | None, detected: Mapping[str, tuple[str, ...]]
    ) -> None:
        replaced = detected.get(recipe.id) if self._options.get("ingredients") == "detected" else None
        text = text_of(recipe, self._fields, replaced)
        path = None if image is None else self._file(image, recipe.partition)
        if not text:
            self._absent.append((element.place(), f"{recipe.id}: no text"))
        if path is None:
            what = "no picture in layer 2" if image is None else f"no file {image}"
            self._absent.append((element.place(), f"{recipe.id}: {what}"))
        if text and path is not None:
            self._pairs[recipe.id] = Pair(recipe.id, path, text.encode("utf-8", "surrogatepass"))

    def _file(self, image: str, partition: str) -> str | None:
        below = "/".join((*image[:4], image))
        places = (f"{base}{below}" for base, of in self._bases if of in (partition, ""))
        return next((place for place in places if is_file(self._data / place)), None)

    def _tell_absent(self) -> None:
        if not self._skips:
            wanted, fix = "a picture in four folders, and a text", "unpack it, or --set missing=skip"
            self._layers.faults += [Fault("E334", at, what, wanted, fix) for at, what in self._absent]
        elif self._absent:
            names = some(what for _, what in self._absent)
            found = f"{many(len(self._absent), 'pair')} left out: {names}"
            fix = "the number is of fewer pairs than were declared"
            self._layers.findings.append(Fault("W333", str(self._data), found, "", fix))

    def _tell_listed(self) -> None:
        if self._listed is None:
            return
        place = f"--set ids={self._options['ids']}"
        if self._of_other:
            found = f"{many(len(self._of_other), 'id')} of another partition: {some(self._of_other)}"
            fix = "--set partition=… or mend the list"
            self._layers.faults.append(Fault("E336", place, found, f"ids of {self._partition}", fix))
        met = {what.partition(":")[0] for _, what in self._absent}
        met |= {one.partition(" ")[0] for one in self._of_other}
        unknown = [one for one in self._listed if one not in self._pairs and one not in met]
        if unknown:
            found = f"{many(len(unknown), 'id')} that layer1.json does not have: {some(unknown)}"
            self._layers.faults.append(Fault("E336", place, found, "ids of recipes", "mend the list"))

    def _notes(self) -> dict[str, str]:
        """What ``check`` says of the pairs."""
        reasons = self._dropped + (self._filter.dropped if self._filter else Counter())
        rule = self._options.get("filter", "published") if self._listed is None else "list of ids"
        notes = {"partition": self._partition, "pairs": f"{len(self._pairs)} ({rule})"}
        if reasons:
            notes["left out"] = ", ".join(f"{count} {why}" for why, count in sorted(reasons.items()))
        if self._filter and self._filter.spared:
            notes["kept by the official fault"] = ", ".join(self._filter.spared)
        return notes


def _bases(data: Path, partition: str) -> list[tuple[str, str]]:
    """Folders above the four levels, as far as they are there, each with the partition it is of, if any."""
    parts = ("train", "val", "test") if partition == WHOLE else (partition,)
    found = [(f"{top}{part}/", part) for top in ("images/", "") for part in parts]
    plain = [(top, "") for top in ("images/", "")]
    return [(base, of) for base, of in (*found, *plain) if is_folder(data / base)]
