"""One decode policy: what is read and how, and what is refused and why."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFile

from crossgauge.errors import EnvironmentFault, InputError
from crossgauge.media import MAX_BYTES, content_digest, load_image, probe
from crossgauge.models import load_model
from crossgauge.types import Item

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *, bits: int, colour: int, rows: bytes, extra: bytes = b"") -> bytes:
    """A PNG by hand: Pillow writes neither 16-bit colour nor bombs."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def bomb(side: int) -> bytes:
    """A few kilobytes that unpack to side² pixels of one bit."""
    return png(side, side, bits=1, colour=0, rows=(b"\0" + b"\0" * -(-side // 8)) * side)


def jpeg(*, size: tuple[int, int] = (64, 48), mode: str = "RGB") -> bytes:
    pixels = np.random.default_rng(0).integers(0, 255, (size[1], size[0], len(mode)), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(pixels, mode="CMYK" if mode == "CMYK" else None).save(written, "JPEG")
    return written.getvalue()


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    def save(picture: Image.Image | bytes, name: str, **options: object) -> Path:
        path = tmp_path / name
        if isinstance(picture, bytes):
            path.write_bytes(picture)
        else:
            picture.save(path, **options)
        return path

    return save


def pixels(path: Path) -> np.ndarray:
    return np.asarray(load_image(path, item="i"))


def refused(path: Path) -> tuple[str, str]:
    """The code and the text; the error must name item and path, and the audit must find the same."""
    with pytest.raises(InputError) as caught:
        load_image(path, item="item 7")
    (fault,) = caught.value.faults
    assert str(path) in fault.place
    assert "item 7" in fault.place
    assert probe(path, item="item 7") == fault
    return fault.code, fault.found


def test_an_absent_file_and_a_folder_are_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.png") == ("E160", "no such file")
    assert refused(tmp_path) == ("E160", "not a regular file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    assert refused(tmp_path / "pipe.png")[0] == "E160"


def test_an_empty_file(saved: Callable[..., Path]) -> None:
    assert refused(saved(b"", "a.png")) == ("E161", "an empty file")


@pytest.mark.parametrize(
    "content", [b"two black pins\n", b"<html><body>404</body></html>", b"\x00\x01\x02\xff" * 9]
)
def test_what_is_not_a_picture_says_what_it_looks_like(saved: Callable[..., Path], content: bytes) -> None:
    code, found = refused(saved(content, "a.jpg"))
    assert code == "E162"
    assert found.startswith("not an image (it ")


@pytest.mark.parametrize("name", ["a.fits", "a.eps", "a.psd"])
def test_formats_outside_the_list_are_never_opened(saved: Callable[..., Path], name: str) -> None:
    heads = {
        "a.fits": b"SIMPLE  =                    T" + b" " * 3000,
        "a.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        "a.psd": b"8BPS\0\1" + b"\0" * 64,
    }
    assert refused(saved(heads[name], name))[0] == "E162"


@pytest.mark.parametrize("keep", [20, 400, 1500])
def test_a_cut_off_jpeg(saved: Callable[..., Path], keep: int) -> None:
    whole = jpeg(size=(200, 200))
    assert len(whole) > 3000
    code, _ = refused(saved(whole[:keep], "a.jpg"))
    assert code in {"E162", "E163"}


def test_a_cut_off_png_and_one_with_a_flipped_bit(saved: Callable[..., Path]) -> None:
    written = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 40, 3), dtype=np.uint8)).save(
        written, "PNG"
    )
    whole = written.getvalue()
    assert refused(saved(whole[:1000], "a.png"))[0] == "E163"
    flipped = bytearray(whole)
    flipped[100] ^= 1
    assert refused(saved(bytes(flipped), "b.png"))[0] == "E163"


@pytest.mark.parametrize("side", [9_000, 10_500, 14_000])
def test_a_small_file_of_very_many_pixels_is_refused_unopened(saved: Callable[..., Path], side: int) -> None:
    """9 kB that need a gigabyte; Pillow itself is silent, warns, or raises depending on the side."""
    path = saved(bomb(side), "a.png")
    assert path.stat().st_size < 40_000
    code, found = refused(path)
    assert code == "E165"
    assert str(side) in found or "pixels" in found


def test_the_largest_allowed_picture_is_read(saved: Callable[..., Path]) -> None:
    assert load_image(saved(bomb(6_300), "a.png"), item="i").size == (6_300, 6_300)


def test_a_file_of_too_many_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    assert refused(path)[0] == "E164"


def test_the_content_decides_the_format_and_the_name_only_warns(saved: Callable[..., Path]) -> None:
    path = saved(jpeg(), "a.png")
    assert pixels(path).shape == (48, 64, 3)
    fault = probe(path)
    assert fault is not None
    assert (fault.code, fault.found, fault.is_warning) == ("W160", "a JPEG named .png", True)


@pytest.mark.parametrize("name", ["a.jpg", "a.JPEG", "picture", "a.bin"])
def test_a_fitting_or_meaningless_name_is_no_finding(saved: Callable[..., Path], name: str) -> None:
    assert probe(saved(jpeg(), name)) is None


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_every_format_of_the_list(saved: Callable[..., Path], kind: str) -> None:
    path = saved(Image.new("RGB", (5, 4), RED), f"a.{kind.lower()}", format=kind)
    assert probe(path) is None
    assert np.abs(pixels(path).astype(int) - RED).max() <= 4  # JPEG rounds


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "PNG", "WEBP"])
def test_the_first_of_several_frames(saved: Callable[..., Path], kind: str) -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in (RED, BLUE)]
    path = saved(frames[0], f"a.{kind.lower()}", format=kind, save_all=True, append_images=frames[1:])
    assert np.abs(pixels(path).astype(int) - RED).max() <= 4


def test_cmyk_becomes_rgb(saved: Callable[..., Path]) -> None:
    path = saved(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "a.jpg", quality=100)
    assert np.abs(pixels(path).astype(int) - RED).max() <= 4


def test_sixteen_bit_grey_is_scaled_and_not_clipped(saved: Callable[..., Path]) -> None:
    levels = np.array([[0, 0x00FF, 0x0100, 0x7FFF, 0x8000, 0xFFFF]], dtype=np.uint16)
    for name in ("a.png", "a.tif"):
        grey = pixels(saved(Image.fromarray(levels), name))
        assert grey[0, :, 0].tolist() == [0, 0, 1, 127, 128, 255]
        assert (grey == grey[:, :, :1]).all()


def test_sixteen_bit_colour_and_grey_scale_alike(saved: Callable[..., Path]) -> None:
    colour = png(1, 1, bits=16, colour=2, rows=b"\0" + struct.pack(">3H", 0x80FF, 0xFFFF, 0x00FF))
    assert pixels(saved(colour, "a.png")).tolist() == [[[128, 255, 0]]]


def test_a_transparent_level_of_sixteen_bit_grey_is_white(saved: Callable[..., Path]) -> None:
    rows = b"\0" + struct.pack(">2H", 0x80FF, 0x80FE)
    content = png(2, 1, bits=16, colour=0, rows=rows, extra=chunk(b"tRNS", b"\x80\xff"))
    assert pixels(saved(content, "a.png"))[0, :, 0].tolist() == [255, 128]


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_pixels_without_a_defined_white_are_refused(saved: Callable[..., Path], dtype: type) -> None:
    assert refused(saved(Image.fromarray(np.ones((2, 2), dtype=dtype)), "a.tif"))[0] == "E166"


def test_transparency_lies_on_white(saved: Callable[..., Path]) -> None:
    alpha = Image.new("RGBA", (3, 1), (255, 0, 0, 255))
    alpha.putpixel((1, 0), (255, 0, 0, 0))
    alpha.putpixel((2, 0), (0, 0, 0, 51))
    assert pixels(saved(alpha, "a.png")).tolist() == [[list(RED), list(WHITE), [204, 204, 204]]]
    grey = Image.new("LA", (2, 1), (0, 255))
    grey.putpixel((1, 0), (0, 0))
    assert pixels(saved(grey, "b.png")).tolist() == [[[0, 0, 0], list(WHITE)]]


def test_a_palette_with_transparency_lies_on_white(saved: Callable[..., Path]) -> None:
    palette = Image.new("P", (2, 1))
    palette.putpalette([*RED, *BLUE])
    palette.putpixel((1, 0), 1)
    assert pixels(saved(palette, "a.png", transparency=1)).tolist() == [[list(RED), list(WHITE)]]
    assert pixels(saved(palette, "b.png", transparency=bytes([255, 0]))).tolist() == [
        [list(RED), list(WHITE)]
    ]
    assert pixels(saved(palette, "c.gif", transparency=1)).tolist() == [[list(RED), list(WHITE)]]
    assert pixels(saved(palette, "d.png")).tolist() == [[list(RED), list(BLUE)]]


def test_a_colour_key_lies_on_white(saved: Callable[..., Path]) -> None:
    picture = Image.new("RGB", (2, 1), RED)
    picture.putpixel((1, 0), BLUE)
    assert pixels(saved(picture, "a.png", transparency=BLUE)).tolist() == [[list(RED), list(WHITE)]]


UPRIGHT = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8) * 40


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize(
    ("orientation", "stored"),
    [
        (1, UPRIGHT), (2, UPRIGHT[:, ::-1]), (3, UPRIGHT[::-1, ::-1]), (4, UPRIGHT[::-1]), (5, UPRIGHT.T),
        (6, np.rot90(UPRIGHT)), (7, UPRIGHT[::-1, ::-1].T), (8, np.rot90(UPRIGHT, -1)), (9, UPRIGHT),
    ],
)  # fmt: skip
def test_the_exif_rotation_is_applied(
    saved: Callable[..., Path], orientation: int, stored: np.ndarray, kind: str
) -> None:
    """Eight ways a camera may store one picture, and one value that means nothing."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if kind == "WEBP" else {}
    picture = Image.fromarray(np.ascontiguousarray(stored)).convert("RGB")
    path = saved(picture, f"a.{kind.lower()}", format=kind, exif=exif, **options)
    assert pixels(path)[:, :, 0].tolist() == UPRIGHT.tolist()


def test_a_rotated_jpeg_is_upright(saved: Callable[..., Path]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = Image.new("RGB", (32, 16), WHITE)
    picture.paste(RED, (0, 0, 8, 16))  # the left edge, which becomes the top
    upright = pixels(saved(picture, "a.jpg", exif=exif))
    assert upright.shape == (32, 16, 3)
    assert np.abs(upright[:6].astype(int) - RED).max() < 30
    assert upright[12:].min() > 225


def test_a_broken_exif_block_turns_nothing(saved: Callable[..., Path]) -> None:
    path = saved(Image.new("RGB", (4, 2), RED), "a.png", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert pixels(path).shape == (2, 4, 3)


def test_cut_off_pictures_are_not_accepted_behind_our_back(
    saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(jpeg(), "a.jpg")
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(EnvironmentFault, match="E167"):
        load_image(path, item="i")


def test_the_digest_is_of_the_bytes_and_follows_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert content_digest(path).startswith("ba7816bf")
    path.write_bytes(b"abcd")
    assert content_digest(path).startswith("88d4266f")
    with pytest.raises(InputError, match="E160"):
        content_digest(tmp_path / "no", item="i")
    with pytest.raises(InputError, match="E160"):
        content_digest(tmp_path)


@pytest.mark.parametrize("size", [0, 1, 65_536, MAX_BYTES // 64, MAX_BYTES // 64 + 1])
def test_the_digest_of_files_of_every_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    assert content_digest(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_that_grows_while_it_is_opened_is_read_to_its_end(
    saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)).save(
        written, "PNG"
    )
    path = saved(written.getvalue()[:1000], "a.png")
    opened = os.open

    def grows(name: str, flags: int) -> int:
        path.write_bytes(written.getvalue())
        return opened(name, flags)

    monkeypatch.setattr("crossgauge.media.os.open", grows)
    assert load_image(path, item="i").size == (300, 300)


def test_a_path_may_be_text_or_anything_that_is_a_path(saved: Callable[..., Path]) -> None:
    path = saved(Image.new("RGB", (2, 3), RED), "p.png")

    class Named:
        def __fspath__(self) -> str:
            return str(path)

    for given in (path, str(path), Named()):
        assert load_image(given, item="a").size == (2, 3)
        assert probe(given) is None
        assert content_digest(given) == content_digest(path)


@pytest.mark.parametrize("given", [7, None, b"p.png", ["p.png"], "a\0b.png", Image.new("RGB", (1, 1))])
def test_what_is_no_path_is_said_so(given: Any) -> None:
    for read in (load_image, content_digest):
        with pytest.raises(InputError, match=r"E168 a picture \(item a\): .*; wanted a path: str or os"):
            read(given, item="a")
    fault = probe(given)
    assert fault is not None
    assert fault.code == "E168"


@pytest.mark.parametrize("side", [7_000, 10_000, 14_000, 60_000])
def test_too_many_pixels_are_told_with_the_size_and_our_limit(saved: Callable[..., Path], side: int) -> None:
    code, found = refused(saved(bomb(side), "bomb.png"))
    assert code == "E165"
    assert found == f"{side} × {side} = {side * side:,} pixels"
    fault = probe(saved(bomb(side), "bomb.png"))
    assert fault is not None
    assert fault.wanted == "at most 40,000,000 pixels"


def test_the_random_model_refuses_a_damaged_picture_like_any_other(saved: Callable[..., Path]) -> None:
    path = saved(Image.new("RGB", (64, 64), RED), "p.png")
    model = load_model("random:4")
    assert model.prepare(Item("a", image=path))
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(InputError, match="E163"):
        model.prepare(Item("a", image=path))
