"""Retrieval predictions, ``query, item, score``: in bulk, or line by line where something is wrong."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from crossgauge.errors import SHOWN, InputError
from crossgauge.readers.archive import Member, Stream, Tree
from crossgauge.readers.pairs import number
from crossgauge.submission.bulk import block_pairs
from crossgauge.submission.dialect import RETRIEVAL, SAMPLE, Dialect, of_retrieval
from crossgauge.submission.names import Names
from crossgauge.submission.problems import Problems, listed
from crossgauge.submission.text import Block, blocks, lines
from crossgauge.types import Floats, Ints, OnNonfinite

MOST = 1 << 24  # lines of one file
MOST_UNKNOWN = 100_000  # different ids; what is above is only counted
WIDTH = 1 << 32  # above every row: query * WIDTH + item tells a pair
_WANTED = "3 fields: query, item, score"
_TREC = 6  # fields of a line of a TREC run
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})

Hint = Callable[[str, str], str]  # ("query" or "item", an unknown id) → what to do about it


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What a retrieval file says: a score for each pair, no pair twice, in file order."""

    queries: Names
    items: Names
    query: Ints  # (P,) rows of queries
    item: Ints  # (P,) rows of items
    score: Floats  # (P,) NaN and infinities only where they were asked to be misses
    words: str  # how the file is written

    @property
    def listed(self) -> Ints:
        """How many items each query lists, (Q,)."""
        return np.bincount(self.query, minlength=len(self.queries)).astype(np.int64)

    @property
    def full(self) -> bool:
        """Whether every query lists every item."""
        return len(self.score) == len(self.queries) * len(self.items)


@dataclass(slots=True)
class _Lines:
    """Pairs while they are collected."""

    key: Ints
    score: Floats
    line: Ints | None = None

    @property
    def doubled(self) -> bool:
        """Whether a pair stands twice."""
        if (self.key[1:] > self.key[:-1]).all():
            return False  # most files are written in order
        ordered = np.sort(self.key)
        return bool((ordered[1:] == ordered[:-1]).any())


def read_pairs(
    tree: Tree,
    member: Member,
    problems: Problems,
    *,
    queries: Names,
    items: Names,
    hint: Hint = lambda _, __: "",
    on_nonfinite: OnNonfinite = "error",
) -> Pairs | None:
    """The pairs of one file; None when ``problems`` now holds faults, all of them in one pass.

    Faults: E483 (nothing in it), E484 (no text), E485 (fields), E486 (a score that is no finite number), E487
    and E488 (ids that are unknown), E489 (a pair twice, with both lines). With ``on_nonfinite="miss"`` a
    score of NaN or infinity is W490 and stays. Findings, also of a faulty file: W482 (how it is written),
    W483 (queries that no line names), W487 (blanks around ids).
    """
    dialect, found, named = None, None, frozenset[int]()
    try:
        with tree.open(member) as stream:
            dialect, found = _in_bulk(stream, problems, queries, items)
        if found is None:
            queries, items = queries.fresh(), items.fresh()
            with tree.open(member) as stream:
                reader = _Exact(problems, queries, items, hint, on_nonfinite)
                dialect, found = reader.read(stream)
                named = frozenset(reader.named)
    except InputError as error:
        for fault in error.faults:
            problems.say(fault.code, fault.found, fault.wanted, fault.fix)
    if found is None or dialect is None:
        return None
    _say_how(problems, dialect, queries, items)
    pairs = Pairs(queries, items, found.key // WIDTH, found.key % WIDTH, found.score, dialect.words)
    absent = [row for row in np.flatnonzero(pairs.listed == 0).tolist() if row not in named]
    if absent and (named or len(found.key)):
        _say_absent(problems, [queries.ids[row] for row in absent], len(queries))
    return None if problems.faults else pairs


def _say_absent(problems: Problems, absent: list[str], asked: int) -> None:
    readable = "readable " if problems.count("E484") else ""
    text = f"{len(absent):,} of {asked:,} queries have no {readable}line: {listed(absent)}"
    problems.say("W483", text, "every query of the language", "they count as misses; list them all")


def _say_how(problems: Problems, dialect: Dialect, queries: Names, items: Names) -> None:
    if dialect != Dialect("\t"):
        problems.say("W482", f"read as {dialect.words}", "tab-separated, no header", "none if that is right")
    if queries.trimmed or items.trimmed:
        problems.say("W487", "blanks around ids were dropped", "ids as in the data", "none if that is right")


def _dialect(block: Block, problems: Problems) -> Dialect:
    """How the file is written, from its first lines that are text."""
    some = Block(block.data[: SAMPLE * 1024], block.first)
    return of_retrieval([text for _, text in _first(lines(some, Problems(problems.place)))])


def _first(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return (one for one, _ in zip(numbered, range(SAMPLE), strict=False))


def _in_bulk(
    stream: Stream, problems: Problems, queries: Names, items: Names
) -> tuple[Dialect | None, _Lines | None]:
    """All pairs by whole blocks; no pairs when anything in the file needs a closer look."""
    dialect: Dialect | None = None
    keys, scores, total = [], [], 0
    for block in blocks(stream, problems):
        dialect = dialect or _dialect(block, problems)
        found = block_pairs(block, dialect, queries, items)
        total += 0 if found is None else len(found[2])
        if found is None or total > MOST:
            return dialect, None
        keys.append(found[0] * WIDTH + found[1])
        scores.append(found[2])
    if not total:
        return dialect, None
    pairs = _Lines(np.concatenate(keys), np.concatenate(scores))
    return dialect, None if pairs.doubled else pairs


class _Exact:
    """The slow way: every line by itself, so that every fault has its line."""

    def __init__(
        self, problems: Problems, queries: Names, items: Names, hint: Hint, on_nonfinite: OnNonfinite
    ) -> None:
        self._problems, self._queries, self._items = problems, queries, items
        self._hint, self._on_nonfinite = hint, on_nonfinite
        self._keys, self._scores, self._lines = array("q"), array("d"), array("q")
        self.named: set[int] = set()  # rows of the queries that lines name which are left out
        self._unknown: dict[tuple[str, str], list[int]] = {}  # (kind, id) → first line, times
        self._beyond = {"query": 0, "item": 0}  # lines with further unknown ids

    def read(self, stream: Stream) -> tuple[Dialect | None, _Lines | None]:
        """Go through the file."""
        dialect: Dialect | None = None
        begun = False
        for block in blocks(stream, self._problems):
            dialect = dialect or _dialect(block, self._problems)
            for number_, text in lines(block, self._problems):
                if begun or not dialect.header:
                    self._line(number_, text, dialect)
                begun = True
                if len(self._keys) > MOST:
                    self._problems.add("E483", number_, f"more than {MOST:,} lines", "fewer",
                                       "is this the file of one language?")  # fmt: skip
                    return dialect, None
        pairs = _Lines(
            np.array(self._keys, dtype=np.int64),
            np.array(self._scores, dtype=np.float64),
            np.array(self._lines, dtype=np.int64),
        )
        self._report_unknown()
        self._report_doubles(pairs)
        if not len(pairs.key) and not self._problems.faults:
            self._problems.say("E483", "no prediction in it", "a line a pair: query, item, score",
                               "write it again, or remove the file")  # fmt: skip
        return dialect, pairs

    def _line(self, line: int, text: str, dialect: Dialect) -> None:
        fields = dialect.fields(text)
        if len(fields) != len(RETRIEVAL):
            self._problems.add("E485", line, *_width(text, fields))
            first = re.split(r"[\t, ]", text, maxsplit=1)[0]
            if first in self._queries:
                self.named.add(self._queries.row(first))
            return
        query, item, said = (fields[at] for at in dialect.order)
        value = self._value(line, said.strip(" \t"))
        rows = [
            self._row(line, kind, name, names)
            for kind, name, names in (("query", query, self._queries), ("item", item, self._items))
        ]
        if value is not None and min(rows) >= 0:
            self._keys.append(rows[0] * WIDTH + rows[1])
            self._scores.append(value)
            self._lines.append(line)
        elif rows[0] >= 0:
            self.named.add(rows[0])

    def _value(self, line: int, said: str) -> float | None:
        value = number(said)
        if value is not None:
            return value
        if self._on_nonfinite == "miss" and said.casefold().lstrip("+-") in _NOT_FINITE:
            self._problems.add("W490", line, f"score {said}", "a finite number", "counted as not listed")
            return float(said)
        fix = "write decimals with a point" if "," in said else "mend it, or leave the line out"
        self._problems.add("E486", line, f"score {said[:40]!r}", "a finite number such as -0.25 or 3e-4", fix)
        return None

    def _row(self, line: int, kind: str, name: str, names: Names) -> int:
        row = names.row(name)
        if row < 0:
            if len(self._unknown) < MOST_UNKNOWN or (kind, name) in self._unknown:
                self._unknown.setdefault((kind, name), [line, 0])[1] += 1
            else:
                self._beyond[kind] += 1
        return row

    def _report_unknown(self) -> None:
        for kind, code, names, other in (
            ("query", "E487", self._queries, self._items),
            ("item", "E488", self._items, self._queries),
        ):
            unknown = [(name, seen) for (one, name), seen in self._unknown.items() if one == kind]
            wanted = known_like(kind, names)
            if not names.closed:
                wanted = f"fewer than {len(names):,} different {kind} ids, none empty"
            for name, (line, times) in unknown[:SHOWN]:
                found = f"unknown {kind} id {name[:80]!r}" if name.strip() else f"an empty {kind} id"
                found += f" (on {times:,} lines)" if times > 1 else ""
                swapped = f"it is an id of the other column: the order is {', '.join(RETRIEVAL)}"
                fix = swapped if names.closed and name in other else self._hint(kind, name)
                fix = fix or mending(names)
                self._problems.add(code, line, found, wanted, fix)
            if more := max(0, len(unknown) - SHOWN) + self._beyond[kind]:
                self._problems.more(code, wanted, more)

    def _report_doubles(self, pairs: _Lines) -> None:
        order = np.argsort(pairs.key, kind="stable")
        ordered = pairs.key[order]
        again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        if pairs.line is None or not len(again):
            return
        queries, items = self._queries.ids, self._items.ids
        first = np.searchsorted(ordered, ordered[again])
        for at, begin in sorted(zip(order[again].tolist(), order[first].tolist(), strict=True)):
            query, item = divmod(int(pairs.key[at]), WIDTH)
            found = f"{queries[query]!r} → {items[item]!r} again (first at line {pairs.line[begin]})"
            self._problems.add("E489", int(pairs.line[at]), found, "each pair once", "remove one of the two")


def known_like(kind: str, names: Names) -> str:
    """What an id should look like: ``an id of the data such as 'q1'``."""
    example = "" if names.first is None else f", such as {names.first[:80]!r}"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} id of the data{example}"


def mending(names: Names) -> str:
    """What to do about an id that nobody knows more of."""
    return "write the id as the data have it, letter for letter" if names.closed else "write the id"


def _width(text: str, fields: list[str]) -> tuple[str, str, str]:
    """Found, wanted and fix of a line with too few or too many fields."""
    fix = "separate by tabs (or commas) throughout"
    if len(text.split()) == _TREC and "," not in text:
        fix = "this looks like a TREC run: keep its columns query, item and score, with tabs between them"
    elif len(fields) == len(RETRIEVAL) - 1:
        fix = "is the score missing, or is this a caption file?"
    elif len(fields) > len(RETRIEVAL):
        fix = "one pair a line; is it a matrix, or do ids hold commas? then use tabs"
    return f"{len(fields)} field{'s' * (len(fields) != 1)}: {text[:60]!r}", _WANTED, fix
