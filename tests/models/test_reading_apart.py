"""Processes that only read prepare what this one would, without a weight: every family that says so."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.embeddings import encode_items
from crossgauge.engines import Recipe
from crossgauge.engines.local import Local
from crossgauge.engines.parcels import Packer, unpacked
from crossgauge.models import load_model
from crossgauge.types import Captioner, Encoder, Item
from tests.models import pictures
from tests.models.test_supported import CAPTIONERS, ENCODERS

WEIGHTS = ("*.safetensors", "*.onnx", "*.bin")
READ_ALONE = ("clip", "siglip2", "blip-2", "open_clip clip", "onnx", "qwen2-vl", "smolvlm")


STRIPS = {"wide.png", "tall.png"}  # some families take none


def shown(folder: Path) -> list[Item]:
    kinds = pictures.of_every_kind(folder)
    return [Item(name, image=file) for name, file in kinds.items() if name not in STRIPS]


def without_weights(folder: Path) -> None:
    for pattern in WEIGHTS:
        for file in folder.rglob(pattern):
            file.unlink()


def sent(model: Any, items: list[Item]) -> Any:
    """What the items become, as it comes out of another process."""
    return unpacked(io.BytesIO(Packer().packed([model.prepare(item) for item in items])))


@pytest.mark.parametrize("family", READ_ALONE)
def test_an_encoder_prepares_without_its_weights(family: str, tmp_path: Path) -> None:
    spec, items = ENCODERS[family](tmp_path / "model"), shown(tmp_path)
    here, there = load_model(spec), load_model(spec)
    assert isinstance(here, Encoder)
    assert getattr(there, "lazy_weights", False)
    wanted = here.encode([here.prepare(item) for item in items], role="corpus")
    without_weights(tmp_path)
    found = here.encode(sent(there, items), role="corpus")
    assert len(found) == len(items)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("family", ["blip", "llava"])
def test_a_captioner_prepares_without_its_weights(family: str, tmp_path: Path) -> None:
    folder, items = CAPTIONERS[family](tmp_path / "model").folder, shown(tmp_path)[:4]
    spec = f"caption:transformers:{folder}#max_new_tokens=4"
    here, there = load_model(spec), load_model(spec)
    assert isinstance(here, Captioner)
    assert getattr(there, "lazy_weights", False)
    wanted = here.caption([here.prepare(item) for item in items], language="en")
    without_weights(folder)
    assert here.caption(sent(there, items), language="en") == wanted


def test_a_model_that_needs_its_weights_to_prepare_says_so(tmp_path: Path) -> None:
    for number, name in enumerate(("sentence-transformers", "pair of sentence-transformers")):
        model = load_model(ENCODERS[name](tmp_path / str(number)))
        assert not getattr(model, "lazy_weights", False)


@pytest.mark.usefixtures("torchvision_in_children")
def test_processes_read_for_a_torch_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    spec, items = ENCODERS["clip"](tmp_path / "model"), shown(tmp_path)
    here, model = load_model(spec), load_model(spec)
    assert isinstance(here, Encoder)
    assert isinstance(model, Encoder)
    wanted = encode_items(here, items, role="corpus", batch_size=1)
    read: list[str] = []
    prepare = model.prepare
    monkeypatch.setattr(model, "prepare", lambda item: (read.append(item.id), prepare(item))[1])
    with closing(Local(2, Recipe(spec, load_model, on_torch=True), patience=0)) as engine:
        found = encode_items(model, items, role="corpus", batch_size=1, engine=engine)
    assert not read, "all were read elsewhere"
    np.testing.assert_array_equal(found.vectors, wanted.vectors)
