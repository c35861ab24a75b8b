"""Where GEM's tables and media lie: nobody published the layout of its archives, so several are read.

Known words in paths decide, in any order: part (``GEM-I``, ``gemv``), language (``en``, ``zh-s``) and split
(``test``, ``dev``, ``train``): ``GEM-I/en/test.tsv``, ``GEMI/test.en.tsv``, ``gem-v/dev/zh_CN.jsonl``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crossgauge.benchmarks._files import folders, is_file, is_folder, is_hidden, normal, some
from crossgauge.benchmarks.gem.tasks import GEM_I, GEM_V, code_of, language_of
from crossgauge.errors import Fault, InputError

TABLES = (".tsv", ".csv", ".jsonl", ".ndjson", ".parquet")
MEDIA = {
    GEM_I: ("images", "image", "imgs", "img", "pictures"),
    GEM_V: ("videos", "video", "clips"),
}
_ANY_MEDIA = frozenset(name for names in MEDIA.values() for name in names)
_PARTS = {"gemi": GEM_I, "gemv": GEM_V}
_SPLITS = {"train": "train", "training": "train", "dev": "dev", "val": "dev", "valid": "dev",
           "validation": "dev", "test": "test", "testing": "test"}  # fmt: skip
_SPLIT = "|".join(sorted(_SPLITS, key=len, reverse=True))
_BESIDE = re.compile(
    rf"(?P<split>{_SPLIT})[-_](?P<rest>.+)|(?P<head>.+)[-_](?P<tail>{_SPLIT})", re.IGNORECASE
)
_WANTED = "folders GEM-I and GEM-V, or one of them"


@dataclass(frozen=True, slots=True)
class Source:
    """One table and what its path says about it."""

    path: Path
    name: str  # relative to its part
    language: str | None = None  # BCP-47; None: the path says none, or two
    code: str = ""  # the language as the path writes it
    split: str | None = None


def parts(data: Path) -> dict[str, Path]:
    """The folder of each part: DIR itself, a folder in it, or one in that.

    Where no name says which part it is, the media folder does: ``images`` or ``videos``. Raises InputError
    (E391) where nothing does, or two folders claim to be one part.
    """
    own = _part(data)
    if own is not None:
        return {own: _innermost(data, own)}
    inside = folders(data)
    named = [(part, one) for one in inside if (part := _part(one)) is not None]
    if not named:
        named = [(part, two) for one in inside for two in folders(one) if (part := _part(two)) is not None]
    found: dict[str, Path] = {}
    for part, folder in named:
        if part in found:
            told = f"{found[part].name} and {folder.name} both mean {part}"
            raise InputError(Fault("E391", str(data), told, "one folder a part", "rename one"))
        found[part] = _innermost(folder, part)
    return found or {_by_media(data): data}


def _part(folder: Path) -> str | None:
    return _PARTS.get(re.sub(r"[^a-z]", "", folder.resolve().name.casefold()))


def _innermost(folder: Path, part: str) -> Path:
    """An archive unpacked into a folder of its own name holds that name twice."""
    same = [one for one in folders(folder) if _part(one) == part]
    return _innermost(same[0], part) if len(same) == 1 else folder


def _by_media(data: Path) -> str:
    below = {name.casefold() for _, inner, _ in os.walk(data) for name in inner}
    told = [part for part, names in MEDIA.items() if below.intersection(names)]
    if len(told) == 1:
        return told[0]
    found = "no folder of that name, and "
    found += "both pictures and videos" if told else "neither a folder images nor one videos"
    raise InputError(Fault("E391", str(data), found, _WANTED, "name the folder after its part"))


def sources(root: Path) -> list[Source]:
    """Every table of a part, sorted by name; folders of media and hidden ones are not looked into."""
    found = []
    for place, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not is_hidden(name) and name.casefold() not in _ANY_MEDIA]
        for name in names:
            if Path(name).suffix.casefold() in TABLES and not is_hidden(name):
                path = Path(place) / name
                found.append(_source(path, path.relative_to(root).as_posix()))
    return sorted(found, key=lambda source: source.name)


def _source(path: Path, name: str) -> Source:
    """Read the words of a path.

    >>> one = _source(Path(), "zh-s.test.tsv")
    >>> one.language, one.code, one.split
    ('zh-Hans', 'zh-s', 'test')
    >>> two = _source(Path(), "dev/sr_l.jsonl")
    >>> two.language, two.split
    ('sr-Latn', 'dev')
    >>> _source(Path(), "test_en.tsv").language
    'en'
    """
    languages: dict[str, str] = {}
    splits: set[str] = set()
    for word in _words(name):
        split, language = _SPLITS.get(word.casefold()), language_of(word)
        if split is not None:
            splits.add(split)
        elif language is not None:
            languages[language] = word
    language, code = next(iter(languages.items())) if len(languages) == 1 else (None, "")
    return Source(path, name, language, code, splits.pop() if len(splits) == 1 else None)


def _words(name: str) -> Iterator[str]:
    """The components of a path without its suffix; a split tied to one by ``-`` or ``_`` is untied."""
    for component in re.split(r"[/.]", name.rpartition(".")[0]):
        tied = None if component.casefold() in _SPLITS else _BESIDE.fullmatch(component)
        yield from (component,) if tied is None else (word for word in tied.groups() if word)


class Shelf:
    """The media of one part, found by id or by name; every folder is listed once."""

    def __init__(self, part: str, root: Path, split: str) -> None:
        self._names, self._root, self._split = MEDIA[part], root, split
        self._listed: dict[Path, dict[str, list[str]]] = {}
        self._places: dict[tuple[Path, str], list[Path]] = {}

    def by_name(self, name: str, source: Source, code: str) -> Path | None:
        """The file that a table names, relative to the table, to a folder above it, or to a media folder."""
        for place in (*self._above(source.path), *self._folders(source.path, code)):
            if is_file(place / name):
                return place / name
        return None

    def by_id(self, key: str, source: Source, code: str) -> tuple[Path, ...]:
        """The files called so, with any extension, in the nearest media folder that has one."""
        for place in self._folders(source.path, code):
            names = self._listing(place).get(normal(key))
            if names:
                return tuple(place / name for name in names)
        return ()

    def _above(self, table: Path) -> list[Path]:
        """The folder of a table and those above it, up to that of the part."""
        inside = [table.parent, *table.parent.parents]
        return inside[: inside.index(self._root) + 1]

    def _folders(self, table: Path, code: str) -> list[Path]:
        """The media folders that a table may mean, nearest and most special first."""
        if (table.parent, code) not in self._places:
            codes = [one for one in dict.fromkeys((code, code_of(language_of(code) or code))) if one]
            ends = [end for one in codes for end in (f"{one}/{self._split}", f"{self._split}/{one}", one)]
            tried = [
                above / name / end
                for above in self._above(table)
                for end in (*ends, self._split, "")
                for name in self._names
            ]
            self._places[table.parent, code] = [place for place in tried if is_folder(place)]
        return self._places[table.parent, code]

    def _listing(self, place: Path) -> dict[str, list[str]]:
        """Name and name without its extension → the files meant."""
        if place not in self._listed:
            listed: dict[str, list[str]] = {}
            for name in sorted(os.listdir(place)):  # noqa: PTH208  (a million names: no Path for each)
                if not is_hidden(name) and is_file(place / name):
                    for key in {normal(name), normal(name.rpartition(".")[0] or name)}:
                        listed.setdefault(key, []).append(name)
            self._listed[place] = listed
        return self._listed[place]

    def told(self) -> str:
        """Where media were found, for ``check`` to print."""
        used = sorted({place.relative_to(self._root).as_posix() for place in self._listed})
        return some(used) if used else "named by the tables"
