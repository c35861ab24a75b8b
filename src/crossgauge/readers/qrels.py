"""Relevance judgements: TREC qrels, BEIR's TSV, JSON."""

from __future__ import annotations

import os

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.readers.nested import read_nested
from crossgauge.readers.pairs import Judgements, Rows
from crossgauge.readers.parquet import read_triples
from crossgauge.readers.source import SUFFIXES, is_json, path_of, readable
from crossgauge.readers.table import Columns, Layouts, read_table

LAYOUTS: Layouts = {
    4: Columns(0, 2, 3, words="query 0 item judgement"),
    3: Columns(0, 1, 2, words="query, item, judgement"),
}
PARQUET_COLUMNS = (("q_id", "doc_id", "score"), ("query-id", "corpus-id", "score"))


def read_qrels(path: str | os.PathLike[str]) -> Judgements:
    """Who was judged relevant to whom, in file order.

    The file is one of these:

    - TREC: ``query 0 item judgement``, separated by white space (or tabs, where ids hold blanks);
    - BEIR: ``query-id<TAB>corpus-id<TAB>score``, in any order where a header names them; the same in parquet;
    - JSON: ``{"q": {"item": judgement}}`` or ``{"q": ["item", …]}``.

    A judgement of zero or less is kept and means not relevant (W222). The same judgement twice counts once
    (W210). Raises InputError with every fault: E226 (two judgements of one pair differ: both lines), E224
    (fields), E225 (not a finite number), E250 (a header not known), E220, E222, E227, E210.
    """
    source = path_of(path, "qrels")
    with readable(source):
        if is_json(source):
            rows = read_nested(source, lists=True)
        elif SUFFIXES.get(source.suffix.lower()) == "parquet":
            rows = read_triples(source, PARQUET_COLUMNS)
        else:
            rows = read_table(source, LAYOUTS)
    return judgements_of(rows)


def judgements_of(rows: Rows) -> Judgements:
    """Judgements from rows; raises InputError with all their faults and every pair judged twice (E226)."""
    again: set[int] = set()
    for first, second in rows.doubles():
        pair = f"{rows.queries[second]!r} → {rows.items[second]!r}"
        if rows.values[first] == rows.values[second]:
            again.add(second)
            continue
        found = f"{pair} judged {rows.values[second]:g}, but {rows.values[first]:g} at {rows.at(first)}"
        rows.faults.append(
            Fault("E226", rows.at(second), found, "one judgement a pair", "keep the right one")
        )
    if rows.faults:
        raise InputError(rows.faults)
    if again:
        found = f"{len(again)} judgements stand twice, first {rows.at(min(again))}; counted once"
        rows.findings.append(Fault("W210", rows.place, found))
    kept = rows.without(again) if again else rows
    gains = np.array(kept.values, dtype=np.float64)
    if (gains <= 0).any():
        found = f"{int((gains <= 0).sum())} of {len(gains)} judgements are zero or less: not relevant"
        rows.findings.append(Fault("W222", rows.place, found))
    return Judgements(kept.place, kept.unit, tuple(kept.queries), tuple(kept.items), gains,
                      np.array(kept.lines, dtype=np.int64), tuple(rows.findings))  # fmt: skip
