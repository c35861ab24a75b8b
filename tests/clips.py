"""Clips that tests make: each frame one grey, so that a number says which frame came out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9", ".avi": "mpeg4", ".mkv": "libx264", ".ts": "libx264",
          ".mpg": "mpeg1video", ".gif": "gif"}  # fmt: skip


def write_clip(
    path: Path, greys: Sequence[int], *, times: Sequence[int] | None = None, rate: int = 25, side: int = 64
) -> Path:
    """A clip of plain greys; ``times`` are the frames' in units of 1/rate s."""
    pictures = [Image.new("RGB", (side, side // 2), (grey,) * 3) for grey in greys]
    return write_pictures(path, pictures, times=times, rate=rate)


def write_pictures(
    path: Path, pictures: Sequence[Image.Image], *, times: Sequence[int] | None = None, rate: int = 25
) -> Path:
    """A clip of pictures of one even size, in the format that the name says."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(CODECS[path.suffix], rate=rate)
        stream.width, stream.height = pictures[0].size
        stream.pix_fmt = "rgb8" if path.suffix == ".gif" else "yuv420p"
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_image(picture)
            if times is not None:
                frame.pts, frame.time_base = times[number], Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_sound(path: Path) -> Path:
    """A file of silence, without pictures."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def turned(path: Path, out: Path) -> Path:
    """The same MP4 with a quarter turn in its display matrix, as phones write it."""
    content = bytearray(path.read_bytes())
    upright = b"".join(n.to_bytes(4, "big") for n in (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000))
    quarter = b"".join(
        (n & 0xFFFFFFFF).to_bytes(4, "big") for n in (0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000)
    )
    at = content.index(upright, content.index(b"tkhd"))
    content[at : at + len(upright)] = quarter
    out.write_bytes(content)
    return out
