"""Embeddings that official code of Recipe1M left behind: pictures and recipes, a pair a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.benchmarks._files import is_file, is_folder, many, some
from crossgauge.benchmarks.recipe1m.filter import listed_ids
from crossgauge.errors import Fault, InputError
from crossgauge.readers import read_vectors
from crossgauge.readers.arrays import as_vectors, text_ids
from crossgauge.readers.ids import Listed, id_faults
from crossgauge.readers.numpy_pickle import Plain, read_pickles
from crossgauge.types import Ints, Role, Vectors

IMAGES, RECIPES = "img_embeds", "rec_embeds"
IDS = ("rec_ids", "img_ids")  # the recipe's id names a pair
_VECTORS = (".pkl", ".npy", ".npz", ".safetensors", ".parquet")
_TEXT = (".pkl", ".npy", ".txt", ".json")
_PARTS = 3  # pickles in one file: pictures, recipes, ids
_UNIT = 1e-3  # how far from 1 a length may be
LAYOUT = f"{IMAGES}, {RECIPES} and {IDS[0]} (.pkl, .npy …) in a folder, or one pickle file with the three"


@dataclass(frozen=True, slots=True, eq=False)
class Dump:
    """Both sides sorted by id, and where each row stood."""

    ids: tuple[str, ...]  # (N,) ascending
    images: Vectors  # (N, D)
    recipes: Vectors  # (N, D)
    order: Ints  # (N,) the pair of each row as the dump has it
    findings: tuple[Fault, ...]
    places: tuple[str, str]  # where the vectors of pictures and of recipes stand


def read_dump(path: Path, ids: Path | None = None) -> Dump:
    """Read a dump; ``ids`` is a file of recipe ids, one a row, for dumps without.

    Raises InputError with all that is wrong: E344 (a file is missing, or something else), E345 (rows that
    are no pairs), E216, E220 (ids), E340 to E343 (pickles), E217, E218 (arrays).
    """
    parts = _folder(path) if is_folder(path) else _one_file(path)
    names = parts.ids
    if ids is not None:
        names = [Listed(listed_ids(ids), str(ids), "row")]
    _fit(parts, names, path)
    findings = [*_norms(parts.images, f"{path} pictures"), *_norms(parts.recipes, f"{path} recipes")]
    rows = len(parts.images)
    if not names:
        found = "no ids: rows are numbered, so draws depend on their order"
        findings.append(Fault("W337", str(path), found, "", "--ids FILE"))
    known = names[0].ids if names else tuple(f"row{row:09d}" for row in range(rows))
    by_id = np.array(sorted(range(rows), key=known.__getitem__), dtype=np.int64)
    order = np.empty(rows, dtype=np.int64)
    order[by_id] = np.arange(rows)
    sorted_already = bool((by_id[:-1] < by_id[1:]).all())
    images, recipes = (side if sorted_already else side[by_id] for side in (parts.images, parts.recipes))
    return Dump(tuple(known[row] for row in by_id), images, recipes, order, tuple(findings), parts.places)


def unusable(dump: Dump) -> list[Fault]:
    """Each vector that no cosine can be taken of (E442 to E444), by its file, its row there and its id."""
    from crossgauge.ranking.unusable import faults_of
    from crossgauge.ranking.vectors import prepare, read_pair
    from crossgauge.ranking.workers import Workers

    left, right, dtype = read_pair(dump.images, dump.recipes)
    with Workers(None) as workers:
        sides = prepare((left, right), dtype=dtype, similarity="cosine", keep=False, workers=workers)
    row_of = np.argsort(dump.order)  # of each pair, as the dump has it
    roles: tuple[Role, Role] = ("query", "corpus")
    faults = []
    for place, side, role in zip(dump.places, sides, roles, strict=True):
        told = dict(
            zip(np.flatnonzero(~side.usable).tolist(), faults_of(side, role=role, ids=None), strict=True)
        )
        for pair in sorted(told, key=row_of.__getitem__):
            where = f"{place} row {row_of[pair]} (from 0), id {dump.ids[pair]!r}"
            fix = told[pair].fix.replace("on_nonfinite='miss'", "--on-nonfinite miss")
            faults.append(replace(told[pair], place=where, fix=fix))
    return faults


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    images: Vectors
    recipes: Vectors
    ids: list[Listed]  # the recipes' first; none where the dump holds none
    places: tuple[str, str]  # of pictures, of recipes


def _folder(path: Path) -> _Parts:
    images, own, shown = _side(path, IMAGES)
    recipes, _, told = _side(path, RECIPES)
    listed = [_listed(file) for name in IDS if (file := _only(path, name, _TEXT)) is not None]
    return _Parts(images, recipes, listed or own, (shown, told))


def _one_file(path: Path) -> _Parts:
    values = read_pickles(path)
    if len(values) != _PARTS:
        found = f"{many(len(values), 'pickle')} in it"
        raise InputError(Fault("E344", str(path), found, f"three: pictures, recipes, ids; or {LAYOUT}"))
    images, recipes = (_matrix(value, str(path)) for value in values[:2])
    listed = [Listed(_words(values[2], str(path)), str(path), "row")]
    return _Parts(images, recipes, listed, (f"{path} pictures", f"{path} recipes"))


def _side(path: Path, name: str) -> tuple[Vectors, list[Listed], str]:
    """One side's vectors, the ids their file holds, if any, and the file."""
    file = _only(path, name, _VECTORS)
    if file is None:
        raise InputError(Fault("E344", str(path), f"no {name}", LAYOUT, "is it the folder of a dump?"))
    if file.suffix == ".pkl":
        return _matrix(read_pickles(file, exactly=1)[0], str(file)), [], str(file)
    read = read_vectors(file)
    numbered = all(one == str(row) for row, one in enumerate(read.ids))
    return read.vectors, [] if numbered else [Listed(read.ids, str(file), "row")], str(file)


def _only(path: Path, name: str, suffixes: Sequence[str]) -> Path | None:
    found = [path / f"{name}{suffix}" for suffix in suffixes if is_file(path / f"{name}{suffix}")]
    if len(found) > 1:
        said = " and ".join(one.name for one in found)
        raise InputError(Fault("E344", str(path), said, "one of them", "move the others away"))
    return found[0] if found else None


def _listed(file: Path) -> Listed:
    if file.suffix == ".pkl":
        return Listed(_words(read_pickles(file, exactly=1)[0], str(file)), str(file), "row")
    return Listed(listed_ids(file), str(file), "row")


def _matrix(value: Plain, place: str) -> Vectors:
    if not isinstance(value, np.ndarray):
        raise InputError(Fault("E344", place, f"a {type(value).__name__}", "an array of vectors", LAYOUT))
    return as_vectors(value, place)


def _words(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, np.ndarray):
        return text_ids(value, place)
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise InputError(Fault("E344", place, f"a {type(value).__name__}", "a list of ids", LAYOUT))


def _fit(parts: _Parts, names: Sequence[Listed], path: Path) -> None:
    """Raise InputError where counts, sizes or ids contradict each other."""
    images, recipes = parts.images.shape, parts.recipes.shape
    faults = [fault for listed in names for fault in id_faults(listed)]
    if images != recipes:
        found = f"pictures {images[0]} × {images[1]}, recipes {recipes[0]} × {recipes[1]}"
        faults.append(Fault("E345", str(path), found, "one size: row i of both is a pair", "write it again"))
    for listed in names:
        if len(listed.ids) != images[0]:
            found = f"{len(listed.ids)} ids, {images[0]} vectors"
            faults.append(Fault("E345", listed.place, found, "an id a row", "write both in one step"))
    if len(names) > 1 and not faults:
        faults += _apart(names[0], names[1])
    if faults:
        raise InputError(faults)


def _apart(recipes: Listed, images: Listed) -> list[Fault]:
    """Both sides may have one id a pair, or kinds of their own; anything between is two orders of rows."""
    differ = [row for row, pair in enumerate(zip(recipes.ids, images.ids, strict=True)) if pair[0] != pair[1]]
    shared = set(recipes.ids) & set(images.ids)
    if not differ or not shared:
        return []
    rows = some(f"row {row + 1}: {images.ids[row]!r} with {recipes.ids[row]!r}" for row in differ)
    found = f"{many(len(differ), 'row')} of two different ids, {len(shared)} ids on both sides: {rows}"
    return [Fault("E345", images.place, found, "row i of both is a pair", "sort both sides alike")]


def _norms(vectors: Vectors, place: str) -> list[Fault]:
    lengths = np.linalg.norm(vectors, axis=1)
    off = np.abs(lengths - 1) > _UNIT  # NaN is told by :func:`unusable`
    if not off.any():
        return []
    least, most = np.nanmin(lengths), np.nanmax(lengths)
    found = f"{off.sum()} of {len(off)} vectors not of length 1: {least:.4g} to {most:.4g}"
    return [Fault("W334", place, found, "", "cosine is scored; dot products of official code differ")]
