"""How large a picture may be, for models that take any size: their image processors say it in two ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossgauge.errors import Fault, UsageError
from crossgauge.models._torch.named import Named, whole

SETTINGS = {"max_pixels": "", "image_side": ""}


def size_of(images: Any, named: Named, place: str) -> Mapping[str, int] | None:
    """What an image processor's ``size`` becomes; None where neither setting was given.

    ``max_pixels``: width × height, for processors whose edges are areas (Qwen-VL and those after it).
    ``image_side``: the longer side in pixels, for those that bring it to a length (SmolVLM, Idefics 3).
    Raises UsageError (E412) for a setting that the processor does not have.
    """
    given = [key for key in SETTINGS if named.settings[key]]
    if not given:
        return None
    size, by_area = dict(getattr(images, "size", None) or {}), _by_area(images)
    fitting = "max_pixels" if by_area else "image_side" if set(size) == {"longest_edge"} else ""
    if given != [fitting]:
        found = f"the setting {' and '.join(f'{key}={named.settings[key]}' for key in given)}"
        wanted = f"{fitting}=N" if fitting else f"none of {', '.join(SETTINGS)}: it takes one size of picture"
        raise UsageError(Fault("E412", place, found, wanted))
    most = whole(named, fitting, place, least=1)
    if by_area:
        return size | {"longest_edge": most, "shortest_edge": min(most, size.get("shortest_edge") or most)}
    return {"longest_edge": most}


def _by_area(images: Any) -> bool:
    """Whether the processor knows ``max_pixels``, the name by which areas were first set."""
    names = getattr(getattr(images, "valid_kwargs", None), "__annotations__", {})
    return "max_pixels" in names or hasattr(images, "max_pixels")
