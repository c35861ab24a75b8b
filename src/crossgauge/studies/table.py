"""The values of every pair of a study as a table, for whatever asks about single pairs (ratings)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.disk import writing

NAME = "concepts.parquet"
_ROWS, _GROUP = 1 << 10, 1 << 16  # in memory as rows at a time, and in a group of the file as columns
_TEXTS = ("cell", "query_id", "item", "image", "truth")


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


class PairTable:
    """A Parquet file of pairs that is being written, few rows in memory at a time.

    Columns: cell, query_id, item, image, truth, place and ``m.…`` for each measure.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def add(self, rows: Iterable[PairRow]) -> None:
        """Write the next rows."""
        import pyarrow as pa

        left = iter(rows)
        waiting: list[Any] = []
        while some := list(islice(left, _ROWS)):
            texts = {name: [_storable(getattr(row, name)) for row in some] for name in _TEXTS}
            numbers = {f"m.{one.name}": [row.values[one.name] for row in some] for one in CONCEPT_MEASURES}
            columns = {**texts, "place": [row.place for row in some], **numbers}
            waiting.append(pa.table(columns, schema=_schema()))
            if len(waiting) * _ROWS >= _GROUP:
                self._writer.write_table(pa.concat_tables(waiting))
                waiting.clear()
        if waiting:
            self._writer.write_table(pa.concat_tables(waiting))


@contextmanager
def pair_table(folder: Path) -> Iterator[PairTable]:
    """The table of a study in its folder: there once all is written, or not at all.

    Raises EnvironmentFault: E501 unwritable folder, E502 disk full.
    """
    import pyarrow.parquet as pq

    with writing(folder / NAME) as stream, pq.ParquetWriter(stream, _schema(), compression="zstd") as writer:
        yield PairTable(writer)


def _schema() -> Any:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in _TEXTS]
    numbers = [(f"m.{one.name}", pa.float64()) for one in CONCEPT_MEASURES]
    return pa.schema([*texts, ("place", pa.int64()), *numbers])


def _storable(text: str | None) -> str | None:
    """Lone surrogates cannot be stored as UTF-8: shown as U+FFFD, as in the per-query table."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
