"""The rows of a table of child and parent (CSV), read under a budget; every wrong row is told."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crossgauge.errors import Fault, InputError
from crossgauge.magic import no_text

MAX_BYTES = 32 << 20
MAX_ROWS = 250_000  # WordNet has 97,666
COLUMNS = "child,parent or child,parent,words"
_NEEDED = {"child", "parent"}
_USUAL = {"child": 0, "parent": 1, "words": 2}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One row: a concept, one of its parents, and what it is called."""

    line: int
    child: str
    parent: str  # "" for a root
    words: tuple[str, ...]


def content(path: Path) -> bytes:
    """The bytes of a table without a byte order mark; raises InputError (E271)."""
    try:
        size, regular = path.stat().st_size, path.is_file()
        data = path.read_bytes() if regular and 0 < size <= MAX_BYTES else b""
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise InputError(Fault("E271", str(path), said, f"a table {COLUMNS}", "check the path")) from error
    if not data:
        found = f"{size:,} bytes" if regular else "not a regular file"
        wanted = f"a table of at most {MAX_BYTES >> 20} MiB"
        raise InputError(Fault("E271", str(path), found, wanted, "is this the right file?"))
    if (other := no_text(data)) is not None:
        raise InputError(Fault("E271", str(path), other.found, f"a table {COLUMNS}", other.fix))
    return data.removeprefix(_BOM)


@dataclass(slots=True)
class EdgeRows:
    """The rows of a table; ``faults`` grows while they are read."""

    path: Path
    data: bytes
    faults: list[Fault] = field(default_factory=list)

    def __iter__(self) -> Iterator[EdgeRow]:
        """All rows that can be right; raises InputError (E271) when there are far too many."""
        columns: Mapping[str, int] | None = None
        for line, cells in self._cells():
            if columns is None:
                columns = _header(cells)
                if columns:
                    continue
                columns = _USUAL
            _trim(cells, len(columns))
            if found := _wrong(cells, columns):
                self._fault(line, *found)
                continue
            words = cells[columns["words"]].split("|") if len(cells) > len(_NEEDED) else []
            named = tuple(word.strip() for word in words if word.strip())
            yield EdgeRow(line, cells[columns["child"]], cells[columns["parent"]], named)

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        """The first line and the cells of every row with something in it."""
        text, end = self._text(), 0
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(self.path, text), strict=True)
        try:
            for row in reader:
                line, end = end + 1, reader.line_num
                if end > MAX_ROWS:
                    found, fix = f"more than {MAX_ROWS:,} lines", "is this the right file?"
                    raise InputError(Fault("E271", f"{self.path}:{line}", found, "fewer", fix))
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield line, cells
        except csv.Error as error:
            self._fault(end + 1, str(error), COLUMNS, "check the quotes; from here on nothing was read")

    def _text(self) -> str:
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            found = f"byte 0x{self.data[error.start]:02X}"
            raise InputError(
                Fault("E271", f"{self.path}:{line}", found, "UTF-8", "save the file as UTF-8")
            ) from error

    def _fault(self, line: int, found: str, wanted: str, fix: str) -> None:
        self.faults.append(Fault("E272", f"{self.path}:{line}", found, wanted, fix))


def _delimiter(path: Path, text: str) -> str:
    first = text.partition("\n")[0]
    if path.suffix.lower() == ".tsv":
        return "\t"
    return ";" if ";" in first and "," not in first else ","


def _header(cells: list[str]) -> Mapping[str, int] | None:
    """Where each column stands; None when the first row does not say so."""
    named = {cell.lower(): number for number, cell in enumerate(cells) if cell}
    return named if _NEEDED <= named.keys() <= _USUAL.keys() else None


def _trim(cells: list[str], width: int) -> None:
    """Drops the empty cells that spreadsheets add."""
    while len(cells) > width and not cells[-1]:
        cells.pop()


def _wrong(cells: list[str], columns: Mapping[str, int]) -> tuple[str, str, str] | None:
    """What is wrong with a row, what was wanted, and the fix."""
    fewest = 1 + max(columns["child"], columns["parent"])
    if not fewest <= len(cells) <= len(columns):
        found = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        return found, COLUMNS, "one row for each parent; quote a name that holds a comma"
    if not cells[columns["child"]]:
        return "no child", "a concept", "name it, or remove the row"
    if any(_CONTROL.search(cell) for cell in cells):
        return "a line end or control character in a cell", "text", "remove it"
    return None
