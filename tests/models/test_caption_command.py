"""A captioner from one command: everything that it takes, told how, and kept for the next run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.command import ran, stopped
from tests.models.make_captioners import make_qwen2_vl


def test_everything_a_chat_model_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pictures, titles, videos, and a video with its title as one input."""
    pytest.importorskip("av")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(tmp_path / "cache"))
    assert stopped("sample", "gem", "GEM") == 0
    spec = f"caption:transformers:{make_qwen2_vl(tmp_path / 'qwen').folder}#max_new_tokens=6,frames=2"
    asked = ("gem", "--data", "GEM", "-t", "IQ,TQ,VQ,VTQ", "-l", "en", "-m", spec)
    result = ran(tmp_path / "run", *asked)
    heard = capsys.readouterr().err
    assert [cell.task for cell in result.cells] == ["IQ", "TQ", "VQ", "VTQ"]
    assert all(cell.scores[0].n_missing == 0 for cell in result.cells)
    assert "generation: max_new_tokens=6, num_beams=1, do_sample=false; of the checkpoint:" in heard
    assert ran(tmp_path / "again", *asked).cells == result.cells
    assert "W651" in heard, "some were cut when they were written"
    assert "W651" not in capsys.readouterr().err, "nothing was written anew"
