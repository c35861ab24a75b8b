"""From a picture file to pixels: one decode policy for every model, so that numbers do not depend on it.

The policy, version :data:`POLICY`:

- The content decides the format, never the name: JPEG, PNG, WebP, GIF, BMP, TIFF; of frames the first.
- At most 64 MiB a file and 40 million pixels, both known before a pixel is unpacked.
- The EXIF rotation is applied. Colour profiles are not. CMYK and YCbCr become RGB by Pillow's formulas.
- Sixteen bits a channel keep the high byte (scaled, not clipped). Transparency lies on white.
- Pictures of 32-bit integers or floats have no defined white: refused.
- JPEG is decoded whole (no ``draft``); a cut-off or damaged file is an error, never grey pixels.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.media_pixels import pillow, upright_rgb

if TYPE_CHECKING:
    from PIL.Image import Image

POLICY = 1  # raise it when the pixels of any picture change: cached vectors are then computed anew
MAX_BYTES = 64 << 20
MAX_PIXELS = 40_000_000
SUFFIXES = {
    "JPEG": frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".mpo"}),
    "PNG": frozenset({".png", ".apng"}),
    "WEBP": frozenset({".webp"}),
    "GIF": frozenset({".gif"}),
    "BMP": frozenset({".bmp", ".dib"}),
    "TIFF": frozenset({".tif", ".tiff"}),
}  # the formats read, in the order they are tried

_KNOWN = frozenset().union(*SUFFIXES.values())
_WANTED = f"a whole {', '.join(SUFFIXES)} file"


def load_image(path: str | os.PathLike[str], *, item: str) -> Image:
    """The picture as 8-bit RGB, upright, transparency on white (the policy above).

    ``item`` is the id that errors name. Raises InputError: E160 (cannot be read), E161 (empty), E162 (not a
    picture), E163 (damaged or cut off), E164 (file too big), E165 (too many pixels), E166 (no defined white),
    E168 (``path`` is no path).
    Raises EnvironmentFault (E167) where Pillow was told to accept cut-off files.

    >>> load_image(Path("no.png"), item="q1")
    Traceback (most recent call last):
    crossgauge.errors.InputError: E160 no.png (item q1): no such file; wanted a picture; fix: check the path
    """
    file = _path(path, item)
    return _decoded(file, _place(file, item))[0]


def probe(path: str | os.PathLike[str], *, item: str = "") -> Fault | None:
    """What is wrong with a picture file, found by decoding it; None when nothing is.

    A warning (W160) where the name says another format than the content.

    >>> probe(Path("missing.png")).code
    'E160'
    """
    try:
        file = _path(path, item)
        place = _place(file, item)
        kind = _decoded(file, place)[1]
    except InputError as error:
        return error.faults[0]
    suffix = file.suffix.lower()
    if suffix not in _KNOWN or suffix in SUFFIXES[kind]:
        return None
    return Fault(
        "W160", place, f"a {kind} named {suffix}", "a name that tells the format", "none: it is read"
    )


def content_digest(path: str | os.PathLike[str], *, item: str = "") -> str:
    """SHA-256 of a file's bytes, as 64 hexadecimal digits; raises InputError (E160) where it cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     content_digest(Path(file.name))[:12]
    'e3b0c44298fc'
    """
    file = _path(path, item)
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(_unreadable(_place(file, item), "not a regular file"))
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        return _digest(str(file), stamp)
    except OSError as error:
        raise InputError(_unreadable(_place(file, item), _reason(error))) from None


def forget_digests() -> None:
    """Read every file anew when its digest is asked for again: for who times the reading.

    >>> forget_digests()
    """
    _digest.cache_clear()


@lru_cache(maxsize=1 << 17)
def _digest(path: str, stamp: tuple[int, ...]) -> str:
    """Read once a process, as long as the file's stamp stays: every language asks for the same pictures."""
    if stamp[2] <= MAX_BYTES >> 6:
        return hashlib.sha256(_bytes(path, stamp[2])).hexdigest()
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bytes(path: str, size: int) -> bytes:
    """All of a file that is about so long, with the fewest calls: threads wait for one another at each."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        content = os.read(descriptor, size + 1)
        while more := os.read(descriptor, 1 << 16):
            content += more
        return content
    finally:
        os.close(descriptor)


def _decoded(path: Path, place: str) -> tuple[Image, str]:
    """The RGB picture and its true format; the bytes are read once, so both are of the same content."""
    content = _content(path, place)
    module, files = pillow()
    if files.LOAD_TRUNCATED_IMAGES:
        raise EnvironmentFault(
            Fault("E167", place, "Pillow accepts cut-off pictures (LOAD_TRUNCATED_IMAGES)", "its default",
                  "PIL.ImageFile.LOAD_TRUNCATED_IMAGES = False")
        )  # fmt: skip
    picture = _opened(module, content, place)
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise InputError(_too_large(place, f"{width} × {height} = {width * height:,} pixels"))
    try:
        picture.load()
        return upright_rgb(picture, place), "JPEG" if picture.format == "MPO" else str(picture.format)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001  (a decoder fed with damaged bytes may raise anything)
        found = f"damaged or cut off: {error or type(error).__name__}"
        raise InputError(Fault("E163", place, found, _WANTED, "copy it again")) from None


def _content(path: Path, place: str) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(_unreadable(place, "not a regular file"))
        if status.st_size > MAX_BYTES:
            raise InputError(
                Fault("E164", place, f"{status.st_size} bytes", f"at most {MAX_BYTES}", "save a smaller copy")
            )
        content = _bytes(str(path), status.st_size)
    except OSError as error:
        raise InputError(_unreadable(place, _reason(error))) from None
    if not content:
        raise InputError(Fault("E161", place, "an empty file", _WANTED, "copy or download it again"))
    return content


def _opened(module: Any, content: bytes, place: str) -> Image:
    """The picture with its header read and nothing unpacked.

    Pillow's ``open`` would judge the size by a limit of its own, and in words of its own.
    """
    for kind in SUFFIXES:
        factory, accepts = module.OPEN[kind]
        if accepts is not None and accepts(content[:16]) is not True:
            continue
        try:
            picture: Image = factory(io.BytesIO(content), "")
        except (SyntaxError, IndexError, TypeError, struct.error):
            continue  # Pillow's own way to say: not of this format
        except Exception as error:  # noqa: BLE001  (a header parser fed with damaged bytes may raise anything)
            raise InputError(Fault("E163", place, f"damaged: {error}", _WANTED, "copy it again")) from None
        return picture
    found = f"not an image ({_looks_like(content)})"
    raise InputError(Fault("E162", place, found, _WANTED, "check what was saved here"))


def _looks_like(content: bytes) -> str:
    head = content[:64]
    if head.lstrip()[:1] == b"<":
        return "it looks like HTML, XML or SVG"
    try:
        head.decode("ascii")
    except UnicodeDecodeError:
        return f"it begins with {head[:8].hex(' ')}"
    return "it looks like text"


def _path(given: object, item: str) -> Path:
    """The path that a caller gave, as text or as anything that is a path."""
    if isinstance(given, Path) and "\0" not in str(given):
        return given
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        if isinstance(path, str) and "\0" not in path:
            return Path(path)
    found = f"{type(given).__name__} {given!r}"[:200]
    place = f"a picture (item {item})" if item else "a picture"
    raise InputError(Fault("E168", place, found, "a path: str or os.PathLike", "Path('picture.png')"))


def _place(path: Path, item: str) -> str:
    return f"{path} (item {item})" if item else str(path)


def _reason(error: OSError) -> str:
    return "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)


def _unreadable(place: str, what: str) -> Fault:
    return Fault("E160", place, what, "a picture", "check the path")


def _too_large(place: str, what: str) -> Fault:
    return Fault("E165", place, what, f"at most {MAX_PIXELS:,} pixels", "save a smaller copy")
