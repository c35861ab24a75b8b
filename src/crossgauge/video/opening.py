"""A video file opened without trusting it: one container, its first video stream, nothing decoded yet."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.video.ends import stated_end
from crossgauge.video.limits import MAX_BYTES, MAX_PIXELS, WHOLE, damaged, over

FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,ogg,gif"
_OPTIONS = {"max_pixels": str(MAX_PIXELS), "err_detect": "explode"}  # never conceal damage


def check_file(file: Path, place: str) -> None:
    """Raise InputError where there is no file, nothing in it, too much, or less than it says it has."""
    try:
        status = file.stat()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise InputError(Fault("E160", place, reason, "a video", "check the path")) from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(Fault("E160", place, "not a regular file", "a video", "check the path"))
    if status.st_size == 0:
        raise InputError(Fault("E161", place, "an empty file", WHOLE, "copy or download it again"))
    if status.st_size > MAX_BYTES:
        raise InputError(over(place, f"{status.st_size:,} bytes", f"at most {MAX_BYTES:,}"))
    try:
        with file.open("rb") as stream:
            end = stated_end(stream, status.st_size)
    except OSError as error:
        fault = Fault("E160", place, error.strerror or str(error), "a video", "check the path")
        raise InputError(fault) from None
    if end > status.st_size:
        raise InputError(damaged(place, f"it has {status.st_size:,} bytes and says {end:,}"))


def library(place: str) -> Any:
    """PyAV, silenced; raises EnvironmentFault (E660) where the extra is not installed."""
    try:
        import av
    except ImportError as error:
        fix = "pip install 'crossgauge[video]'"
        raise EnvironmentFault(Fault("E660", place, f"PyAV: {error}", "the extra [video]", fix)) from error
    av.logging.set_level(av.logging.PANIC)  # what FFmpeg would print is told as a fault
    return av


@contextmanager
def opened(av: Any, file: Path, place: str) -> Iterator[tuple[Any, Any]]:
    """The container and its stream, from an open file: no name in it leads to another file or address.

    Raises InputError: E661 (no video of these formats), E663 (no pictures in it), E664 (frames too large).
    """
    options = {"format_whitelist": FORMATS, "protocol_whitelist": "", **_OPTIONS}
    with file.open("rb") as stream:
        try:
            container = av.open(stream, options=options)
        except Exception as error:  # noqa: BLE001  (a parser fed with damaged bytes may raise anything)
            found = f"not a video that can be opened: {reason(error)}"
            raise InputError(Fault("E661", place, found, WHOLE, "check what was saved here")) from None
        with container:
            yield container, _stream(av, container, place)


def _stream(av: Any, container: Any, place: str) -> Any:
    """The first stream of moving pictures: the cover of a song is none."""
    cover = av.stream.Disposition.attached_pic
    moving = [stream for stream in container.streams.video if not stream.disposition & cover]
    if not moving:
        kinds = sorted({stream.type for stream in container.streams} - {"video"})
        kinds += ["a cover picture"] if container.streams.video else []
        found = f"it holds {' and '.join(kinds) or 'nothing'}, and no moving pictures"
        raise InputError(Fault("E663", place, found, "a video stream", "check what was saved here"))
    stream = moving[0]
    context = stream.codec_context
    if context is None:
        found = "its pictures are coded in a way that this FFmpeg cannot decode"
        raise InputError(Fault("E661", place, found, WHOLE, "convert it to H.264 in MP4"))
    size = (context.width or 0, context.height or 0)
    if size[0] * size[1] > MAX_PIXELS:
        raise InputError(over(place, f"{size[0]} × {size[1]} pixels", f"at most {MAX_PIXELS:,}"))
    context.thread_count = 1  # files are read side by side already
    context.options = _OPTIONS
    return stream


@contextmanager
def telling(place: str) -> Iterator[None]:
    """Whatever FFmpeg stumbles over inside is damage of the file (E662)."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001  (a decoder fed with damaged bytes may raise anything)
        raise InputError(damaged(place, reason(error))) from None


def reason(error: Exception) -> str:
    """FFmpeg's word for it, without the number and the name that PyAV puts around it."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__).splitlines()[0]
