"""The rows of a table of pairs: gathered by query, put in order, and checked against one another."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np

from crossgauge.errors import Fault
from crossgauge.studies.asked import Asked, Picture
from crossgauge.tables import Row
from crossgauge.types import Ints

QUERY = ("query_id", "query")
TRUTH = ("truth", "gold", "ground_truth")
RETRIEVED = ("retrieved", "image", "prediction")
TEXT = ("text", "caption")
RANK = ("rank",)
KNOWN = (*QUERY, *TRUTH, *RETRIEVED, *TEXT, *RANK)
_NOTHING = -1  # the number of the picture of a row that retrieved none, and the place of one without any
_WHOLE = re.compile(r"([0-9]{1,18})(?:\.0*)?")  # 2, and 2.0 as tools write columns with gaps
_PLACES = "1, 2, 3 … for the pictures of a query"
_ELSE = "count them so; leave the column out if rows stand best first or it is the rank of the truth"


class ListedPairs:
    """The rows of a table, while they are read; a query may stand on several."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # of the queries, in the order of their coming
        self.faults: list[Fault] = []
        self._pictures: dict[str, int] = {}
        self._shown: list[Picture] = []  # by number
        self._truths: list[int] = []  # by query
        self._texts: list[str | None] = []
        self._query, self._retrieved, self._rank = array("q"), array("q"), array("q")  # by row
        self._blank = array("b")  # whether a row of a picture leaves its column rank empty
        self._line = array("q")
        self._place = ""  # of any row, without its number

    def read(self, row: Row) -> None:
        """Take one row, or say what is wrong with it."""
        query, truth, retrieved = (row.first(names) for names in (QUERY, TRUTH, RETRIEVED))
        for name, value in (("query", query), ("truth", truth), ("retrieved", retrieved)):
            if value is not None and type(value) not in (str, int):
                self._fault(
                    row, f"the {name} {value!r:.60}", "text, or a whole number", "name it, or drop the row"
                )
                return
        if query is None or truth is None:
            self._fault(row, "no query or no truth", "both", "name them, or drop the row")
            return
        rank = self._ranked(row)
        number = self._queried(row, str(query), self._picture(str(truth)))
        if number is None or rank is None:
            return
        self._query.append(number)
        self._retrieved.append(_NOTHING if retrieved is None else self._picture(str(retrieved)))
        self._rank.append(rank)
        self._blank.append(rank == _NOTHING and retrieved is not None and RANK[0] in row.values)
        head, _, line = row.place.rpartition(":")
        self._place = f"{head}:{'row ' if line.startswith('row ') else ''}"
        self._line.append(int(line.removeprefix("row ")))

    def _queried(self, row: Row, name: str, truth: int) -> int | None:
        """The number of the query, if the row says of it what others do."""
        number = self.numbers.setdefault(name, len(self._truths))
        if number == len(self._truths):
            self._truths.append(truth)
            self._texts.append(None)
        known, said = self._truths[number], row.first(TEXT)
        if known != truth:
            first, second = self._shown[known].id, self._shown[truth].id
            found = f"query {name!r:.60} with the truths {first!r:.60} and {second!r:.60}"
            self._fault(row, found, "one truth a query", "give each truth a query of its own")
            return None
        if said is not None and self._texts[number] not in (None, str(said)):
            found = f"query {name!r:.60} with the texts {self._texts[number]!r:.60} and {str(said)!r:.60}"
            self._fault(row, found, "one text a query", "give each text a query of its own")
            return None
        self._texts[number] = str(said) if said is not None else self._texts[number]
        return number

    def _ranked(self, row: Row) -> int | None:
        """The place that a row gives its picture; none of a row that gives no place."""
        value = row.first(RANK)
        if value is None:
            return _NOTHING
        whole = _WHOLE.fullmatch(str(value).strip())
        if isinstance(value, bool) or whole is None or not int(whole[1]):
            self._fault(row, f"the rank {value!r:.40}", _PLACES, _ELSE)
            return None
        return int(whole[1])

    def contradictions(self) -> Iterator[Fault]:
        """What rows of a query say against one another: pictures twice, places that are no order."""
        owner, retrieved, rank = (
            np.array(one, dtype=np.int64) for one in (self._query, self._retrieved, self._rank)
        )
        names = list(self.numbers)
        alone = np.bincount(owner, minlength=len(names)) == 1
        for row in np.flatnonzero((retrieved == _NOTHING) & ~alone[owner]).tolist():
            found = f"query {names[owner[row]]!r:.60} found nothing here, and stands in other rows too"
            yield self._at(
                row, found, "a row without a picture only for what found none", "drop it, or name the picture"
            )
        for row in _again(owner, retrieved):
            if retrieved[row] != _NOTHING:
                found = (
                    f"query {names[owner[row]]!r:.60} retrieved {self._shown[retrieved[row]].id!r:.60} again"
                )
                yield self._at(row, found, "each picture of a query once", "drop one of the rows")
        order = np.lexsort((rank, owner))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = 1 + np.arange(len(order)) - np.searchsorted(owner[order], owner[order])
        given = np.bincount(owner[rank != _NOTHING], minlength=len(names)) > 0
        for row in np.flatnonzero(given[owner] & (rank != place)).tolist():
            said = "no rank beside others" if rank[row] == _NOTHING else f"rank {rank[row]}"
            yield self._at(row, f"{said} of query {names[owner[row]]!r:.60}", _PLACES, _ELSE)
        needed = ~alone[owner] if given.any() else True  # a picture alone has the first place
        blank = np.flatnonzero(np.array(self._blank, dtype=bool) & ~given[owner] & needed).tolist()
        if blank:
            more = f", nor in {len(blank) - 1:,} more rows" if len(blank) > 1 else ""
            yield self._at(blank[0], f"nothing in the column rank{more}", _PLACES, _ELSE)

    def queries(self) -> Iterator[Asked]:
        """Each query with all that its rows retrieved: by rank, or else in the order of the rows."""
        owner = np.array(self._query, dtype=np.int64)
        rows = np.lexsort((np.array(self._rank, dtype=np.int64), owner))  # stable: rows without stay in order
        ends = np.cumsum(np.bincount(owner, minlength=len(self.numbers))).tolist()
        begin = 0
        for name, right, text, end in zip(self.numbers, self._truths, self._texts, ends, strict=True):
            listed = (self._retrieved[row] for row in rows[begin:end].tolist())
            truth = self._shown[right]
            shown = tuple(self._shown[one] for one in listed if one != _NOTHING)
            yield Asked(name, text, truth, (truth,), shown)
            begin = end

    def _picture(self, name: str) -> int:
        number = self._pictures.setdefault(name, len(self._shown))
        if number == len(self._shown):
            self._shown.append(Picture(name))
        return number

    def _fault(self, row: Row, found: str, wanted: str, fix: str) -> None:
        self.faults.append(Fault("E256", row.place, found, wanted, fix))

    def _at(self, row: int, found: str, wanted: str, fix: str) -> Fault:
        return Fault("E256", f"{self._place}{self._line[row]}", found, wanted, fix)


def _again(owner: Ints, retrieved: Ints) -> list[int]:
    """The rows that say what an earlier one says."""
    order = np.lexsort((retrieved, owner))  # stable: the first of equal ones is the earliest
    same = (np.diff(owner[order]) == 0) & (np.diff(retrieved[order]) == 0)
    return sorted(order[1:][same].tolist())
