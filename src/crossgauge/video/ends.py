"""Whether a file ends where its own outermost element says: what tells a cut-off copy before decoding."""

from __future__ import annotations

from typing import BinaryIO

_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT = 0x18538067
_MOV_BOXES = frozenset({b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"styp", b"sidx"})
_BOX_HEAD = 8  # a 32-bit size and a name
_TO_THE_END = 0  # the size of a box that goes on to the end of the file
_LARGE = 1  # the size of a box whose real size follows in 64 bits


def stated_end(stream: BinaryIO, size: int) -> int:
    r"""Where the container says that the file ends, in bytes; ``size`` where it does not say.

    Read are the sizes of the boxes of MP4 and MOV, the RIFF of AVI and the segment of Matroska and WebM;
    MPEG streams, Ogg and GIF state none. The file's ``size`` is less than this where it was cut off.

    >>> import io
    >>> stated_end(io.BytesIO(b"RIFF\x10\0\0\0AVI LIST"), 16)
    24
    """
    stream.seek(0)
    head = stream.read(12)
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return int.from_bytes(head[4:8], "little") + 8 or size
    if head[:4] == _EBML:
        return _segment_end(stream, size)
    return _boxes_end(stream, size) if head[4:8] in _MOV_BOXES else size


def _boxes_end(stream: BinaryIO, size: int) -> int:
    at = 0
    while at < size:
        stream.seek(at)
        head = stream.read(2 * _BOX_HEAD)
        length = int.from_bytes(head[:4], "big")
        if length == _LARGE:
            length = int.from_bytes(head[8:16], "big")
        if length == _TO_THE_END or len(head) < _BOX_HEAD:
            return size
        if length < _BOX_HEAD:  # no box: what is behind the last one is nobody's
            return size
        at += length
    return at


def _segment_end(stream: BinaryIO, size: int) -> int:
    """The EBML header is skipped; the segment behind it states its length, or that it is not known."""
    stream.seek(len(_EBML))
    length, _ = _number(stream)
    stream.seek(length, 1)
    if int.from_bytes(stream.read(4), "big") != _SEGMENT:
        return size
    length, unknown = _number(stream)
    return size if unknown else stream.tell() + length


def _number(stream: BinaryIO) -> tuple[int, bool]:
    """An EBML length: as many bytes as the first one has leading zeros, and one; all ones: not known."""
    first = stream.read(1)
    more = 8 - first[0].bit_length() if first else 8
    if more > 7:  # noqa: PLR2004  (eight bytes at most)
        return 0, True
    bits = 7 * (more + 1)
    value = int.from_bytes(first + stream.read(more), "big") & ((1 << bits) - 1)
    return value, value == (1 << bits) - 1
