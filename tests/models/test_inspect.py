"""What is said of a checkpoint, by its configuration alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from safetensors.numpy import save_file

from crossgauge.cli import main
from crossgauge.errors import InputError
from crossgauge.inspection import inspect_model
from crossgauge.runtime import Runtime
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_sentence import make_static
from tests.models.make_transformers import make_clip

CARD = "---\nlicense: apache-2.0\nlanguage:\n- en\n- de\n---\n# A card\n"


class Known(NamedTuple):
    """A checkpoint, and what the library says of it once it is loaded."""

    folder: Path
    numbers: int
    dimensions: int


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Known:
    from transformers import CLIPModel

    folder = make_clip(tmp_path_factory.mktemp("model") / "clip").folder
    (folder / "README.md").write_text(CARD)
    model = CLIPModel.from_pretrained(folder)
    return Known(folder, sum(one.numel() for one in model.parameters()), model.config.projection_dim)


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_pretrained(*_: object, **__: object) -> None:
        raise AssertionError("weights were loaded")

    monkeypatch.setattr("transformers.PreTrainedModel.from_pretrained", from_pretrained)


@pytest.mark.usefixtures("no_weights")
def test_a_checkpoint_of_transformers(made: Known) -> None:
    facts = inspect_model(f"transformers:{made.folder}")
    assert facts.makes == ("vectors",)
    assert {"image", "text"} <= set(facts.modalities)
    assert facts.dimensions == made.dimensions
    assert facts.parameters == made.numbers
    assert (facts.dtype, facts.device, facts.license) == ("fp32", "cpu", "apache-2.0")
    assert facts.languages == ("de", "en")
    assert facts.needs[0] == "torch"
    assert facts.preprocessing is not None
    assert "cut at" in facts.preprocessing


@pytest.mark.usefixtures("no_weights")
def test_the_number_format_is_part_of_the_revision(made: Known) -> None:
    spec = f"transformers:{made.folder}"
    half = inspect_model(spec, Runtime(dtype="bf16"))
    assert half.dtype == "bf16"
    assert half.revision != inspect_model(spec).revision


@pytest.mark.usefixtures("no_weights")
def test_on_the_command_line(made: Known, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["model", "inspect", f"transformers:{made.folder}", "--dtype", "bf16", "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["model"]
    assert not done.value.code
    assert (found["dtype"], found["similarity"], found["joint"]) == ("bf16", "cosine", False)


def test_the_dimensions_of_a_table_of_vectors_are_those_of_its_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A StaticEmbedding has no configuration; the header of its file says how wide it is."""
    folder = make_static(tmp_path / "static")
    with pytest.raises(SystemExit) as done:
        main(["model", "inspect", f"sentence-transformers:{folder}"])
    heard = capsys.readouterr()
    assert not done.value.code, heard.err
    facts = dict(line.split(maxsplit=1) for line in heard.out.splitlines())
    assert facts["dimensions"] == "16"
    weights = folder / "model.safetensors"
    save_file({"embeddings": np.zeros((7, 9), np.float32)}, weights)  # as model2vec names it
    assert inspect_model(f"sentence-transformers:{folder}").dimensions == 9
    weights.write_bytes(weights.read_bytes()[:20])
    with pytest.raises(InputError, match=r"E604 .*model.safetensors: damaged"):
        inspect_model(f"sentence-transformers:{folder}")


def test_an_exported_model_and_a_pair(made: Known, tmp_path: Path) -> None:
    make_towers(tmp_path / "onnx", make_dual(tmp_path / "dual"))
    assert inspect_model(f"onnx:{tmp_path / 'onnx'}").needs == ("onnx",)
    both = inspect_model(f"pair:image=onnx:{tmp_path / 'onnx'};text=onnx:{tmp_path / 'onnx'}")
    assert both.needs == ("onnx",)
    assert both.dimensions == inspect_model(f"onnx:{tmp_path / 'onnx'}").dimensions
