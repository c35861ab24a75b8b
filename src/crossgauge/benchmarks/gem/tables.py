"""GEM's tables: columns found by their names, or named by position where a table has no header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crossgauge.benchmarks._files import some
from crossgauge.benchmarks.gem.tasks import GEM_I, GEM_V
from crossgauge.errors import Fault, UsageError
from crossgauge.tables import Row, Table, content, not_utf8, read_table

SKIPPED = "-"  # a column that is not read, in the option ``columns``

_BOTH = {
    "query": "query querytext q text caption keyword keywords",
    "query id": "queryid qid",
    "title": "title pagetitle doctitle",
    "id": "id tripletid rowid key",
    "language": "language lang locale market",
    "split": "split subset",
    "url": "url pageurl sourceurl imageurl videourl imgurl",
}
_OWN = {
    GEM_I: {
        "item id": "imageid imgid imagekey itemid",
        "file": "image img picture imagefile imagepath imagename file filename filepath path",
        "title": "imagetitle",
    },
    GEM_V: {
        "item id": "videoid vid videokey itemid",
        "file": "video clip videofile videopath videoname file filename filepath path",
        "title": "videotitle",
    },
}
_UNREAD = frozenset({"split", "url"})  # known, and never read: nothing is downloaded; paths say the split


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table whose columns are understood."""

    rows: tuple[Row, ...]
    columns: Mapping[str, str]  # role → column
    faults: tuple[Fault, ...]

    def told(self) -> str:
        """``query: q, file: image``, for ``check`` to print."""
        return ", ".join(f"{role}: {column}" for role, column in self.columns.items())


def named_columns(option: str) -> tuple[str, ...]:
    """The option ``columns`` as names, each of which must mean something in one of the parts, or be ``-``.

    Raises UsageError (E398).

    >>> named_columns("query, image,-,title")
    ('query', 'image', '-', 'title')
    """
    names = tuple(name.strip() for name in option.split(",")) if option.strip() else ()
    known = {role for part in _OWN for name in names if (role := _roles(part).get(_letters(name)))}
    odd = [name for name in names if name != SKIPPED and not any(_letters(name) in _roles(p) for p in _OWN)]
    twice = {name for name in names if name != SKIPPED and names.count(name) > 1}
    if odd or twice or (names and "query" not in known):
        found = f"not understood: {some(odd)}" if odd else f"columns {option!r}"
        wanted = f"names by position, one of them query; known are {', '.join(_shown())}; {SKIPPED} skips one"
        raise UsageError(Fault("E398", "--set columns", found, wanted, "--set columns=query,image_id,title"))
    return names


def read_sheet(path: Path, part: str, *, name: str, columns: Sequence[str] = ()) -> Sheet:
    """Read a table and find out which column is which; nothing is guessed from content.

    ``columns`` name the columns of CSV and TSV files without a header. In TSV files a quote is a character
    like any other. Faults: those of reading, and a table that has no column of queries (E393).
    """
    table = _read(path, name, columns)
    roles = _roles(part)
    found: dict[str, str] = {}
    for letters, role in roles.items():  # in the order of preference
        column = next((one for one in table.columns if _letters(one) == letters), None)
        if column is not None and role not in found:
            found[role] = column
    faults = list(table.faults)
    if table.columns and "query" not in found:
        shown = ", ".join(table.columns)
        fix = "rename it; without a header, --set columns=query,image_id; answers withheld: split=dev"
        fault = Fault("E393", name, f"columns: {shown:.200}", "one called query", fix)
        return Sheet((), {}, (*faults, fault))
    if not table.rows and not faults:
        faults.append(Fault("E124", name, "an empty table", "a row an item", "write it"))
    unread = [
        one
        for one in table.columns
        if one not in found.values() and one and _letters(one) not in ("", *_silent())
    ]
    if unread:
        faults.append(
            Fault("W137", name, f"columns that are not read: {some(unread)}", "", "rename them if needed")
        )
    used = {role: column for role, column in found.items() if role not in _UNREAD}
    return Sheet(table.rows, used, tuple(faults))


def _silent() -> frozenset[str]:
    return frozenset(letters for role in _UNREAD for letters in _BOTH[role].split())


def _roles(part: str) -> dict[str, str]:
    """What a column's letters mean in a part."""
    own = _OWN[part]
    merged = {role: f"{_BOTH.get(role, '')} {own.get(role, '')}" for role in (*_BOTH, *own)}
    return {name: role for role, names in merged.items() for name in names.split()}


def _shown() -> list[str]:
    return ["query", "query_id", "image", "image_id", "video", "video_id", "title", "id", "language"]


def _letters(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.casefold())


def _read(path: Path, name: str, columns: Sequence[str]) -> Table:
    kind = path.suffix.casefold()
    if kind == ".tsv" or (kind == ".csv" and columns):
        return _delimited(path, name, columns, tabs=kind == ".tsv")
    return read_table(path, name=name)


def _delimited(path: Path, name: str, columns: Sequence[str], *, tabs: bool) -> Table:
    """A text table, with a header or with names given by position."""
    data, faults = content(path, name)
    faults = faults or not_utf8(data, name)
    if faults:
        return Table(name, (), (), faults)
    text = data.decode()
    try:
        records = _tabbed(text) if tabs else _quoted(text)
    except csv.Error as error:
        return Table(name, (), (), (Fault("E123", name, str(error), "CSV records", "check the quotes"),))
    header = [column.strip().casefold() for column in columns]
    if not header and records:
        header = [cell.strip().casefold() for cell in records.pop(0)[1]]
    elif records and [_letters(cell) for cell in records[0][1]] == [_letters(one) for one in header]:
        records.pop(0)  # a header that says what was given
    rows, found = [], _doubled(header, name)
    for number, cells in records:
        if len(cells) == len(header):
            rows.append(Row(f"{name}:{number}", dict(zip(header, cells, strict=True))))
        elif any(cells):
            told = f"{len(cells)} cells"
            wanted = f"{len(header)}, as {'the option columns says' if columns else 'the header'}"
            found.append(Fault("E123", f"{name}:{number}", told, wanted, "is this the right file?"))
    return Table(
        name, tuple(dict.fromkeys(one for one in header if one != SKIPPED)), tuple(rows), tuple(found)
    )


def _doubled(header: Sequence[str], name: str) -> list[Fault]:
    twice = sorted({column for column in header if column != SKIPPED and header.count(column) > 1})
    return (
        [Fault("E123", f"{name}:1", f"columns that stand twice: {some(twice)}", "each once")] if twice else []
    )


def _tabbed(text: str) -> list[tuple[int, list[str]]]:
    r"""Lines with their numbers, split at tabs.

    >>> _tabbed('a\t"b\r\n')
    [(1, ['a', '"b'])]
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return [(number, line.split("\t")) for number, line in enumerate(lines, start=1) if line]


def _quoted(text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    records, begins = [], 1
    for cells in reader:
        records.append((begins, cells))
        begins = reader.line_num + 1
    return records
