"""ConSE: what it sees, and that batch and threads change no bit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.errors import EnvironmentFault, InputError
from crossgauge.models import _conse, conse, conse_lite2
from crossgauge.models._conse_image import Classes, ImageTower, Network, mixed, unit
from crossgauge.types import Encoder, Item

EMOJI = Path(_conse.__file__).parents[1] / "benchmarks" / "data" / "emoji" / "images"
SENTENCES = (
    "a bee", "ein Hund im Schnee", "丸い家", "", " ", "x " * 300, "منزل", "ภาพแมว", "a bee.", "A bee"
)  # fmt: skip

SEEN = {
    "1f454": "Windsor tie",
    "1fa82": "parachute",
    "1f3c0": "basketball",
    "1f377": "red wine",
    "1f4fa": "television",
}
SEEN_IN_STAMPS = {
    "animals/mammals/rodents/squirrel.png": "fox squirrel",
    "animals/birds/vulture.png": "vulture",
    "animals/mammals/camel/camel.png": "arabian camel",
}


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return conse.model(threads=2)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    pictures = [Item(path.stem, image=path) for path in sorted(EMOJI.iterdir())[:20]]
    texts = [Item(f"t{n}", text=text) for n, text in enumerate(SENTENCES)]
    both = [Item(f"b{n}", image=picture.image, text="a bee") for n, picture in enumerate(pictures[:3])]
    return [one for group in zip(pictures, texts * 2, strict=True) for one in group] + both


def likeliest(encoder: Encoder, path: Path) -> tuple[str, float]:
    names = [name for _, name in json.loads(_conse.CLASSES.read_bytes())]
    square = encoder.prepare(Item("i", image=path)).pixels
    classes = encoder._images.classes(square, 10)
    return names[classes.numbers[0]], float(classes.shares[0])


@pytest.mark.parametrize(("name", "expected"), SEEN.items())
def test_it_knows_some_emoji(encoder: Encoder, name: str, expected: str) -> None:
    """Recorded from this model; the share leaves room for how processors round, not for another picture."""
    found, share = likeliest(encoder, EMOJI / f"{name}.png")
    assert found == expected
    assert share > 0.6


@pytest.mark.stamps
@pytest.mark.parametrize(("name", "expected"), SEEN_IN_STAMPS.items())
def test_it_knows_some_photographs(encoder: Encoder, stamps: Path, name: str, expected: str) -> None:
    found, share = likeliest(encoder, stamps / "usr/share/tuxpaint/stamps" / name)
    assert found == expected
    assert share > 0.95


def test_pictures_lie_nearest_to_their_words_in_several_languages(encoder: Encoder) -> None:
    pictures = [Item(name, image=EMOJI / f"{name}.png") for name in ("1f3c0", "1f377", "1f454")]
    for words in (
        ["basketball", "red wine", "a tie"],
        ["Basketball", "Rotwein", "Krawatte"],
        ["篮球", "红酒", "领带"],
    ):
        texts = [Item(word, text=word) for word in words]
        one = encode_items(encoder, pictures, role="query").vectors
        two = encode_items(encoder, texts, role="corpus").vectors
        assert (one @ two.T).argmax(axis=1).tolist() == [0, 1, 2], words


def test_rows_are_of_length_one_and_single_precision(encoder: Encoder, items: Sequence[Item]) -> None:
    rows = encode_items(encoder, items, role="query").vectors
    assert (rows.shape, rows.dtype) == ((43, 512), np.float32)
    assert np.allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(("batch_size", "threads"), [(1, 1), (7, 2), (64, 3), (64, 1)])
def test_batch_and_threads_change_no_bit(
    encoder: Encoder, items: Sequence[Item], batch_size: int, threads: int
) -> None:
    expected = encode_items(encoder, items, role="query", batch_size=5).vectors
    other = conse.model(threads=threads)
    found = encode_items(other, items, role="corpus", batch_size=batch_size, workers=threads).vectors
    assert found.tobytes() == expected.tobytes()


def test_a_cached_vector_is_the_computed_one(encoder: Encoder, items: Sequence[Item], tmp_path: Path) -> None:
    runs = [encode_items(encoder, items, role="query", cache=Cache(tmp_path)).vectors for _ in range(2)]
    assert runs[0].tobytes() == runs[1].tobytes()


def test_an_item_of_both_lies_in_the_middle(encoder: Encoder) -> None:
    image, text = EMOJI / "1f3c0.png", "Rotwein"
    items = [Item("i", image=image), Item("t", text=text), Item("b", image=image, text=text)]
    picture, words, both = encode_items(encoder, items, role="query").vectors.astype(np.float64)
    assert np.allclose(both, unit(picture + words), atol=1e-6)


def test_no_words_and_blanks_get_one_vector(encoder: Encoder) -> None:
    rows = encode_items(encoder, [Item(t, text=t) for t in ("", " ", "\n")], role="query").vectors
    assert (rows == rows[0]).all()
    assert np.isfinite(rows).all()


def test_the_two_models_differ_in_revision_and_in_what_they_see(encoder: Encoder) -> None:
    other = conse_lite2.model()
    assert other.revision != encoder.revision
    item = [Item("p", image=EMOJI / "1f3c0.png")]
    one, two = (encode_items(model, item, role="query").vectors[0] for model in (encoder, other))
    assert 0.5 < float(one @ two) < 0.9999
    assert other.prepare(item[0]).pixels.shape == (260, 260, 3)


def test_the_revision_follows_libraries_and_policy(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = encoder.revision  # before any patch: it is kept
    with monkeypatch.context() as patched:
        patched.setattr(_conse, "version", lambda *_: "0.0.0")
        assert conse.model().revision != usual
    monkeypatch.setattr(_conse, "POLICY", 99)
    assert conse.model().revision != usual


def test_languages_are_bcp_47(encoder: Encoder) -> None:
    assert encoder.languages is not None
    assert len(encoder.languages) == 16
    assert "zh-Hant" in encoder.languages
    assert "zh-TW" not in encoder.languages


def test_a_broken_picture_is_told(encoder: Encoder, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"E162 .*\(item a\)"):
        encode_items(encoder, [Item("a", image=tmp_path / "a.png")], role="query")


def test_an_incomplete_installation_says_how_to_mend_it(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="E414"):
        _ = _conse.Conse("x", Network(tmp_path / "no.onnx", side=224)).revision


@pytest.mark.parametrize(
    ("size", "filled"), [((40, 20), (112, 224)), ((20, 40), (224, 112)), ((1000, 1), (1, 224))]
)
def test_a_picture_is_centred_on_a_white_square(size: tuple[int, int], filled: tuple[int, int]) -> None:
    square = ImageTower(Network(Path("x"), side=224)).square(Image.new("RGB", size, (0, 0, 0)))
    dark = square[:, :, 0] == 0
    height, width = dark.any(axis=1).sum(), dark.any(axis=0).sum()
    assert (square.shape, square.dtype, (height, width)) == ((224, 224, 3), np.uint8, filled)
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    assert abs(rows[0] - (223 - rows[-1])) <= 1
    assert abs(columns[0] - (223 - columns[-1])) <= 1
    assert (square[~dark] == 255).all()


def test_pixels_are_scaled_as_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """(value - 127) / 128, channels first: what EfficientNet-Lite was trained on, not the usual means."""

    class Session:
        def run(self, outputs: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
            self.pixels = feed["pixels"]
            return [np.array([[0.0, 2.0, 1.0, 2.0]], dtype=np.float32)]

    tower, session = ImageTower(Network(Path("x"), side=2)), Session()
    monkeypatch.setitem(vars(tower), "_session", session)
    square = np.zeros((2, 2, 3), dtype=np.uint8)
    square[0, 1] = (255, 127, 0)
    found = tower.classes(square, 3)
    assert session.pixels.dtype == np.float32
    assert session.pixels[0, :, 0, 1].tolist() == [1.0, 0.0, -127 / 128]
    assert found.numbers.tolist() == [1, 3, 2], "the smaller number first among equals"
    assert np.allclose(found.shares, np.exp([2, 2, 1]) / np.exp([2, 2, 1]).sum())


def test_the_middle_of_classes_is_weighted_by_their_shares() -> None:
    table = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    found = mixed(Classes(np.array([1, 0]), np.array([0.75, 0.25])), table)
    assert np.allclose(found, np.array([1, 3]) / np.sqrt(10))
    assert unit(np.zeros(2)).tolist() == [0, 0]


def test_it_uses_the_cores_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _conse.cores() >= 1
    monkeypatch.delattr(_conse.os, "sched_getaffinity", raising=False)
    assert _conse.cores() >= 1
