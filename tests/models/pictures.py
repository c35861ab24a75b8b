"""Pictures of every kind that users have: the decode policy makes them RGB, a model must take them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def of_every_kind(folder: Path) -> dict[str, Path]:
    """Kind → file."""
    rng = np.random.default_rng(3)
    colours = Image.fromarray(rng.integers(0, 256, (40, 56, 3), dtype=np.uint8))
    grey16 = Image.fromarray(rng.integers(0, 1 << 16, (33, 47), dtype=np.uint16))
    turned = Image.Exif()
    turned[0x0112] = 6
    made = {
        "rgb.png": colours,
        "grey.png": colours.convert("L"),
        "palette.png": colours.convert("P"),
        "rgba.png": colours.convert("RGBA").rotate(20, expand=True),
        "cmyk.jpg": colours.convert("CMYK"),
        "sixteen.png": grey16,
        "exif.jpg": colours,
        "pixel.png": colours.crop((3, 3, 4, 4)),
        "wide.png": colours.resize((900, 3)),
        "tall.png": colours.resize((1, 300)),
        "large.webp": colours.resize((333, 250)),
        "holes.png": colours.convert("P"),
        "jpeg.png": colours,
        "first.gif": colours.rotate(90, expand=True).convert("P"),
        "bits.png": colours.convert("1"),
        "shades.png": colours.convert("LA").rotate(20),
    }
    options: dict[str, dict[str, Any]] = {
        "exif.jpg": {"exif": turned},
        "holes.png": {"transparency": 0},
        "jpeg.png": {"format": "JPEG"},
        "first.gif": {"save_all": True, "append_images": [colours.rotate(180).convert("P")]},
    }
    for name, picture in made.items():
        picture.save(folder / name, **options.get(name, {}))
    return {name: folder / name for name in made}
