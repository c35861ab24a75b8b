"""Metadata tables beside pictures, as Hugging Face's imagefolder has them, cut to one split.

What is read silently is silently wrong: columns that nobody reads, two tables of one folder, and rows that no
split claims are told.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.benchmarks._files import folders, is_there, many, some
from crossgauge.benchmarks._gathering import ABSENT, Gathering
from crossgauge.errors import Fault, UsageError
from crossgauge.tables import Row, Table, read_table

SPLIT = ("split", "subset")
_SAME_SPLIT = {
    "val": "validation",
    "dev": "validation",
    "valid": "validation",
    "eval": "test",
    "training": "train",
}
_NAMES = ("metadata.csv", "metadata.jsonl", "metadata.parquet", "metadata.tsv")
_WHOLE = "all"


@dataclass(frozen=True, slots=True)
class Record:
    """A row, the folder its file names start from (``test/`` or nothing), and its split if it says one."""

    row: Row
    base: str
    split: str | None
    columns: frozenset[str]  # of its table

    def has(self, names: Sequence[str]) -> bool:
        """Whether its table has one of these columns; where not, the table was found wrong, not the row."""
        return not self.columns.isdisjoint(names)

    def file(self, names: Sequence[str]) -> Any:
        """The picture's file name relative to the data folder; what is no string is left to be refused."""
        value = self.row.first(names)
        if isinstance(value, str) and self.base and not value.startswith(("/", "\\")):
            return self.base + value
        return value if self.has(names) else ABSENT


def tables(data: Path) -> tuple[tuple[Path, str], ...]:
    """The metadata files of a folder, and where each lies in it (``""`` or ``test/``).

    Whatever has such a name counts, even what cannot be read: it is refused by name, not passed over.
    """
    found = [(data / name, "") for name in _NAMES if is_there(data / name)]
    for folder in folders(data):
        found += [(folder / name, f"{folder.name}/") for name in _NAMES if is_there(folder / name)]
    return tuple(found)


def read(
    gathering: Gathering,
    found: Sequence[tuple[Path, str]],
    needed: Sequence[Sequence[str]],
    *,
    known: Sequence[str],
) -> list[Record]:
    """The records of several tables; their faults go to the gathering.

    ``needed`` are synonyms of required columns, ``known`` are all columns that somebody reads.
    """
    records = []
    _beside(gathering, found)
    for path, base in found:
        table = read_table(path, name=base + path.name)
        gathering.report(*table.faults, *_lacking(table, needed), *_unread(table, (*known, *SPLIT)))
        columns = frozenset(table.columns)
        records += [Record(row, base, _split(row, base), columns) for row in table.rows]
    return records


def _beside(gathering: Gathering, found: Sequence[tuple[Path, str]]) -> None:
    """Several tables of one folder may be two states of the same data (W139)."""
    names: dict[str, list[str]] = defaultdict(list)
    for path, base in found:
        names[base].append(base + path.name)
    for same in names.values():
        if len(same) > 1 and any(name.rpartition("/")[2] in _NAMES for name in same):
            told = f"{len(same)} tables of one folder: {some(same)}"
            gathering.report(
                Fault("W139", same[0], told, "one table a folder", "all are read; drop the others")
            )


def _unread(table: Table, known: Sequence[str]) -> tuple[Fault, ...]:
    """Columns that nobody reads (W137), with the one that may be meant."""
    columns = [column for column in table.columns if column and column not in known]
    if not columns:
        return ()
    rows = Counter(column for row in table.rows for column in row.values)
    near = {column: difflib.get_close_matches(column, known, n=1, cutoff=0.7) for column in columns}
    meant = [f"did you mean {names[0]!r} by {column!r}?" for column, names in near.items() if names]
    found = "columns that are not read: " + some(f"{one!r} ({many(rows[one], 'row')})" for one in columns)
    return (Fault("W137", table.name, found, "", " ".join(meant) or "nothing, if they are not needed"),)


def chosen(gathering: Gathering, records: Sequence[Record], split: str) -> tuple[list[Record], str]:
    """The records of a split, and its name; an empty name means ``test`` where there is one, else all.

    Raises UsageError (E130) when the data have no such split.
    """
    present = sorted({record.split for record in records if record.split})
    wanted = same_split(split) if split else ("test" if "test" in present else _WHOLE)
    if wanted == _WHOLE or not records:
        return list(records), wanted
    if wanted not in present:
        have = ", ".join([*present, _WHOLE])
        fault = Fault("E130", f"--set split={split}", "no row of that split", f"one of: {have}")
        if not gathering.failed:
            raise UsageError(fault)
        gathering.report(fault)  # beside what is wrong with the tables
        return [], wanted
    _unclaimed(gathering, records, wanted)
    return [record for record in records if record.split == wanted], wanted


def _unclaimed(gathering: Gathering, records: Sequence[Record], wanted: str) -> None:
    """Rows that the chosen split leaves out although nobody may have meant that (W138)."""
    silent = [record.row.place for record in records if record.split is None]
    if silent:
        found = f"{len(silent)} of {len(records)} rows say no split: {some(silent)}"
        gathering.report(Fault("W138", silent[0], found, "a split in each row", f"left out of {wanted!r}"))
    others = {record.split for record in records if record.split} - {wanted, *_SAME_SPLIT.values()}
    for name in difflib.get_close_matches(wanted, sorted(others), n=3, cutoff=0.6):
        places = [record.row.place for record in records if record.split == name]
        found = f"{len(places)} of {len(records)} rows are of split {name!r}: {some(places)}"
        gathering.report(Fault("W138", places[0], found, f"{wanted!r}, if that is meant", "left out"))


def same_split(name: str) -> str:
    """One name for each split, whatever it is called.

    >>> same_split("Dev")
    'validation'
    """
    folded = name.strip().casefold()
    return _SAME_SPLIT.get(folded, folded)


def _split(row: Row, base: str) -> str | None:
    said = row.first(SPLIT)
    if said is not None and str(said).strip():
        return same_split(str(said))
    return same_split(base.strip("/")) if base else None


def _lacking(table: Table, needed: Sequence[Sequence[str]]) -> tuple[Fault, ...]:
    if table.faults and not table.columns:
        return ()  # nothing could be read: its columns are not the fault
    if not table.columns:
        return (Fault("E124", table.name, "an empty table", "a row a picture", "write it"),)
    return table.lacks(*needed)
