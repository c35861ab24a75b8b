"""A tiny writer of uncompressed AVI video, so that samples hold videos that any decoder can read."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

_KEYFRAME = 0x10
_HAS_INDEX = 0x10


def write_avi(path: Path, frames: Sequence[Image], *, fps: int = 2) -> None:
    """Write RGB frames of one size as 24-bit uncompressed AVI (RIFF; RGB rows bottom-up, padded to 4 bytes).

    Source: the AVI RIFF file reference of Microsoft's DirectShow.
    """
    width, height = frames[0].size
    coded = [_bitmap(frame) for frame in frames]
    size = len(coded[0])
    main = struct.pack(
        "<14I", 1_000_000 // fps, size * fps, 0, _HAS_INDEX, len(coded), 0, 1, size, width, height, 0, 0, 0, 0
    )
    stream = struct.pack(
        "<4s4sIHHIIIIIIIIhhhh", b"vids", b"DIB ", 0, 0, 0, 0, 1, fps, 0, len(coded), size, 0xFFFFFFFF, 0,
        0, 0, width, height,
    )  # fmt: skip
    bitmap = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, size, 0, 0, 0, 0)
    streams = _list(b"strl", _chunk(b"strh", stream) + _chunk(b"strf", bitmap))
    header = _list(b"hdrl", _chunk(b"avih", main) + streams)
    chunks = [_chunk(b"00db", frame) for frame in coded]
    index, at = b"", 4  # offsets are counted from the word ``movi``
    for chunk in chunks:
        index += struct.pack("<4sIII", b"00db", _KEYFRAME, at, size)
        at += len(chunk)
    body = header + _list(b"movi", b"".join(chunks)) + _chunk(b"idx1", index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"AVI " + body)


def _bitmap(frame: Image) -> bytes:
    """Blue, green, red, from the bottom row up, each row padded to a multiple of four bytes."""
    width, height = frame.size
    raw = frame.convert("RGB").tobytes("raw", "BGR")
    rows = [raw[at : at + 3 * width] for at in range(0, 3 * width * height, 3 * width)]
    return b"".join(row + bytes(-len(row) % 4) for row in reversed(rows))


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)


def _list(kind: bytes, content: bytes) -> bytes:
    return _chunk(b"LIST", kind + content)
