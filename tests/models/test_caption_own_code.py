"""A chat model that brings code of its own: refused, pinned, run; weights that could run some: refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossgauge.captioning import caption_items
from crossgauge.errors import InputError, UsageError
from crossgauge.models import load_model
from crossgauge.runtime import Runtime
from crossgauge.types import Captioner, Item
from tests.models.make_captioners import changed, make_llava

CODE = """
from transformers import LlavaConfig, LlavaForConditionalGeneration

class OwnConfig(LlavaConfig):
    model_type = "own-chat"

class OwnChat(LlavaForConditionalGeneration):
    config_class = OwnConfig
"""
ITEMS = (Item("a", text="a shop"), Item("b", text="größer"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    own_names(make_llava(tmp_path / "chat").folder)
    yield tmp_path / "chat"
    for name in set(sys.modules) - known:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def own_names(folder: Path) -> None:
    """Tensors under the names that the class itself has; the library renames them for kinds it knows."""
    from safetensors.torch import save_file
    from transformers import LlavaForConditionalGeneration

    model = LlavaForConditionalGeneration.from_pretrained(folder)
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def written(folder: Path, runtime: Runtime) -> tuple[str | None, ...]:
    model = load_model(f"caption:transformers:{folder}#max_new_tokens=8", runtime)
    assert isinstance(model, Captioner)
    return caption_items(model, ITEMS, language="de")


def test_own_code_is_refused_pinned_and_run(folder: Path) -> None:
    wanted = written(folder, Runtime())
    (folder / "own.py").write_text(CODE)
    mapped = {"AutoConfig": "own.OwnConfig", "AutoModelForImageTextToText": "own.OwnChat"}
    changed(folder, "config.json", model_type="own-chat", architectures=["OwnChat"], auto_map=mapped)
    with pytest.raises(UsageError, match=r"E601 .*--trust-code sha256:") as refused:
        written(folder, Runtime())
    pinned = refused.value.faults[0].fix.rpartition("--trust-code ")[2]
    assert not any(name.startswith("transformers_modules") for name in sys.modules)
    with pytest.raises(UsageError, match="E602"):
        written(folder, Runtime(trust_code="0" * 40))
    assert written(folder, Runtime(trust_code=pinned)) == wanted
    assert None not in wanted


def test_pickled_weights_are_refused_before_any_picture_is_read(tmp_path: Path) -> None:
    made = make_llava(tmp_path / "mine")
    (made.folder / "model.safetensors").rename(made.folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"E603 .*which can run code"):
        load_model(f"caption:transformers:{made.folder}")
