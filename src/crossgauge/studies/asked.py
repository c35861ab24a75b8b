"""What was asked and what came first: from a run folder, or from a table of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.report.queries import read_rows
from crossgauge.tables import Row, read_table

_COLUMNS = ("query_id", "text", "cluster", "relevant", "relevant_image", "higher", "top_id", "top_image",
            "top_score")  # fmt: skip
_QUERY = ("query_id", "query")
_TRUTH = ("truth", "gold", "ground_truth")
_RETRIEVED = ("retrieved", "image", "prediction")
_TEXT = ("text", "caption")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, or what stands for one: its id in the run, and its file where known."""

    id: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One query with its right picture and those that came first, best first."""

    query_id: str
    text: str | None
    truth: Picture
    retrieved: tuple[Picture, ...]
    tied: bool = False  # the first place is shared; the first in the order of the data stands for it
    cluster: int | None = None


def pairs_of_run(table: Path, *, top: int) -> list[Asked]:
    """The queries of a ranking cell's per-query table, each with its ``top`` first items.

    Of several right pictures the truth is the retrieved one, if it is right, else the one that came highest.
    Raises InputError (E326) for what is no such table.
    """
    return [_asked(row, top) for row in read_rows(table, _COLUMNS) if row["relevant"]]


def _asked(row: Mapping[str, Any], top: int) -> Asked:
    listed = [Picture(*one) for one in zip(row["top_id"], row["top_image"], strict=True)]
    right = dict(zip(row["relevant"], row["relevant_image"], strict=True))
    scores = row["top_score"]
    truth = min(zip(row["higher"], range(len(right)), right, strict=True))[2]
    if listed and listed[0].id in right:
        truth = listed[0].id
    return Asked(
        query_id=row["query_id"],
        text=row["text"],
        truth=Picture(truth, right[truth]),
        retrieved=tuple(listed[:top]),
        tied=len(scores) > 1 and scores[0] == scores[1],
        cluster=row["cluster"],
    )


def read_pairs(path: Path, *, top: int) -> list[Asked]:
    """Pairs from a table (CSV, TSV, JSON lines, Parquet): a row for each retrieved picture, best first.

    Columns: ``query_id`` (or ``query``), ``truth``, ``retrieved``, and ``text`` if there. Raises InputError:
    E123 without these columns, E256 for a row without a value or a query with two truths, and what reading a
    table raises.
    """
    table = read_table(path)
    faults = [fault for fault in table.faults if not fault.is_warning] or [
        *table.lacks(_QUERY, _TRUTH, _RETRIEVED)
    ]
    if faults:
        raise InputError(faults)
    asked: dict[str, Asked] = {}
    for row in table.rows:
        faults += _read(row, asked, top)
    if not faults and not asked:
        faults.append(Fault("E256", table.name, "no row", "a row for each pair", "is this the right file?"))
    if faults:
        raise InputError(faults)
    return list(asked.values())


def _read(row: Row, asked: dict[str, Asked], top: int) -> Sequence[Fault]:
    query, truth, retrieved = (row.first(names) for names in (_QUERY, _TRUTH, _RETRIEVED))
    if query is None or truth is None:
        return [Fault("E256", row.place, "no query or no truth", "both", "name them, or drop the row")]
    known = asked.get(str(query))
    if known is not None and known.truth.id != str(truth):
        found = f"query {str(query)!r:.60} with the truths {known.truth.id!r:.60} and {str(truth)!r:.60}"
        return [Fault("E256", row.place, found, "one truth a query", "give each truth a query of its own")]
    before = () if known is None else known.retrieved
    added = () if retrieved is None else (Picture(str(retrieved)),)
    text = row.first(_TEXT)
    asked[str(query)] = Asked(
        str(query), None if text is None else str(text), Picture(str(truth)), (*before, *added)[:top]
    )
    return []
