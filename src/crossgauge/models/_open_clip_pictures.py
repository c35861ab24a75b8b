"""Pictures to the tensors of an open_clip model's own evaluation transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crossgauge.errors import Fault, InputError
from crossgauge.models._open_clip_source import Source

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 224  # the library's, where a configuration does not say
MOST = 100_000_000  # pixels after resizing: a line of one pixel's height would fill the memory


class Pictures:
    """The transform that ``create_model_from_pretrained`` returns, made from configuration files alone.

    Raises InputError (E604) for a preprocess_cfg that the library does not accept.
    """

    def __init__(self, source: Source) -> None:
        from open_clip.transform import PreprocessCfg, image_transform_v2, merge_preprocess_dict

        side = source.config["vision_cfg"].get("image_size") or SIDE
        size = tuple(side) if isinstance(side, list | tuple) else (side, side)
        self._settings: Mapping[str, Any] = {**source.pictures, "size": size}
        try:
            merged = merge_preprocess_dict(PreprocessCfg(), dict(self._settings))
            self._transform = image_transform_v2(PreprocessCfg(**merged), is_train=False)
        except Exception as error:
            place = f"{source.checkpoint.place}, its preprocess_cfg"
            found = f"{type(error).__name__}: {error}"
            raise InputError(Fault("E604", place, found, "open_clip's own")) from error

    @property
    def described(self) -> str:
        """How pictures are read, in a few words."""
        height, width = self._settings["size"]
        mode = self._settings.get("resize_mode") or "shortest"
        kind = self._settings.get("interpolation") or "bicubic"
        return f"{mode} edge to {height} × {width}, {kind}".replace("squash edge", "squashed")

    def pixels(self, picture: Image, *, item: str) -> Any:
        """The tensor of one picture, (3, H, W); raises InputError (E637) for one that cannot be resized."""
        self._refuse_long(picture, item)
        return self._transform(picture)

    def _refuse_long(self, picture: Image, item: str) -> None:
        """The shorter edge is brought to a size and the longer follows, or the other way round."""
        mode = self._settings.get("resize_mode") or "shortest"
        longer, shorter = max(picture.size), min(picture.size)
        side = max(self._settings["size"])
        after = side * side * longer / shorter
        if mode == "shortest" and after > MOST:
            found = f"{picture.width} × {picture.height} pixels: {after:,.0f} when its shorter edge is {side}"
            raise InputError(Fault("E637", f"item {item}", found, f"at most {MOST:,}", "crop it"))
        if mode == "longest" and round(side * shorter / longer) < 1:
            found = (
                f"{picture.width} × {picture.height} pixels: no height is left when its longer edge is {side}"
            )
            raise InputError(
                Fault("E637", f"item {item}", found, f"at most {2 * side} times as long", "crop it")
            )
