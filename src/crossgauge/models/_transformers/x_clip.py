"""X-CLIP: one vector of a whole clip, from as many frames as its configuration says.

Its ``forward`` changes a text's vector for each video (a prompt made from the frames), which no ranking of
stored vectors can do: vectors here are those of ``get_text_features`` and ``get_video_features``, without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossgauge.models._transformers.dual import Family, pooled

_CLIP = 5  # axes of a batch of clips: clips × frames × channels × height × width


@dataclass(frozen=True)
class XClip(Family):
    """``XCLIPModel``: videos and texts."""

    def native_frames(self, config: Any) -> int | None:
        """The number it was trained with; its position embeddings allow no other."""
        return int(config.vision_config.num_frames)

    def picture(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """The vectors of a batch of clips."""
        return pooled(model.get_video_features(pixel_values=inputs["pixel_values"]))


def as_clip(pixels: Mapping[str, Any]) -> Mapping[str, Any]:
    """The frames of one clip with an axis for the clip, whether or not the image processor made it."""
    values = pixels["pixel_values"]
    return {"pixel_values": values if values.ndim == _CLIP else values[None]}
