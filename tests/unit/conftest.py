"""Pictures and folders of pictures that several modules of tests make."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from crossgauge.types import Item

Rows = Callable[..., Path]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    """Write rows as JSON lines beside pictures a.png, b.png and c.png."""
    for number, name in enumerate(("a", "b", "c")):
        Image.new("RGB", (4, 4), (number, 0, 0)).save(tmp_path / f"{name}.png")

    def write(*lines: object) -> Path:
        text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        (tmp_path / "metadata.jsonl").write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def picture(tmp_path: Path) -> Callable[..., Item]:
    """Make an item with a picture of one colour."""

    def make(name: str, colour: str = "red", size: tuple[int, int] = (4, 3)) -> Item:
        path = tmp_path / f"{name}.png"
        Image.new("RGB", size, colour).save(path)
        return Item(name, image=path)

    return make
