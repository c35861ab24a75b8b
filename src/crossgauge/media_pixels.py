"""From what Pillow unpacked to 8-bit RGB: transparency on white, upright. Part of the policy of ``media``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from crossgauge.errors import Fault, InputError

if TYPE_CHECKING:
    from PIL.Image import Image

WHITE = (255, 255, 255)

_ORIENTATION = 0x0112  # the EXIF tag


def upright_rgb(picture: Image, place: str) -> Image:
    """Eight bits a channel, three channels, turned as EXIF says; ``place`` is what the error names.

    Raises InputError (E166) for pixels without a defined white.

    >>> upright_rgb(pillow()[0].new("L", (2, 1), 7), "p").getpixel((0, 0))
    (7, 7, 7)
    """
    return _turned(_rgb(picture, place), _orientation(picture))


def _rgb(picture: Image, place: str) -> Image:
    """Eight bits a channel, three channels, transparency composited on white."""
    mode = picture.mode
    if mode == "RGB" and not picture.has_transparency_data:
        return picture
    if mode.startswith("I;16"):
        return _from_16_bit(picture)
    if mode in {"I", "F"}:
        found = f"32-bit pixels (mode {mode}): their white is not defined"
        raise InputError(
            Fault("E166", place, found, "8 or 16 bits a channel", "scale them to 8 bits yourself")
        )
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    module, _ = pillow()
    layer = picture if mode == "RGBA" else picture.convert("RGBA")
    white: Image = module.new("RGB", layer.size, WHITE)
    white.paste(layer, mask=layer)
    return white


def _from_16_bit(picture: Image) -> Image:
    """Grey of 16 bits by its high byte, as Pillow does for colour; a transparent grey level becomes white."""
    import numpy as np

    module, _ = pillow()
    values = np.asarray(picture)
    grey = (values >> 8).astype(np.uint8)
    key = picture.info.get("transparency")
    if isinstance(key, int):
        grey[values == key] = 255
    image: Image = module.fromarray(grey)
    return image.convert("RGB")


def _orientation(picture: Image) -> int:
    """The EXIF orientation, 1 to 8; an EXIF block that cannot be read turns nothing, as in browsers."""
    try:
        value = picture.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001  (a tag parser fed with damaged bytes may raise anything)
        return 1
    return value if isinstance(value, int) else 1


def _turned(picture: Image, orientation: int) -> Image:
    """The picture upright; a value that EXIF does not define turns nothing."""
    module, _ = pillow()
    turn = module.Transpose
    method = {
        2: turn.FLIP_LEFT_RIGHT,
        3: turn.ROTATE_180,
        4: turn.FLIP_TOP_BOTTOM,
        5: turn.TRANSPOSE,
        6: turn.ROTATE_270,
        7: turn.TRANSVERSE,
        8: turn.ROTATE_90,
    }.get(orientation)
    return picture if method is None else picture.transpose(method)


@lru_cache(maxsize=1)
def pillow() -> tuple[Any, Any]:
    """Pillow's two modules, with the six readers we allow registered and none of the others.

    >>> [module.__name__ for module in pillow()]
    ['PIL.Image', 'PIL.ImageFile']
    """
    from PIL import (  # noqa: F401
        BmpImagePlugin,
        GifImagePlugin,
        Image,
        ImageFile,
        JpegImagePlugin,
        MpoImagePlugin,
        PngImagePlugin,
        TiffImagePlugin,
        WebPImagePlugin,
    )

    return Image, ImageFile
