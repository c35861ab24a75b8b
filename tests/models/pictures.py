"""Pictures of every kind that users have: the decode policy makes them RGB, a model must take them all."""

from __future__ import annotations

from pathlib import Path

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
    }
    for name, picture in made.items():
        options = {"exif": turned} if name == "exif.jpg" else {}
        picture.save(folder / name, **options)
    return {name: folder / name for name in made}
