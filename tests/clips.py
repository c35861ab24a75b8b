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


def write_clip(path: Path, greys: Sequence[int], *, side: int = 64, **how: Any) -> Path:
    """A clip of plain greys; ``how`` as in :func:`write_pictures`."""
    pictures = [Image.new("RGB", (side, side // 2), (grey,) * 3) for grey in greys]
    return write_pictures(path, pictures, **how)


def write_pictures(
    path: Path, pictures: Sequence[Image.Image], *, times: Sequence[int] | None = None, rate: int = 25,
    codec: str = "", options: dict[str, str] | None = None, matrix: int = 2,
) -> Path:  # fmt: skip
    """A clip of pictures of one even size, in the format that the name says.

    ``times`` are the frames' in units of 1/rate s; ``matrix`` is the number of the colour matrix in H.264.
    """
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec or CODECS[path.suffix], rate=rate, options=options or {})
        stream.width, stream.height = pictures[0].size
        stream.pix_fmt = "rgb8" if path.suffix == ".gif" else "yuv420p"
        stream.codec_context.colorspace = matrix
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_image(picture).reformat(
                format=stream.pix_fmt, dst_colorspace=1 if matrix == 1 else 5
            )
            if times is not None:
                frame.pts, frame.time_base = times[number], Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_sound(path: Path, *, cover: bool = False) -> Path:
    """A file of silence, without pictures but for the cover of a song."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=44100)
        picture: Any = container.add_stream("mjpeg") if cover else None
        if picture is not None:
            picture.width = picture.height = 16
            picture.pix_fmt, picture.disposition = "yuvj420p", av.stream.Disposition.attached_pic
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if picture is not None:
            drawn = av.VideoFrame.from_image(Image.new("RGB", (16, 16))).reformat(format="yuvj420p")
            container.mux([*picture.encode(drawn), *picture.encode(None)])
    return path


def turned(path: Path, out: Path, *, quarters: int = 1) -> Path:
    """The same MP4 with quarter turns, clockwise, in its display matrix, as phones write it."""
    content = bytearray(path.read_bytes())
    upright, *turns = (
        b"".join((n & 0xFFFFFFFF).to_bytes(4, "big") for n in (a, b, 0, c, d, 0, 0, 0, 0x40000000))
        for a, b, c, d in (
            (0x10000, 0, 0, 0x10000), (0, 0x10000, -0x10000, 0), (-0x10000, 0, 0, -0x10000),
            (0, -0x10000, 0x10000, 0),
        )
    )  # fmt: skip
    at = content.index(upright, content.index(b"tkhd"))
    content[at : at + len(upright)] = turns[quarters - 1]
    out.write_bytes(content)
    return out


def trimmed(path: Path, out: Path, *, skip: float) -> Path:
    """The same MP4 with an edit list that leaves out its first ``skip`` seconds, as phones trim."""
    content = bytearray(path.read_bytes())
    at = content.index(b"elst") + 12  # version, number of entries; then duration and start of the first
    with av.open(str(path)) as container:
        ticks = round(skip / container.streams.video[0].time_base)
    start = int.from_bytes(content[at + 4 : at + 8], "big") + ticks
    content[at + 4 : at + 8] = start.to_bytes(4, "big")
    duration = int.from_bytes(content[at : at + 4], "big") - round(skip * 1000)
    content[at : at + 4] = duration.to_bytes(4, "big")
    out.write_bytes(content)
    return out
