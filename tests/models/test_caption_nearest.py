"""The nearest training picture under any encoder: of a torch library, exported, or drawn at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from crossgauge import registry, rouge_l
from crossgauge.benchmark import PLAIN
from crossgauge.captioning import caption_items
from crossgauge.errors import InputError, UsageError
from crossgauge.models import load_model
from crossgauge.runtime import Runtime
from crossgauge.types import Captioner, Encoder, Item
from tests.models import make_onnx
from tests.models.command import ran
from tests.models.make_transformers import make_clip, make_m_clip


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("clip")
    make_onnx.make_towers(home / "exported", make_clip(home / "torch"))
    return home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    registry.load("benchmarks", "folder").sample(tmp_path / "pics")
    return tmp_path / "pics"


def nearest(train: Path | str, encoder: str, runtime: Runtime | None = None) -> Captioner:
    model = load_model(f"caption:nearest:{train}#encoder={encoder}", runtime or Runtime())
    assert isinstance(model, Captioner)
    return model


def by_hand(encoder: str, folder: Path, language: str) -> tuple[list[str | None], tuple[Item, ...]]:
    """The text of the training picture with the largest cosine."""
    model = load_model(encoder)
    assert isinstance(model, Encoder)
    benchmark = registry.load("benchmarks", "folder")
    train = benchmark.open(folder, {"split": "train"}).split("i2t", language, PLAIN)
    test: tuple[Item, ...] = benchmark.open(folder, {"split": "test"}).media()

    def vectors(items: tuple[Item, ...]) -> npt.NDArray[np.float64]:
        rows = model.encode([model.prepare(item) for item in items], role="query").astype(np.float64)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    best = np.argmax(vectors(test) @ vectors(train.queries).T, axis=1)
    return [train.corpus[train.qrels.items[train.qrels.start[at]]].text for at in best], test


@pytest.mark.parametrize("kind", ["transformers", "onnx", "random"])
def test_under_any_encoder(clip: Path, folder: Path, kind: str) -> None:
    """Its vectors are not of length one, so their lengths must not count."""
    named = {
        "transformers": f"transformers:{clip / 'torch'}",
        "onnx": f"onnx:{clip / 'exported'}#context=9",
        "random": "random:16",
    }
    encoder = named[kind]
    model = nearest(folder, encoder)
    assert model.name == f"caption:nearest:{folder}#encoder={encoder}"
    for language in ("en", "de"):
        wanted, test = by_hand(encoder, folder, language)
        assert caption_items(model, test, language=language) == tuple(wanted)
        assert None not in wanted


def test_the_run_says_how_the_encoder_runs(clip: Path, folder: Path) -> None:
    encoder = f"transformers:{clip / 'torch'}"
    plain, short = nearest(folder, encoder), nearest(folder, encoder, Runtime(dtype="bf16"))
    assert plain.revision != short.revision
    assert plain.revision != nearest(folder, f"{encoder}#backend=pil").revision
    with pytest.raises(UsageError, match=r"E611 .*conse"):
        load_model(f"caption:nearest:{folder}", Runtime(dtype="bf16"))
    with pytest.raises(UsageError, match=r"E611 .*--dtype"):
        nearest(folder, f"onnx:{clip / 'exported'}", Runtime(dtype="bf16"))


def test_what_the_encoder_has_to_say_is_told(clip: Path, folder: Path) -> None:
    model = nearest(folder, f"transformers:{clip / 'torch'}")
    assert model.modalities == {"image"}
    model._encoder.halving._told.append("smaller batches")  # type: ignore[attr-defined]
    assert model.told() == ("smaller batches",)  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoder", ["", "caption:labels", "embed:http:http://localhost:1"])
def test_models_that_make_no_vectors_of_pictures(folder: Path, encoder: str) -> None:
    with pytest.raises(UsageError, match="E412"):
        nearest(folder, encoder)


def test_a_tower_of_texts_alone(folder: Path, tmp_path: Path) -> None:
    make_m_clip(tmp_path / "m-clip")
    with pytest.raises(UsageError, match=r"E412 .*makes no vectors of pictures"):
        nearest(folder, f"transformers:{tmp_path / 'm-clip'}")
    with pytest.raises(InputError, match="E131"):
        nearest(tmp_path / "nothing", "random:8")


def test_end_to_end_is_a_loop_by_hand(clip: Path, tmp_path: Path) -> None:
    gem = registry.load("benchmarks", "gem")
    gem.sample(tmp_path / "GEM")
    encoder = load_model(f"transformers:{clip / 'torch'}")
    assert isinstance(encoder, Encoder)
    spec = f"caption:nearest:gem={tmp_path / 'GEM'}#encoder=transformers:{clip / 'torch'}"
    [cell] = ran(tmp_path / "run", "gem", "-d", tmp_path / "GEM", "-m", spec, "-t", "IQ", "-l", "en").cells
    options = {option.name: option.choices[0] if option.choices else "" for option in gem.options}
    train = gem.open(tmp_path / "GEM", options | {"split": "train"}).captions("IQ", "en")
    test = gem.open(tmp_path / "GEM", options | {"split": "test"}).captions("IQ", "en")
    corpus, queries = (
        encoder.encode([encoder.prepare(item) for item in split.items], role="query")
        for split in (train, test)
    )
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (queries, corpus)]
    said = [train.references[at][0] for at in np.argmax(unit[0] @ unit[1].T, axis=1)]
    assert cell.scores[0].value == rouge_l(said, test.references, language="en").value
