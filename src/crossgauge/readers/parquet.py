"""Parquet: typed columns only, read in batches under a budget, nulls and ragged lists named by row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import ID_NAMES, MAX_BYTES, VECTOR_NAMES, as_vectors
from crossgauge.readers.pairs import Rows
from crossgauge.readers.source import size_of
from crossgauge.types import Vectors

BATCH = 16_384  # rows decoded at once
ENOUGH = 1000  # faults, after which a file is read no further


def read_parquet(path: Path) -> tuple[Vectors, tuple[str, ...] | None]:
    """The vectors of a parquet file (a column of equally long lists) and its ids (a column ``id``), if any.

    Vectors are the column ``vectors``, ``embeddings`` or ``emb``, or the only one of lists of numbers. Raises
    InputError: E213 (damaged), E217 (ragged, with rows), E218 (not numbers), E219, E220 (null ids), E221.
    """
    ids: list[str] = []
    faults: list[Fault] = []
    held = 0
    with opened(path) as file:
        schema = file.schema_arrow
        column = _vector_column(schema, str(path))
        names = [name for name in ID_NAMES if name in schema.names]
        matrix = _Matrix(f"{path}[{column}]", faults)
        for batch in file.iter_batches(batch_size=BATCH, columns=[column, *names[:1]]):
            matrix.add(batch.column(column), held)
            _within_budget(matrix.parts, str(path))
            if names:
                ids.extend(_texts(batch.column(names[0]), held, f"{path}[{names[0]}]", faults))
            held += len(batch)
            if len(faults) > ENOUGH:
                break
    if faults:
        raise InputError(faults)
    parts = matrix.parts
    _some_rows(parts, f"{path}[{column}]")
    return as_vectors(np.concatenate(parts), f"{path}[{column}]"), tuple(ids) if names else None


def read_triples(path: Path, names: Sequence[tuple[str, str, str]]) -> Rows:
    """The rows of columns (query, item, number); the first triple of names that is there counts.

    Raises InputError (E221) when none is; faults of single rows are collected in the rows.
    """
    rows = Rows(str(path), "row")
    with opened(path) as file:
        held = file.schema_arrow.names
        triple = next((triple for triple in names if set(triple) <= set(held)), None)
        if triple is None:
            wanted = " or ".join(", ".join(columns) for columns in names)
            found = f"the columns {', '.join(map(repr, held[:20])) or 'none'}"
            raise InputError(Fault("E221", str(path), found, wanted, "rename the columns"))
        row = 0
        for batch in file.iter_batches(batch_size=BATCH, columns=list(triple)):
            columns = [batch.column(name).to_pylist() for name in triple]
            for query, item, value in zip(*columns, strict=True):
                row += 1
                rows.take(row, query, item, value)
    rows.not_empty()
    return rows


def read_id_column(path: Path, names: Sequence[str], *, or_only: bool) -> tuple[str, ...] | None:
    """The ids in the first of these columns that is there (or in the only one); None when there is none."""
    with opened(path) as file:
        held = file.schema_arrow.names
        found = [name for name in names if name in held] or (list(held) if or_only and len(held) == 1 else [])
        if not found:
            return None
        ids: list[str] = []
        faults: list[Fault] = []
        for batch in file.iter_batches(batch_size=BATCH, columns=found[:1]):
            ids.extend(_texts(batch.column(found[0]), len(ids), f"{path}[{found[0]}]", faults))
        if faults:
            raise InputError(faults)
        return tuple(ids)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A parquet file open for reading; damage anywhere in it is one InputError (E213)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    size_of(path)
    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            yield file
    except InputError:
        raise
    except (pa.lib.ArrowException, OSError, MemoryError, ValueError, KeyError, IndexError) as error:
        said = str(error).splitlines()[0][:200]
        raise InputError(
            Fault("E213", str(path), said, "a whole parquet file", "write it again: the copy may be cut off")
        ) from None


def _vector_column(schema: Any, place: str) -> str:
    import pyarrow.types as kinds

    def holds_numbers(kind: Any) -> bool:
        lists = kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
        return bool(lists and (kinds.is_floating(kind.value_type) or kinds.is_integer(kind.value_type)))

    fitting: list[str] = [field.name for field in schema if holds_numbers(field.type)]
    named = [name for name in VECTOR_NAMES if name in fitting]
    if named or len(fitting) == 1:
        return (named or fitting)[0]
    columns = ", ".join(f"{field.name!r} ({field.type})" for field in list(schema)[:20])
    found = f"{len(fitting)} columns could be the vectors; it holds {columns or 'none'}"
    raise InputError(
        Fault("E221", place, found, "one column 'vectors' of lists of numbers", "rename the columns")
    )


class _Matrix:
    """Batches of lists as arrays of one width; each row that is none is a fault with its number."""

    def __init__(self, place: str, faults: list[Fault]) -> None:
        self.parts: list[npt.NDArray[Any]] = []
        self._place, self._faults = place, faults
        self._width = -1  # of the first sound row, once there is one

    def add(self, column: Any, first_row: int) -> None:
        """Take a batch, (rows, D); one with a fault in it is left out."""
        nulls = column.is_null().to_numpy(zero_copy_only=False)
        lengths = np.asarray(column.value_lengths().fill_null(-1))
        sound = np.flatnonzero(~nulls)
        if self._width < 0 and len(sound):
            self._width = int(lengths[sound[0]])
        ragged = ~nulls & (lengths != self._width)
        empty = _with_null_numbers(column) & ~ragged
        for row in np.flatnonzero(nulls | ragged | empty).tolist():
            self._faults.append(self._fault(first_row + row, int(lengths[row])))
        if len(sound) and not (nulls | ragged | empty).any():
            flat = column.flatten().to_numpy(zero_copy_only=False)
            self.parts.append(np.asarray(flat).reshape(len(column), self._width))

    def _fault(self, row: int, length: int) -> Fault:
        place = f"{self._place} row {row}"
        if length < 0:
            return Fault("E217", place, "no vector (null)", "a list of numbers", "drop the row")
        if length != self._width:
            found = f"{length} numbers, {self._width} in the rows before"
            return Fault("E217", place, found, "lists of one length", "drop the row, or encode it again")
        return Fault("E217", place, "a null among the numbers", "numbers", "drop the row")


def _with_null_numbers(column: Any) -> npt.NDArray[np.bool_]:
    """Which lists of a batch hold a null, (rows,)."""
    if not column.flatten().null_count:
        return np.zeros(len(column), dtype=np.bool_)
    return np.array([row is not None and None in row for row in column.to_pylist()], dtype=np.bool_)


def _some_rows(parts: Sequence[npt.NDArray[Any]], place: str) -> None:
    if not parts:
        raise InputError(Fault("E217", place, "no rows", "at least one row", "write it again"))


def _within_budget(parts: Sequence[npt.NDArray[Any]], place: str) -> None:
    held = sum(part.nbytes for part in parts)
    if held > MAX_BYTES:
        raise InputError(
            Fault(
                "E219",
                place,
                f"more than {MAX_BYTES >> 30} GiB of numbers",
                "less",
                "save .npy: it is mapped, not read",
            )
        )


def _texts(column: Any, first_row: int, place: str, faults: list[Fault]) -> list[str]:
    """A batch of ids: text as it is, whole numbers in decimal; anything else is a fault with its row."""
    ids = column.to_pylist()
    for row, value in enumerate(ids, first_row):
        if type(value) not in (str, int):
            found = f"{value!r} ({type(value).__name__})"
            faults.append(Fault("E220", f"{place} row {row}", found[:80], "text, or a whole number"))
    return [str(value) for value in ids]
