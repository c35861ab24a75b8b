"""A folder of numbered parts, as clip-retrieval writes it: ``img_emb/img_emb_0.npy`` … with ``metadata/``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import as_vectors, budgeted
from crossgauge.readers.npy import read_npy
from crossgauge.readers.parquet import read_id_column
from crossgauge.types import Vectors

SIDES = ("img_emb", "text_emb")
METADATA_IDS = ("id", "ids", "_id", "key", "image_path")
_NUMBERED = re.compile(r"(?P<stem>.*?)_?(?P<number>\d+)")


def read_folder(path: Path) -> tuple[Vectors, tuple[str, ...] | None]:
    """The parts of a folder one after the other by their number (2 before 10), with the ids of ``metadata/``.

    ``path`` is the folder of the parts, or the folder above it when that holds one side only. Ids are the
    column ``id``, ``key`` or ``image_path`` of ``metadata_0.parquet`` … beside the parts. Raises InputError:
    E210 (a part is missing), E215 (ids and vectors differ in number), E217 (widths differ), E221.
    """
    side = _side(path)
    parts = _parts(side, ".npy")
    vectors = [read_npy(part) for part in parts]
    _one_width(parts, vectors)
    budgeted(sum(part.nbytes for part in vectors), str(side))
    return as_vectors(np.concatenate(vectors), str(side)), _ids(side, parts, vectors)


def _side(path: Path) -> Path:
    inside = [path / name for name in SIDES if (path / name).is_dir()]
    if len(inside) > 1:
        found = f"both {SIDES[0]}/ and {SIDES[1]}/"
        raise InputError(Fault("E221", str(path), found, "one side", f"name it: {inside[0]} or {inside[1]}"))
    return inside[0] if inside else path


def _parts(folder: Path, suffix: str) -> list[Path]:
    """The numbered files of a folder in numeric order; none may be missing in between."""
    numbered = {
        int(match["number"]): path
        for path in sorted(folder.glob(f"*{suffix}"))
        if (match := _NUMBERED.fullmatch(path.stem)) is not None
    }
    if not numbered or len(numbered) != len(list(folder.glob(f"*{suffix}"))):
        found = "no numbered parts" if not numbered else "files without a number, or with the same one"
        raise InputError(
            Fault("E221", str(folder), found, f"part_0{suffix}, part_1{suffix} …", "or name one file instead")
        )
    order = sorted(numbered)
    missing = (
        sorted(set(range(order[0], order[-1])) - set(order))
        if order[-1] - order[0] < _FAR * len(order)
        else order[:1]
    )
    if missing or order[0] > 1:
        found = f"part {missing[0] if missing else 0} is missing"
        raise InputError(
            Fault("E210", str(folder), found, f"parts 0 to {order[-1]}", "copy the whole folder")
        )
    return [numbered[number] for number in order]


_FAR = 1000  # times the number of parts: numbers that far apart count nothing


def _one_width(parts: Sequence[Path], vectors: Sequence[Vectors]) -> None:
    width = vectors[0].shape[1]
    faults = [
        Fault(
            "E217", str(part), f"{array.shape[1]} features, {parts[0].name} has {width}", "parts of one model"
        )
        for part, array in zip(parts, vectors, strict=True)
        if array.shape[1] != width
    ]
    if faults:
        raise InputError(faults)


def _ids(side: Path, parts: Sequence[Path], vectors: Sequence[Vectors]) -> tuple[str, ...] | None:
    folder = side.parent / "metadata"
    if not folder.is_dir():
        return None
    tables = _parts(folder, ".parquet")
    if len(tables) != len(parts):
        found = f"{len(parts)} parts of vectors, {len(tables)} of metadata"
        raise InputError(Fault("E215", str(folder), found, "as many", "copy the whole folder"))
    ids: list[str] = []
    for table, array in zip(tables, vectors, strict=True):
        listed = read_id_column(table, METADATA_IDS, or_only=False)
        if listed is None:
            return None
        if len(listed) != len(array):
            found = f"{len(array)} vectors, {len(listed)} ids"
            raise InputError(Fault("E215", str(table), found, "one id a vector", "write both again"))
        ids.extend(listed)
    return tuple(ids)
