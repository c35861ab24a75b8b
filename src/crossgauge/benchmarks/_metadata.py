"""Metadata tables beside pictures, as Hugging Face's imagefolder has them, cut to one split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

    def file(self, names: Sequence[str]) -> Any:
        """The picture's file name relative to the data folder; what is no string is left to be refused."""
        value = self.row.first(names)
        return self.base + value if isinstance(value, str) else value


def tables(data: Path) -> tuple[tuple[Path, str], ...]:
    """The metadata files of a folder, and where each lies in it (``""`` or ``test/``)."""
    found = [(data / name, "") for name in _NAMES if (data / name).is_file()]
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        found += [(folder / name, f"{folder.name}/") for name in _NAMES if (folder / name).is_file()]
    return tuple(found)


def read(
    found: Iterable[tuple[Path, str]], needed: Sequence[Sequence[str]]
) -> tuple[list[Record], list[Fault]]:
    """The records of several tables, and their faults (``needed``: synonyms of required columns)."""
    records, faults = [], []
    for path, base in found:
        table = read_table(path, name=base + path.name)
        faults += [*table.faults, *_lacking(table, needed)]
        records += [Record(row, base, _split(row, base)) for row in table.rows]
    return records, faults


def chosen(records: Sequence[Record], split: str) -> tuple[list[Record], str]:
    """The records of a split, and its name; an empty name means ``test`` where there is one, else all.

    Raises UsageError (E130) when the data have no such split.
    """
    present = sorted({record.split for record in records if record.split})
    wanted = same_split(split) if split else ("test" if "test" in present else _WHOLE)
    if wanted == _WHOLE:
        return list(records), _WHOLE
    if wanted not in present:
        have = ", ".join([*present, _WHOLE])
        raise UsageError(Fault("E130", f"--set split={split}", "no row of that split", f"one of: {have}"))
    return [record for record in records if record.split == wanted], wanted


def same_split(name: str) -> str:
    """One name for each split, whatever it is called.

    >>> same_split("Dev")
    'validation'
    """
    folded = name.strip().casefold()
    return _SAME_SPLIT.get(folded, folded)


def _split(row: Row, base: str) -> str | None:
    said = row.first(SPLIT)
    if isinstance(said, str):
        return same_split(said)
    return same_split(base.strip("/")) if base else None


def _lacking(table: Table, needed: Sequence[Sequence[str]]) -> tuple[Fault, ...]:
    if table.faults and not table.columns:
        return ()  # nothing could be read: its columns are not the fault
    return table.lacks(*needed)
