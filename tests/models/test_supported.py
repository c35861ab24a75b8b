"""Every family runs a benchmark end to end from one command, with a tiny checkpoint of its own classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models import hub, make_captioners, make_onnx, make_open_clip, make_sentence, make_vlm2vec
from tests.models import make_transformers as dual
from tests.models.command import ran, stopped

pytestmark = pytest.mark.filterwarnings(  # PaliGemma's processor, of its own tensors
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)


def made(prefix: str, make: Callable[[Path], Any]) -> Callable[[Path], str]:
    """The name of what a builder makes."""
    return lambda folder: f"{prefix}{getattr(found := make(folder), 'folder', found)}"


def exported(folder: Path) -> str:
    make_onnx.make_towers(folder / "onnx", make_onnx.make_dual(folder / "torch"))
    return f"onnx:{folder / 'onnx'}"


def architecture(folder: Path) -> str:
    """One of the library's list, and a file of weights."""
    import open_clip

    weights = make_open_clip.make_clip(folder).folder / "open_clip_model.safetensors"
    (folder / "configs").mkdir()
    (folder / "configs" / "tiny-supported.json").write_text(json.dumps(make_open_clip.CLIP))
    open_clip.add_model_config(folder / "configs")
    return f"open-clip:tiny-supported,{weights}"


def of_the_hub(prefix: str, make: Callable[[Path], Any]) -> Callable[[Path], str]:
    """As it lies in this machine's cache after a download."""

    def build(folder: Path) -> str:
        hub.put(folder.parent / "hub", "some/tiny", Path(getattr(found := make(folder), "folder", found)))
        return f"{prefix}some/tiny@{hub.COMMIT}"

    return build


def m_clip_beside_open_clip(folder: Path) -> str:
    towers = make_open_clip.make_clip(folder / "image").name, dual.make_m_clip(folder / "text").folder
    return f"pair:image=open-clip:{towers[0]};text=transformers:{towers[1]}"


def two_of_sentence_transformers(folder: Path) -> str:
    seeing, reading = make_sentence.make_pictures(folder / "a"), make_sentence.make_multilingual(folder / "b")
    return f"sentence-transformers:image={seeing};text={reading}"


ENCODERS: dict[str, Callable[[Path], str]] = {
    **{name: made("transformers:", make) for name, make in dual.PICTURES.items()},
    **{f"open_clip {name}": made("open-clip:local-dir:", make)
       for name, make in make_open_clip.FOLDERS.items()},
    "open_clip architecture": architecture,
    "open_clip hub": of_the_hub("open-clip:hf-hub:", make_open_clip.make_clip),
    "transformers hub": of_the_hub("transformers:", dual.make_clip),
    "sentence-transformers hub": of_the_hub("sentence-transformers:", make_sentence.make_pictures),
    "vlm2vec hub": of_the_hub("vlm2vec:", make_vlm2vec.make_qwen2_vl),
    "sentence-transformers": made("sentence-transformers:", make_sentence.make_pictures),
    "sentence-transformers chat": made("sentence-transformers:", make_sentence.make_chat),
    "pair of sentence-transformers": two_of_sentence_transformers,
    "pair with m-clip": m_clip_beside_open_clip,
    "onnx": exported,
    **{name: made("vlm2vec:", make) for name, make in make_vlm2vec.FAMILIES.items()},
    "phi-4-multimodal": made("vlm2vec:", make_vlm2vec.make_phi4_multimodal),
}  # fmt: skip
CHATS = ("qwen2.5-vl", "qwen3-vl", "llava-onevision", "smolvlm")  # of those that have a template
CAPTIONERS: dict[str, Callable[[Path], Any]] = {
    **make_captioners.PLAIN, **make_captioners.CHATS,
    **{name: make_vlm2vec.FAMILIES[name] for name in CHATS},
    "phi-4-multimodal": make_vlm2vec.make_phi4_multimodal,
}  # fmt: skip


PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rows", "built"), [("vision-language models", set(ENCODERS)), ("captioners", set(CAPTIONERS))]
)
def test_the_page_promises_what_is_run_here(rows: str, built: set[str]) -> None:
    """Of the rows that name this file, each family that they list."""
    cells = [line.split("|")[1:] for line in PAGE.splitlines() if line.startswith(f"| {rows}")]
    ours = [cell[1] for cell in cells if cell[4].strip() == "tests/models/test_supported.py"]
    promised = {name.strip().replace(" ", "").lower() for names in ours for name in names.split(",")}
    promised = {name.partition(":")[2] or name for name in promised}  # "more chat models: …"
    assert len(promised) > 8
    assert promised - built == set()


@pytest.mark.parametrize("family", sorted(ENCODERS))
def test_an_encoder_from_one_command(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.go_offline(monkeypatch, tmp_path / "hub")
    spec = ENCODERS[family](tmp_path / "model")
    result = ran(tmp_path / "run", "emoji", "-m", spec, "-l", "en", "--limit", 4)
    assert str(result.model).endswith(Path(spec).name)
    assert {cell.task for cell in result.cells} == {"i2t", "t2i", "classify"}
    for cell in result.cells:
        assert [score.n for score in cell.scores[:1]] == [4]
        assert cell.scores[0].value is not None
        assert cell.scores[0].n_missing == 0


@pytest.mark.parametrize("family", sorted(CAPTIONERS))
def test_a_captioner_from_one_command(family: str, tmp_path: Path) -> None:
    spec = f"caption:transformers:{CAPTIONERS[family](tmp_path / 'model').folder}#max_new_tokens=4"
    assert stopped("sample", "gem", tmp_path / "GEM") == 0
    result = ran(tmp_path / "run", "gem", "-d", tmp_path / "GEM", "-t", "IQ", "-m", spec, "-l", "en")
    assert result.model == spec
    (cell,) = result.cells
    assert cell.scores[0].n == 3
    assert cell.scores[0].value is not None
