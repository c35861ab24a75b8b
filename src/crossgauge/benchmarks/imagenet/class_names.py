"""Class names and templates of zero-shot classification, one file of each a language, aligned and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._files import entries, some
from crossgauge.benchmarks._gathering import Gathering
from crossgauge.benchmarks._textfile import annotation, text_lines
from crossgauge.errors import Fault, InputError
from crossgauge.readers.strict_json import parse_json
from crossgauge.tables import read_table

WNID = re.compile(r"n\d{8}")
_PLACE = re.compile(r"\{c?\}")  # of the class name in a template: {} or CLIP_benchmark's {c}
_ID = ("wnid", "id", "class", "label")
_NAME = ("name", "classname", "class_name")


@dataclass(frozen=True, slots=True)
class Names:
    """The class names of one language as a file holds them: by class id, or listed in the ids' order."""

    file: str
    by_id: Mapping[str, str] | None
    listed: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.listed if self.by_id is None else self.by_id)


def language_files(root: Path, stem: str, suffixes: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The files ``stem.txt`` (language ``""``) and ``stem.de.txt``, with their code as written."""
    for path in entries(root):
        head, _, code = path.stem.partition(".")
        if head == stem and path.suffix in suffixes:
            yield code, path


def read_names(gathering: Gathering, root: Path, default: str) -> dict[str, Names]:
    """The class names of each language; what is wrong with a file is told and leaves it out."""
    found: dict[str, Names] = {}
    for code, path in language_files(root, "classnames", (".txt", ".json", ".csv")):
        language = gathering.language(code, path.name) if code else default
        if language is None:
            continue
        if language in found:
            told = f"class names in {language!r} are already in {found[language].file}"
            gathering.report(Fault("E371", path.name, told, "one file a language", "drop one of the two"))
            continue
        names = _names(gathering, path)
        if names is not None:
            found[language] = names
    sizes = {language: len(names) for language, names in found.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{language} {size}" for language, size in sizes.items())
        gathering.report(Fault("E374", "classnames", f"names: {told}", "as many in every language",
                               "complete the shorter ones"))  # fmt: skip
    return found


def _names(gathering: Gathering, path: Path) -> Names | None:
    reader = {".txt": _from_text, ".json": _from_json, ".csv": _from_table}[path.suffix]
    names = reader(gathering, path)
    if names is not None and not len(names):
        gathering.report(Fault("E374", path.name, "no class name", "a name a class", "complete it"))
        return None
    return names


def _from_text(gathering: Gathering, path: Path) -> Names | None:
    lines, faults = text_lines(path, path.name)
    gathering.report(*faults)
    texts = [gathering.text(line, f"{path.name}:{number}") for number, line in enumerate(lines, start=1)]
    good = [text for text in texts if text is not None]
    return Names(path.name, None, good) if not faults and len(good) == len(texts) else None


def _from_table(gathering: Gathering, path: Path) -> Names | None:
    table = read_table(path)
    faults = (*table.faults, *table.lacks(_ID, _NAME))
    gathering.report(*faults)
    if faults:
        return None
    pairs = [(row.place, row.first(_ID), row.first(_NAME)) for row in table.rows]
    return _by_id(gathering, path.name, pairs)


def _from_json(gathering: Gathering, path: Path) -> Names | None:
    """``{id: name}``, a list of names, or the class index ``{"0": [id, name], …}``."""
    data, faults = annotation(path, path.name)
    gathering.report(*faults)
    if faults:
        return None
    try:
        document = parse_json(data, path.name)
    except InputError as error:
        gathering.report(*error.faults)
        return None
    if isinstance(document, list):
        texts = [gathering.text(text, f"{path.name}[{at}]") for at, text in enumerate(document)]
        good = [text for text in texts if text is not None]
        return Names(path.name, None, good) if len(good) == len(texts) else None
    if not isinstance(document, dict):
        found = f"a JSON {type(document).__name__}"
        gathering.report(Fault("E370", path.name, found, "{id: name} or [name, …]", "write it so"))
        return None
    pairs = []
    for key, said in document.items():
        indexed = isinstance(said, list) and len(said) == 2  # noqa: PLR2004  (id and name)
        pairs.append((f"{path.name}:{key}", said[0] if indexed else key, said[1] if indexed else said))
    return _by_id(gathering, path.name, pairs)


def _by_id(gathering: Gathering, file: str, pairs: Sequence[tuple[str, Any, Any]]) -> Names | None:
    names: dict[str, str] = {}
    for place, key, said in pairs:
        text = gathering.text(said, place)
        if not isinstance(key, str) or not key.strip():
            gathering.report(Fault("E129", place, f"class id {key!r}", "a string", "give it an id"))
        elif key.strip() in names:
            gathering.report(Fault("E126", place, f"class {key!r} again", "each class once", "drop one"))
        elif text is not None:
            names[key.strip()] = text
    return Names(file, names) if len(names) == len(pairs) else None


def aligned(names: Names, labels: Sequence[str]) -> dict[str, str] | Fault:
    """Class id → name for names in a file and the sorted classes that pictures have, or why not (E374, E376).

    A list belongs to sorted WordNet ids by position, and to other classes by name; or by number (``"7"`` is
    the eighth name). Names without a picture stay candidates.

    >>> aligned(Names("classnames.txt", None, ["tench", "goldfish"]), ["n01440764", "n01443537"])
    {'n01440764': 'tench', 'n01443537': 'goldfish'}
    """
    if names.by_id is not None:
        return _covering(dict(names.by_id), names.file, labels)
    if labels and all(WNID.fullmatch(label) for label in labels):
        if len(labels) != len(names):
            found = f"{len(names)} names, {len(labels)} classes with pictures"
            fix = "a list goes by the order of the ids; classnames.json {id: name} may name more"
            return Fault("E374", names.file, found, "one name a class", fix)
        return dict(zip(labels, names.listed, strict=True))
    if all(label.isdecimal() and int(label) < len(names) for label in labels):
        return {str(number): name for number, name in enumerate(names.listed)}
    return _covering({name: name for name in names.listed}, names.file, labels)


def _covering(by_id: dict[str, str], file: str, labels: Sequence[str]) -> dict[str, str] | Fault:
    lacking = [label for label in labels if label not in by_id]
    if not lacking:
        return by_id
    found = f"{len(lacking)} of {len(labels)} classes have no name: {some(lacking)}"
    return Fault("E376", file, found, "a name for each class", "add them")


def read_templates(gathering: Gathering, path: Path) -> tuple[str, ...]:
    """The templates of a file, one a line, with the class name's place as ``{}``; E375 for lines without one.

    Lines are stripped: a line break left inside a prompt has moved published numbers. Empty ones are skipped.
    """
    lines, faults = text_lines(path, path.name)
    gathering.report(*faults)
    templates = []
    for number, line in enumerate(map(str.strip, lines), start=1):
        count = len(_PLACE.findall(line))
        if count == 1:
            templates.append(_PLACE.sub("{}", line))
        elif line:
            found = f"{count} places for the class name in {line[:60]!r}"
            gathering.report(Fault("E375", f"{path.name}:{number}", found, "exactly one {}", "mend the line"))
    twice = [template for template, count in Counter(templates).items() if count > 1]
    if twice:
        found = f"duplicate template: {some(map(repr, twice))}, {len(templates)} lines"
        fix = "each line counts in the mean: drop or reword them"
        gathering.report(Fault("W375", path.name, found, "templates that differ", fix))
    if not templates and not faults:
        gathering.report(Fault("E375", path.name, "no template", "one a line", "write e.g. a photo of a {}."))
    return tuple(templates)
