"""From a video file to a few frames: one policy for every model, so that numbers do not depend on it.

The policy, version :data:`POLICY`:

- The content decides the format, never the name: MP4/MOV, Matroska/WebM, AVI, MPEG-TS, MPEG-PS, Ogg, GIF.
- At most 2 GiB a file, 40 million pixels a frame and 500,000 frames, all known before anything is decoded.
- The first video stream. Its clip runs from the first frame's time to the end of the last frame.
- ``frames=N``: the clip is cut into N equal spans of *time*; the frame shown in the middle of each is taken,
  so variable frame rates are sampled as they are seen. A clip of fewer frames gives some of them twice.
- ``fps=F``: as many spans as the duration times F, rounded, at least one.
- Frames are decoded from the start, never by seeking, so a file's index changes nothing.
- The rotation stored beside the pictures is applied. Pixels are taken as square; colours become 8-bit RGB by
  FFmpeg's conversion.
- Damage anywhere up to the last frame that is needed is an error, never a grey frame.
"""

from __future__ import annotations

import bisect
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crossgauge.errors import EnvironmentFault, Fault, InputError, UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

POLICY = 1  # raise it when other frames, or other pixels, come out: vectors are then computed anew
MAX_BYTES = 2 << 30
MAX_PIXELS = 40_000_000
MAX_FRAMES = 500_000
MOST_SAMPLED = 4_096
LEAST_SHARE = 0.9  # of the declared duration; with less, the file was cut off
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,ogg,gif"
_WANTED = "a whole MP4, MOV, WebM, Matroska, AVI, MPEG, Ogg or GIF file"


class Span(NamedTuple):
    """When the frames of a clip are shown, in the stream's own ticks."""

    times: Sequence[int]  # (F,) ascending
    end: int  # of the last frame
    tick: Fraction  # seconds


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
    _check_file(file, place)
    av = _library(place)
    with _opened(av, file, place) as container:
        span = _span(container, place)
    middles = sample_times(span, frames=frames if fps is None else _count(span, fps))
    wanted = [span.times[bisect.bisect_right(span.times, time) - 1] for time in middles]
    with _opened(av, file, place) as container:
        found = _decoded(container, set(wanted), place)
    return [found[time] for time in wanted]


def sample_times(span: Span, *, frames: int) -> list[int]:
    """The middles of ``frames`` equal spans of a clip, in ticks.

    >>> sample_times(Span([0, 10, 20, 30], end=40, tick=Fraction(1, 10)), frames=2)
    [10, 30]
    """
    start = span.times[0]
    length = max(span.end - start, 1)
    return [start + (2 * n + 1) * length // (2 * frames) for n in range(frames)]


def _count(span: Span, fps: float) -> int:
    seconds = float((span.end - span.times[0]) * span.tick)
    return min(MOST_SAMPLED, max(1, round(seconds * fps)))


def _check_file(file: Path, place: str) -> None:
    try:
        status = file.stat()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise InputError(Fault("E160", place, reason, "a video", "check the path")) from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(Fault("E160", place, "not a regular file", "a video", "check the path"))
    if status.st_size == 0:
        raise InputError(Fault("E161", place, "an empty file", _WANTED, "copy or download it again"))
    if status.st_size > MAX_BYTES:
        raise InputError(_over(place, f"{status.st_size:,} bytes", f"at most {MAX_BYTES:,}"))


def _library(place: str) -> Any:
    try:
        import av
    except ImportError as error:
        fix = "pip install 'crossgauge[video]'"
        raise EnvironmentFault(Fault("E660", place, f"PyAV: {error}", "the extra [video]", fix)) from error
    av.logging.set_level(av.logging.PANIC)  # what FFmpeg would print is told as a fault
    return av


@contextmanager
def _opened(av: Any, file: Path, place: str) -> Iterator[Any]:
    """The container, read from an open file: no name in it can lead to another file or address."""
    options = {"format_whitelist": FORMATS, "protocol_whitelist": ""}
    with file.open("rb") as stream:
        try:
            container = av.open(stream, options=options)
        except Exception as error:  # noqa: BLE001  (a parser fed with damaged bytes may raise anything)
            found = f"not a video that can be opened: {_reason(error)}"
            raise InputError(Fault("E661", place, found, _WANTED, "check what was saved here")) from None
        with container:
            yield container


def _span(container: Any, place: str) -> Span:
    """The times of all frames, from the packets' headers; nothing is decoded."""
    stream = _stream(container, place)
    shown = _shown(container, stream, place)
    times = sorted({time for time, _ in shown})
    if not times:
        raise InputError(_damaged(place, "no frame in it"))
    end = max(time + length for time, length in shown)
    step = times[-1] - times[-2] if len(times) > 1 else 1
    span = Span(times, end if end > times[-1] else times[-1] + step, Fraction(stream.time_base or 1))
    seconds, declared = float((span.end - times[0]) * span.tick), _declared(container, stream)
    if seconds < LEAST_SHARE * declared:
        raise InputError(_damaged(place, f"frames for {seconds:.1f} s of {declared:.1f} s"))
    return span


def _declared(container: Any, stream: Any) -> float:
    """How many seconds the file says its pictures last; 0 where it does not say, or means the sound too."""
    if stream.duration is not None:
        return float(stream.duration * stream.time_base)
    alone = len(container.streams) == 1 and container.duration is not None
    return container.duration / 1e6 if alone else 0.0


def _shown(container: Any, stream: Any, place: str) -> list[tuple[int, int]]:
    """When each frame is shown, and for how long (0: not said), in ticks."""
    found: list[tuple[int, int]] = []
    with _told(place):
        for packet in container.demux(stream):
            if packet.size:
                time = packet.pts if packet.pts is not None else packet.dts
                found.append((len(found) if time is None else time, packet.duration or 0))
            if len(found) > MAX_FRAMES:
                break
    if len(found) > MAX_FRAMES:
        raise InputError(_over(place, f"more than {MAX_FRAMES:,} frames", "a shorter clip"))
    return found


@contextmanager
def _told(place: str) -> Iterator[None]:
    """Whatever FFmpeg stumbles over inside is damage of the file (E662)."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  (a decoder fed with damaged bytes may raise anything)
        raise InputError(_damaged(place, _reason(error))) from None


def _stream(container: Any, place: str) -> Any:
    if not container.streams.video:
        kinds = sorted({stream.type for stream in container.streams}) or ["nothing"]
        found = f"it holds {' and '.join(kinds)}, and no pictures"
        raise InputError(Fault("E663", place, found, "a video stream", "check what was saved here"))
    stream = container.streams.video[0]
    size = (stream.codec_context.width or 0, stream.codec_context.height or 0)
    if size[0] * size[1] > MAX_PIXELS:
        raise InputError(_over(place, f"{size[0]} × {size[1]} pixels", f"at most {MAX_PIXELS:,}"))
    stream.codec_context.thread_count = 1  # files are read side by side already
    stream.codec_context.options = {"err_detect": "explode"}  # never conceal damage
    return stream


def _decoded(container: Any, wanted: set[int], place: str) -> dict[int, Image]:
    """The pictures shown at these times; raises InputError (E662) where not all of them come out whole."""
    stream = _stream(container, place)
    last = max(wanted)
    found: dict[int, Image] = {}
    damaged: list[float] = []
    with _told(place):
        for number, frame in enumerate(container.decode(stream)):
            time = frame.pts if frame.pts is not None else number
            if time in wanted:
                damaged += [frame.time] if frame.is_corrupt else []
                found[time] = _upright(frame)
            if len(found) == len(wanted) or time > last:
                break
    if damaged:
        raise InputError(_damaged(place, f"a damaged frame at {damaged[0]} s"))
    if lost := len(wanted) - len(found):
        raise InputError(_damaged(place, f"{lost} of {len(wanted)} frames cannot be decoded"))
    return found


def _upright(frame: Any) -> Image:
    """The frame as RGB, turned as the display matrix says (degrees, counterclockwise)."""
    from PIL.Image import Transpose

    picture: Image = frame.to_image()
    turns = round(frame.rotation / 90) % 4
    method = {1: Transpose.ROTATE_90, 2: Transpose.ROTATE_180, 3: Transpose.ROTATE_270}.get(turns)
    return picture if method is None else picture.transpose(method)


def _reason(error: Exception) -> str:
    """FFmpeg's word for it, without the number and the name that PyAV puts around it."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__).splitlines()[0]


def _damaged(place: str, what: str) -> Fault:
    return Fault("E662", place, f"damaged or cut off: {what}", _WANTED, "copy or download it again")


def _over(place: str, found: str, wanted: str) -> Fault:
    return Fault("E664", place, found, wanted, "cut a smaller copy")
