"""Vectors are those of the library's own documented call, whatever the batch size and the order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.runtime import Runtime
from crossgauge.types import Encoder, Item
from tests.models import documented, pictures
from tests.models.make_transformers import LANGUAGES, PICTURES, Made, names
from tests.models.texts import EVERY

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
CUT = {  # at how many tokens; SigLIP's towers have 64 places, and its documented call fills them all
    "clip": 77, "metaclip-2": 77, "siglip": 64, "siglip2": 64, "chinese-clip": 512, "altclip": 78,
    "align": 64, "blip": 512, "blip-2": 512,
}  # fmt: skip


@pytest.fixture(scope="module", params=sorted(PICTURES))
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Made]:
    name = str(request.param)
    return name, PICTURES[name](tmp_path_factory.mktemp("checkpoint") / name)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(pictures.of_every_kind(tmp_path_factory.mktemp("pictures")).values())


def encoded(encoder: Encoder, items: Sequence[Item], size: int) -> npt.NDArray[np.float32]:
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    return np.concatenate(
        [encoder.encode([encoder.prepare(item) for item in batch], role="query") for batch in batches]
    )


def unit_where_the_call_is(name: str, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """BLIP-2's documented call gives unit vectors of texts."""
    return documented.unit(rows).astype(np.float32) if name == "blip-2" else rows


def test_texts_of_twenty_languages(family: tuple[str, Made]) -> None:
    name, made = family
    assert len(names()) == len(LANGUAGES) == 20
    encoder = load_model(f"transformers:{made.folder}")
    assert isinstance(encoder, Encoder)
    wanted = documented.texts_of(name, made, EVERY)
    items = [Item(str(n), text=text) for n, text in enumerate(EVERY)]
    for size in (1, 7, len(items)):
        got = unit_where_the_call_is(name, encoded(encoder, items, size))
        np.testing.assert_allclose(got, wanted, **CLOSE, err_msg=f"batches of {size}")
    back = unit_where_the_call_is(name, encoded(encoder, items[::-1], 5))
    np.testing.assert_allclose(back[::-1], wanted, **CLOSE)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell texts apart"
    cut = f"4 of {4 * len(items)} texts cut at {CUT[name]} tokens"
    assert [line for line in encoder.told() if "cut at" in line] == [cut], "each of four times"  # type: ignore[attr-defined]


def test_pictures_of_every_kind(family: tuple[str, Made], files: list[Path]) -> None:
    name, made = family
    encoder = load_model(f"transformers:{made.folder}")
    assert isinstance(encoder, Encoder)
    items = [Item(file.name, image=file) for file in files]
    wanted = documented.pictures_of(name, made, [load_image(file, item="") for file in files])
    for size in (1, 4, len(items)):
        np.testing.assert_allclose(
            encoded(encoder, items, size), wanted, **CLOSE, err_msg=f"batches of {size}"
        )
    np.testing.assert_allclose(encoded(encoder, items[::-1], 3)[::-1], wanted, **CLOSE)
    assert wanted.std(axis=0).min() > 1e-3, "the fixture must tell pictures apart"


def test_dimension_kinds_and_order_in_one_batch(family: tuple[str, Made], files: list[Path]) -> None:
    _, made = family
    encoder = load_model(f"transformers:{made.folder}")
    assert isinstance(encoder, Encoder)
    assert encoder.modalities == {"text", "image"}
    assert encoder.similarity == "cosine"
    assert not encoder.joint
    items = [
        Item("t", text="bee"),
        Item("p", image=files[0]),
        Item("u", text="wasp"),
        Item("q", image=files[1]),
    ]
    mixed = encoded(encoder, items, 4)
    assert mixed.dtype == np.float32
    assert mixed.shape == (4, encoder.dimensions)  # type: ignore[attr-defined]
    np.testing.assert_allclose(mixed, encoded(encoder, items, 1), **CLOSE)


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_other_number_formats_give_float32_rows_near_the_same(
    family: tuple[str, Made], files: list[Path], dtype: str
) -> None:
    _, made = family
    items = [Item("t", text="a red apple"), Item("p", image=files[0])]
    plain, low = (
        load_model(f"transformers:{made.folder}"),
        load_model(
            f"transformers:{made.folder}",
            Runtime(dtype=dtype),  # type: ignore[arg-type]
        ),
    )
    assert isinstance(plain, Encoder)
    assert isinstance(low, Encoder)
    got = encoded(low, items, 2)
    assert got.dtype == np.float32
    assert low.revision != plain.revision
    cosines = (documented.unit(got) * documented.unit(encoded(plain, items, 2))).sum(axis=1)
    assert cosines.min() > 0.98
    assert not np.array_equal(got, encoded(plain, items, 2))
