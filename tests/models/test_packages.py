"""Checkpoints whose library needs a package that is not installed: one clear block with the command."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import EnvironmentFault, UsageError
from crossgauge.models import load_model
from crossgauge.models._torch.extras import cannot_import
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from tests.models import pictures
from tests.models.documented_vlm2vec import Documented
from tests.models.make_captioners import changed
from tests.models.make_sentence import make_bert
from tests.models.make_vlm2vec import make_smolvlm

ADAPTERS = ("vlm2vec:", "caption:transformers:")


@pytest.fixture(scope="module")
def smolvlm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SmolVLM with the processor of its second release, whose words for frames need num2words."""
    folder = make_smolvlm(tmp_path_factory.mktemp("checkpoint") / "smolvlm2").folder
    sizes = {"size": {"longest_edge": 56}, "max_image_size": {"longest_edge": 28}}
    processor = json.loads((folder / "processor_config.json").read_text())
    images = processor["image_processor"] | {"image_processor_type": "SmolVLMImageProcessor"}
    videos = {"video_processor_type": "SmolVLMVideoProcessor", **sizes}
    changed(folder, "processor_config.json", processor_class="SmolVLMProcessor", image_processor=images,
            video_processor=videos)  # fmt: skip
    changed(folder, "tokenizer_config.json", processor_class="SmolVLMProcessor")
    return folder


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """What the library takes for num2words; it reads no picture and no text with it."""
    from transformers.models.smolvlm import processing_smolvlm

    return lambda found: monkeypatch.setattr(processing_smolvlm, "num2words", found)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("backend", ["auto", "pil"])
def test_a_processor_that_needs_a_package_is_told_when_the_model_is_made(
    smolvlm2: Path, words: Callable[[object], None], adapter: str, backend: str
) -> None:
    words(None)
    with pytest.raises(EnvironmentFault) as raised:
        load_model(f"{adapter}{smolvlm2}#backend={backend}")
    (fault,) = raised.value.faults
    assert (fault.code, fault.found) == ("E600", "its processor needs num2words, which is not installed")
    assert fault.fix == "pip install num2words"


def test_with_the_package_its_vectors_are_the_documented_call_s(
    smolvlm2: Path, words: Callable[[object], None], tmp_path: Path
) -> None:
    words(str)
    documented = Documented(make_smolvlm(tmp_path / "first"))  # one release before: the same inputs
    item = Item("p", text="a bee", image=pictures.of_every_kind(tmp_path)["rgb.png"])
    encoder: Any = load_model(f"vlm2vec:{smolvlm2}")
    assert "SmolVLMImageProcessor" in encoder.preprocessing
    row = encoder.encode([encoder.prepare(item)], role="query")[0]
    np.testing.assert_allclose(row, documented.row(item), rtol=1e-5, atol=1e-5)
    captioner: Any = load_model(f"caption:transformers:{smolvlm2}#max_new_tokens=3")
    assert isinstance(captioner.caption([captioner.prepare(item)], language="en")[0], str)


FORMS: list[tuple[Exception, str]] = [
    (ModuleNotFoundError("No module named 'timm.layers'", name="timm.layers"), "pip install timm"),
    (ImportError("Package `a` is required. Install it with `pip install a-b`."), "pip install a-b"),
    (ImportError("not found: flash_attn, einops. Run `pip install flash_attn einops`"),
     "pip install flash_attn einops"),
    (ImportError("\nX requires the 🤗 D library but it was not found.\n```\npip install datasets\n```\n"),
     "pip install datasets"),
    (ImportError("with pip: `pip\ninstall python-Levenshtein`. Please"), "pip install python-Levenshtein"),
    (ImportError("\nX requires the SentencePiece library but it was not found"), "pip install sentencepiece"),
    (ImportError("install it with:\npip install -U scikit-learn."), "pip install scikit-learn"),
    (ValueError("None could be imported. Missing optional dependencies: torchvision, av. Please install"),
     "pip install torchvision av"),
    (ImportError("cannot import name 'x' from 'y'"), "install what it names, in a release that fits;"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "fix"), FORMS)
def test_each_way_in_which_libraries_name_a_package(error: Exception, fix: str) -> None:
    found = cannot_import("model x", "processor", error)
    assert found is not None
    assert found.faults[0].fix.startswith(fix)


def test_other_errors_are_no_matter_of_packages() -> None:
    assert cannot_import("model x", "processor", ValueError("pip install nothing")) is None


def test_a_model_of_sentence_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own module, trusted, imports what is not installed: the library's loader finds that out."""
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = make_bert(tmp_path / "bert")
    (folder / "own.py").write_text(
        "import einops_of_nobody\n\n\nclass Own(einops_of_nobody.Module):\n    pass\n"
    )
    modules = json.loads((folder / "modules.json").read_bytes())
    modules[2]["type"] = "own.Own"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(UsageError, match="E601") as refused:
        load_model(f"sentence-transformers:{folder}")
    pinned = refused.value.faults[0].fix.rpartition("--trust-code ")[2]
    encoder: Any = load_model(f"sentence-transformers:{folder}", Runtime(trust_code=pinned))
    lacking = r"E600 .*needs einops_of_nobody, which is not .*pip install einops_of_nobody"
    with pytest.raises(EnvironmentFault, match=lacking):
        encoder.encode([encoder.prepare(Item("a", text="a"))], role="query")
