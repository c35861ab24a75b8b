"""What automatic measures say of rated pairs: a run's tables, a concept study, or a table of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.ratings.called import names_of
from crossgauge.ratings.reading import COLUMNS, Pair, find_columns, label
from crossgauge.ratings.stored import PER_QUERY, PREFIX, chosen, concepts_of, file_of, is_per_query
from crossgauge.readers.pairs import number
from crossgauge.readers.parquet import opened
from crossgauge.tables import Row, Table, read_table
from crossgauge.types import Floats

_UNDEFINED = ("", "nan", "null", "none", "—")
_INFINITE = ("inf", "∞")


@dataclass(frozen=True, slots=True, eq=False)
class Automatic:
    """Measures beside rated pairs."""

    place: str  # of all tables they stand in
    values: Mapping[str, Floats]  # measure → (P,) in the order of the pairs; NaN where there is none
    known: int  # pairs that one of the tables has
    other: int  # pairs whose query they have, with another picture


def read_scores(path: Path, pairs: Sequence[Pair], *, cell: str | None = None) -> Automatic:
    """The values that a run, a concept study or a table has for these pairs.

    Arguments:
        path: a run folder, the folder of one of its cells, a ``per_query.parquet``; the folder of a concept
            study, a ``concepts.parquet``; or a table (CSV, TSV, JSON lines, Parquet) with a column of
            queries, perhaps one of pictures, and a column a measure. Concept values of a run are read too.
        pairs: what was rated.
        cell: which cell of a run or study with several, e.g. ``t2i.en.plain``.

    A per-query table tells of the picture that came first, concept values of each pair that was judged; a
    pair of another picture has no value there. Pictures may be named by id or by file.
    Where a table names no pictures, each query may have one rated picture only. Empty and ``nan`` are
    undefined. Raises InputError with all faults: E190, E191, E192, E194, E196 (nothing to compare), E197
    (which picture is not told), E198 (nothing in common); UsageError (E196) when a cell must be chosen.
    """
    faults: list[Fault] = []
    tables = []
    for file, found, wrong in _tables(path, cell):
        tables.append((str(file), found))
        faults += [*wrong, *_which_picture(found, pairs, str(file))]
    if faults:
        raise InputError(faults)
    place = " and ".join(name for name, _ in tables)
    rows = {pair: [found.row(pair) for _, found in tables] for pair in pairs}
    told = {query for _, found in tables for query, _ in found.at}
    absent = [pair for pair, each in rows.items() if each == [None] * len(tables)]
    if len(absent) == len(pairs):
        same = sum(pair.query in told for pair in pairs)
        said = f"none of {len(pairs)} rated pairs; of their queries it has {same}"
        fix = "queries and pictures must be named as in the ratings"
        raise InputError(Fault("E198", place, said, "the pairs that were rated", fix))
    values = {
        name: np.array([np.nan if (row := each[at]) is None else column[row] for each in rows.values()])
        for at, (_, found) in enumerate(tables)
        for name, column in found.measures.items()
    }
    return Automatic(place, values, len(pairs) - len(absent), sum(pair.query in told for pair in absent))


def _tables(path: Path, cell: str | None) -> Iterator[tuple[Path, _Found, list[Fault]]]:
    """The per-query table, or table of one's own, that a path leads to, and the concept values there."""
    concepts = concepts_of(path)
    file: Path | None = None
    if concepts is None or _has_cells(path) or path.name == PER_QUERY:
        file = file_of(path, cell)
        yield (file, *(_per_query(file) if is_per_query(file) else _table(file)))
    if concepts is not None:
        with opened(concepts) as parquet:
            listed = [str(key) for key in parquet.read(columns=["cell"]).column(0).to_pylist()]
        known = list(dict.fromkeys(listed))
        if file is None:
            key = chosen(known, cell, place=str(concepts))
        elif (key := file.parent.name) not in known:
            return  # the study left this cell out: it has no pictures with annotations
        yield (concepts, *_concept_values(concepts, [row for row, one in enumerate(listed) if one == key]))


def _has_cells(path: Path) -> bool:
    return path.is_dir() and ((path / PER_QUERY).is_file() or any(path.glob(f"cells/*/{PER_QUERY}")))


@dataclass(slots=True, eq=False)
class _Found:
    """Rows of a table: which pair each is of, and a column a measure."""

    at: dict[tuple[str, str | None], int]  # (query, picture) → row; picture None: not told
    measures: dict[str, list[float]]

    def row(self, pair: Pair) -> int | None:
        """The row of a pair; a row that tells of no picture is of any."""
        for picture in (pair.image, None):
            if (pair.query, picture) in self.at:
                return self.at[pair.query, picture]
        return None


def _per_query(file: Path) -> tuple[_Found, list[Fault]]:
    """Only the columns that are needed: the tables of a run hold long lists beside."""
    with opened(file) as parquet:
        names = parquet.schema_arrow.names
        measured = [name for name in names if name.startswith(PREFIX)]
        beside = [name for name in ("top_id", "top_image") if name in names]
        read = parquet.read(columns=["query_id", *beside, *measured]).to_pydict()
    rows = range(len(read["query_id"]))
    first = {
        name: [(listed or [""])[0] for listed in read[name]] for name in beside
    }  # "": nothing came first
    pictures = first.get("top_id", [None] * len(rows))
    measures = {name.removeprefix(PREFIX): [_typed(value) for value in read[name]] for name in measured}
    keys = ((str(query), picture, f"{file}:row {row + 1}") for row, (query, picture) in
            enumerate(zip(read["query_id"], pictures, strict=True)))  # fmt: skip
    at, faults = _index(keys)
    _also_called(at, {row: first["top_image"][row] for row in rows} if "top_image" in first else {})
    return _Found(at, measures), faults


def _concept_values(file: Path, rows: Sequence[int]) -> tuple[_Found, list[Fault]]:
    """The values of one cell's pairs; a query for which nothing was retrieved has no picture."""
    with opened(file) as parquet:
        names = parquet.schema_arrow.names
        measured = [name for name in names if name.startswith(PREFIX)]
        beside = ["item"] if "item" in names else []  # what was retrieved, standing for the picture
        read = parquet.read(columns=["query_id", "image", *beside, *measured]).take(list(rows)).to_pydict()
    measures = {name.removeprefix(PREFIX): [_typed(value) for value in read[name]] for name in measured}
    keys = ((str(query), picture or "", f"{file}:row {row + 1}") for row, query, picture in
            zip(rows, read["query_id"], read["image"], strict=True))  # fmt: skip
    at, faults = _index(keys)
    _also_called(at, dict(enumerate(read.get("item", ()))))
    return _Found(at, measures), faults


def _also_called(at: dict[tuple[str, str | None], int], files: Mapping[int, str | None]) -> None:
    """Find each row by the other names of its picture too, also by those of its file; ids go first."""
    for (query, picture), row in list(at.items()):
        for name in (*names_of(picture), *names_of(files.get(row))):
            at.setdefault((query, name), row)


def _table(file: Path) -> tuple[_Found, list[Fault]]:
    table = read_table(file, name=str(file))
    wanted = {role: COLUMNS[role] for role in ("query", "image")}
    columns, lacking = find_columns(table, wanted, optional=("image",))
    faults = [*(fault for fault in table.faults if not fault.is_warning), *lacking]
    if faults:
        return _Found({}, {}), faults
    measures = dict(_measures(table, set(columns.values()), faults))
    if not measures and not faults:
        faults.append(_nothing_measured(table, set(columns.values())))
    at, doubled = _index(_keys(table.rows, columns, faults))
    return _Found(at, measures), faults + doubled


def _nothing_measured(table: Table, taken: set[str]) -> Fault:
    """Why a table has no measure (E196): all values of a column are undefined, or no column holds numbers."""
    wanted = "a column of numbers a measure"
    undefined = [
        column
        for column in table.columns
        if column not in taken and all(_number(row.values.get(column)) is not None for row in table.rows)
    ]
    if not undefined or not table.rows:
        found = f"columns: {', '.join(table.columns)[:200]}"
        return Fault("E196", table.name, found, wanted, "add the values")
    several = f" and {len(undefined) - 1} more columns" if len(undefined) > 1 else ""
    found = f"every value of {undefined[0]!r:.60}{several} is undefined: empty or nan"
    fix = "nothing can be compared: check what wrote the table, and write the values that are defined"
    return Fault("E196", table.name, found, f"{wanted}, with a value somewhere", fix)


def _keys(
    rows: Sequence[Row], columns: Mapping[str, str], faults: list[Fault]
) -> Iterator[tuple[str, str | None, str]]:
    for row in rows:
        names = {role: label(row.values.get(column)) for role, column in columns.items()}
        lacking = [role for role, name in names.items() if name is None]
        faults += [
            Fault("E191", row.place, f"no {role}", f"a {role}", "name it, or drop the row")
            for role in lacking
        ]
        yield str(names["query"]), names.get("image"), row.place


def _measures(table: Table, taken: set[str], faults: list[Fault]) -> Iterator[tuple[str, list[float]]]:
    """The columns that hold numbers; one that also holds something else is a fault at each such place."""
    for column in table.columns:
        if column in taken:
            continue
        cells = [row.values.get(column) for row in table.rows]
        numbers = [_number(cell) for cell in cells]
        if all(one is None or np.isnan(one) for one in numbers):
            continue  # notes, names of files
        if None not in numbers:
            yield column.removeprefix(PREFIX), [one for one in numbers if one is not None]
            continue
        faults += [
            Fault("E192", row.place, f"{column} {cell!r:.40}", "a number, or nothing", "write plain decimals")
            for row, cell, one in zip(table.rows, cells, numbers, strict=True)
            if one is None
        ]


def _number(cell: Any) -> float | None:
    """A measure's value: a number, NaN for undefined, None for what is neither."""
    if isinstance(cell, str):
        text = cell.strip().casefold()
        if text in _UNDEFINED or text in _INFINITE:
            return float("nan") if text in _UNDEFINED else float("inf")
        return number(text)
    if cell is None:
        return float("nan")
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _typed(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _index(
    keys: Iterator[tuple[str, str | None, str]],
) -> tuple[dict[tuple[str, str | None], int], list[Fault]]:
    at: dict[tuple[str, str | None], int] = {}
    places: list[str] = []
    faults = []
    for row, (query, picture, place) in enumerate(keys):
        places.append(place)
        before = at.setdefault((query, picture), row)
        if before != row:
            of = f"{query!r:.40}" if picture is None else f"{query!r:.40} with {picture!r:.40}"
            found = f"{of} again, first at {places[before]}"
            fix = "keep one; a run with several draws has a query in each"
            faults.append(Fault("E194", place, found, "one row a pair", fix))
    return at, faults


def _which_picture(found: _Found, pairs: Sequence[Pair], place: str) -> list[Fault]:
    """Queries with several rated pictures where the table tells of none."""
    untold = {query for query, picture in found.at if picture is None}
    pictures: dict[str, int] = {}
    for pair in pairs:
        pictures[pair.query] = pictures.get(pair.query, 0) + 1
    return [
        Fault("E197", place, f"{count} pictures were rated for the query {query!r:.40}", "a column image",
              "say which of them each value is of")
        for query, count in pictures.items()
        if count > 1 and query in untold
    ]  # fmt: skip
