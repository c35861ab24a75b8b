"""Every family runs a benchmark end to end from one command, with a tiny checkpoint of its own classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgauge.cli import main
from tests.models import make_captioners, make_onnx, make_open_clip, make_sentence, make_vlm2vec
from tests.models import make_transformers as dual


def made(make: Callable[[Path], Any]) -> Callable[[Path], Path]:
    """The folder of what a builder makes."""
    return lambda folder: Path(getattr(found := make(folder), "folder", found))


def exported(folder: Path) -> Path:
    make_onnx.make_towers(folder / "onnx", make_onnx.make_dual(folder / "torch"))
    return folder / "onnx"


FAMILIES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "clip": ("transformers:", made(dual.make_clip)),
    "metaclip 2": ("transformers:", made(dual.make_metaclip_2)),
    "siglip": ("transformers:", made(dual.make_siglip)),
    "siglip 2": ("transformers:", made(dual.make_siglip2)),
    "chinese-clip": ("transformers:", made(dual.make_chinese_clip)),
    "altclip": ("transformers:", made(dual.make_altclip)),
    "align": ("transformers:", made(dual.make_align)),
    "blip": ("transformers:", made(dual.make_blip)),
    "blip-2": ("transformers:", made(dual.make_blip_2)),
    "open_clip": ("open-clip:local-dir:", made(make_open_clip.make_clip)),
    "sentence-transformers": ("sentence-transformers:", made(make_sentence.make_pictures)),
    "onnx": ("onnx:", exported),
    "qwen2-vl": ("vlm2vec:", made(make_vlm2vec.make_qwen2_vl)),
}
CAPTIONERS = {
    "blip": make_captioners.make_blip,
    "git": make_captioners.make_git,
    "llava": make_captioners.make_llava,
}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_an_encoder_from_one_command(family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prefix, build = FAMILIES[family]
    spec = f"{prefix}{build(tmp_path / 'model')}"
    result = run(capsys, "emoji", "-m", spec, "-l", "en", "--limit", "4", "--out", str(tmp_path / "run"))
    assert result["model"] == spec
    assert {cell["task"] for cell in result["cells"]} == {"i2t", "t2i", "classify"}
    assert all(cell["scores"][0]["value"] is not None for cell in result["cells"])


@pytest.mark.parametrize("family", sorted(CAPTIONERS))
def test_a_captioner_from_one_command(
    family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"caption:transformers:{CAPTIONERS[family](tmp_path / 'model').folder}#max_new_tokens=4"
    with pytest.raises(SystemExit):
        main(["sample", "gem", str(tmp_path / "GEM")])
    result = run(
        capsys, "gem", "-d", str(tmp_path / "GEM"), "-t", "IQ", "-m", spec, "--limit", "2",
        "--out", str(tmp_path / "run"),
    )  # fmt: skip
    assert result["model"] == spec
    assert all(cell["scores"][0]["value"] is not None for cell in result["cells"])


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The Result that the command prints."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main(["run", *arguments, "--json"])
    captured = capsys.readouterr()
    assert not caught.value.code, captured.err
    found: dict[str, Any] = json.loads(captured.out)
    return found
