"""Pictures to the numbers an exported model expects, as ``preprocessor_config.json`` describes them.

The steps, their order and their rounding are those of the transformers library's image processors on Pillow:
resize (8 bits again), centre crop (zeros around what is too small), rescale in float64, normalise in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = npt.NDArray[np.float32]
MOST = 100_000_000  # pixels after resizing: a line of one pixel's height would fill the memory
_CLIP = {
    "do_resize": True, "size": {"shortest_edge": 224}, "resample": 3, "do_center_crop": True,
    "crop_size": {"height": 224, "width": 224}, "do_rescale": True, "rescale_factor": 1 / 255,
    "do_normalize": True, "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_std": [0.26862954, 0.26130258, 0.27577711],
}  # fmt: skip
_SQUARE = _CLIP | {"do_center_crop": False, "crop_size": None}
_HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "size": {"height": 224, "width": 224}}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "CLIP": _CLIP, "ChineseCLIP": _CLIP, "Bit": _CLIP, "Siglip": _SQUARE | _HALF,
    "Blip": _SQUARE | {"size": {"height": 384, "width": 384}}, "ViT": _SQUARE | _HALF | {"resample": 2},
}  # fmt: skip
EDGE = frozenset(
    {"CLIP", "ChineseCLIP", "Bit", "Siglip"}
)  # where one number is the shorter edge, not a square


@dataclass(frozen=True)
class Pictures:
    """The steps, each None where it is not taken."""

    edge: int | None  # the shorter edge after resizing
    square: tuple[int, int] | None  # height and width after resizing
    resample: int
    crop: tuple[int, int] | None  # height, width
    scale: float | None
    mean: tuple[float, ...] | None
    std: tuple[float, ...] | None

    @property
    def described(self) -> str:
        """The steps in one line.

        >>> Pictures(224, None, 3, (224, 224), 1 / 255, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)).described
        'shorter edge 224 (bicubic), crop 224 × 224, scaled by 0.00392157, mean 0.5 0.5 0.5, std 0.5 0.5 0.5'
        """
        filters = ("nearest", "Lanczos", "bilinear", "bicubic", "box", "Hamming")[self.resample]
        parts = [f"shorter edge {self.edge} ({filters})"] if self.edge else []
        parts += [f"{self.square[0]} × {self.square[1]} ({filters})"] if self.square else []
        parts += [f"crop {self.crop[0]} × {self.crop[1]}"] if self.crop else []
        parts += [f"scaled by {self.scale:g}"] if self.scale is not None else []
        for name, values in (("mean", self.mean), ("std", self.std)):
            parts += [f"{name} {' '.join(f'{value:g}' for value in values)}"] if values else []
        return ", ".join(parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of what comes out, the same for every picture."""
        found = self.crop or self.square
        assert found is not None  # noqa: S101  (read_pictures refuses the rest)
        return found

    def pixels(self, picture: Image, *, item: str) -> Pixels:
        """A picture as numbers, (3, height, width); raises InputError (E624) for one that is too long."""
        size = self._size(picture, item)
        shown = picture if size is None else picture.resize(size, resample=self.resample)
        planes = np.asarray(shown).transpose(2, 0, 1)
        if self.crop is not None:
            planes = _cropped(planes, *self.crop)
        values = (planes.astype(np.float64) * (1.0 if self.scale is None else self.scale)).astype(np.float32)
        if self.mean is not None and self.std is not None:
            mean, std = (np.array(some, np.float32)[:, None, None] for some in (self.mean, self.std))
            values = (values - mean) / std
        return np.ascontiguousarray(values)

    def _size(self, picture: Image, item: str) -> tuple[int, int] | None:
        """Width and height after resizing; None: as it is."""
        width, height = picture.size
        if self.square is not None:
            return self.square[1], self.square[0]
        if self.edge is None:
            return None
        long = int(self.edge * max(width, height) / min(width, height))
        if long * self.edge > MOST:
            found = f"{width} × {height} pixels: resized by the shorter edge, {long * self.edge:,} pixels"
            raise InputError(Fault("E624", f"item {item}", found, f"at most {MOST:,}", "crop it"))
        return (self.edge, long) if width <= height else (long, self.edge)


def read_pictures(document: Mapping[str, Any], place: str) -> Pictures:
    """The steps of a ``preprocessor_config.json``; raises InputError (E656) with all that are unknown."""
    named = str(document.get("image_processor_type") or document.get("feature_extractor_type") or "")
    kind = named
    for end in ("Pil", "Fast", "ImageProcessor", "FeatureExtractor"):
        kind = kind.removesuffix(end)
    if kind not in KINDS:
        known = ", ".join(f"{one}ImageProcessor" for one in KINDS)
        fix = "or transformers:ID, which has them all"
        raise InputError(Fault("E656", place, f"image_processor_type {named!r}", f"one of: {known}", fix))
    said = {**KINDS[kind], **{key: value for key, value in document.items() if value is not None}}
    faults: list[Fault] = []
    step = _Step(said, place, faults)
    resized, cropped = said["do_resize"], said["do_center_crop"] and said["crop_size"]
    edge, square = step.size("size", edge=kind in EDGE) if resized else (None, None)
    crop = step.size("crop_size", edge=False)[1] if cropped else None
    made = Pictures(
        edge, square, step.resample(), crop, step.number("rescale_factor") if said["do_rescale"] else None,
        step.channels("image_mean") if said["do_normalize"] else None,
        step.channels("image_std") if said["do_normalize"] else None,
    )  # fmt: skip
    if said.get("do_pad"):
        faults.append(Fault("E656", place, "do_pad", "a square or a crop: every picture of one size"))
    if square is None and crop is None:
        faults.append(Fault("E656", place, "pictures that keep their shape", "a square, or do_center_crop"))
    if faults:
        raise InputError(faults)
    return made


class _Step:
    """Reads values, and notes those that it cannot use."""

    def __init__(self, said: Mapping[str, Any], place: str, faults: list[Fault]) -> None:
        self._said, self._place, self._faults = said, place, faults

    def size(self, key: str, *, edge: bool) -> tuple[int | None, tuple[int, int] | None]:
        """The shorter edge, or height and width."""
        value = self._said[key]
        if isinstance(value, int):
            value = {"shortest_edge": value} if edge else {"height": value, "width": value}
        if isinstance(value, dict):
            found = {name: side for name, side in value.items() if side is not None}
            if all(isinstance(side, int) and 0 < side <= 10_000 for side in found.values()):  # noqa: PLR2004
                if set(found) == {"shortest_edge"}:
                    return found["shortest_edge"], None
                if set(found) == {"height", "width"}:
                    return None, (found["height"], found["width"])
        self._refuse(key, "shortest_edge, or height and width, up to 10,000")
        return None, (1, 1)

    def resample(self) -> int:
        value = self._said["resample"]
        if isinstance(value, int) and 0 <= value <= 5:  # noqa: PLR2004  (Pillow's filters)
            return value
        self._refuse("resample", "the number of a filter of Pillow, 0 to 5")
        return 0

    def number(self, key: str) -> float:
        value = self._said[key]
        if isinstance(value, int | float) and 0 < value < float("inf"):
            return float(value)
        self._refuse(key, "a number above 0")
        return 1.0

    def channels(self, key: str) -> tuple[float, ...]:
        value = self._said[key]
        values = value if isinstance(value, list) else [value] * 3
        good = all(isinstance(one, int | float) and abs(one) < float("inf") for one in values)
        if good and len(values) == 3 and (key == "image_mean" or all(values)):  # noqa: PLR2004
            return tuple(float(one) for one in values)
        self._refuse(key, "three numbers" + ("" if key == "image_mean" else " that are not 0"))
        return (1.0, 1.0, 1.0)

    def _refuse(self, key: str, wanted: str) -> None:
        self._faults.append(Fault("E656", self._place, f"{key} {self._said[key]!r}"[:200], wanted))


def _cropped(planes: npt.NDArray[np.uint8], height: int, width: int) -> npt.NDArray[np.uint8]:
    """The middle of a picture, (3, height, width); where it is smaller, in the middle of black."""
    _, tall, wide = planes.shape
    around = np.zeros((3, max(height, tall), max(width, wide)), dtype=planes.dtype)
    top, left = -(-(around.shape[1] - tall) // 2), -(-(around.shape[2] - wide) // 2)
    around[:, top : top + tall, left : left + wide] = planes
    top, left = (tall - height) // 2 + top, (wide - width) // 2 + left
    return around[:, max(0, top) : top + height, max(0, left) : left + width]
