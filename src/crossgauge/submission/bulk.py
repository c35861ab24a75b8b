"""The fast way through a retrieval file: Arrow parses whole blocks; what is odd is left to the slow way."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossgauge.submission.dialect import Dialect
from crossgauge.submission.names import Names
from crossgauge.submission.text import MAX_LINE, Block, odd_bytes
from crossgauge.types import Floats, Ints

AT_ONCE = 32 << 20  # bytes parsed at once: one dictionary of the ids each
_LONG = MAX_LINE // 12  # characters of an id: with longer ones a line may be too long
_COLUMNS = ("query", "item", "score")


def block_pairs(
    block: Block, dialect: Dialect, queries: Names, items: Names
) -> tuple[Ints, Ints, Floats] | None:
    """Rows of queries and items, and scores, (P,) each; None when any line is not plainly right.

    It never accepts what the slow way refuses, so which of the two read a file cannot be seen in a number.
    """
    import pyarrow as pa

    if odd_bytes(block.data):
        return None
    data = memoryview(block.data)
    if dialect.header and block.first == 1:
        data = data[_after_header(block.data) :]
    if not data.nbytes:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    try:
        table = _parsed(data, dialect)
    except pa.ArrowInvalid:
        return None
    score = np.asarray(table.column("score").to_numpy(), dtype=np.float64)
    rows = [_rows(table.column("query"), queries), _rows(table.column("item"), items)]
    if not np.isfinite(score).all() or any((some < 0).any() for some in rows):
        return None
    return rows[0], rows[1], score


def _after_header(data: bytes) -> int:
    """Where the line after the first that holds anything begins."""
    at = 0
    while True:
        end = data.find(b"\n", at)
        if end < 0:
            return len(data)
        if data[at:end].strip(b"\r"):
            return end + 1
        at = end + 1


def _parsed(data: memoryview, dialect: Dialect) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    names = [""] * len(_COLUMNS)
    for name, at in zip(_COLUMNS, dialect.order, strict=True):
        names[at] = name
    coded = pa.dictionary(pa.int32(), pa.string())
    return csv.read_csv(
        pa.BufferReader(pa.py_buffer(data)),
        read_options=csv.ReadOptions(column_names=names, block_size=AT_ONCE, use_threads=False),
        parse_options=csv.ParseOptions(
            delimiter=dialect.separator, quote_char='"' if dialect.quoted else False
        ),
        convert_options=csv.ConvertOptions(
            column_types={"query": coded, "item": coded, "score": pa.float64()},
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _rows(column: Any, names: Names) -> Ints:
    """The row of each value, by way of the few different ones of each chunk."""
    parts = [np.zeros(0, dtype=np.int64)]
    for chunk in column.chunks:
        different = chunk.dictionary.to_pylist()
        known = np.array([names.row(name) for name in different], dtype=np.int64)
        known[[len(name) > _LONG for name in different]] = -1
        parts.append(known[chunk.indices.to_numpy()])
    return np.concatenate(parts)
