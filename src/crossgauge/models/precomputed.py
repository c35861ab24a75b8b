"""``precomputed:DIR``: vectors made elsewhere, looked up by item id."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import SHOWN, Fault, InputError, UsageError
from crossgauge.folders import no_folder
from crossgauge.media import content_digest
from crossgauge.types import Embeddings, Encoder, Item, Modality, Role, Similarity

DESCRIPTION = "vectors of your own, from files of a folder, by item id"
_IDS_SUFFIXES = (".ids.txt", ".ids.json", ".ids.csv", ".ids.parquet")


class Precomputed:
    """The rows of every vector file in a folder: .npz, .safetensors, parquet, or .npy with ``NAME.ids.txt``.

    Any number of files (``images.npz``, ``texts.parquet``); together they hold each id once, in one
    dimension. float64 stays float64, as everywhere. The files are read, and what is wrong with them is said,
    when the model is made: an item's only fault is to have no vector.
    """

    uses_role = False
    joint = True  # whatever the item held when its vector was made
    cacheable = False
    languages: frozenset[str] | None = None
    similarity: Similarity = "cosine"
    modalities: frozenset[Modality] = frozenset({"text", "image", "video"})

    def __init__(self, folder: Path) -> None:
        self.name = f"precomputed:{folder}"
        self._folder = folder
        self._files = _vector_files(folder)
        self._rows = _read(folder, self._files)

    @cached_property
    def revision(self) -> str:
        """A digest over the names and bytes of the files."""
        digest = hashlib.sha256()
        for path in self._files:
            digest.update(f"{path.name}\0{content_digest(path)}\0".encode("utf-8", "surrogatepass"))
        return f"1-{digest.hexdigest()[:16]}"

    def prepare(self, item: Item) -> npt.NDArray[Any]:
        """The vector of that id, (D,); raises InputError (E409) when no file holds it."""
        row = self._rows.get(item.id)
        if row is None:
            names = ", ".join(path.name for path in self._files)
            fix = "write the vector of every item: `crossgauge check BENCHMARK --items FILE` lists them"
            raise InputError(
                Fault("E409", f"item {item.id}", f"no vector in {names}", "one vector an id", fix)
            )
        return row

    def encode(self, prepared: Sequence[npt.NDArray[Any]], *, role: Role) -> npt.NDArray[np.float32]:  # noqa: ARG002
        """The vectors stacked, (len(prepared), D); ``role`` changes nothing."""
        return np.stack(prepared)


def _read(folder: Path, files: Sequence[Path]) -> dict[str, npt.NDArray[Any]]:
    """The vector of each id; raises InputError with all that is wrong with all files."""
    from crossgauge.readers.vectors import read_vectors

    read: dict[Path, Embeddings] = {}
    faults: list[Fault] = []
    for path in files:
        try:
            read[path] = read_vectors(path, ids=_ids_beside(path))
        except InputError as error:
            faults += error.faults
    faults += [*_unlike(read), *_twice(folder, read)]
    if faults:
        raise InputError(faults)
    kind = np.result_type(*(found.vectors.dtype for found in read.values()))
    rows: dict[str, npt.NDArray[Any]] = {}
    for found in read.values():
        rows.update(zip(found.ids, found.vectors.astype(kind, copy=False), strict=True))
    return rows


def _vector_files(folder: Path) -> tuple[Path, ...]:
    """The vector files of the folder, by name; raises InputError (E410) when there is none."""
    from crossgauge.readers.source import SUFFIXES

    found = sorted(folder.iterdir()) if folder.is_dir() else []
    files = tuple(path for path in found if path.suffix.lower() in SUFFIXES and ".ids" not in path.suffixes)
    if not files:
        what = "no vector file" if folder.is_dir() else no_folder(folder)
        wanted = f"a folder with {', '.join(SUFFIXES)} files"
        raise InputError(
            Fault("E410", str(folder), what, wanted, "np.savez('images.npz', ids=ids, vectors=x)")
        )
    return files


def _ids_beside(path: Path) -> Path | None:
    beside = (path.with_name(path.stem + suffix) for suffix in _IDS_SUFFIXES)
    return next((candidate for candidate in beside if candidate.is_file()), None)


def _unlike(read: dict[Path, Embeddings]) -> list[Fault]:
    """Files whose vectors have another dimension than the first file's."""
    if not read:
        return []
    first, *others = read
    dim = read[first].vectors.shape[1]
    wanted = f"{dim} dimensions as in {first.name}"
    return [
        Fault("E402", str(path), f"{read[path].vectors.shape[1]} dimensions", wanted, "vectors of one model")
        for path in others
        if read[path].vectors.shape[1] != dim
    ]


def _twice(folder: Path, read: dict[Path, Embeddings]) -> list[Fault]:
    """The ids that stand in several files, as one fault: which vector is meant cannot be told."""
    homes: dict[str, list[str]] = {}
    for path, found in read.items():
        for one in found.ids:
            homes.setdefault(one, []).append(path.name)
    twice = [(one, names) for one, names in homes.items() if len(names) > 1]
    if not twice:
        return []
    shown = ", ".join(f"{one!r} ({' and '.join(names)})" for one, names in twice[:SHOWN])
    more = f", … and {len(twice) - SHOWN} more" if len(twice) > SHOWN else ""
    count = "1 id stands" if len(twice) == 1 else f"{len(twice)} ids stand"
    fix = "make ids of pictures and texts differ, as in the benchmark"
    return [Fault("E407", str(folder), f"{count} in several files: {shown}{more}", "each id once", fix)]


def model(argument: str | None = None) -> Encoder:
    """Make the encoder over a folder of vector files.

    Raises UsageError (E412) without a folder, InputError for a folder without vector files (E410) and for
    files that cannot be read (E2xx) or do not belong together (E402, E407).
    """
    if not argument:
        raise UsageError(
            Fault("E412", "model precomputed", "no folder", "precomputed:DIR", "precomputed:vectors/")
        )
    return Precomputed(Path(argument))


MODEL = model
