"""What was asked and what came first: from a run folder, or from a table of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.report.queries import each_row
from crossgauge.studies.asked import Asked, Picture
from crossgauge.studies.listed import KNOWN, QUERY, RETRIEVED, TRUTH, ListedPairs
from crossgauge.studies.queries import Queries
from crossgauge.tables import scan_table

STORED = 10  # first places that a run keeps of each query

_COLUMNS = ("query_id", "text", "cluster", "relevant", "relevant_text", "relevant_image", "higher", "top_id",
            "top_text", "top_image", "top_score")  # fmt: skip


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
    """Pairs from a table (CSV, TSV, JSON lines, Parquet): a row for each retrieved picture.

    Columns: ``query_id`` (or ``query``), ``truth``, ``retrieved``, and ``text`` and ``rank`` if there. The
    pictures of a query stand best first, or anywhere with their places, from 1 on, in ``rank``. Columns that
    are none of these are not read, which is a finding (W254). Raises InputError: E123 without these columns,
    E256 for a row without a value, a query with two truths or two texts, a picture retrieved twice, places
    that are no 1, 2, 3 …; and what reading a table raises.
    """
    pairs = ListedPairs()
    table = scan_table(path, pairs.read)
    faults = [fault for fault in table.faults if not fault.is_warning]
    faults = faults or list(table.lacks(QUERY, TRUTH, RETRIEVED)) or [*pairs.faults, *pairs.contradictions()]
    if not faults and not pairs.numbers:
        faults = [Fault("E256", table.name, "no row", "a row for each pair", "is this the right file?")]
    if faults:
        raise InputError(faults)
    found = Queries(pairs.queries())
    if unread := [name for name in table.columns if name not in KNOWN]:
        said = f"columns not read: {', '.join(unread):.200}"
        found.findings = (Fault("W254", table.name, said, "", f"read are {', '.join(KNOWN)}"),)
    return found
