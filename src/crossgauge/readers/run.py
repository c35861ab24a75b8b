"""Runs: what a system returned for each query, with scores. TREC, TSV, JSON, ranx's parquet."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.readers.nested import read_nested
from crossgauge.readers.pairs import Rows, Run, codes
from crossgauge.readers.parquet import read_triples
from crossgauge.readers.source import SUFFIXES, is_json, path_of, readable
from crossgauge.readers.table import Columns, Layouts, read_table
from crossgauge.types import Bools

LAYOUTS: Layouts = {
    6: Columns(0, 2, 4, rank=3, words="query Q0 item rank score tag"),
    3: Columns(0, 1, 2, words="query, item, score"),
}
PARQUET_COLUMNS = (("q_id", "doc_id", "score"), ("query-id", "corpus-id", "score"))


def read_run(path: str | os.PathLike[str], *, dedupe: Literal["max"] | None = None) -> Run:
    """The scores a system gave, in file order.

    The file is one of these:

    - TREC: ``query Q0 item rank score tag``, separated by white space (or tabs, where ids hold blanks);
    - ``query<TAB>item<TAB>score``, in any order where a header names them;
    - JSON: ``{"q": {"item": score}}``; parquet with ``q_id, doc_id, score`` (ranx).

    Scores decide (as float64), higher is better; the rank column is only checked against them (W212).
    ``dedupe="max"`` keeps the best score of a (query, item) that stands twice (W211).

    Raises InputError with every fault: E223 (a pair twice: both lines), E224 (fields), E225 (not a finite
    number), E250 (a header not known), E220, E221, E222, E227, E210.
    """
    source = path_of(path, "run")
    with readable(source):
        if is_json(source):
            rows = read_nested(source, lists=False)
        elif SUFFIXES.get(source.suffix.lower()) == "parquet":
            rows = read_triples(source, PARQUET_COLUMNS)
        else:
            rows = read_table(source, LAYOUTS)
    return run_from(rows, dedupe=dedupe)


def run_from(rows: Rows, *, dedupe: Literal["max"] | None = None) -> Run:
    """A run from rows; raises InputError with all their faults and every pair that stands twice (E223)."""
    rows = _without_doubles(rows, dedupe)
    if rows.faults:
        raise InputError(rows.faults)
    _check_ranks(rows)
    return Run(
        rows.place,
        rows.unit,
        tuple(rows.queries),
        tuple(rows.items),
        np.array(rows.values, dtype=np.float64),
        np.array(rows.lines, dtype=np.int64),
        tuple(rows.findings),
    )


def _without_doubles(rows: Rows, dedupe: Literal["max"] | None) -> Rows:
    doubles = rows.doubles()
    if dedupe is None:
        rows.faults.extend(
            Fault("E223", rows.at(second),
                  f"{rows.queries[second]!r} → {rows.items[second]!r} again (first at {rows.at(first)})",
                  "each item once a query", "remove one, or pass --dedupe max to keep the best score")
            for first, second in doubles
        )  # fmt: skip
        return rows
    if not doubles:
        return rows
    for first, second in doubles:
        rows.values[first] = max(rows.values[first], rows.values[second])
    rows.findings.append(
        Fault("W211", rows.place, f"{len(doubles)} repeated pairs dropped; the best score was kept")
    )
    return rows.without({second for _, second in doubles})


def _check_ranks(rows: Rows) -> None:
    """Say where the rank column puts a lower score before a higher one: scores decide, but somebody erred."""
    if not rows.ranks:
        return
    query, rank = codes(rows.queries), np.array(rows.ranks)
    scores = np.array(rows.values, dtype=np.float64)
    order = np.lexsort((rank, query))
    same = query[order][1:] == query[order][:-1]
    rises: Bools = same & (scores[order][1:] > scores[order][:-1])
    if not rises.any():
        return
    first = int(order[1:][rises].min())
    times = f"{int(rises.sum())} times, first at {rows.at(first)}"
    found = f"the rank column contradicts the scores {times}; scores decide"
    if rises.sum() == same.sum():
        found += ". Every score rises with its rank: if these are distances, negate them"
    rows.findings.append(Fault("W212", rows.place, found))
