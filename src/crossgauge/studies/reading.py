"""What was asked and what came first: from a run folder, or from a table of pairs."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.report.queries import each_row
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.queries import Queries
from crossgauge.tables import Row, scan_table

STORED = 10  # first places that a run keeps of each query

_COLUMNS = ("query_id", "text", "cluster", "relevant", "relevant_text", "relevant_image", "higher", "top_id",
            "top_text", "top_image", "top_score")  # fmt: skip
_QUERY = ("query_id", "query")
_TRUTH = ("truth", "gold", "ground_truth")
_RETRIEVED = ("retrieved", "image", "prediction")
_TEXT = ("text", "caption")


def pairs_of_run(table: Path) -> Iterator[Asked]:
    """The queries of a ranking cell's per-query table, each with the first items that were kept.

    Of several right pictures the truth is the retrieved one, if it is right, else the one that came highest.
    Few rows are in memory at a time. Raises InputError (E326) for what is no such table.
    """
    return (_asked(row) for row in each_row(table, _COLUMNS) if row["relevant"])


def _asked(row: Mapping[str, Any]) -> Asked:
    listed = _pictures(row["top_id"], row["top_image"], row["top_text"])
    right = _pictures(row["relevant"], row["relevant_image"], row["relevant_text"])
    scores = row["top_score"]
    truth = right[min(zip(row["higher"], range(len(right)), strict=True))[1]]
    if listed:
        truth = next((one for one in right if one.id == listed[0].id), truth)
    return Asked(
        query_id=row["query_id"],
        text=row["text"],
        truth=truth,
        relevant=right,
        retrieved=listed,
        sharing=sum(score == scores[0] for score in scores),
        cluster=row["cluster"],
    )


def _pictures(
    ids: Sequence[str], images: Sequence[str | None], texts: Sequence[str | None]
) -> tuple[Picture, ...]:
    return tuple(
        Picture(name, image, is_text=image is None and text is not None)
        for name, image, text in zip(ids, images, texts, strict=True)
    )


def read_pairs(path: Path) -> Queries:
    """Pairs from a table (CSV, TSV, JSON lines, Parquet): a row for each retrieved picture, best first.

    Columns: ``query_id`` (or ``query``), ``truth``, ``retrieved``, and ``text`` if there. Raises InputError:
    E123 without these columns, E256 for a row without a value or a query with two truths, and what reading a
    table raises.
    """
    pairs = _Pairs()
    table = scan_table(path, pairs.read)
    faults = [fault for fault in table.faults if not fault.is_warning]
    faults = faults or list(table.lacks(_QUERY, _TRUTH, _RETRIEVED)) or pairs.faults
    if not faults and not pairs.numbers:
        faults = [Fault("E256", table.name, "no row", "a row for each pair", "is this the right file?")]
    if faults:
        raise InputError(faults)
    return Queries(pairs.queries())


class _Pairs:
    """The rows of a table, while they are read; a query may stand on several."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # of the queries, in the order of their coming
        self.faults: list[Fault] = []
        self._pictures: dict[str, Picture] = {}  # each once
        self._truths: list[Picture] = []  # by query
        self._texts: list[str | None] = []
        self._query, self._retrieved = array("q"), list[Picture]()  # by row

    def read(self, row: Row) -> None:
        """Take one row, or say what is wrong with it."""
        query, truth, retrieved = (row.first(names) for names in (_QUERY, _TRUTH, _RETRIEVED))
        for name, value in (("query", query), ("truth", truth), ("retrieved", retrieved)):
            if value is not None and type(value) not in (str, int):
                found, wanted = f"the {name} {value!r:.60}", "text, or a whole number"
                self.faults.append(Fault("E256", row.place, found, wanted, "name it, or drop the row"))
                return
        if query is None or truth is None:
            fix = "name them, or drop the row"
            self.faults.append(Fault("E256", row.place, "no query or no truth", "both", fix))
            return
        name, said, right = str(query), row.first(_TEXT), self._picture(str(truth))
        number = self.numbers.setdefault(name, len(self._truths))
        if number == len(self._truths):
            self._truths.append(right)
            self._texts.append(None)
        known = self._truths[number]
        if known != right:
            found = f"query {name!r:.60} with the truths {known.id!r:.60} and {right.id!r:.60}"
            fix = "give each truth a query of its own"
            self.faults.append(Fault("E256", row.place, found, "one truth a query", fix))
            return
        if said is not None:
            self._texts[number] = str(said)
        if retrieved is not None:
            self._query.append(number)
            self._retrieved.append(self._picture(str(retrieved)))

    def queries(self) -> Iterator[Asked]:
        """Each query with all that its rows retrieved."""
        owner = np.array(self._query, dtype=np.int64)
        rows = np.argsort(owner, kind="stable")
        ends = np.cumsum(np.bincount(owner, minlength=len(self.numbers))).tolist()
        begin = 0
        for name, truth, text, end in zip(self.numbers, self._truths, self._texts, ends, strict=True):
            listed = tuple(self._retrieved[row] for row in rows[begin:end].tolist())
            yield Asked(name, text, truth, (truth,), listed)
            begin = end

    def _picture(self, name: str) -> Picture:
        return self._pictures.setdefault(name, Picture(name))
