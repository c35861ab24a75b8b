"""Checkpoints that cannot be used: one clear block each, before a number could be wrong."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from crossgauge.errors import CrossgaugeError, EnvironmentFault, InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder, Item
from tests.models.make_transformers import make_blip, make_clip

CODE = """
from transformers import CLIPConfig, CLIPModel


class OwnConfig(CLIPConfig):
    model_type = "own-code"


class OwnModel(CLIPModel):
    config_class = OwnConfig
"""

CODE_WITHOUT_CALLS = """
import torch
from transformers import CLIPConfig, PreTrainedModel


class OwnConfig(CLIPConfig):
    model_type = "own-code"


class OwnModel(PreTrainedModel):
    config_class = OwnConfig

    def __init__(self, config):
        super().__init__(config)
        self.logit_scale = torch.nn.Parameter(torch.zeros(()))
        self.post_init()
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("checkpoint") / "clip").folder


@pytest.fixture
def folder(clip: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    shutil.copytree(clip, tmp_path / "copy")
    return tmp_path / "copy"


def opened(folder: Path, runtime: Runtime = DEFAULT) -> Encoder:
    found = load_model(f"transformers:{folder}", runtime)
    assert isinstance(found, Encoder)
    return found


def first(folder: Path, runtime: Runtime = DEFAULT) -> Any:
    encoder = opened(folder, runtime)
    return encoder.encode([encoder.prepare(Item("a", text="apple"))], role="query")


def rewritten(folder: Path, **changed: Any) -> Path:
    file = folder / "config.json"
    document = json.loads(file.read_bytes()) | changed
    file.write_text(json.dumps({key: value for key, value in document.items() if value is not None}))
    return folder


def fault_of(folder: Path, runtime: Runtime = DEFAULT) -> Any:
    with pytest.raises(CrossgaugeError) as caught:
        first(folder, runtime)
    assert len(caught.value.faults) == 1
    return caught.value.faults[0]


def test_an_unknown_kind_lists_the_known(folder: Path) -> None:
    fault = fault_of(rewritten(folder, model_type="gpt2"))
    assert fault.code == "E620"
    assert fault.found == "model_type 'gpt2'"
    for family in ("clip (CLIP)", "siglip2", "chinese_clip", "altclip", "align", "blip-2", "xclip", "M-CLIP"):
        assert family in fault.wanted
    assert fault_of(rewritten(folder, model_type=None)).found == "a config.json without model_type"
    (folder / "config.json").unlink()
    assert fault_of(folder).found == "no config.json"


def test_a_captioner_of_the_same_kind_is_told_apart(tmp_path: Path) -> None:
    blip = make_blip(tmp_path / "blip").folder
    fault = fault_of(rewritten(blip, architectures=["BlipForConditionalGeneration"]))
    assert fault.code == "E620"
    assert "caption:transformers:ID" in fault.fix
    assert fault.wanted == "BlipForImageTextRetrieval"


def test_damaged_configurations(folder: Path) -> None:
    (folder / "config.json").write_text("{")
    assert fault_of(folder).code == "E604"
    (folder / "config.json").write_text("[]")
    assert fault_of(folder).code == "E604"
    (folder / "config.json").write_text('{"model_type": "clip", "projection_dim": "wide"}')
    assert fault_of(folder).code == "E604"


def test_a_damaged_tokenizer_or_image_processor(folder: Path) -> None:
    (folder / "preprocessor_config.json").write_text("{")
    fault = fault_of(folder)
    assert (fault.code, "image processor cannot be loaded" in fault.found) == ("E621", True)
    (folder / "preprocessor_config.json").unlink()
    (folder / "tokenizer.json").write_text("{")
    fault = fault_of(folder)
    assert (fault.code, "tokenizer cannot be loaded" in fault.found) == ("E621", True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    fault = fault_of(folder)
    assert (fault.code, "neither a tokenizer nor" in fault.found) == ("E621", True)


def test_weights_that_lack_a_tensor_are_refused_not_made_up(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    del tensors["text_projection.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    fault = fault_of(folder)
    assert fault.code == "E622"
    assert fault.found == "its weights lack text_projection.weight"


def test_weights_of_another_shape_and_damaged_ones(folder: Path) -> None:
    fault = fault_of(rewritten(folder, projection_dim=99))
    assert fault.code == "E622"
    assert fault.found == (
        "text_projection.weight is 16×32, its config.json says 99×32; "
        "visual_projection.weight is 16×32, its config.json says 99×32"
    )
    rewritten(folder, projection_dim=16)
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    assert fault_of(folder).code == "E622"
    with pytest.raises(InputError, match=r"E604 .*model.safetensors: damaged"):
        opened(folder).parameters()  # type: ignore[attr-defined]


def test_a_dual_encoder_without_its_tokenizer_says_why_it_takes_no_text(folder: Path) -> None:
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
    encoder = opened(folder)
    assert encoder.modalities == {"image"}
    with pytest.raises(UsageError, match=r"E107 .*takes no text \(no tokenizer: none of tokenizer.json, "):
        evaluate("emoji", encoder, languages=["en"], tasks=["i2t"])


def test_pickled_weights_only_where_allowed(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file

    wanted = first(folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    fault = fault_of(folder)
    assert (fault.code, "pytorch_model.bin" in fault.found) == ("E603", True)
    assert "--allow-pickle-weights" in fault.fix
    np.testing.assert_allclose(first(folder, Runtime(pickle_weights=True)), wanted, rtol=1e-5, atol=1e-5)
    (folder / "pytorch_model.bin").unlink()
    fault = fault_of(folder)
    assert (fault.code, fault.found) == ("E603", "no weights: neither *.safetensors nor *.bin")


class Evil:
    """Runs when unpickled; the restricted reader must not."""

    def __reduce__(self) -> Any:
        return (print, ("evil ran",))


def test_a_pickle_that_runs_code_is_not_run_even_where_pickles_are_allowed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    (folder / "model.safetensors").unlink()
    torch.save({"logit_scale": Evil()}, folder / "pytorch_model.bin")
    assert fault_of(folder, Runtime(pickle_weights=True)).code == "E622"
    assert "evil" not in capsys.readouterr().out


@pytest.fixture
def own_code(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkpoint whose classes lie in its own Python file."""
    from transformers import dynamic_module_utils

    modules = tmp_path / "modules"
    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(modules))
    known = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (folder / "own.py").write_text(CODE)
    auto_map = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    yield rewritten(folder, model_type="own-code", architectures=["OwnModel"], auto_map=auto_map)
    for name in set(sys.modules) - known:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def test_own_code_is_refused_pinned_and_run(own_code: Path, clip: Path) -> None:
    fault = fault_of(own_code)
    assert fault.code == "E601"
    revision = opened(clip).checkpoint.revision  # type: ignore[attr-defined]
    pinned = fault.fix.rpartition("--trust-code ")[2]
    assert pinned.startswith("sha256:")
    assert pinned != revision
    fault = fault_of(own_code, Runtime(trust_code=revision))
    assert (fault.code, pinned in fault.found) == ("E602", True)
    assert not any(name.startswith("transformers_modules") for name in sys.modules)
    np.testing.assert_allclose(first(own_code, Runtime(trust_code=pinned)), first(clip), rtol=1e-5, atol=1e-5)


def test_own_code_without_the_two_calls(own_code: Path) -> None:
    (own_code / "own.py").write_text(CODE_WITHOUT_CALLS)
    pinned = fault_of(own_code).fix.rpartition("--trust-code ")[2]
    fault = fault_of(own_code, Runtime(trust_code=pinned))
    assert fault.code == "E623"
    assert fault.found == "its own code (OwnModel) has no get_text_features and no get_image_features"


def test_code_of_another_repository_is_never_run(own_code: Path) -> None:
    rewritten(own_code, auto_map={"AutoModel": "someone/else--own.OwnModel"})
    pinned = fault_of(own_code).fix.rpartition("--trust-code ")[2]
    fault = fault_of(own_code, Runtime(trust_code=pinned))
    assert fault.code == "E602"
    assert fault.found == "its code lies in someone/else, which no commit of this checkpoint pins"


def test_a_known_kind_never_runs_the_code_beside_it(folder: Path, clip: Path) -> None:
    (folder / "own.py").write_text("from pathlib import Path; Path(__file__).with_name('ran').touch()")
    found = first(rewritten(folder, auto_map={"AutoModel": "own.OwnModel", "AutoConfig": "own.OwnConfig"}))
    assert not list(folder.rglob("ran"))
    np.testing.assert_array_equal(found, first(clip))


def test_a_line_of_one_pixel_would_fill_the_memory(folder: Path) -> None:
    file = folder.parent / "line.png"
    Image.new("RGB", (200_000, 1)).save(file)
    with pytest.raises(InputError, match=r"E624 item line: 200000 × 1 pixels: resized by the shorter"):
        opened(folder).prepare(Item("line", image=file))


def test_pictures_that_cannot_be_read_name_the_item(folder: Path) -> None:
    with pytest.raises(InputError, match=r"E160 .*gone.png \(item g\)"):
        opened(folder).prepare(Item("g", image=folder / "gone.png"))


def test_a_name_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="E605"):
        opened(tmp_path / "nothing")
    with pytest.raises(EnvironmentFault, match=r"E606 .*HF_HUB_OFFLINE is set.*hf download openai/clip"):
        opened(Path("openai/clip"))
