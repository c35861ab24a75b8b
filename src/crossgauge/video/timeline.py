"""When each frame of a clip is shown, and which frames a sample takes."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from crossgauge.errors import InputError
from crossgauge.video.limits import MAX_FRAMES, damaged, over
from crossgauge.video.opening import telling

UNTIMED = "avi"  # stores no times: its frames follow one another at one rate


class Timeline(NamedTuple):
    """The frames of a clip in the order they are shown, in the stream's own ticks."""

    times: Sequence[int]  # (F,) ascending
    end: int  # of the last frame
    tick: Fraction  # seconds
    skipped: int  # packets before the first key frame: they show nothing
    numbered: bool  # a decoded frame is known by its number, not by its time

    @property
    def seconds(self) -> float:
        """From the first frame's time to the end of the last."""
        return float((self.end - self.times[0]) * self.tick)

    def sampled(self, frames: int) -> list[int]:
        """The frames shown in the middle of each of ``frames`` equal spans of time, as positions.

        >>> Timeline([0, 10, 20, 30], 40, Fraction(1, 10), 0, numbered=False).sampled(2)
        [1, 3]
        """
        start, length = self.times[0], max(self.end - self.times[0], 1)
        middles = (start + (2 * n + 1) * length // (2 * frames) for n in range(frames))
        return [bisect.bisect_right(self.times, middle) - 1 for middle in middles]


def read_timeline(container: Any, stream: Any, place: str) -> Timeline:
    """From the packets' headers; nothing is decoded.

    Raises InputError: E662 (no frames), E664 (too many).
    """
    packets = _packets(container, stream, place)
    skipped = next((number for number, packet in enumerate(packets) if packet.key), 0)
    shown = [packet for packet in packets[skipped:] if packet.shown]
    times = sorted({packet.time for packet in shown})
    if not times:
        raise InputError(damaged(place, "no frame in it"))
    end = max(packet.time + packet.length for packet in shown)
    tick = Fraction(stream.time_base or 1)
    return Timeline(times, _end(times, end), tick, skipped, numbered=container.format.name == UNTIMED)


def decoded_timeline(frames: Iterator[Any], headers: Timeline, place: str) -> Timeline:
    """From the decoded frames themselves, where the packets' headers did not tell their times."""
    with telling(place):
        given = [frame.pts for frame in frames]
    if not given:
        raise InputError(damaged(place, "no frame in it"))
    rising = None not in given and all(one < other for one, other in pairwise(given))
    times = given if rising else list(range(len(given)))
    return headers._replace(times=times, end=_end(times, times[-1]), numbered=True)


class _Packet(NamedTuple):
    time: int
    length: int  # 0: not said
    key: bool
    shown: bool  # False: an edit list leaves it out


def _packets(container: Any, stream: Any, place: str) -> list[_Packet]:
    found: list[_Packet] = []
    with telling(place):
        for packet in container.demux(stream):
            if packet.size:
                time = packet.pts if packet.pts is not None else packet.dts
                time = len(found) if time is None else time
                found.append(_Packet(time, packet.duration or 0, packet.is_keyframe, not packet.is_discard))
            if len(found) > MAX_FRAMES:
                raise InputError(over(place, f"more than {MAX_FRAMES:,} frames", "a shorter clip"))
    return found


def _end(times: Sequence[int], end: int) -> int:
    """Where no length is said, the last frame stays as long as the one before it."""
    step = times[-1] - times[-2] if len(times) > 1 else 1
    return end if end > times[-1] else times[-1] + step
