r"""Metadata tables (CSV, TSV, JSON lines, Parquet) as rows that know their file and line.

Nothing stops at the first fault: what cannot be read becomes a fault with its place, the rest becomes rows;
a file that is wrong as a whole (UTF-16, one JSON array) is one fault, not one a row. Lines end at ``\n``
only, so a U+2028 inside a caption shifts nothing. Column names are read in any case (``Image``).
"""

from __future__ import annotations

import csv
import io
import json
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossgauge.errors import Fault
from crossgauge.magic import HEAD, no_text

SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 and UTF-32 begin
_SEPARATORS = (",", ";", "\t", "|")
_ONE_A_LINE = "one JSON object a line"
_FIELD_LIMIT = (
    16 << 20
)  # characters in one CSV field; the csv module's own 128 KB is less than a long article
EMPTY = "an empty table: neither columns nor rows"


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
        empty = not (self.columns or self.faults)
        have = EMPTY if empty else f"columns: {', '.join(self.columns) or 'none'}"
        fix = "write the table again" if empty else "add or rename it"
        return tuple(
            Fault("E123", self.name, have, f"a column {' or '.join(names)}", fix)
            for names in wanted
            if not set(names) & set(self.columns)
        )


def read_table(path: Path, *, name: str | None = None) -> Table:
    """Read a metadata file by its suffix; ``name`` is how places call it (the file's name by default).

    Faults: not UTF-8, or no text (E121), a line that is no JSON object (E122), ragged or doubled columns
    (E123), a Parquet file that cannot be read (E134), nothing that can be read at all (E138). A byte-order
    mark is fine. CSV values are always strings; semicolons or tabs separate where its header holds no comma.
    """
    rows: list[Row] = []
    return replace(scan_table(path, rows.append, name=name), rows=tuple(rows))


def scan_table(path: Path, take: Callable[[Row], None], *, name: str | None = None) -> Table:
    """Read a metadata file as :func:`read_table` does, but hand over each row and keep none."""
    shown, kind = name or path.name, path.suffix.casefold()
    if kind == ".parquet":
        fault = unreadable(path, shown)
        return _parquet(path, shown, take) if fault is None else Table(shown, (), (), (fault,))
    data, faults = content(path, shown)
    if faults:
        return Table(shown, (), (), faults)
    if kind in (".csv", ".tsv"):
        return _csv(data, shown, take, usual="\t" if kind == ".tsv" else ",")
    return _jsonl(data, shown, take)


def content(path: Path, name: str) -> tuple[bytes, tuple[Fault, ...]]:
    """The bytes of a text file without a byte-order mark, or the one fault that keeps it from being read.

    >>> content(Path("none.csv"), "none.csv")[1][0].found
    'no such file'
    """
    fault = unreadable(path, name)
    if fault is not None:
        return b"", (fault,)
    try:
        data = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        return b"", (_closed(name, error),)
    if (other := no_text(data)) is not None:
        return b"", (Fault("E121", name, other.found, "text in UTF-8", other.fix),)
    if data.startswith(_WIDE) or b"\0" in data[:2]:
        found = "the file is UTF-16 (or UTF-32), by its first bytes"
        return b"", (Fault("E121", name, found, "UTF-8", "save the file as UTF-8"),)
    return data, ()


def unreadable(path: Path, name: str) -> Fault | None:
    """Why a file cannot be opened (E138): not there, a folder, a pipe that would be waited for."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        return _closed(name, error)
    if stat.S_ISREG(mode):
        return None
    found = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    return Fault("E138", name, found, "a file that can be read", "put a file there, or give it another name")


def _closed(name: str, error: OSError | ValueError) -> Fault:
    if isinstance(error, FileNotFoundError):
        return Fault("E138", name, "no such file", "a file that can be read", "restore it")
    found = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Fault("E138", name, found, "a file that can be read", "check name and permissions")


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


def _jsonl(data: bytes, name: str, take: Callable[[Row], None]) -> Table:
    whole = _document(data)
    if whole:
        found = f"{whole}, over the whole file"
        return Table(name, (), (), (Fault("E122", f"{name}:1", found, _ONE_A_LINE, "write it so"),))
    faults = list(not_utf8(data, name))
    undecodable = {fault.place for fault in faults}
    columns: dict[str, None] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        place = f"{name}:{number}"
        if not line.strip() or place in undecodable:
            continue
        try:
            values = json.loads(line, object_pairs_hook=_each_once)
        except (ValueError, RecursionError) as error:
            faults.append(Fault("E122", place, str(error), _ONE_A_LINE, "mend or drop the line"))
            continue
        if isinstance(values, dict):
            row = Row(place, {_folded(key): value for key, value in values.items()})
            columns.update(dict.fromkeys(row.values))
            take(row)
            faults += _doubled(map(_folded, values), place)
        else:
            found = f"a JSON {type(values).__name__}"
            faults.append(Fault("E122", place, found, _ONE_A_LINE, 'write {"image": …, "text": …}'))
    return Table(name, tuple(columns), (), tuple(faults))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that stands twice would silently lose its first value."""
    twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"key {twice[0]!r} stands twice in one object")
    return dict(pairs)


def _document(data: bytes) -> str:
    """What a file is that holds one JSON value over several lines; empty when each line is a value."""
    first, _, rest = data.strip().partition(b"\n")
    if not rest:
        return ""
    if first.strip() in (b"[", b"{"):
        return "a JSON array" if first.startswith(b"[") else "one JSON object"
    if not first.startswith((b"[", b"{")):
        return ""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    return "a JSON array" if isinstance(whole, list) else "one JSON object"


def _folded(column: Any) -> str:
    """A column's name as it is looked up."""
    return str(column).strip().casefold()


def _separator(text: str, usual: str) -> str:
    """What separates the columns of the header: the usual, or, where it has none, what spreadsheets use."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    return next((one for one in (usual, *_SEPARATORS) if one in header), usual)


def _csv(data: bytes, name: str, take: Callable[[Row], None], *, usual: str) -> Table:
    faults = list(not_utf8(data, name))
    text = data.decode(errors="replace")
    undecodable = {fault.place for fault in faults}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text, usual), strict=True)
    header: list[str] = []
    begins = 1  # a quoted field may hold line breaks: a record is placed at its first line
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        for cells in reader:
            place, begins = f"{name}:{begins}", reader.line_num + 1
            if not header:
                header = [_folded(cell) for cell in cells]
                faults += _doubled(header, place)
            elif place in undecodable:
                continue
            elif len(cells) == len(header):
                take(Row(place, dict(zip(header, cells, strict=True))))
            elif cells:
                found = f"{len(cells)} cells"
                faults.append(
                    Fault("E123", place, found, f"{len(header)}, as the header", "quote commas in texts")
                )
    except csv.Error as error:
        faults.append(
            Fault("E123", f"{name}:{reader.line_num}", str(error), "a CSV record", "check the quotes")
        )
    return Table(name, tuple(header), (), tuple(faults))


def _doubled(header: Iterable[str], place: str) -> list[Fault]:
    twice = [column for column, count in Counter(header).items() if count > 1]
    return [
        Fault("E123", place, f"column {column!r} stands twice", "each column once", "rename one")
        for column in twice
    ]


def _parquet(path: Path, name: str, take: Callable[[Row], None]) -> Table:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        table = pq.read_table(path)
        records = _records(table)
    except (ArrowException, OSError) as error:
        return Table(name, (), (), (_no_parquet(path, name, str(error).partition("\n")[0]),))
    for number, values in enumerate(records, start=1):
        take(Row(f"{name}:row {number}", {_folded(key): value for key, value in values.items()}))
    columns = [_folded(column) for column in table.column_names]
    return Table(name, tuple(columns), (), tuple(_doubled(columns, name)))


def _no_parquet(path: Path, name: str, said: str) -> Fault:
    """What a file is that its name says to be Parquet, or else what its reader says."""
    with path.open("rb") as handle:
        other = no_text(handle.read(HEAD))
    if other is None or "Parquet" in other.name:
        return Fault("E134", name, said, "a Parquet file", "write it again")
    return Fault("E134", name, other.found, "a Parquet file", other.fix)


def _records(table: Any) -> list[dict[str, Any]]:
    """One dict a row; maps become dicts, and whole numbers that a gap made floats become whole again."""
    import pyarrow as pa

    values = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        listed = column.to_pylist()
        if pa.types.is_map(column.type):
            listed = [None if one is None else dict(one) for one in listed]
        elif pa.types.is_floating(column.type):  # pandas keeps no missing integers
            whole = all(one is None or float(one).is_integer() for one in listed)
            listed = [None if one is None else int(one) for one in listed] if whole else listed
        values[name] = listed
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
