"""Whether a file may be a video at all: it holds something, and begins as video containers begin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crossgauge.errors import SHOWN, Fault

_PACKET = 188  # bytes of an MPEG transport stream; Blu-ray puts four more in front of each
_ENOUGH = 2 * (_PACKET + 4)  # bytes that tell a container
_ATOM = 4  # bytes of the size that stands in front of the name of an MP4 or QuickTime box
_MARKS = (
    b"\x1a\x45\xdf\xa3",  # EBML: Matroska, WebM
    b"\0\0\x01\xba", b"\0\0\x01\xb3",  # MPEG program stream; MPEG video alone
    b"FLV", b"OggS", b"GIF87a", b"GIF89a",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",  # ASF: WMV
)  # fmt: skip
_BOXES = frozenset(
    {b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot"}
)  # all but the first: QuickTime


class Videos:
    """The first bytes of video files, each looked at once; what is wrong is kept."""

    def __init__(self) -> None:
        self._seen: set[Path] = set()
        self._empty: list[Fault] = []
        self._odd: list[Fault] = []

    def look(self, path: Path, name: str, place: str) -> None:
        """One file, the id of its video, and the row that names it; who cannot be read is told elsewhere."""
        if path in self._seen:
            return
        self._seen.add(path)
        try:
            with path.open("rb") as handle:
                head = handle.read(_ENOUGH)
        except OSError:
            return
        if not head:
            found, fix = f"video {name!r}: {path.name} is empty", "copy it again"
            self._empty.append(Fault("E399", place, found, "a video", fix))
        elif not is_video(head):
            found = f"video {name!r}: {path.name} begins {head[:12]!r}"
            wanted = "a video: AVI, MP4, Matroska, WebM, MPEG, FLV, Ogg, ASF or GIF"
            self._odd.append(Fault("W397", place, found, wanted, "play it; copy it again if it is damaged"))

    def faults(self) -> Iterator[Fault]:
        """Every empty file (E399); the first that look like no video, and how many more (W397)."""
        yield from self._empty
        yield from self._odd[:SHOWN]
        if more := self._odd[SHOWN:]:
            found = f"{len(more):,} more videos that begin like none"
            yield Fault("W397", more[0].place, found, more[0].wanted, more[0].fix)


def is_video(head: bytes) -> bool:
    r"""Whether the first bytes of a file are those of a known container; damage behind them is not seen.

    >>> is_video(b"RIFF\x10\0\0\0AVI LIST"), is_video(b"\0\0\0\x18ftypisom"), is_video(b"<html>")
    (True, True, False)
    """
    if head.startswith(b"RIFF"):
        return head[8:12] == b"AVI "
    if head.startswith(_MARKS) or head[_ATOM : 2 * _ATOM] in _BOXES:
        return True
    return any(
        head[start : start + 1] == head[start + step : start + step + 1] == b"G"
        for start, step in ((0, _PACKET), (4, _PACKET + 4))
    )  # a transport stream has the byte 0x47, a G, in front of every packet
