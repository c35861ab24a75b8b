"""Captions: ``item, caption``, a line an item. A caption may hold commas, tabs and quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.errors import InputError
from crossgauge.readers.archive import Member, Tree
from crossgauge.submission.dialect import COMMA, TAB, Dialect, csv_fields, header_of_captions
from crossgauge.submission.names import Names
from crossgauge.submission.problems import Problems, listed
from crossgauge.submission.retrieval import Hint, known_like, mending
from crossgauge.submission.text import AT_ONCE, blocks, lines

MOST = AT_ONCE  # bytes of a file of captions; the longest of GEM have a thousand lines
_WIDTH = 2

Line = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class Captions:
    """What a captioning file says: one caption an item."""

    items: Names
    captions: tuple[str | None, ...]  # (Q,) one a row of items; None: no line
    words: str  # how the file is written


def read_captions(
    tree: Tree, member: Member, problems: Problems, *, items: Names, hint: Hint = lambda _, __: ""
) -> Captions | None:
    """The captions of one file; None when ``problems`` now holds faults, all of them in one pass.

    The first tab (or comma, where the file is separated by commas) ends the id, and all behind it is the
    caption. Where every line obeys the rules of CSV and some field is quoted, quotes are undone. What is odd
    is told of a faulty file too.

    Faults: E483 (nothing in it), E484 (no text), E485 (no separator), E488 (unknown ids), E490 (an item
    twice, with both lines). Findings: W482 (how it is written), W484 (items without a line), W485 (empty).
    """
    if member.size > MOST:
        problems.say("E483", f"{member.size:,} bytes", f"at most {MOST:,} of captions", "is this the file?")
        return None
    numbered: list[Line] = []
    try:
        with tree.open(member) as stream:
            for block in blocks(stream, problems):
                numbered += lines(block, problems)
    except InputError as error:
        for fault in error.faults:
            problems.say(fault.code, fault.found, fault.wanted, fault.fix)
    dialect, fields = _split(numbered, items)
    reader = _Reader(problems, items, hint)
    for (line, text), found in zip(numbered, fields, strict=True):
        reader.take(line, text, found)
    reader.report_unknown()
    if not numbered and not problems.faults:
        fix = "write it again, or remove the file"
        problems.say("E483", "no prediction in it", "a line an item: item, caption", fix)
    if not reader.begun:
        return None
    captions = reader.finished(dialect)
    return None if problems.faults else captions


class _Reader:
    """Captions while they are collected."""

    def __init__(self, problems: Problems, items: Names, hint: Hint) -> None:
        self._problems, self._items, self._hint = problems, items, hint
        self._captions: dict[int, str] = {}
        self._lines: dict[int, int] = {}
        self._named: set[int] = set()  # rows of items whose line has no caption that could be read
        self._unknown: dict[str, int] = {}

    def take(self, line: int, text: str, fields: Sequence[str]) -> None:
        """One line, split."""
        if not fields:
            return  # the header
        if len(fields) < _WIDTH:
            fix = "put a tab between id and caption; a caption stands on one line"
            self._problems.add("E485", line, f"1 field: {text[:60]!r}", "2 fields: item, caption", fix)
            first = re.split(r"[\t, ]", text, maxsplit=1)[0]
            if first in self._items:
                self._named.add(self._items.row(first))
            return
        name, caption = fields[0], fields[1].strip()
        row = self._items.row(name)
        if row < 0:
            self._unknown.setdefault(name, line)
        elif row in self._captions:
            found = f"a second caption for {name[:80]!r} (first at line {self._lines[row]})"
            self._problems.add("E490", line, found, "one caption an item", "keep one")
        else:
            self._captions[row], self._lines[row] = caption, line

    @property
    def begun(self) -> bool:
        """Whether any line was of a known item."""
        return bool(self._captions or self._named)

    def report_unknown(self) -> None:
        """Say which ids nobody knows."""
        for name, line in self._unknown.items():
            found = f"unknown item id {name[:80]!r}" if name.strip() else "an empty item id"
            fix = (self._hint("item", name) if name.strip() else "") or mending(self._items)
            self._problems.add("E488", line, found, known_like("item", self._items), fix)

    def finished(self, dialect: Dialect) -> Captions:
        """The captions by row, with what is odd about them said."""
        problems, items = self._problems, self._items
        captions = tuple(self._captions.get(row) for row in range(len(items)))
        if dialect != Dialect(TAB, order=(0, 1)):
            problems.say(
                "W482", f"read as {dialect.words}", "tab-separated, no header", "none if that is right"
            )
        if items.trimmed:
            problems.say("W487", "blanks around ids were dropped", "ids as in the data", "none if right")
        for code, what, value in (("W484", "have no caption", None), ("W485", "have an empty caption", "")):
            names = [
                name
                for row, name in enumerate(items.ids)
                if captions[row] == value and row not in self._named
            ]
            if names:
                found = f"{len(names):,} of {len(items):,} items {what}: {listed(names)}"
                problems.say(code, found, "a caption an item", "they score 0; write one for each")
        return Captions(items, captions, dialect.words)


def _split(numbered: Sequence[Line], items: Names) -> tuple[Dialect, list[list[str]]]:
    """How the file is written, and its lines as (id, caption); a header is left empty."""
    texts = [text for _, text in numbered]
    separator = _separator(texts, items)
    strict = [csv_fields(text, separator) for text in texts]
    quoted = any('"' in text for text in texts) and all(f and len(f) == _WIDTH for f in strict)
    fields = [f or [] for f in strict] if quoted else [text.split(separator, 1) for text in texts]
    order = header_of_captions([f.strip() for f in fields[0]]) if fields else None
    if order is None or (items.closed and fields[0][0] in items):
        return Dialect(separator, quoted=quoted, order=(0, 1)), fields
    swapped = [[f[order[0]], f[order[1]]] if len(f) == _WIDTH else f for f in fields[1:]]
    return Dialect(separator, quoted=quoted, header=True, order=order), [[], *swapped]


def _separator(texts: Sequence[str], items: Names) -> str:
    """The one behind more of the known ids; where nothing is known, tabs if every line has one."""
    if items.closed:
        known = {
            mark: sum(_head(text, mark).strip(' "') in items for text in texts if mark in text)
            for mark in (TAB, COMMA)
        }
        if known[TAB] != known[COMMA]:
            return max(known, key=lambda mark: known[mark])
    tabs = sum(TAB in text for text in texts)
    commas = sum(COMMA in text for text in texts)
    return COMMA if commas > tabs else TAB


def _head(text: str, mark: str) -> str:
    return text.split(mark, 1)[0]
