"""Vectors with their ids from any file that holds them; nothing is guessed from file names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from crossgauge.errors import Fault, InputError
from crossgauge.readers.folder import read_folder
from crossgauge.readers.ids import Listed, RowNumbers, id_faults, listed_in
from crossgauge.readers.npy import read_npy
from crossgauge.readers.npz import read_npz
from crossgauge.readers.parquet import read_parquet
from crossgauge.readers.pickles import pickle_fault
from crossgauge.readers.safetensors import read_safetensors
from crossgauge.readers.source import DESCRIPTIONS, SUFFIXES, Kind, kind_of, path_of, readable
from crossgauge.types import Embeddings, Vectors

Found: TypeAlias = tuple[Vectors, tuple[str, ...] | None]
PICKLE_SUFFIXES = (".pkl", ".pickle", ".pt", ".pth", ".bin", ".ckpt")


def _bare(path: Path) -> Found:
    return read_npy(path), None


READERS: dict[Kind, Callable[[Path], Found]] = {
    "npy": _bare,
    "npz": read_npz,
    "safetensors": read_safetensors,
    "parquet": read_parquet,
}


def read_vectors(
    path: str | os.PathLike[str], *, ids: str | os.PathLike[str] | Sequence[str] | None = None
) -> Embeddings:
    """Vectors, (N, D), and one id a row: ``.npy``, ``.npz``, ``.safetensors``, parquet, a folder of parts.

    float16 and bfloat16 become float32, integers float64, without rounding; float64 stays. Ids come from
    ``ids`` (a file, or the ids themselves), else from the file, else they are row numbers ``"0"``, ``"1"`` …

    Raises InputError with what is wrong: E210 (not there, empty), E211 (another format than its name says),
    E212 (a pickle: never loaded), E213 (damaged), E215 (counts differ), E216 (an id twice), E217, E218, E219,
    E220, E221, E253 (two lists that contradict each other).
    """
    source = path_of(path, "vectors")
    with readable(source):
        vectors, own = read_folder(source) if source.is_dir() else READERS[_format(source)](source)
    listed = _listed(source, ids, own)
    if listed is not None and own is not None and listed.ids != own:
        raise InputError(_contradiction(source, listed, own))
    if listed is None:
        return Embeddings(RowNumbers.of(len(vectors)), vectors)
    faults = id_faults(listed)
    if len(listed.ids) != len(vectors):
        found, wanted = f"{len(vectors)} vectors, {len(listed.ids)} ids", f"one id for each row of {source}"
        fix = "write ids and vectors in one step, in one order"
        faults = [Fault("E215", listed.place, found, wanted, fix), *faults]
    if faults:
        raise InputError(faults)
    return Embeddings(listed.ids, vectors)


def has_row_numbers(embeddings: Embeddings) -> bool:
    """Whether the ids are nothing but the row numbers.

    >>> import numpy as np
    >>> has_row_numbers(Embeddings(("0", "1"), np.eye(2)))
    True
    """
    return all(one == str(row) for row, one in enumerate(embeddings.ids))


def _listed(
    source: Path, ids: str | os.PathLike[str] | Sequence[str] | None, own: tuple[str, ...] | None
) -> Listed | None:
    """The ids with the place they come from; None where nobody gave any."""
    if ids is None:
        return None if own is None else Listed(own, str(source), "row")
    if isinstance(ids, str | os.PathLike):
        return listed_in(path_of(ids, "ids"))
    return Listed(tuple(ids), f"ids of {source}", "row")


def _contradiction(source: Path, listed: Listed, own: tuple[str, ...]) -> Fault:
    """Two lists of ids for one file: to follow either would be a guess."""
    pairs = zip(listed.ids, own, strict=False)
    row = next(
        (row for row, (one, other) in enumerate(pairs) if one != other), min(len(listed.ids), len(own))
    )
    said, held = (ids[row] if row < len(ids) else "nothing" for ids in (listed.ids, own))
    found = f"ids that contradict those in {source}: row {row + 1} is {said!r} here and {held!r} there"
    return Fault("E253", listed.place, found, "one list of ids", "leave the list out, or mend the file")


def _format(path: Path) -> Kind:
    """The format to read a file as: what its name says, where its first bytes agree."""
    found = kind_of(path)
    suffix = path.suffix.lower()
    if found == "pickle" or (suffix in PICKLE_SUFFIXES and found in ("unknown", "text")):
        raise InputError(pickle_fault(str(path)))
    named = SUFFIXES.get(suffix)
    if named is None and found not in READERS:
        wanted = ".npy, .npz, .safetensors or parquet"
        said = f"{DESCRIPTIONS[found]}, not vectors"
        raise InputError(Fault("E211", str(path), said, wanted, "np.save('vectors.npy', x)"))
    if named is not None and found not in (named, "unknown"):
        said, fix = f"{DESCRIPTIONS[found]} under another name", "rename the file"
        if found == "text":
            fix = (
                "download or write it again: an error page, or a pointer of Git LFS, may have taken its place"
            )
        raise InputError(Fault("E211", str(path), said, DESCRIPTIONS[named], fix))
    return named or found
