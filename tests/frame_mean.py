"""The built-in encoder with videos as the mean of their frames: what an adapter does, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.models import load_model
from crossgauge.types import Item, Role
from crossgauge.video import POLICY, load_frames


@cache
def conse() -> Any:
    """One for all tests of a process: its text tower takes a second to load."""
    return load_model("conse")


class FrameMean:
    """ConSE, and for a video the mean of the vectors of its frames."""

    similarity = "cosine"
    joint = uses_role = False
    cacheable = True

    def __init__(self, frames: str = "2") -> None:
        self.inner = conse()
        self.frames = int(frames)
        self.name = f"frame-mean:{frames}"
        self.revision = f"{self.inner.revision}-{POLICY}"
        self.modalities = self.inner.modalities | {"video"}
        self.languages = self.inner.languages

    def prepare(self, item: Item) -> list[Any]:
        if item.video is None:
            return [self.inner.prepare(item)]
        frames = load_frames(item.video, item=item.id, frames=self.frames)
        one = self.inner.prepare(Item("", text=""))
        return [one._replace(text=None, pixels=self.inner._images.square(frame)) for frame in frames]

    def encode(self, prepared: Sequence[list[Any]], *, role: Role) -> npt.NDArray[np.float32]:
        rows = iter(self.inner.encode([one for parts in prepared for one in parts], role=role))
        return np.stack([np.mean([next(rows) for _ in parts], axis=0) for parts in prepared])
