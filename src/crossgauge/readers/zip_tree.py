"""A zip as a tree of files. Its directory is weighed before the standard library reads it."""

from __future__ import annotations

import contextlib
import stat
import struct
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from crossgauge.errors import Fault, InputError
from crossgauge.readers.archive import (
    Budget,
    Member,
    Tree,
    content_faults,
    damaged,
    guarded,
    ignored,
    kept_name,
    name_fault,
    too_many,
)

SMALL = 1 << 20  # bytes below which the ratio does not matter
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED, _UTF8 = 0x1, 0x800
_END = struct.Struct("<4s4H2LH")  # the record at the end of a zip
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")  # stands between the two
_LOCAL = struct.Struct("<4s22x2H")  # what stands in front of a member: mark, lengths of name and extra field
_COMMENT = 1 << 16
_OF_AN_ENTRY = 46 + 1024 + 256  # bytes of the directory that an entry with the longest name may take


def open_zip(path: Path, budget: Budget) -> Tree:
    """The files in a zip; raises InputError (see :func:`crossgauge.readers.archive.open_tree`)."""
    place = str(path)
    try:
        with path.open("rb") as handle:
            _weigh_directory(handle, place, budget)
        archive = zipfile.ZipFile(path)
    except InputError:
        raise
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(_no_zip(place, str(error))) from error
    try:
        return _checked(archive, place, budget)
    except BaseException:
        archive.close()
        raise


def _no_zip(place: str, found: str) -> Fault:
    return Fault("E260", place, found.rstrip("."), "a folder, or a zip of it", "zip -r it again")


def _weigh_directory(handle: IO[bytes], place: str, budget: Budget) -> None:
    """Refuse a directory with too many entries by its own account, before it is read entry by entry."""
    size = handle.seek(0, 2)
    begin = max(0, size - _END.size - _COMMENT)
    handle.seek(begin)
    tail = handle.read()
    end = len(tail) - _END.size
    if end < 0 or not (tail[end:].startswith(b"PK\x05\x06") and tail.endswith(b"\0\0")):
        end = tail.rfind(b"PK\x05\x06")  # there is a comment behind it
    if end < 0 or len(tail) - end < _END.size:
        raise InputError(_no_zip(place, "no zip: it has no directory"))
    _, _, _, _, entries, length, _, _ = _END.unpack_from(tail, end)
    for said, bytes_said in _larger_records(handle, begin + end) or [(entries, length)]:
        if said > budget.members or bytes_said > budget.members * _OF_AN_ENTRY:
            raise too_many(place, max(said, bytes_said // _OF_AN_ENTRY), budget)


def _larger_records(handle: IO[bytes], end: int) -> list[tuple[int, int]]:
    """Entries and bytes of the directory by the 64-bit records, wherever a reader may look for one."""
    found = []
    handle.seek(max(0, end - _LOCATOR.size))
    locator = handle.read(_LOCATOR.size)
    if end < _LOCATOR.size or not locator.startswith(b"PK\x06\x07"):
        return []
    for at in (_LOCATOR.unpack(locator)[2], end - _LOCATOR.size - _END64.size):
        if 0 <= at < end:
            handle.seek(at)
            record = handle.read(_END64.size)
            if record.startswith(b"PK\x06\x06") and len(record) == _END64.size:
                found.append((_END64.unpack(record)[7], _END64.unpack(record)[8]))
    return found


def _checked(archive: zipfile.ZipFile, place: str, budget: Budget) -> Tree:
    infos = archive.infolist()
    if len(infos) > budget.members:
        raise too_many(place, len(infos), budget)
    faults: list[Fault] = []
    files: dict[str, zipfile.ZipInfo] = {}
    members: list[Member] = []
    left_out: list[str] = []
    recoded: list[str] = []
    for info in infos:
        name = _name(info, recoded)
        fault = name_fault(name.rstrip("/"), place) or _info_fault(info, f"{place}/{name}", budget)
        if fault is not None:
            faults.append(fault)
        elif info.is_dir():
            continue
        elif (kept := kept_name(name)) is None:
            left_out.append(name)
        else:
            members.append(Member(kept, info.file_size))
            files[kept] = info
    with guarded(place):
        faults += _overlaps(archive, infos, place)
    faults += content_faults(members, place, budget)
    if faults:
        raise InputError(faults)
    members.sort(key=lambda member: member.name)
    findings = (*ignored(place, left_out), *_recoded(place, recoded))
    return Tree(place, tuple(members), findings, _Opener(archive, files), archive.close)


class _Opener:
    """Opens members, also in several threads at once.

    The standard library guards what it reads, but not the count of open members by which it closes the file.
    """

    def __init__(self, archive: zipfile.ZipFile, files: Mapping[str, zipfile.ZipInfo]) -> None:
        self._archive, self._files, self._guard = archive, files, threading.Lock()

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[IO[bytes]]:
        """The bytes of one member."""
        with self._guard:
            handle = self._archive.open(self._files[name])
        try:
            yield handle
        finally:
            with self._guard:
                handle.close()


def _name(info: zipfile.ZipInfo, recoded: list[str]) -> str:
    """The name as it was meant: packers that do not set the flag for UTF-8 often write it all the same."""
    name = info.orig_filename
    if info.flag_bits & _UTF8 or name.isascii():
        return name
    try:
        name = name.encode("cp437").decode("utf-8")
        recoded.append(f"{name} (UTF-8)")
    except UnicodeError:
        recoded.append(f"{name} (cp437)")
    return name


def _recoded(place: str, names: Sequence[str]) -> tuple[Fault, ...]:
    if not names:
        return ()
    found = f"{len(names)} names without the mark of UTF-8, read as {names[0]}"
    return (Fault("W260", place, found, "names in ASCII or marked UTF-8", "none if that is the name"),)


def _info_fault(info: zipfile.ZipInfo, place: str, budget: Budget) -> Fault | None:
    """What the directory says of one member, and is not accepted."""
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        return Fault("E264", place, "a link or a device", "files and folders", "pack the file itself")
    if info.flag_bits & _ENCRYPTED:
        return Fault("E266", place, "encrypted", "a zip without password", "pack it without one")
    if info.compress_type not in _METHODS:
        found = f"compression method {info.compress_type}"
        return Fault("E266", place, found, "stored or deflated", "use plain zip")
    if info.file_size > max(SMALL, info.compress_size * budget.ratio):
        found = f"{info.compress_size:,} bytes that unpack to {info.file_size:,}"
        return Fault("E262", place, found, f"at most {budget.ratio} times the size", "send the folder itself")
    return None


def _overlaps(archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo], place: str) -> Iterator[Fault]:
    """Members that share bytes, by their own headers: how a small zip unpacks to a huge tree."""
    handle = archive.fp
    if not infos:
        return
    ordered = sorted(infos, key=lambda info: info.header_offset)
    nexts = [info.header_offset for info in ordered[1:]] + [archive.start_dir]
    for info, following in zip(ordered, nexts, strict=True):
        at = f"{place}/{info.filename}"
        if handle is None or info.header_offset < 0:
            yield damaged(at, "it stands before the file begins")
            continue
        handle.seek(info.header_offset)
        header = handle.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
            yield damaged(at, "no member begins where the directory says")
            continue
        _, name, extra = _LOCAL.unpack(header)
        if info.header_offset + _LOCAL.size + name + extra + info.compress_size > following:
            yield Fault("E262", at, "its bytes overlap the next member", "members one after another",
                        "pack it again")  # fmt: skip
