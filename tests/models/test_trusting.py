"""What may run code, is not here or not installed: one block with the command that helps, from a run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.models import hub
from tests.models.command import ran, stopped
from tests.models.make_captioners import changed, make_llava
from tests.models.make_open_clip import make_clip as make_open_clip
from tests.models.make_sentence import make_pictures
from tests.models.make_transformers import make_clip
from tests.models.make_vlm2vec import make_qwen2_vl
from tests.models.test_transformers_faults import CODE

MAKERS: dict[str, Callable[[Path], Path]] = {
    "transformers:": lambda folder: make_clip(folder).folder,
    "open-clip:local-dir:": lambda folder: make_open_clip(folder).folder,
    "sentence-transformers:": make_pictures,
    "vlm2vec:": lambda folder: make_qwen2_vl(folder).folder,
    "caption:transformers:": lambda folder: make_llava(folder).folder,
}
AWAY = {
    "transformers:": "owner/name", "open-clip:hf-hub:": "owner/name", "sentence-transformers:": "owner/name",
    "vlm2vec:": "owner/name", "caption:transformers:": "owner/name",
    "open-clip:ViT-B-32,": "laion2b_s34b_b79k", "pair:image=conse;text=transformers:": "owner/name",
    "caption:nearest:TRAIN#encoder=transformers:": "owner/name",
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> tuple[str, ...]:
    """What a captioner is run on."""
    assert stopped("sample", "gem", tmp_path / "GEM") == 0
    return ("gem", "-d", str(tmp_path / "GEM"), "-t", "IQ", "-l", "en")


def on(prefix: str, data: tuple[str, ...]) -> tuple[str, ...]:
    return data if prefix.startswith("caption:") else ("emoji", "-l", "en", "-t", "i2t", "--limit", "4")


def block(capsys: pytest.CaptureFixture[str]) -> str:
    """What a refusal said; there is one and no more."""
    heard = capsys.readouterr().err
    assert "Traceback" not in heard
    assert heard.count("  place  ") == 1, heard
    return " ".join(heard.split())


@pytest.mark.parametrize("prefix", sorted(MAKERS))
def test_pickled_weights(
    prefix: str, data: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch
    from safetensors.torch import load_file

    folder = MAKERS[prefix](tmp_path / "model")
    asked = (*on(prefix, data), "-m", f"{prefix}{folder}", "--no-cache")
    wanted = ran(tmp_path / "safe", *asked)
    (file,) = folder.glob("*.safetensors")
    name = "open_clip_pytorch_model.bin" if "open_clip" in file.name else "pytorch_model.bin"
    torch.save(load_file(file), folder / name)
    file.unlink()
    capsys.readouterr()
    assert stopped("run", *asked, "-o", tmp_path / "refused") == 3
    said = block(capsys)
    assert "E603" in said
    assert "--allow-pickle-weights" in said
    assert not (tmp_path / "refused").exists(), "before anything was made"
    found = ran(tmp_path / "allowed", *asked, "--allow-pickle-weights")
    assert [cell.scores[0].value for cell in found.cells] == [cell.scores[0].value for cell in wanted.cells]


@pytest.mark.parametrize("prefix", sorted(AWAY))
def test_a_checkpoint_that_is_not_here(
    prefix: str, data: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    hub.go_offline(monkeypatch, tmp_path / "hub")
    capsys.readouterr()
    shutil.copytree(tmp_path / "GEM", tmp_path / "TRAIN")
    named = prefix.replace("TRAIN", f"gem={tmp_path / 'TRAIN'}") + AWAY[prefix]
    assert stopped("run", *on(prefix, data), "-m", named, "-o", tmp_path / "run") == 4
    said = block(capsys)
    assert "E606" in said
    assert "hf download " in said
    assert not (tmp_path / "run").exists()


LIBRARIES = {
    "transformers:": "transformers", "open-clip:hf-hub:": "open_clip", "vlm2vec:": "torch",
    "sentence-transformers:": "sentence_transformers", "caption:transformers:": "transformers",
}  # fmt: skip


@pytest.mark.parametrize("prefix", sorted(LIBRARIES))
def test_a_library_that_is_not_installed(
    prefix: str, data: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, LIBRARIES[prefix], None)
    capsys.readouterr()
    assert stopped("run", *on(prefix, data), "-m", f"{prefix}owner/name", "-o", tmp_path / "run") == 4
    said = block(capsys)
    assert f"{LIBRARIES[prefix]} is not installed" in said
    assert "pip install 'crossgauge[torch]'" in said
    assert not (tmp_path / "run").exists()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A CLIP whose classes lie in its own Python file."""
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    known, folder = set(sys.modules), make_clip(tmp_path / "own").folder
    (folder / "own.py").write_text(CODE)
    mapped = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    changed(folder, "config.json", model_type="own-code", architectures=["OwnModel"], auto_map=mapped)
    yield folder
    for name in set(sys.modules) - known:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def test_code_of_its_own(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("emoji", "-l", "en", "-t", "i2t", "--limit", "4", "--no-cache", "-m", f"transformers:{own}")
    assert stopped("run", *asked, "-o", tmp_path / "refused") == 2
    said = block(capsys)
    assert "E601" in said
    commit = said.partition("--trust-code ")[2].split()[0]
    assert stopped("run", *asked, "-o", tmp_path / "refused", "--trust-code", "0" * 40) == 2
    assert "E602" in block(capsys)
    assert not (tmp_path / "refused").exists()
    assert not any(name.startswith("transformers_modules") for name in sys.modules), "nothing of it ran"
    found = ran(tmp_path / "trusted", *asked, "--trust-code", commit)
    plain = ran(tmp_path / "plain", *asked[:-1], f"transformers:{make_clip(tmp_path / 'clip').folder}")
    assert [cell.scores[0].value for cell in found.cells] == [cell.scores[0].value for cell in plain.cells]


@pytest.mark.parametrize("prefix", ["vlm2vec:", "caption:transformers:"])
def test_a_kind_that_lies_in_the_checkpoint_alone(
    prefix: str, data: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Phi-3.5-vision does: what the library does not know itself is never looked into unasked."""
    folder = tmp_path / "phi"
    folder.mkdir()
    classes = {"AutoConfig": "modeling_phi3_v.Phi3VConfig", "AutoModelForCausalLM": "modeling_phi3_v.Phi3V"}
    (folder / "config.json").write_text(json.dumps({"model_type": "phi3_v", "auto_map": classes}))
    (folder / "modeling_phi3_v.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    capsys.readouterr()
    assert stopped("run", *on(prefix, data), "-m", f"{prefix}{folder}", "-o", tmp_path / "run") == 2
    said = block(capsys)
    assert "E601" in said
    assert "--trust-code sha256:" in said
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "run").exists()
