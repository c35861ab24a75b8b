"""Files of a data folder: safe to ask about, whatever names and rights; one spelling for each name."""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from crossgauge.errors import Fault, InputError
from crossgauge.media import SUFFIXES

PICTURES = frozenset().union(*SUFFIXES.values())
SHOWN = 5  # names in a warning
_CUT = 80  # characters of a name in a message
_JUNK = frozenset({"__MACOSX", "@eaDir"})  # what systems leave behind


def is_file(path: Path) -> bool:
    """Whether a regular file is there; a name too long for the system, or a closed folder, is no file."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises for such names)


def is_folder(path: Path) -> bool:
    """Whether a folder is there, whatever its name."""
    return os.path.isdir(path)  # noqa: PTH112  (as above)


def is_there(path: Path) -> bool:
    """Whether anything has this name, even a pipe or a link that leads nowhere."""
    return os.path.lexists(path)


def is_hidden(name: str) -> bool:
    """Whether a file or folder is no part of the data: ``.git``, ``.ipynb_checkpoints``, ``__MACOSX``."""
    return name.startswith(".") or name in _JUNK


def entries(folder: Path) -> list[Path]:
    """What a folder holds, sorted, without what is hidden; raises InputError (E138) where it is closed."""
    try:
        return sorted(path for path in folder.iterdir() if not is_hidden(path.name))
    except OSError as error:
        found = error.strerror or str(error)
        raise InputError(Fault("E138", str(folder), found, "a folder that can be read", "open it")) from None


def folders(folder: Path) -> list[Path]:
    """The folders in a folder, sorted, without hidden ones."""
    return [path for path in entries(folder) if is_folder(path)]


def is_picture(name: str) -> bool:
    """Whether a name is that of a picture; what is inside decides how it is decoded."""
    return PurePosixPath(name).suffix.casefold() in PICTURES and not is_hidden(name)


def pictures_below(root: Path) -> list[str]:
    """Every picture file in a folder and its folders, relative to it, sorted, without what is hidden."""
    found = []
    for place, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not is_hidden(name)]
        base = Path(place).relative_to(root).as_posix()
        found += [normal(f"{base}/{name}") for name in names if is_picture(name)]
    return sorted(found)


def normal(name: str) -> str:
    """One spelling of a relative path, so that one file is one picture: no ``.``, no ``//``, NFC.

    >>> normal("./a//b.png")
    'a/b.png'
    """
    return unicodedata.normalize("NFC", posixpath.normpath(name))


def is_inside(name: str) -> bool:
    """Whether a path is relative and climbs nowhere, read as POSIX and as Windows."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    return not (windows.drive or windows.root or posix.is_absolute() or ".." in windows.parts)


def some(names: Iterable[str]) -> str:
    """The first names, each cut to a readable length, and ``…`` for the rest.

    >>> some("abcdefg")
    'a, b, c, d, e, …'
    """
    listed = [cut(name) for name in names]
    return ", ".join(listed[:SHOWN]) + (", …" if len(listed) > SHOWN else "")


def many(count: int, thing: str) -> str:
    """A count with its noun.

    >>> many(1, "row"), many(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"


def cut(name: str) -> str:
    """A name of readable length."""
    return name if len(name) <= _CUT else f"{name[:_CUT]}… ({len(name)} characters)"
