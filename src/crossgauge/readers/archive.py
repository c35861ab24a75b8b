"""A folder, or a zip of it, as one tree of files, judged before a byte of them is read.

A zip is never extracted: its members are opened as streams. What a folder and its zip hold reads the same,
and both obey one :class:`Budget`.
"""

from __future__ import annotations

import contextlib
import re
import stat
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from crossgauge.errors import Fault, InputError

LONGEST_NAME = 1024  # bytes of a path in the tree
_HERE = "."
_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
_NESTED = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst")
_NESTED_BYTES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")
_MARK = 8  # bytes that tell an archive
_DRIVE = re.compile(r"[A-Za-z]:")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # controls, direction marks, half characters, unassigned
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a tree may be; what says it is more is refused before it is read."""

    members: int = 4096  # files and folders
    member: int = 1 << 30  # bytes of one file, unpacked
    total: int = 16 << 30  # bytes of all
    ratio: int = 200  # unpacked : packed, of files above 1 MiB


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the tree."""

    name: str  # with / between folders, relative to the root
    size: int  # bytes, unpacked


class Stream(Protocol):
    """What a member is read through."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        ...


@dataclass(slots=True)
class Tree:
    """The files of a folder or a zip, checked; use it as a context manager."""

    place: str  # as the user named it
    members: tuple[Member, ...]  # sorted by name
    findings: tuple[Fault, ...]  # W260: what was ignored, names in another encoding
    _open: Callable[[str], AbstractContextManager[IO[bytes]]]  # in several threads at once
    _close: Callable[[], None] = field(default=lambda: None)

    def at(self, member: Member) -> str:
        """Where a member stands, for messages: ``sub.zip/QI/en.prediction``."""
        return f"{self.place}/{member.name}"

    @contextlib.contextmanager
    def open(self, member: Member) -> Iterator[Stream]:
        """The bytes of a member, never more than it said it holds.

        Raises InputError, also while reading: E267 (another archive), E268 (damaged, cut off, changed).
        """
        place = self.at(member)
        with contextlib.ExitStack() as held:
            with guarded(place):
                handle = held.enter_context(self._open(member.name))
            yield _Bounded(handle, place, member.size)

    def __enter__(self) -> Tree:
        """The tree itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of the zip."""
        self._close()


class _Bounded:
    """A stream that ends where its directory said, and whose damage is a fault."""

    def __init__(self, handle: IO[bytes], place: str, size: int) -> None:
        self._handle, self._place, self._left = handle, place, size
        with guarded(place):
            self._head = handle.read(_MARK)
        if self._head.startswith(_NESTED_BYTES):
            raise InputError(_nested(place))

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes."""
        content, self._head = self._head[:size], self._head[size:]
        if len(content) < size:
            with guarded(self._place):
                content += self._handle.read(size - len(content))
        self._left -= len(content)
        if self._left < 0 or (not content and size and self._left):
            found = "more bytes than its size says" if self._left < 0 else f"{self._left} bytes are missing"
            raise InputError(damaged(self._place, found))
        return content


def open_tree(path: Path, budget: Budget | None = None) -> Tree:
    """The files of a folder or of a zip, by content and not by name.

    Hidden files, ``__MACOSX``, ``Thumbs.db`` and ``desktop.ini`` are left out with a finding (W260).

    Raises InputError with all faults: E260 (neither folder nor zip), E261 (too many or too large), E262 (a
    zip bomb), E263 (a name that leaves the tree or deceives), E264 (a link out of it, a device), E265 (two
    names for one file), E266 (encrypted, unusual compression), E267 (an archive inside), E268 (damaged).
    """
    from crossgauge.readers.folder_tree import open_folder
    from crossgauge.readers.zip_tree import open_zip

    allowed = budget or Budget()
    place = str(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise InputError(Fault("E260", place, found, "a folder, or a zip of it", "check the path")) from error
    if stat.S_ISDIR(mode):
        return open_folder(path, allowed)
    if stat.S_ISREG(mode):
        return open_zip(path, allowed)
    fix = "save what comes through a pipe first"
    raise InputError(Fault("E260", place, "neither a folder nor a regular file", "a folder or a zip", fix))


@contextlib.contextmanager
def guarded(place: str) -> Iterator[None]:
    """Whatever a damaged file makes the standard library raise becomes one fault (E268)."""
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(damaged(place, said)) from error


def damaged(place: str, found: str) -> Fault:
    """The fault of a member that cannot be read whole."""
    return Fault("E268", place, found, "a whole file", "pack or copy it again")


def kept_name(name: str) -> str | None:
    """A name without ``./``, or None for what no submission means: hidden files and systems' leftovers.

    >>> kept_name("./QI/en.prediction"), kept_name("__MACOSX/QI/._en.prediction"), kept_name("a/.git/x")
    ('QI/en.prediction', None, None)
    """
    parts = [part for part in name.split("/") if part not in ("", _HERE)]
    junk = any(part.casefold() in _JUNK or (part.startswith(".") and part != "..") for part in parts)
    return None if junk or not parts else "/".join(parts)


def name_fault(name: str, place: str) -> Fault | None:
    r"""Why a name in an archive is not trusted; None when it is.

    >>> print(name_fault("../x", "s.zip"))
    E263 s.zip: the name '../x' leads out of the tree; wanted names inside it; fix: pack the folder again
    >>> name_fault("GEM-I/QI/en.prediction", "s.zip") is None
    True
    """
    why = ""
    if "\\" in name:
        why = "holds a backslash"
    elif name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        why = "leads out of the tree"
    elif any(unicodedata.category(character) in _UNSEEN for character in name):
        why = "holds characters that cannot be seen"
    elif len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        why = f"is longer than {LONGEST_NAME} bytes"
    if not why:
        return None
    found = f"the name {name[:80]!r} {why}"
    return Fault("E263", place, found, "names inside it", "pack the folder again")


def content_faults(members: Sequence[Member], place: str, budget: Budget) -> list[Fault]:
    """What is wrong with files whose names are sound: too large, one name twice, archives inside."""
    most, fix = f"at most {budget.member:,} in one file", "is this the right file?"
    faults = [
        Fault("E261", f"{place}/{member.name}", f"{member.size:,} bytes", most, fix)
        for member in members
        if member.size > budget.member
    ]
    total = sum(member.size for member in members)
    if total > budget.total:
        faults.append(Fault("E261", place, f"{total:,} bytes in all", f"at most {budget.total:,}",
                            "leave out what is no prediction"))  # fmt: skip
    faults += [_nested(f"{place}/{m.name}") for m in members if m.name.lower().endswith(_NESTED)]
    first: dict[str, str] = {}
    for member in members:
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", member.name).casefold())
        if first.setdefault(key, member.name) != member.name:
            found = f"{member.name!r} and {first[key]!r} are one name where case and accents do not count"
            faults.append(Fault("E265", place, found, "each file once", "remove or rename one"))
    twice = [name for name, times in Counter(member.name for member in members).items() if times > 1]
    faults += [
        Fault("E265", place, f"{name!r} stands in it more than once", "each file once", "pack it again")
        for name in twice
    ]
    return faults


def too_many(place: str, found: int, budget: Budget) -> InputError:
    """The refusal of a tree with too many files."""
    fix = "pack the submission alone"
    return InputError(Fault("E261", place, f"{found:,} files or more", f"at most {budget.members:,}", fix))


def ignored(place: str, names: Sequence[str]) -> tuple[Fault, ...]:
    """The finding about files left out (W260); none when there are none."""
    if not names:
        return ()
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
    return (Fault("W260", place, f"ignored: {', '.join(names[:3])}{more}", "", "none: nobody means them"),)


def _nested(place: str) -> Fault:
    return Fault("E267", place, "an archive inside the tree", "the files themselves", "unpack it there")
