"""M-CLIP's text towers: the package's own sum, its pairing, and what it needs of its base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import EnvironmentFault, InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.runtime import Runtime
from crossgauge.types import Encoder, Item
from tests.models import documented
from tests.models.make_transformers import Made, make_m_clip
from tests.models.texts import EVERY as TEXTS


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make_m_clip(tmp_path / "m-clip")


def by_hand(folder: Path, texts: list[str]) -> documented.Rows:
    """As multilingual-clip computes it: the linear map of the masked mean of the last states."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

    tensors = load_file(folder / "model.safetensors")
    base = json.loads((folder / "config.json").read_bytes())["modelBase"]
    transformer = XLMRobertaModel(XLMRobertaConfig.from_pretrained(base), add_pooling_layer=False).eval()
    transformer.load_state_dict(
        {key.removeprefix("transformer."): value for key, value in tensors.items() if "transformer." in key}
    )
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(texts, padding=True, truncation=True, max_length=78, return_tensors="pt")
    mask = tokens["attention_mask"]
    with torch.no_grad():
        states = transformer(**tokens)[0]
        mean = (states * mask.unsqueeze(2)).sum(dim=1) / mask.sum(dim=1)[:, None]
        weight, bias = tensors["LinearTransformation.weight"], tensors["LinearTransformation.bias"]
        return documented.rows(mean @ weight.T + bias)


@pytest.mark.parametrize("size", [1, 5, len(TEXTS)])
def test_vectors_are_those_of_the_package(made: Made, size: int) -> None:
    encoder = load_model(f"transformers:{made.folder}")
    assert isinstance(encoder, Encoder)
    assert encoder.modalities == {"text"}
    prepared = [encoder.prepare(Item(str(n), text=text)) for n, text in enumerate(TEXTS)]
    parts = [encoder.encode(prepared[at : at + size], role="query") for at in range(0, len(TEXTS), size)]
    wanted = by_hand(made.folder, list(TEXTS))
    np.testing.assert_allclose(np.concatenate(parts), wanted, rtol=1e-5, atol=1e-5)
    assert wanted.shape == (len(TEXTS), encoder.dimensions)  # type: ignore[attr-defined]
    assert f"1 of {len(TEXTS)} texts cut at 78 tokens" in encoder.told()  # type: ignore[attr-defined]


def test_it_cannot_do_pictures_and_says_so_before_anything_is_encoded(made: Made) -> None:
    with pytest.raises(UsageError, match="takes no image"):
        evaluate("emoji", load_model(f"transformers:{made.folder}"), languages=["en"], limit=5)
    with pytest.raises(UsageError, match=r"E412 .*frames, which M-CLIP text towers does not have"):
        load_model(f"transformers:{made.folder}#frames=4")


def test_pickled_weights_only_where_allowed(made: Made) -> None:
    import torch
    from safetensors.torch import load_file

    safe = load_model(f"transformers:{made.folder}")
    assert isinstance(safe, Encoder)
    wanted = safe.encode([safe.prepare(Item("a", text="apple"))], role="query")
    weights = made.folder / "model.safetensors"
    torch.save(load_file(weights), made.folder / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(InputError, match=r"E603 .*pytorch_model.bin.*--allow-pickle-weights"):
        load_model(f"transformers:{made.folder}")
    allowed = load_model(f"transformers:{made.folder}", Runtime(pickle_weights=True))
    assert isinstance(allowed, Encoder)
    got = allowed.encode([allowed.prepare(Item("a", text="apple"))], role="query")
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def rewritten(folder: Path, **changed: Any) -> str:
    document = json.loads((folder / "config.json").read_bytes()) | changed
    (folder / "config.json").write_text(json.dumps(document))
    return f"transformers:{folder}"


def test_its_base_is_part_of_the_revision(made: Made) -> None:
    before = load_model(f"transformers:{made.folder}").revision
    config = made.folder.parent / "m-clip-base" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_bytes()) | {"layer_norm_eps": 1e-3}))
    assert load_model(f"transformers:{made.folder}").revision != before


def test_a_base_that_is_not_here_or_not_a_text_tower(made: Made) -> None:
    with pytest.raises(EnvironmentFault, match=r"E606 .*its base nobody/nothing.*hf download nobody/nothing"):
        load_model(rewritten(made.folder, modelBase="nobody/nothing"))
    other = made.folder.parent / "other"
    other.mkdir()
    (other / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(UsageError, match=r"E620 .*'gpt2'; wanted one of: bert"):
        load_model(rewritten(made.folder, modelBase=str(other)))
    with pytest.raises(InputError, match=r"E604 .*numDims"):
        load_model(rewritten(made.folder, numDims="many"))


def test_weights_that_lack_a_part_or_have_another_shape(made: Made) -> None:
    from safetensors.torch import load_file, save_file

    def first(folder: Path) -> None:
        encoder = load_model(f"transformers:{folder}")
        assert isinstance(encoder, Encoder)
        encoder.encode([encoder.prepare(Item("a", text="apple"))], role="query")

    copy = made.folder.parent / "copy"
    shutil.copytree(made.folder, copy)
    tensors = load_file(copy / "model.safetensors")
    save_file({k: v for k, v in tensors.items() if "Linear" not in k}, copy / "model.safetensors")
    with pytest.raises(
        InputError, match=r"E622 .*lack LinearTransformation.bias, LinearTransformation.weight"
    ):
        first(copy)
    rewritten(made.folder, numDims=99)
    with pytest.raises(InputError, match=r"E622 .*weights of another shape"):
        first(made.folder)
