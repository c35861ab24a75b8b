"""Which tables of values a run, a concept study or one of their files holds."""

from __future__ import annotations

from pathlib import Path

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers.parquet import opened
from crossgauge.unlike_run import no_finished_run

PER_QUERY = "per_query.parquet"
CONCEPTS = "concepts.parquet"
PREFIX = "m."  # of the columns of measures in both
_WANTED = "a run folder, the folder of one of its cells, or a concept study"


def file_of(path: Path, cell: str | None) -> Path:
    """The per-query table of a path: itself, or the one in a folder (E196: none, or several)."""
    if not path.is_dir():
        return path
    if (path / PER_QUERY).is_file():
        return path / PER_QUERY
    tables = {found.parent.name: found for found in sorted(path.glob(f"cells/*/{PER_QUERY}"))}
    if not tables:
        if (unlike := no_finished_run(path)) is not None:
            raise InputError(unlike.fault("E196", str(path), _WANTED))
        fix = "copy the run folder with its cells/, or run again"
        raise InputError(Fault("E196", str(path), f"no {PER_QUERY} in its cells", _WANTED, fix))
    return tables[chosen(list(tables), cell, place=str(path))]


def chosen(cells: list[str], cell: str | None, *, place: str) -> str:
    """The cell asked for, or the only one; raises UsageError (E196) where that is none."""
    if cell is None and len(cells) == 1:
        return cells[0]
    if cell in cells:
        return cell
    found = f"cell {cell!r}" if cell is not None else f"{len(cells)} cells"
    raise UsageError(Fault("E196", place, found, f"one of: {', '.join(cells)}", "choose it with --cell"))


def concepts_of(path: Path) -> Path | None:
    """The concept values of a run (also of one of its cells) or of a study; None where there are none."""
    if not path.is_dir():
        run = path.parents[2] if path.name == PER_QUERY and len(path.parents) > 2 else None  # noqa: PLR2004
        return path if is_concepts(path) else _concepts_in(run)
    return _concepts_in(path) or (_concepts_in(path.parent.parent) if path.parent.name == "cells" else None)


def _concepts_in(folder: Path | None) -> Path | None:
    file = None if folder is None else folder / CONCEPTS
    return file if file is not None and file.is_file() else None


def is_per_query(file: Path) -> bool:
    """Whether a file is the per-query table of a run: Parquet with query_id and measures."""
    names = _measured(file)
    return "query_id" in names and "truth" not in names


def is_concepts(file: Path) -> bool:
    """Whether a file holds concept values: Parquet with cell, query_id, image, truth and measures."""
    return {"cell", "query_id", "image", "truth"} <= _measured(file)


def _measured(file: Path) -> set[str]:
    """The columns of a Parquet file that has measures; of all others none."""
    if file.suffix.casefold() != ".parquet":
        return set()
    with opened(file) as parquet:
        names = set(parquet.schema_arrow.names)
    return names if any(name.startswith(PREFIX) for name in names) else set()
