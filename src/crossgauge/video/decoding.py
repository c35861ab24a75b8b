"""From packets to upright RGB pictures, from the first frame on and without a guess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from crossgauge.errors import InputError
from crossgauge.media_pixels import WHITE
from crossgauge.video.limits import damaged
from crossgauge.video.opening import telling
from crossgauge.video.timeline import Timeline

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

_BILINEAR, _ACCURATE, _BITEXACT = 1 << 1, 1 << 18, 1 << 19  # FFmpeg's SWS_ flags: the same on any processor


def decoded(container: Any, stream: Any, skipped: int) -> Iterator[Any]:
    """Every frame, in the order they are shown; ``skipped`` packets at the start are not decoded."""
    for number, packet in enumerate(container.demux(stream)):
        if number >= skipped:
            yield from packet.decode()


def pictures(
    container: Any, stream: Any, timeline: Timeline, wanted: set[int], place: str
) -> dict[int, Picture] | None:
    """The frames at these positions of the timeline; None where the decoder shows others than it says.

    Raises InputError (E662) for damage before the last of them.
    """
    found: dict[int, Picture] = {}
    places = {time: position for position, time in enumerate(timeline.times)}
    last = max(wanted)
    with telling(place):
        for number, frame in enumerate(decoded(container, stream, timeline.skipped)):
            position = number if timeline.numbered else places.get(frame.pts)
            if position is None:
                return None
            if frame.is_corrupt and position <= last:
                raise InputError(damaged(place, f"a damaged frame at {frame.time} s"))
            if position in wanted and position not in found:
                found[position] = upright(frame)
            if len(found) == len(wanted):
                return found
    return None


def upright(frame: Any) -> Picture:
    """The frame as RGB, turned as the display matrix says (degrees, counterclockwise)."""
    from PIL.Image import Transpose

    picture = _rgb(frame)
    turns = round(frame.rotation / 90) % 4
    method = {1: Transpose.ROTATE_90, 2: Transpose.ROTATE_180, 3: Transpose.ROTATE_270}.get(turns)
    return picture if method is None else picture.transpose(method)


def _rgb(frame: Any) -> Picture:
    """Eight bits a channel; transparency lies on white, as in pictures."""
    import numpy as np
    from PIL import Image

    given = {"interpolation": _BILINEAR | _ACCURATE | _BITEXACT, "threads": 1}
    see_through = frame.format.has_palette or any(part.is_alpha for part in frame.format.components)
    if not see_through:
        return Image.fromarray(frame.to_ndarray(format="rgb24", **given))
    layer = Image.fromarray(np.ascontiguousarray(frame.to_ndarray(format="rgba", **given)))
    white = Image.new("RGB", layer.size, WHITE)
    white.paste(layer, mask=layer)
    return white
