"""NumPy ``.npz``: a zip of ``.npy`` members, each budgeted before one byte of it is unpacked."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.readers.arrays import (
    ID_NAMES,
    VECTOR_NAMES,
    as_vectors,
    budgeted,
    checked,
    chosen,
    id_fault,
    text_ids,
)
from crossgauge.readers.npy import Header, read_header
from crossgauge.readers.pickles import pickle_fault
from crossgauge.readers.source import size_of
from crossgauge.types import Vectors

MAX_MEMBERS = 1000
MAX_RATIO = 200  # unpacked : packed; vectors compress a few times at most
SMALL = 1 << 20  # bytes below which the ratio does not matter
LOCAL_HEADER = 30  # bytes in front of a member's name
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def read_npz(path: Path) -> tuple[Vectors, tuple[str, ...] | None]:
    """The vectors of a ``.npz`` file and its ids, if it holds any.

    Vectors are the array ``vectors``, ``embeddings`` or ``emb``, or the only two-dimensional one; ids are
    ``ids`` or ``id``, as text. Raises InputError: E212 (pickle), E213 (damaged, overlapping members), E217,
    E218, E219 (unpacks to too much), E221 (no array, or several, to choose from).
    """
    size_of(path)
    with _opened(path) as archive:
        members = _members(archive, str(path))
        headers = {name: _header(archive, info, path) for name, info in members.items()}
        name = chosen({key: header.shape for key, header in headers.items()}, str(path))
        place = f"{path}[{name}]"
        checked(headers[name].dtype, headers[name].shape, place)
        vectors = as_vectors(_array(archive, members[name], path, headers[name]), place)
        for key in ID_NAMES:
            if key in members:
                if (fault := id_fault(headers[key].dtype, f"{path}[{key}]")) is not None:
                    raise InputError(fault)
                return vectors, text_ids(_array(archive, members[key], path, headers[key]), f"{path}[{key}]")
    return vectors, None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever the zip format can have wrong becomes one InputError (E213)."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(_damaged(str(path), str(error))) from None


def _members(archive: zipfile.ZipFile, place: str) -> dict[str, zipfile.ZipInfo]:
    """The ``.npy`` members by array name, once the whole directory has passed every check."""
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise InputError(
            Fault(
                "E219",
                place,
                f"{len(infos)} members",
                f"at most {MAX_MEMBERS}",
                "save one array of all vectors",
            )
        )
    if any(info.filename.rpartition("/")[2] == "data.pkl" for info in infos):
        raise InputError(pickle_fault(place, "this is a PyTorch checkpoint, a pickle in a zip"))
    faults = [fault for info in infos if (fault := _member_fault(info, place)) is not None]
    faults.extend(_overlaps(archive, infos, place))
    names = [info.filename for info in infos]
    faults.extend(
        _damaged(place, f"two members named {name!r}") for name in set(names) if names.count(name) > 1
    )
    if faults:
        raise InputError(faults)
    budgeted(sum(info.file_size for info in infos), place)
    return {info.filename.removesuffix(".npy"): info for info in infos if info.filename.endswith(".npy")}


def _member_fault(info: zipfile.ZipInfo, place: str) -> Fault | None:
    where = f"{place}[{info.filename}]"
    stem, _, ending = info.filename.rpartition("/")[2].partition(".")
    if ending != "npy" and stem in (*ID_NAMES, *VECTOR_NAMES):
        fix = "np.savez(path, vectors=x, ids=np.asarray(ids, dtype=str))"
        return Fault("E221", where, "a member that is no .npy array", f"{stem}.npy", fix)
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
        return Fault(
            "E213", where, "encrypted, or compressed in an unusual way", "stored or deflated", "np.savez(…)"
        )
    if info.file_size > max(SMALL, info.compress_size * MAX_RATIO):
        found = f"{info.compress_size} bytes that unpack to {info.file_size}"
        return Fault(
            "E219", where, found, f"at most {MAX_RATIO} times the size", "np.savez without compression"
        )
    return None


def _overlaps(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], place: str) -> Iterator[Fault]:
    """Members sharing bytes: how small archives unpack to huge ones (older zipfile modules let them pass)."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    ends = [info.header_offset + LOCAL_HEADER + len(info.filename) + info.compress_size for info in ordered]
    nexts = [info.header_offset for info in ordered[1:]] + [archive.start_dir]
    for info, end, following in zip(ordered, ends, nexts, strict=True):
        if end > following:
            yield _damaged(f"{place}[{info.filename}]", "its bytes overlap the next member")


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Header:
    with archive.open(info) as stream:
        return read_header(_binary(stream), info.file_size, f"{path}[{info.filename}]")


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, header: Header) -> npt.NDArray[Any]:
    """One member's numbers: exactly as many bytes as its header said, already known to fit the budget."""
    with archive.open(info) as stream:
        read_header(_binary(stream), info.file_size, f"{path}[{info.filename}]")
        content = stream.read()
    if len(content) != header.size:
        raise InputError(_damaged(f"{path}[{info.filename}]", f"{len(content)} bytes of {header.size}"))
    order = "F" if header.fortran else "C"
    return np.frombuffer(content, dtype=header.dtype).reshape(header.shape, order=order)  # type: ignore[call-overload,no-any-return]


def _binary(stream: IO[bytes]) -> Any:
    return stream


def _damaged(place: str, what: str) -> Fault:
    return Fault("E213", place, what, "a whole .npz file", "write it again: the copy may be cut off")
