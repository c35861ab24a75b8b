"""How a prediction file is written: tabs or commas, quotes, a header. Told from its first lines, and said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.readers.pairs import number

TAB, COMMA = "\t", ","
RETRIEVAL = ("query", "item", "score")
CAPTIONS = ("item", "caption")
SAMPLE = 50  # lines that tell

_NAMED = {
    "query": "query query-id queryid qid q-id q",
    "item": "item item-id itemid image image-id imageid img img-id video video-id videoid vid candidate "
    "candidate-id doc-id docid corpus-id title-id pid",
    "score": "score scores similarity sim",
    "caption": "caption captions prediction predictions pred hypothesis text query generated output",
}
_KNOWN = {role: frozenset(names.split()) for role, names in _NAMED.items()}
_FIELD = {mark: re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{mark}]*))({mark}|$)') for mark in (TAB, COMMA)}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the lines of a file are to be split."""

    separator: str
    quoted: bool = False  # by the rules of CSV: "a ""b"", c"
    header: bool = False
    order: tuple[int, ...] = (0, 1, 2)  # where query, item and score (or item and caption) stand

    @property
    def words(self) -> str:
        """How it is told: ``comma-separated, quoted, with a header``."""
        parts = ["tab-separated" if self.separator == TAB else "comma-separated"]
        parts += ["CSV quotes"] * self.quoted + ["with a header"] * self.header
        if self.order != tuple(sorted(self.order)):
            parts.append("columns in the header's order")
        return ", ".join(parts)

    def fields(self, line: str) -> list[str]:
        """The fields of one line; a line whose quotes do not fit is split at the separators alone."""
        if self.quoted:
            return csv_fields(line, self.separator) or line.split(self.separator)
        return line.split(self.separator)


def csv_fields(line: str, separator: str) -> list[str] | None:
    """The fields of a line by the rules of CSV; None when a quote stands where none may.

    >>> csv_fields('i1,"a ""red"" dog, a cat"', ",")
    ['i1', 'a "red" dog, a cat']
    >>> csv_fields('i1,a "red" dog', ",") is None
    True
    """
    fields, at = [], 0
    while True:
        match = _FIELD[separator].match(line, at)
        if match is None:
            return None
        quoted, plain, end = match.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        if not end:
            return fields
        at = match.end()


def of_retrieval(sample: Sequence[str]) -> Dialect:
    """How a retrieval file is written, from its first lines.

    >>> of_retrieval(["query_id, image_id, score", "q1, i1, 0.5"]).words
    'comma-separated, with a header'
    """
    width = len(RETRIEVAL)

    def fitting(separator: str) -> int:
        return sum(len(_split(line, separator)) == width for line in sample)

    separator = COMMA if fitting(COMMA) > fitting(TAB) else TAB
    quoted = any('"' in line for line in sample) and all(csv_fields(line, separator) for line in sample)
    dialect = Dialect(separator, quoted=quoted)
    first = dialect.fields(sample[0]) if sample else []
    if len(first) != width or number(first[2].strip()) is not None:
        return dialect
    order = _order(first, RETRIEVAL)
    return dialect if order is None else Dialect(separator, quoted, header=True, order=order)


def header_of_captions(fields: Sequence[str]) -> tuple[int, ...] | None:
    """Where item and caption stand, if these fields name them.

    >>> header_of_captions(["image_id", "caption"]), header_of_captions(["i1", "a dog"])
    ((0, 1), None)
    """
    return _order(fields, CAPTIONS) if len(fields) == len(CAPTIONS) else None


def _split(line: str, separator: str) -> list[str]:
    return csv_fields(line, separator) or line.split(separator)


def _order(names: Sequence[str], roles: Sequence[str]) -> tuple[int, ...] | None:
    """The place of each role among the names; None where a name is unknown or a role stands twice."""
    read = [re.sub(r"[_\s]+", "-", name.strip().casefold()) for name in names]
    places = [[at for at, name in enumerate(read) if name in _KNOWN[role]] for role in roles]
    if any(len(found) != 1 for found in places) or len({found[0] for found in places}) != len(names):
        return None
    return tuple(found[0] for found in places)
