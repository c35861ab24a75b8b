"""What was asked and what came first: from a run folder, or from a table of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.report.queries import read_rows
from crossgauge.tables import Row, read_table

STORED = 10  # first places that a run keeps of each query

_COLUMNS = ("query_id", "text", "cluster", "relevant", "relevant_text", "relevant_image", "higher", "top_id",
            "top_text", "top_image", "top_score")  # fmt: skip
_QUERY = ("query_id", "query")
_TRUTH = ("truth", "gold", "ground_truth")
_RETRIEVED = ("retrieved", "image", "prediction")
_TEXT = ("text", "caption")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, or what stands for one: its id in the run, and its file where the run knew it."""

    id: str
    path: str | None = None
    is_text: bool = False  # a text: its id is no file name


@dataclass(frozen=True, slots=True)
class Asked:
    """One query with its right pictures and those that came first, best first."""

    query_id: str
    text: str | None
    truth: Picture  # the right picture that others are compared with
    relevant: tuple[Picture, ...]  # all right ones
    retrieved: tuple[Picture, ...]
    sharing: int = 1  # so many of the first have the score of the first
    tied: bool = False  # pictures share the first place; the first in the order of the data stands for it
    cluster: int | None = None

    def is_right(self, picture: Picture) -> bool:
        """Whether it is one of the right ones, by its id."""
        return any(one.id == picture.id for one in self.relevant)


def pairs_of_run(table: Path) -> list[Asked]:
    """The queries of a ranking cell's per-query table, each with the first items that were kept.

    Of several right pictures the truth is the retrieved one, if it is right, else the one that came highest.
    Raises InputError (E326) for what is no such table.
    """
    return [_asked(row) for row in read_rows(table, _COLUMNS) if row["relevant"]]


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


def read_pairs(path: Path) -> list[Asked]:
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
        faults += _read(row, asked)
    if not faults and not asked:
        faults.append(Fault("E256", table.name, "no row", "a row for each pair", "is this the right file?"))
    if faults:
        raise InputError(faults)
    return list(asked.values())


def _read(row: Row, asked: dict[str, Asked]) -> Sequence[Fault]:
    query, truth, retrieved = (row.first(names) for names in (_QUERY, _TRUTH, _RETRIEVED))
    if query is None or truth is None:
        return [Fault("E256", row.place, "no query or no truth", "both", "name them, or drop the row")]
    name, said, right = str(query), row.first(_TEXT), Picture(str(truth))
    known = asked.setdefault(name, Asked(name, None, right, (right,), ()))
    if known.truth != right:
        found = f"query {name!r:.60} with the truths {known.truth.id!r:.60} and {right.id!r:.60}"
        return [Fault("E256", row.place, found, "one truth a query", "give each truth a query of its own")]
    added = () if retrieved is None else (Picture(str(retrieved)),)
    text = known.text if said is None else str(said)
    asked[name] = replace(known, text=text, retrieved=(*known.retrieved, *added))
    return []
