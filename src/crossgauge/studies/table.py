"""The values of every pair of a study as a table, for whatever asks about single pairs (ratings)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossgauge.concepts.measures import CONCEPT_MEASURES

NAME = "concepts.parquet"


@dataclass(frozen=True, slots=True)
class PairRow:
    """One query with one retrieved picture, and what each measure says of the two; NaN: undefined."""

    cell: str
    query_id: str
    place: int  # of the picture among those retrieved, from 1; 0: nothing was retrieved
    item: str | None  # what was retrieved, by its id in the ranking
    image: str | None  # the picture that it is or stands for
    truth: str  # the right picture
    values: Mapping[str, float]  # by measure


def table_bytes(rows: Sequence[PairRow]) -> bytes:
    """Parquet: cell, query_id, place, item, image, truth and a column ``m.…`` for each measure."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = {
        name: pa.array([_storable(getattr(row, name)) for row in rows], type=pa.string())
        for name in ("cell", "query_id", "item", "image", "truth")
    }
    measures = {
        f"m.{one.name}": pa.array([row.values[one.name] for row in rows], type=pa.float64())
        for one in CONCEPT_MEASURES
    }
    places = {"place": pa.array([row.place for row in rows], type=pa.int64())}
    stream = io.BytesIO()
    pq.write_table(pa.table(texts | places | measures), stream, compression="zstd")
    return stream.getvalue()


def _storable(text: str | None) -> str | None:
    """Lone surrogates cannot be stored as UTF-8: shown as U+FFFD, as in the per-query table."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
