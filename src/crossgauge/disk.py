"""Writing that is whole or not at all, and says what to do when the disk refuses."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from crossgauge.errors import EnvironmentFault, Fault, InputError


def as_json(document: Mapping[str, Any]) -> bytes:
    """The document as indented JSON with sorted keys and a newline at the end."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: temporary file, fsync, rename, fsync of the folder.

    Raises EnvironmentFault: E501 unwritable folder, E502 disk full.
    """
    with writing(path) as stream:
        stream.write(content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A stream to write a file through, bit by bit: it is there whole at the end, or not at all.

    Raises EnvironmentFault: E501 unwritable folder, E502 disk full.
    """
    with on_disk(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder is there", str(path))
        scratch = path.with_name(f".tmp-{path.name}-{os.getpid()}")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with scratch.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
        sync(path.parent)


class on_disk:  # noqa: N801  (reads as a phrase: `with on_disk(path):`)
    """Turns the system's errors while writing into faults that say what to do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Translate OSError; everything else passes."""
        if not isinstance(error, OSError) or isinstance(error, EnvironmentFault):
            return
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise EnvironmentFault(
                Fault(
                    "E502",
                    str(self.path),
                    "the disk is full",
                    "room for the run folder",
                    "free some space and run the same command again: finished cells are kept",
                )
            ) from error
        raise EnvironmentFault(unwritable(self.path, error)) from error


def unwritable(path: Path, error: OSError) -> Fault:
    """Why nothing can be written at a path (E501): a file where a folder is wanted, a folder, permissions.

    >>> unwritable(Path("runs"), IsADirectoryError(21, "Is a directory")).found
    'a folder is there'
    """
    if isinstance(error, FileExistsError | NotADirectoryError):
        first = next((one for one in (path, *path.parents) if one.exists()), path)
        what = "a file" if first.is_file() else "no folder"
        found = f"this is {what}" if first == path else f"{first} is {what}"
        return Fault("E501", str(path), found, "a folder to write into", "give the name of a new folder")
    if isinstance(error, IsADirectoryError):
        return Fault("E501", str(path), "a folder is there", "a file to write", "name a file in it")
    found, wanted = error.strerror or str(error), "a folder this user can write to"
    fix = "give another place, or change the permissions"
    return Fault("E501", str(path), found, wanted, fix)


def refuse_occupied(folder: Path) -> None:
    """Raise InputError (E306) where something stands that is not an empty folder: nothing is overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "a folder with files in it" if folder.is_dir() else "a file is there"
        raise InputError(Fault("E306", str(folder), found, "a new folder", "give another name"))


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder with all its files or none: beside it first, then renamed.

    Raises InputError (E306) where something is there already, EnvironmentFault: E501, E502.
    """
    refuse_occupied(folder)
    scratch = folder.with_name(f".tmp-{folder.name}-{os.getpid()}")
    with on_disk(folder):
        try:
            for name, content in files.items():
                file = scratch / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                sync(file)
            if folder.exists():
                folder.rmdir()
            scratch.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        sync(folder.parent)


def sync(path: Path) -> None:
    """Ask the system to put a file or folder on the disk now."""
    with suppress(OSError):  # some file systems refuse to sync a folder
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
