"""Small pictures inside the report: each stored once, WebP, and never more of them than the budget holds."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import PIL.Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
ATTEMPTS = ((144, 72), (112, 60), (80, 50))  # longest side in pixels, WebP quality: tried until all fit
MAX_FILE = 64 << 20
MAX_PIXELS = 80_000_000


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """One small picture; ``key`` is its id in the document."""

    key: str
    width: int
    height: int
    uri: str  # data:image/webp;base64,…


def thumbnails(
    paths: Iterable[str], *, budget: int, attempts: Sequence[tuple[int, int]] = ATTEMPTS
) -> Mapping[str, Thumbnail]:
    """The pictures by path, most important first in ``paths``, together at most ``budget`` bytes as text.

    Smaller sizes are tried before any is left out. A path that is gone or is no picture is left out.
    """
    wanted = list(dict.fromkeys(paths))
    made: dict[str, Thumbnail] = {}
    for side, quality in attempts:
        made = {}
        used = 0
        for path in wanted:
            thumbnail = _thumbnail(path, f"p{len(made)}", side=side, quality=quality)
            if thumbnail is not None and used + len(thumbnail.uri) <= budget:
                made[path] = thumbnail
            used += len(thumbnail.uri) if thumbnail else 0
        if used <= budget:
            break
    return made


def _thumbnail(path: str, key: str, *, side: int, quality: int) -> Thumbnail | None:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd metadata is the audit's business, not the report's
            picture = _small(Path(path), side)
            stream = io.BytesIO()
            picture.save(stream, "WEBP", quality=quality, method=4)
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError):
        return None
    uri = "data:image/webp;base64," + base64.b64encode(stream.getvalue()).decode("ascii")
    return Thumbnail(key, picture.width, picture.height, uri)


def _small(path: Path, side: int) -> PIL.Image.Image:
    """The picture upright and small; ValueError when it is too big to be opened for a thumbnail."""
    from PIL import Image, ImageOps

    if not path.is_file() or path.stat().st_size > MAX_FILE:
        raise ValueError(path)
    with Image.open(path, formats=FORMATS) as opened:
        if opened.width * opened.height > MAX_PIXELS:
            raise ValueError(path)
        opened.draft("RGB", (side * 2, side * 2))
        upright = ImageOps.exif_transpose(opened)
        has_alpha = "A" in upright.getbands() or "transparency" in upright.info
        small = upright.convert("RGBA" if has_alpha else "RGB")
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return small
