"""Tiny made-up pictures for the samples."""

from __future__ import annotations

from pathlib import Path


def draw(path: Path, colour: str, *, shape: str = "square", size: int = 24, kind: str = "PNG") -> None:
    """Draw a shape (square, circle, bar, cross) in a CSS colour on white; ``kind`` is the true format."""
    from PIL import Image, ImageDraw

    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (size, size), "white")
    pen, third, end = ImageDraw.Draw(image), size // 3, size - 4
    boxes = {
        "square": [(3, 3, end, end)],
        "bar": [(3, third, end, 2 * third)],
        "cross": [(3, third, end, 2 * third), (third, 3, 2 * third, end)],
    }
    if shape == "circle":
        pen.ellipse((3, 3, end, end), fill=colour)
    for box in boxes.get(shape, ()):
        pen.rectangle(box, fill=colour)
    image.save(path, format=kind)
