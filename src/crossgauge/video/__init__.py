"""From a video file to a few frames: one policy for every model, so that numbers do not depend on it.

The policy, version :data:`POLICY`:

- The content decides the format, never the name: MP4/MOV, Matroska/WebM, AVI, MPEG-TS, MPEG-PS, Ogg, GIF.
- The first video stream, from its first key frame on; the cover of a song is no video. The clip runs from
  the first frame's time to the end of the last frame.
- ``frames=N``: the clip is cut into N equal spans of *time*; the frame shown in the middle of each is taken,
  so variable frame rates are sampled as they are seen. A clip of fewer frames gives some of them twice.
- ``fps=F``: as many spans as the duration times F, rounded, at least one.
- Frames are decoded from the start, never by seeking, so a file's index changes nothing; in one thread.
- The rotation stored beside the pictures is applied (a mirror image is not). Pixels are taken as square,
  fields of interlaced video are not taken apart, high dynamic range is not mapped.
- Colours become 8-bit RGB by the matrix that the file names, BT.601 where it names none, with FFmpeg's
  bit-exact bilinear conversion. Transparency lies on white.
- At most 2 GiB a file, 40 million pixels a frame, 500,000 frames and 5e11 pixels to decode, all known before
  a frame is decoded for the sample; at most 1e9 pixels of frames given back.
- A file shorter than its own container says, and damage up to the last frame that is needed, are errors,
  never grey frames. (MPEG streams, Ogg and GIF do not say: a clip cut off between frames is a shorter clip.)
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.video.decoding import decoded, pictures
from crossgauge.video.limits import MAX_DECODED, MAX_KEPT, MOST_SAMPLED, damaged, over
from crossgauge.video.opening import check_file, library, opened
from crossgauge.video.timeline import Timeline, decoded_timeline, read_timeline

if TYPE_CHECKING:
    from PIL.Image import Image

POLICY = 1  # raise it when other frames, or other pixels, come out: vectors are then computed anew


def load_frames(
    path: str | os.PathLike[str], *, item: str, frames: int = 8, fps: float | None = None
) -> list[Image]:
    """Frames spread over a clip, 8-bit RGB, upright, in order (the policy above).

    ``item`` is the id that errors name; with ``fps`` the number of frames follows from the duration, and
    ``frames`` does not count. Raises InputError: E160 (cannot be read), E161 (empty), E661 (no video file),
    E662 (damaged or cut off), E663 (no pictures in it), E664 (over a budget); UsageError (E665) for a
    number of frames that is none; EnvironmentFault (E660) where the extra [video] is not installed.

    >>> load_frames("no.mp4", item="q1")
    Traceback (most recent call last):
    crossgauge.errors.InputError: E160 no.mp4 (item q1): no such file; wanted a video; fix: check the path
    """
    file = Path(path)
    place = f"{file} (item {item})" if item else str(file)
    if not (1 <= frames <= MOST_SAMPLED and (fps is None or 0 < fps < MOST_SAMPLED)):
        sane = f"1 to {MOST_SAMPLED:,} frames, or frames a second above 0"
        raise UsageError(Fault("E665", place, f"frames={frames}, fps={fps}", sane))
    check_file(file, place)
    av = library(place)
    with opened(av, file, place) as (container, stream):
        timeline = read_timeline(container, stream, place)
    found = _sampled(av, file, place, timeline, frames=frames, fps=fps)
    if found is None:  # the decoder shows other frames than the packets promise: fields, or times left out
        with opened(av, file, place) as (container, stream):
            timeline = decoded_timeline(decoded(container, stream, timeline.skipped), timeline, place)
        found = _sampled(av, file, place, timeline, frames=frames, fps=fps)
    if found is None:
        raise InputError(damaged(place, "not every frame can be decoded"))
    return found


def _sampled(
    av: Any, file: Path, place: str, timeline: Timeline, *, frames: int, fps: float | None
) -> list[Image] | None:
    """The frames that this timeline asks for; None where the decoder shows others."""
    count = frames if fps is None else max(1, round(timeline.seconds * fps))
    if count > MOST_SAMPLED:
        found = f"{timeline.seconds:.0f} s at {fps:g} frames a second: {count:,} frames"
        raise InputError(over(place, found, f"at most {MOST_SAMPLED:,}"))
    positions = timeline.sampled(count)
    with opened(av, file, place) as (container, stream):
        size = stream.codec_context.width * stream.codec_context.height
        _check_pixels(place, size=size, decode=max(positions) + 1, keep=len(set(positions)))
        found_at = pictures(container, stream, timeline, set(positions), place)
    return None if found_at is None else [found_at[position] for position in positions]


def _check_pixels(place: str, *, size: int, decode: int, keep: int) -> None:
    for what, count, most in (("decode", decode, MAX_DECODED), ("give back", keep, MAX_KEPT)):
        if count * size > most:
            found = f"{count:,} frames of {size:,} pixels to {what}"
            raise InputError(over(place, found, f"at most {most:.0e} pixels"))
