"""``precomputed:DIR``: vectors made elsewhere, looked up by item id."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.media import content_digest
from crossgauge.types import Embeddings, Encoder, Item, Modality, Role, Similarity

DESCRIPTION = "vectors of your own, from files of a folder, by item id"
_IDS_SUFFIXES = (".ids.txt", ".ids.json", ".ids.csv", ".ids.parquet")


class Precomputed:
    """The rows of every vector file in a folder: .npz, .safetensors, parquet, or .npy with ``NAME.ids.txt``.

    Any number of files (``images.npz``, ``texts.parquet``); together they hold each id once, in one
    dimension. float64 stays float64, as everywhere.
    """

    uses_role = False
    cacheable = False
    languages: frozenset[str] | None = None
    similarity: Similarity = "cosine"
    modalities: frozenset[Modality] = frozenset({"text", "image", "video"})

    def __init__(self, folder: Path) -> None:
        self.name = f"precomputed:{folder}"
        self._folder = folder
        self._files = _vector_files(folder)

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
            fix = "write the vector of every item; `crossgauge check` lists the ids"
            raise InputError(
                Fault("E409", f"item {item.id}", f"no vector in {names}", "one vector an id", fix)
            )
        return row

    def encode(self, prepared: Sequence[npt.NDArray[Any]], *, role: Role) -> npt.NDArray[np.float32]:  # noqa: ARG002
        """The vectors stacked, (len(prepared), D); ``role`` changes nothing."""
        return np.stack(prepared)

    @cached_property
    def _rows(self) -> dict[str, npt.NDArray[Any]]:
        from crossgauge.readers.vectors import read_vectors

        read = {path: read_vectors(path, ids=_ids_beside(path)) for path in self._files}
        faults = [*_unlike(read), *_twice(read)]
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
        what = "no vector file" if folder.is_dir() else "no such folder"
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
    first, *others = read
    dim = read[first].vectors.shape[1]
    wanted = f"{dim} dimensions as in {first.name}"
    return [
        Fault("E402", str(path), f"{read[path].vectors.shape[1]} dimensions", wanted, "vectors of one model")
        for path in others
        if read[path].vectors.shape[1] != dim
    ]


def _twice(read: dict[Path, Embeddings]) -> list[Fault]:
    """Ids that stand in two files: which vector is meant cannot be told."""
    seen: dict[str, Path] = {}
    faults = []
    for path, found in read.items():
        for one in found.ids:
            if one in seen:
                fix = "make ids of pictures and texts differ, as in the benchmark"
                faults.append(
                    Fault("E407", str(path), f"the id {one!r}, also in {seen[one].name}", "each id once", fix)
                )
            seen.setdefault(one, path)
    return faults


def model(argument: str | None = None) -> Encoder:
    """Make the encoder over a folder of vector files.

    Raises UsageError (E412) without a folder, InputError (E410) for a folder without vector files.
    """
    if not argument:
        raise UsageError(
            Fault("E412", "model precomputed", "no folder", "precomputed:DIR", "precomputed:vectors/")
        )
    return Precomputed(Path(argument))


MODEL = model
