r"""Metadata tables (CSV, TSV, JSON lines, Parquet) as rows that know their file and line.

Nothing is guessed and nothing stops at the first fault: what cannot be read becomes a fault with its place,
the rest becomes rows. Lines end at ``\n`` only, so a U+2028 inside a caption shifts nothing.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault

SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
_BOM = b"\xef\xbb\xbf"
_FIELD_LIMIT = (
    16 << 20
)  # characters in one CSV field; the csv module's own 128 KB is less than a long article


@dataclass(frozen=True, slots=True)
class Row:
    """One record and where it stands (``metadata.csv:3``)."""

    place: str
    values: Mapping[str, Any]

    def first(self, names: Sequence[str]) -> Any:
        """The first of these columns that holds something; None when none does.

        >>> Row("a:1", {"text": "", "caption": "a bee"}).first(("text", "caption"))
        'a bee'
        """
        return next((self.values[name] for name in names if self.values.get(name) not in (None, "")), None)


@dataclass(frozen=True, slots=True)
class Table:
    """What a metadata file holds, and what is wrong with it."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]

    def lacks(self, *wanted: Sequence[str]) -> tuple[Fault, ...]:
        """One fault (E123) for each group of synonyms of which the table has no column.

        >>> Table("a.csv", ("file",), (), ()).lacks(("file", "image"), ("text",))[0].wanted
        'a column text'
        """
        have = ", ".join(self.columns) or "none"
        return tuple(
            Fault("E123", self.name, f"columns: {have}", f"a column {' or '.join(names)}", "add or rename it")
            for names in wanted
            if not set(names) & set(self.columns)
        )


def read_table(path: Path, *, name: str | None = None) -> Table:
    """Read a metadata file by its suffix; ``name`` is how places call it (the file's name by default).

    Faults: not UTF-8 (E121), a line that is no JSON object (E122), ragged or doubled columns (E123), a
    Parquet file that cannot be read (E134). A byte-order mark is fine. CSV values are always strings.
    """
    shown = name or path.name
    if path.suffix.casefold() == ".parquet":
        return _parquet(path, shown)
    data = path.read_bytes().removeprefix(_BOM)
    if path.suffix.casefold() in (".csv", ".tsv"):
        return _csv(data, shown, delimiter="\t" if path.suffix.casefold() == ".tsv" else ",")
    return _jsonl(data, shown)


def not_utf8(data: bytes, name: str) -> tuple[Fault, ...]:
    r"""One fault (E121) for each line that is not UTF-8.

    >>> print(not_utf8(b"ok\ncaf\xe9\n", "a.txt")[0])
    E121 a.txt:2: byte 0xE9 at column 4; wanted UTF-8; fix: save the file as UTF-8
    """
    faults = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{line[error.start]:02X} at column {error.start + 1}"
            faults.append(Fault("E121", f"{name}:{number}", found, "UTF-8", "save the file as UTF-8"))
    return tuple(faults)


def _jsonl(data: bytes, name: str) -> Table:
    faults = list(not_utf8(data, name))
    undecodable = {fault.place for fault in faults}
    rows = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        place = f"{name}:{number}"
        if not line.strip() or place in undecodable:
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(Fault("E122", place, str(error), "one JSON object a line", "mend or drop the line"))
            continue
        if isinstance(values, dict):
            rows.append(Row(place, values))
        else:
            found = f"a JSON {type(values).__name__}"
            faults.append(
                Fault("E122", place, found, "one JSON object a line", 'write {"image": …, "text": …}')
            )
    return Table(name, _union(rows), tuple(rows), tuple(faults))


def _csv(data: bytes, name: str, *, delimiter: str) -> Table:
    faults = list(not_utf8(data, name))
    reader = csv.reader(
        io.StringIO(data.decode(errors="replace"), newline=""), delimiter=delimiter, strict=True
    )
    header: list[str] = []
    rows = []
    begins = 1  # a quoted field may hold line breaks: a record is placed at its first line
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        for cells in reader:
            place, begins = f"{name}:{begins}", reader.line_num + 1
            if not header:
                header = [cell.strip() for cell in cells]
                faults += _doubled(header, place)
            elif len(cells) == len(header):
                rows.append(Row(place, dict(zip(header, cells, strict=True))))
            elif cells:
                found = f"{len(cells)} cells"
                faults.append(
                    Fault("E123", place, found, f"{len(header)}, as the header", "quote commas in texts")
                )
    except csv.Error as error:
        faults.append(
            Fault("E123", f"{name}:{reader.line_num}", str(error), "a CSV record", "check the quotes")
        )
    return Table(name, tuple(header), tuple(rows), tuple(faults))


def _doubled(header: Iterable[str], place: str) -> list[Fault]:
    twice = [column for column, count in Counter(header).items() if count > 1]
    return [
        Fault("E123", place, f"column {column!r} stands twice", "each column once", "rename one")
        for column in twice
    ]


def _parquet(path: Path, name: str) -> Table:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        table = pq.read_table(path)
    except (ArrowException, OSError) as error:
        first = str(error).partition("\n")[0]
        return Table(name, (), (), (Fault("E134", name, first, "a Parquet file", "write it again"),))
    records = table.to_pylist()
    rows = tuple(Row(f"{name}:row {number}", values) for number, values in enumerate(records, start=1))
    return Table(name, tuple(table.column_names), rows, ())


def _union(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for row in rows for column in row.values))
