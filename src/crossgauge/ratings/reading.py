"""Ratings by people as they stand in a table: one row is what one rater said of one answer to one query.

Columns, in any case and order, with the names that are understood (Parquet, CSV, TSV, JSON lines):

- the query: query, query_id, qid, caption
- the picture that was shown: image, image_id, retrieved, item
- who rated: rater, rater_id, annotator, worker, user
- how well it answers, 0 to 10: score, rating, relevance
- what disagrees (may be absent): classes, failure_classes, disagreements; a list, or ``colour;details``

Names of classes are compared without regard to case, and ``_``, ``-`` and blanks are the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers.pairs import number
from crossgauge.tables import EMPTY, Row, Table, read_table

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "query-id", "qid", "caption"),
    "image": ("image", "image_id", "image-id", "retrieved", "item"),
    "rater": ("rater", "rater_id", "rater-id", "annotator", "worker", "user"),
    "score": ("score", "rating", "relevance"),
    "classes": ("classes", "failure_classes", "failure-classes", "disagreements"),
}
SCALE = (0.0, 10.0)
ALTERNATIVES = ("successful alternative", "successful alternatives")
_BETWEEN = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater said."""

    rater: str
    score: float
    classes: frozenset[str]  # that disagree; without those that mean a valid answer
    alternative: bool  # marked as a valid answer although it is not the gold
    place: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a picture shown for it, with all that was said; raters in the order of their names."""

    query: str
    image: str
    ratings: tuple[Rating, ...]

    @property
    def mean(self) -> float:
        """The mean score of its raters, in the unit of the scale."""
        return math.fsum(rating.score for rating in self.ratings) / len(self.ratings)


@dataclass(frozen=True, slots=True)
class Ratings:
    """All pairs, in the order of queries and pictures, so that the order of rows changes no number."""

    place: str
    pairs: tuple[Pair, ...]
    classes: tuple[str, ...] | None  # that may disagree, sorted; None: the table has no such column
    scale: tuple[float, float]
    findings: tuple[Fault, ...]  # warnings


def class_name(text: str) -> str:
    """A class as it is compared.

    >>> class_name(" Object_Colour ")
    'object colour'
    """
    return _BETWEEN.sub(" ", text).strip().casefold()


def read_ratings(
    path: Path,
    *,
    classes: Sequence[str] | None = None,
    alternatives: Collection[str] = ALTERNATIVES,
    scale: tuple[float, float] = SCALE,
) -> Ratings:
    """The ratings in a table.

    Arguments:
        path: .csv, .tsv, .jsonl or .parquet.
        classes: what raters could mark; None: whatever they did.
        alternatives: classes that mean a valid answer although it is not the gold: no disagreement.
        scale: the lowest and the highest score.

    Raises InputError with all faults of the file: E190 (columns), E191 (an empty cell), E192 (a score that is
    no number), E193 (outside the scale), E194 (a rater who rated a pair twice), E195 (classes not on the
    list), and those of :func:`crossgauge.tables.read_table`; UsageError (E193) for a scale that is none.
    """
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        found, wanted = f"from {low:g} to {high:g}", "two numbers, the lowest score first"
        raise UsageError(Fault("E193", "--scale", found, wanted, f"--scale {SCALE[0]:g} {SCALE[1]:g}"))
    table = read_table(path, name=str(path))
    columns, faults = find_columns(table, COLUMNS, optional=("classes",))
    reading = _Reading(
        columns,
        None if classes is None else {class_name(name) for name in classes},
        {class_name(name) for name in alternatives},
        scale,
    )
    read = [reading.row(row) for row in table.rows] if not faults else []
    faults = [*table.faults, *faults, *reading.faults, *reading.listed()]
    kept = [found for found in read if found is not None]
    if not faults and not kept:
        faults.append(
            Fault("E191", str(path), "no rating", "a row for each rating", "is this the right file?")
        )
    errors = [fault for fault in faults if not fault.is_warning]
    if errors:
        raise InputError(errors)
    pairs = _pairs(kept)
    said = {name for pair in pairs for rating in pair.ratings for name in rating.classes}
    known = (reading.known or set()) - reading.alternatives
    held = tuple(sorted(said | known)) if "classes" in columns else None
    return Ratings(str(path), pairs, held, scale, _contradictory(str(path), pairs))


def find_columns(
    table: Table, wanted: Mapping[str, tuple[str, ...]], *, optional: Collection[str] = ()
) -> tuple[dict[str, str], list[Fault]]:
    """The column of each role, and a fault (E190) for each that is lacking or stands twice.

    >>> find_columns(Table("a.csv", ("qid", "n"), (), ()), {"query": ("query", "qid")})
    ({'query': 'qid'}, [])
    """
    found: dict[str, str] = {}
    faults = []
    for role, names in wanted.items():
        here = [name for name in names if name in table.columns]
        if len(here) == 1:
            found[role] = here[0]
        elif here:
            said = f"columns {' and '.join(here)}"
            faults.append(Fault("E190", table.name, said, f"one column for the {role}", "rename or drop one"))
        elif role not in optional and (table.columns or not table.faults):
            said = f"columns: {', '.join(table.columns)[:200]}" if table.columns else EMPTY
            fix = "add or rename it" if table.columns else "write the table again"
            faults.append(Fault("E190", table.name, said, f"a column {' or '.join(names)}", fix))
    return found, faults


def label(value: Any) -> str | None:
    """A name or number that tells things apart, as text; None when there is none.

    Whole numbers may stand as floats, as in a column of which one cell is missing (NaN).

    >>> label(7), label(7.0), label(" a "), label(""), label(1.5), label(float("nan"))
    ('7', '7', 'a', None, None, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value)) if math.isfinite(value) and value == int(value) else None
    return value.strip() or None if isinstance(value, str) else None


@dataclass(slots=True)
class _Reading:
    """Takes one row after the other; what is wrong with any is kept."""

    columns: Mapping[str, str]
    known: set[str] | None
    alternatives: set[str]
    scale: tuple[float, float]
    faults: list[Fault] = field(default_factory=list)
    places: dict[tuple[str, str, str], str] = field(default_factory=dict)  # of each rating, by its key
    said: set[str] = field(default_factory=set)  # classes
    commas: list[tuple[str, str]] = field(default_factory=list)  # place and name of those with one

    def row(self, row: Row) -> tuple[str, str, Rating] | None:
        """What a row says of which query and picture; None when anything is wrong with it."""
        before = len(self.faults)
        key = self._key(row)
        score = self._score(row)
        classes = self._classes(row)
        if key is None or score is None or len(self.faults) > before:
            return None
        query, image, rater = key
        alternative = bool(classes & self.alternatives)
        return query, image, Rating(rater, score, classes - self.alternatives, alternative, row.place)

    def _told(self, row: Row, role: str) -> Any:
        return row.values.get(self.columns[role]) if role in self.columns else None

    def _key(self, row: Row) -> tuple[str, str, str] | None:
        """Which query and picture, and who; each once."""
        names = {role: label(self._told(row, role)) for role in ("query", "image", "rater")}
        query, image, rater = names.values()
        if query is None or image is None or rater is None:
            self.faults += [self._empty(row, role) for role, name in names.items() if name is None]
            return None
        first = self.places.setdefault((query, image, rater), row.place)
        if first != row.place:
            found = f"{rater!r:.40} rated {image!r:.40} for {query!r:.40} again, first at {first}"
            wanted = "one rating a rater and pair"
            self.faults.append(Fault("E194", row.place, found, wanted, "keep the one that counts"))
        return query, image, rater

    def _empty(self, row: Row, role: str) -> Fault:
        value = self._told(row, role)
        missing = value in (None, "") or (isinstance(value, float) and math.isnan(value))
        found = f"no {role}" if missing else f"the {role} {value!r:.40}"
        return Fault("E191", row.place, found, "text, or a whole number", "name it, or drop the row")

    def _score(self, row: Row) -> float | None:
        value = self._told(row, "score")
        score = as_number(value)
        low, high = self.scale
        if value is None or (isinstance(value, str) and not value.strip()):
            self.faults.append(Fault("E191", row.place, "no score", "a number", "give one, or drop the row"))
        elif score is None:
            found, wanted = f"the score {value!r:.40}", "a finite number such as 7.5"
            self.faults.append(Fault("E192", row.place, found, wanted, "write plain decimals"))
        elif not low <= score <= high:
            fix = "correct it, or say which scale was used (--scale LOW HIGH)"
            wanted = f"from {low:g} to {high:g}"
            self.faults.append(Fault("E193", row.place, f"the score {score:g}", wanted, fix))
        return score

    def listed(self) -> Iterator[Fault]:
        """A fault (E195) for each class with a comma: two names that were taken for one."""
        known = sorted(self.said | (self.known or set()) | self.alternatives)
        for place, name in self.commas:
            fix = f"write {';'.join(part.strip() for part in name.split(','))!r:.80}"
            wanted = f"names with ; between them; known here: {', '.join(known):.200}"
            yield Fault("E195", place, f"the class {name!r:.60}", wanted, fix)

    def _classes(self, row: Row) -> frozenset[str]:
        value = self._told(row, "classes")
        parts = value.split(";") if isinstance(value, str) else [] if value is None else value
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            found, wanted = f"the classes {value!r:.60}", "names such as colour;details"
            self.faults.append(Fault("E195", row.place, found, wanted, "write them so"))
            return frozenset()
        names = {class_name(one) for part in parts for one in part.split(";")} - {""}
        self.commas += [(row.place, name) for name in sorted(names) if "," in name]
        names = {name for name in names if "," not in name}
        self.said |= names
        unknown = names - self.known - self.alternatives if self.known is not None else set()
        for name in sorted(unknown):
            wanted = f"one of {', '.join(sorted((self.known or set()) | self.alternatives))}"
            fix = "correct it, or add it to the list (--classes)"
            self.faults.append(Fault("E195", row.place, f"the class {name!r:.60}", wanted, fix))
        return frozenset(names)


def as_number(value: Any) -> float | None:
    """A finite number, written or typed; None for all else.

    >>> as_number("7.5"), as_number(7), as_number("7,5"), as_number(True)
    (7.5, 7.0, None, None)
    """
    if isinstance(value, str):
        return number(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def _pairs(read: Iterable[tuple[str, str, Rating]]) -> tuple[Pair, ...]:
    gathered: dict[tuple[str, str], list[Rating]] = {}
    for query, image, rating in read:
        gathered.setdefault((query, image), []).append(rating)
    return tuple(
        Pair(query, image, tuple(sorted(ratings, key=lambda rating: rating.rater)))
        for (query, image), ratings in sorted(gathered.items())
    )


def _contradictory(place: str, pairs: Iterable[Pair]) -> tuple[Fault, ...]:
    """One warning for all ratings that call an answer valid and mark a disagreement too."""
    both = [rating for pair in pairs for rating in pair.ratings if rating.alternative and rating.classes]
    if not both:
        return ()
    found = f"{len(both)} ratings name a valid answer and a disagreement at once, first {both[0].place}"
    return (Fault("W190", place, found, "one or the other", "both are counted as they stand"),)
