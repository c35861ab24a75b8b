"""Made-up GEM data: four languages a part, in the layouts that are read by default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from crossgauge.benchmarks._drawing import draw
from crossgauge.benchmarks.gem.avi import write_avi

_THINGS = {
    "en": ("red circle", "blue square", "green bar"),
    "de": ("roter Kreis", "blaues Quadrat", "grüner Balken"),
    "ja": ("赤い円", "青い四角", "緑の棒"),
    "tr": ("kırmızı daire", "mavi kare", "yeşil çubuk"),
    "tl": ("pulang bilog", "asul na parisukat", "berdeng guhit"),
    "zh-s": ("红色圆形", "蓝色方块", "绿色长条"),
    "sr-l": ("crveni krug", "plavi kvadrat", "zelena traka"),
}  # GEM's codes
_SHOP = {
    "en": "{} – posters and prints", "de": "{} – Poster und Drucke", "ja": "{}のポスター",
    "tr": "{} – posterler", "tl": "{} – mga poster", "zh-s": "{}海报", "sr-l": "{} – posteri",
}  # fmt: skip
_DRAWN = (("red", "circle"), ("blue", "square"), ("green", "bar"))


def sample(folder: Path) -> None:
    """GEM-I in en, de, ja and tr as TSV, GEM-V in en, tl, zh-s and sr-l as JSON lines; three rows each.

    English has train and dev besides, of two rows each.
    """
    for number, code in enumerate(("en", "de", "ja", "tr")):
        for split in _splits(code):
            _pictures(folder / "GEM-I" / code, code, split, size=20 + number)
    for number, code in enumerate(("en", "tl", "zh-s", "sr-l")):
        for split in _splits(code):
            _videos(folder / "GEM-V", code, split, size=12 + number)


def _splits(code: str) -> tuple[str, ...]:
    return ("train", "dev", "test") if code == "en" else ("test",)


def _rows(code: str, split: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Key, query, title, colour and shape of each row."""
    rows = list(zip(_THINGS[code], _DRAWN, strict=True))[: 3 if split == "test" else 2]
    for number, (said, (colour, shape)) in enumerate(rows, start=1):
        key = f"{code}{number}" if split == "test" else f"{code}-{split}{number}"
        query = said if split == "test" else f"{said} {split}"
        yield key, query, _SHOP[code].format(said), colour, shape


def _pictures(home: Path, code: str, split: str, *, size: int) -> None:
    lines = ["query_id\tquery\timage_id\ttitle"]
    for key, query, title, colour, shape in _rows(code, split):
        draw(home / "images" / f"{key}.png", colour, shape=shape, size=size)
        lines.append(f"q-{key}\t{query}\t{key}\t{title}")
    (home / f"{split}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _videos(home: Path, code: str, split: str, *, size: int) -> None:
    lines = []
    for key, query, title, colour, shape in _rows(code, split):
        _film(home / "videos" / code / f"{key}.avi", colour, shape=shape, size=size)
        row = {"query_id": f"q-{key}", "query": query, "video_id": key, "title": title}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    (home / f"{split}.{code}.jsonl").write_text("".join(lines), encoding="utf-8")


def _film(path: Path, colour: str, *, shape: str, size: int) -> None:
    """Two frames: nothing, then the shape."""
    from PIL import Image, ImageDraw

    empty, full = (Image.new("RGB", (size, size), "white") for _ in range(2))
    pen, end = ImageDraw.Draw(full), size - 2
    box = (1, end // 3, end, 2 * end // 3) if shape == "bar" else (1, 1, end, end)
    (pen.ellipse if shape == "circle" else pen.rectangle)(box, fill=colour)
    write_avi(path, [empty, full])
