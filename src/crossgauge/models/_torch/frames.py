"""Videos for models that know only pictures: frames spread over the clip, one vector for all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, UsageError
from crossgauge.media import load_image
from crossgauge.models._torch.named import Named
from crossgauge.types import Item
from crossgauge.video import load_frames
from crossgauge.video.limits import MOST_SAMPLED

if TYPE_CHECKING:
    from PIL.Image import Image

Rows = npt.NDArray[np.float32]
_RATE = re.compile(r"(\d{1,5}(?:\.\d{1,6})?)fps")


class Sampling(NamedTuple):
    """How many frames stand for a video: a number, or so many for each of its seconds."""

    frames: int
    fps: float | None = None  # then ``frames`` does not count

    def __str__(self) -> str:
        """As a line about a model says it.

        >>> str(Sampling(8)), str(Sampling(1, fps=0.5))
        ('8 frames a video', '0.5 frames a second of video')
        """
        if self.fps is None:
            return f"{self.frames} frames a video"
        return f"{self.fps:g} frames a second of video"


def sampling_of(named: Named, place: str) -> Sampling | None:
    """What the setting ``frames=N`` or ``frames=Nfps`` asks for; None where it is not given.

    Raises UsageError (E412).

    >>> from crossgauge.models._torch.named import read_name
    >>> [sampling_of(read_name(f"m#frames={text}", "x", defaults={"frames": ""}, usage=""), "x")
    ...  for text in ("8", "0.5fps", "")]
    [Sampling(frames=8, fps=None), Sampling(frames=1, fps=0.5), None]
    """
    text = named.settings["frames"]
    if not text:
        return None
    rate = _RATE.fullmatch(text) if text.isascii() else None
    if rate and 0 < float(rate[1]) < MOST_SAMPLED:
        return Sampling(1, float(rate[1]))
    if text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_SAMPLED:
        return Sampling(int(text))
    wanted = f"a whole number from 1 to {MOST_SAMPLED}, or so many a second: frames=2fps"
    raise UsageError(Fault("E412", place, f"the setting frames={text}", wanted))


def pictures_of(item: Item, *, frames: Sampling | None) -> list[Image]:
    """An item's picture, or frames of its video, as 8-bit RGB; [] where it shows nothing.

    ``frames`` is None where the model takes no videos. Raises InputError where the file cannot be read.
    """
    if item.video is not None and frames is not None:
        return load_frames(item.video, item=item.id, frames=frames.frames, fps=frames.fps)
    return [] if item.image is None else [load_image(item.image, item=item.id)]


def mean_of_frames(rows: Rows, counts: Sequence[int]) -> Rows:
    """One row each, (len(counts), D): of several frames the mean of their unit vectors, of one its own row.

    ``rows`` are those of all frames in order, (sum(counts), D). A frame whose vector is zero counts as zero.

    >>> mean_of_frames(np.float32([[3, 0], [0, 2], [5, 5]]), [2, 1]).tolist()
    [[0.5, 0.5], [5.0, 5.0]]
    """
    ends = np.cumsum([0, *counts])
    parts = [rows[start:end] for start, end in pairwise(ends)]
    return np.stack([part[0] if len(part) == 1 else _mean(part) for part in parts])


def _mean(frames: Rows) -> Rows:
    exact = frames.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    units = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths != 0)
    mean: Rows = units.mean(axis=0).astype(np.float32)
    return mean
