"""The made-up pictures, drawn by code: plain grounds, zebras and trees of our own, and the package's emoji.

Every thing fills its box, so that boxes lie where things are, and pictures have the annotated proportions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from crossgauge.benchmarks.emoji import DATA
from crossgauge.benchmarks.vg_coco.sample_scenes import HEIGHT, WIDTH, Box, Scene

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

_FINER = 4  # drawn so much larger and made small, for smooth edges
_QUALITY = 80
_INK, _HIDE = "#26241f", "#f4f1ea"
_Point = tuple[float, float]


def paint(scene: Scene, path: Path) -> None:
    """Draw a scene as JPEG; equal scenes give equal bytes."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    canvas = Image.new("RGB", (WIDTH * _FINER, HEIGHT * _FINER), scene.colour)
    for thing in scene.things:
        kind, _, detail = thing.look.partition(" ")
        for box in (*thing.unboxed, *thing.boxes) if kind else ():
            _LOOKS[kind](canvas, _finer(box), detail)
    small = canvas.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    small.save(path, format="JPEG", quality=_QUALITY, optimize=True)


def _finer(box: Box) -> Box:
    x, y, width, height = box
    return x * _FINER, y * _FINER, width * _FINER, height * _FINER


def _pen(canvas: Image.Image) -> ImageDraw.ImageDraw:
    from PIL import ImageDraw

    return ImageDraw.Draw(canvas)


def _at(box: Box, *shares: _Point) -> list[_Point]:
    """Points of a box from shares of its width and height; a pixel short of its right and lower edge."""
    x, y, width, height = box
    return [(x + across * (width - 1), y + down * (height - 1)) for across, down in shares]


def _fill(canvas: Image.Image, box: Box, colour: str) -> None:
    _pen(canvas).rectangle(_at(box, (0, 0), (1, 1)), fill=colour)


def _disc(canvas: Image.Image, box: Box, colour: str) -> None:
    _pen(canvas).ellipse(_at(box, (0, 0), (1, 1)), fill=colour)


def _hill(canvas: Image.Image, box: Box, colour: str) -> None:
    _pen(canvas).pieslice(_at(box, (0, 0), (1, 2)), 180, 360, fill=colour)


def _grass(canvas: Image.Image, box: Box, _: str) -> None:
    """Blades that lean to and fro."""
    pen, blades = _pen(canvas), 64
    for blade in range(blades):
        foot, lean = (blade + 0.5) / blades, (0.012, -0.008, 0.004)[blade % 3]
        tip = (min(max(foot + lean, 0), 1), (0.0, 0.35, 0.2, 0.5)[blade % 4])
        pen.polygon(_at(box, (foot - 0.01, 1), (foot + 0.01, 1), tip), fill=("#5f8a34", "#769f45")[blade % 2])


def _tree(canvas: Image.Image, box: Box, _: str) -> None:
    pen = _pen(canvas)
    pen.polygon(_at(box, (0.44, 1), (0.56, 1), (0.54, 0.5), (0.46, 0.5)), fill="#6d4a2b")
    pen.line(_at(box, (0.5, 0.62), (0.82, 0.5)), fill="#6d4a2b", width=max(box[2] // 24, 1))
    for left, top, right, bottom in ((0, 0.14, 0.6, 0.54), (0.4, 0.16, 1, 0.56), (0.18, 0, 0.82, 0.46)):
        pen.ellipse(_at(box, (left, top), (right, bottom)), fill="#3f7d3a")


def _zebra(canvas: Image.Image, box: Box, _: str) -> None:
    """A zebra that looks to the right: legs, trunk, neck, head; stripes only where it is white."""
    from PIL import Image

    hide = Image.new("L", canvas.size, 0)
    pen = _pen(hide)
    for leg in (0.16, 0.28, 0.58, 0.69):
        pen.polygon(_at(box, (leg, 0.55), (leg + 0.1, 0.55), (leg + 0.07, 1), (leg + 0.01, 1)), fill=255)
    pen.ellipse(_at(box, (0.08, 0.3), (0.78, 0.72)), fill=255)
    pen.polygon(_at(box, (0.58, 0.42), (0.74, 0.05), (0.88, 0.12), (0.78, 0.58)), fill=255)
    pen.polygon(_at(box, (0.74, 0.06), (0.86, 0.06), (1, 0.28), (0.95, 0.38), (0.76, 0.24)), fill=255)
    stripes = Image.new("RGB", canvas.size, _HIDE)
    pen = _pen(stripes)
    for stripe in range(13):
        foot = 0.06 + 0.07 * stripe
        pen.line(_at(box, (foot, 1), (foot + 0.06, 0)), fill=_INK, width=max(box[2] // 40, 1))
    canvas.paste(stripes, mask=hide)
    pen = _pen(canvas)
    pen.polygon(_at(box, (0.67, 0.3), (0.71, 0.02), (0.84, 0), (0.74, 0.1)), fill=_INK)  # the mane
    pen.polygon(_at(box, (0.95, 0.38), (1, 0.28), (0.96, 0.24), (0.9, 0.34)), fill=_INK)  # the muzzle
    pen.line(_at(box, (0.1, 0.42), (0, 0.66)), fill=_INK, width=max(box[2] // 40, 1))  # the tail


def _emoji(canvas: Image.Image, box: Box, codepoint: str) -> None:
    """A picture of the package, cut to what it shows, over the whole box."""
    from PIL import Image

    with Image.open(DATA / "images" / f"{codepoint}.png") as opened:
        shown = opened.convert("RGBA")
    shown = shown.crop(shown.getchannel("A").getbbox())
    x, y, width, height = box
    large = shown.resize((width, height), Image.Resampling.LANCZOS)
    canvas.paste(large, (x, y), large)


_LOOKS: Mapping[str, Callable[[Image.Image, Box, str], None]] = {
    "fill": _fill, "disc": _disc, "hill": _hill, "grass": _grass, "tree": _tree, "zebra": _zebra,
    "emoji": _emoji,
}  # fmt: skip
