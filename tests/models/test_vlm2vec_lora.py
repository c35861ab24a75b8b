"""LoRA adapters: the vectors of peft's own merged model, and all that does not fit is an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import InputError
from crossgauge.models import load_model
from crossgauge.models._vlm2vec.encoder import Vlm2Vec
from crossgauge.types import Item
from tests.models import pictures
from tests.models.make_vlm2vec import Tiny, make_qwen2_vl

peft = pytest.importorskip("peft")
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"
    ),  # peft's own
]


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make_qwen2_vl(tmp_path_factory.mktemp("checkpoint") / "qwen")


def adapted(tiny: Tiny) -> Any:
    """The whole model with an adapter that changes it much."""
    import torch
    from transformers import AutoModelForImageTextToText

    torch.manual_seed(3)
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    return peft.get_peft_model(AutoModelForImageTextToText.from_pretrained(tiny.folder).eval(), config)


@pytest.fixture
def adapter(qwen: Tiny, tmp_path: Path) -> Path:
    folder = tmp_path / "adapter"
    adapted(qwen).save_pretrained(folder)
    return folder


def vectors(folder: Path, items: list[Item]) -> Any:
    encoder = load_model(f"vlm2vec:{folder}")
    assert isinstance(encoder, Vlm2Vec)
    return encoder.encode([encoder.prepare(item) for item in items], role="query")


def renamed(folder: Path, rename: Callable[[str], str | None]) -> None:
    from safetensors.numpy import load_file, save_file

    file = folder / "adapter_model.safetensors"
    pairs = [(rename(key), value) for key, value in load_file(file).items()]
    save_file({key: value for key, value in pairs if key}, file, metadata={"format": "pt"})


def test_it_is_what_peft_merges(qwen: Tiny, adapter: Path, tmp_path: Path) -> None:
    merged = tmp_path / "merged"
    adapted(qwen).merge_and_unload().save_pretrained(merged)
    for file in qwen.folder.iterdir():
        if file.name not in {"model.safetensors", "config.json"}:
            (merged / file.name).write_bytes(file.read_bytes())
    items = [Item("t", text="a bee"), Item("p", image=pictures.of_every_kind(tmp_path)["rgb.png"])]
    got, wanted, base = (vectors(folder, items) for folder in (adapter, merged, qwen.folder))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    assert not np.allclose(got, base, atol=0.1)


def test_both_checkpoints_pin_it(qwen: Tiny, adapter: Path) -> None:
    encoder, base = load_model(f"vlm2vec:{adapter}"), load_model(f"vlm2vec:{qwen.folder}")
    assert encoder.name == f"vlm2vec:{adapter}"
    assert encoder.revision != base.revision
    renamed(adapter, lambda key: key if "layers.1" in key else None)
    assert load_model(f"vlm2vec:{adapter}").revision != encoder.revision


def test_names_of_an_older_release(qwen: Tiny, adapter: Path) -> None:
    item = [Item("t", text="a bee")]
    wanted = vectors(adapter, item)
    renamed(adapter, lambda key: key.replace("model.language_model.layers", "model.layers"))
    np.testing.assert_array_equal(vectors(adapter, item), wanted)


@pytest.mark.parametrize("rename", [
    lambda key: None if "layers.1.self_attn.v_proj.lora_B" in key else key,
    lambda key: key.replace("layers.1.", "layers.9."),
])  # fmt: skip
def test_tensors_that_do_not_fit(adapter: Path, rename: Callable[[str], str | None]) -> None:
    renamed(adapter, rename)
    with pytest.raises(InputError, match=r"E622 .*(its weights lack|no place for) .*lora_"):
        vectors(adapter, [Item("t", text="a bee")])


def test_an_adapter_as_a_pickle(adapter: Path) -> None:
    (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
    with pytest.raises(InputError, match=r"E603 .*no adapter_model.safetensors"):
        vectors(adapter, [Item("t", text="a bee")])
