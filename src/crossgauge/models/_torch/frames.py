"""Videos for models that know only pictures: frames spread over the clip, one vector for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crossgauge.media import load_image
from crossgauge.types import Item
from crossgauge.video import load_frames

if TYPE_CHECKING:
    from PIL.Image import Image

Rows = npt.NDArray[np.float32]


def pictures_of(item: Item, *, frames: int) -> list[Image]:
    """An item's picture, or ``frames`` frames of its video, as 8-bit RGB; [] where it shows nothing.

    Raises InputError where the file cannot be read.
    """
    if item.video is not None:
        return load_frames(item.video, item=item.id, frames=frames)
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
