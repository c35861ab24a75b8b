"""Pictures to the tensors that a checkpoint's own image processor makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from crossgauge.errors import Fault, InputError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._transformers.loading import before_5, load_image_processor

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels: TypeAlias = Mapping[str, Any]  # name → tensor whose first axis runs over pictures
MOST = 100_000_000  # pixels after resizing: a line of one pixel's height would fill the memory


class Pictures:
    """An image processor, loaded at once: it is a configuration file, and which library resizes is pinned."""

    def __init__(self, checkpoint: Checkpoint, *, backend: str, code: bool) -> None:
        self._processor = load_image_processor(checkpoint, backend=backend, code=code)
        # Before release 5 a picture three pixels high is taken for three channels, unless told otherwise.
        self._layout = {"input_data_format": "channels_last"} if before_5() and not code else {}

    @property
    def backend(self) -> str:
        """The library that resizes: ``torchvision`` or ``pil``; their pixels differ."""
        fast = type(self._processor).__name__.endswith("Fast")
        return str(getattr(self._processor, "backend", "torchvision" if fast else "pil"))

    @property
    def described(self) -> str:
        """How pictures are read, in a few words."""
        return f"{type(self._processor).__name__} ({self.backend})"

    def pixels(self, pictures: Sequence[Image], *, item: str) -> Pixels:
        """The tensors of one picture, or of the frames of one video.

        Raises InputError (E624) for a picture so long that resizing it would fill the memory.
        """
        for picture in pictures:
            self._refuse_long(picture, item)
        return dict(self._processor(images=list(pictures), return_tensors="pt", **self._layout))

    def _refuse_long(self, picture: Image, item: str) -> None:
        """The shorter edge is brought to a size, and the longer one follows."""
        size = getattr(self._processor, "size", None)
        edge = (
            dict(size).get("shortest_edge") if size and getattr(self._processor, "do_resize", False) else None
        )
        if not edge:
            return
        width, height = picture.size
        pixels = edge * edge * max(width, height) / min(width, height)
        if pixels > MOST:
            found = f"{width} × {height} pixels: resized by the shorter edge to {edge}, {pixels:,.0f} pixels"
            raise InputError(Fault("E624", f"item {item}", found, f"at most {MOST:,}", "crop it"))
