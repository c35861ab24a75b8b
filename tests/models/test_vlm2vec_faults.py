"""Checkpoints that cannot be embedders, adapters, and code of a checkpoint's own: one clear block each."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.models import load_model
from crossgauge.models._vlm2vec import reader
from crossgauge.models._vlm2vec.encoder import Vlm2Vec
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from tests.models import pictures
from tests.models.documented_vlm2vec import Documented
from tests.models.make_captioners import changed, make_blip_2
from tests.models.make_vlm2vec import Tiny, make_llava, make_qwen2_vl

CODE = """
from transformers import LlavaConfig, LlavaForConditionalGeneration


class OwnConfig(LlavaConfig):
    model_type = "own"


class OwnModel(LlavaForConditionalGeneration):
    config_class = OwnConfig
"""
LORA = {"peft_type": "LORA", "base_model_name_or_path": "", "r": 2, "target_modules": ["q_proj"]}


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make_qwen2_vl(tmp_path_factory.mktemp("checkpoint") / "qwen")


@pytest.fixture
def copy(qwen: Tiny, tmp_path: Path) -> Path:
    return Path(shutil.copytree(qwen.folder, tmp_path / "copy"))


def opened(folder: Path, settings: str = "", **runtime: Any) -> Vlm2Vec:
    found = load_model(f"vlm2vec:{folder}{settings}", Runtime(**runtime))
    assert isinstance(found, Vlm2Vec)
    return found


def vector(encoder: Vlm2Vec, item: Item) -> Any:
    return encoder.encode([encoder.prepare(item)], role="query")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "clip"}, "'clip', whose text does not hold its picture; .*transformers:ID takes it"),
        ({"model_type": "bert"}, "model_type 'bert'; wanted a vision-language model"),
        ({}, "no model_type in config.json"),
        ({"model_type": "git"}, "'git', whose text does not hold its picture; .*caption:transformers:ID"),
        ({"model_type": "florence2", "text_config": {"is_encoder_decoder": True}},
         "model_type 'florence2': an encoder and a decoder, so no one last token"),
    ],
)  # fmt: skip
def test_what_is_no_embedder(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(UsageError, match=f"E640 model vlm2vec:.*{said}"):
        opened(tmp_path)


def test_a_real_model_of_queries_has_another_adapter(tmp_path: Path) -> None:
    made = make_blip_2(tmp_path / "blip-2")
    with pytest.raises(UsageError, match=r"E640 .*model_type 'blip-2'.*; fix: transformers:ID takes it"):
        opened(made.folder)


def test_nothing_known_to_stand_for_a_picture(qwen: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "placeholder_of", lambda _: None)
    with pytest.raises(
        UsageError, match=r"E641 .*neither an image token nor a chat template in its Qwen2VLProcessor"
    ):
        opened(qwen.folder)
    assert opened(qwen.folder, "#placeholder=%3C%7Cimage_pad%7C%3E").joint


def test_without_its_tokenizer_it_is_refused_at_once(copy: Path) -> None:
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (copy / file).unlink()
    with pytest.raises(InputError, match=r"E621 .*no tokenizer: none of tokenizer.json, .*download it again"):
        opened(copy)


def test_a_tokenizer_alone(copy: Path) -> None:
    for name in ("preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json"):
        (copy / name).unlink(missing_ok=True)
    with pytest.raises(InputError, match="E621 "):
        opened(copy)


def test_weights_that_are_not_all_there(copy: Path) -> None:
    from safetensors.numpy import load_file, save_file

    file = copy / "model.safetensors"
    weights = {key: value for key, value in load_file(file).items() if "layers.1.mlp.up" not in key}
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"E622 .*its weights lack .*layers.1.mlp.up_proj.weight"):
        vector(opened(copy), Item("a", text="a"))


def test_weights_as_a_pickle(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"E603 .*weights only as a pickle"):
        vector(opened(copy), Item("a", text="a"))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkpoint that brings its own classes, which are LLaVA's under another name."""
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    folder = make_llava(tmp_path / "own").folder
    (folder / "own.py").write_text(CODE)
    changed(folder, "config.json", model_type="own", architectures=["OwnModel"],
            auto_map={"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"})  # fmt: skip
    yield folder
    for name in set(sys.modules) - known:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def test_code_of_its_own_runs_only_when_pinned(own: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"E601 .*needs Python code of its own.*--trust-code sha256:"
    ) as raised:
        opened(own)
    commit = raised.value.faults[0].fix.rpartition(" ")[2]
    with pytest.raises(UsageError, match="E602 "):
        opened(own, trust_code="0" * 40)
    documented = Documented(make_llava(tmp_path / "llava"))
    item = Item("p", text="a bee", image=pictures.of_every_kind(tmp_path)["rgb.png"])
    row = vector(opened(own, trust_code=commit), item)[0]
    np.testing.assert_allclose(row, documented.row(item), rtol=1e-5, atol=1e-5)


@pytest.fixture
def adapter(qwen: Tiny, tmp_path: Path) -> Path:
    """The configuration of an adapter, without its weights."""
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text(
        json.dumps(LORA | {"base_model_name_or_path": str(qwen.folder)})
    )
    return folder


def test_an_adapter_without_peft(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "peft" else find(name, *more)
    )
    with pytest.raises(
        EnvironmentFault, match=r"E600 .*a LoRA adapter, and peft.*is not installed.*merge_and_unload"
    ):
        opened(adapter)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"peft_type": "IA3"}, "an adapter of type 'IA3'"),
        ({"base_model_name_or_path": None}, "for the base None"),
        ({"base_model_name_or_path": ""}, "for the base ''"),
    ],
)
def test_an_adapter_of_another_kind_or_of_no_base(adapter: Path, values: dict[str, Any], said: str) -> None:
    changed(adapter, "adapter_config.json", **values)
    with pytest.raises(UsageError, match=f"E646 .*{said}"):
        opened(adapter)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_an_adapter_that_is_damaged(adapter: Path, text: str) -> None:
    (adapter / "adapter_config.json").write_text(text)
    with pytest.raises(InputError, match=r"E604 .*adapter_config.json"):
        opened(adapter)


def test_adapters_beside_the_weights_are_told(copy: Path) -> None:
    for name in ("vision-lora", "speech-lora"):
        (copy / name).mkdir()
        (copy / name / "adapter_config.json").write_text("{}")
    encoder = opened(copy)
    told = encoder.told()
    assert len(told) == 1
    assert "W642" in told[0]
    assert "speech-lora, vision-lora" in told[0]
    assert encoder.told() == []
