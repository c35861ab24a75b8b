"""``frames=Nfps``: as many frames of a video as it is long, for every adapter that takes videos."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import UsageError
from crossgauge.models import load_model
from crossgauge.types import Item
from crossgauge.video import load_frames
from tests.clips import write_clip
from tests.models.make_captioners import make_qwen2_vl
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_open_clip import make_clip as make_open_clip
from tests.models.make_sentence import make_pictures
from tests.models.make_transformers import make_clip, make_x_clip

RAMP = [12 * n for n in range(20)]  # at 25 frames a second: 0.8 s


def exported(folder: Path) -> str:
    make_towers(folder / "onnx", make_dual(folder / "dual"))
    return f"onnx:{folder / 'onnx'}"


ENCODERS: dict[str, Callable[[Path], str]] = {
    "transformers": lambda folder: f"transformers:{make_clip(folder).folder}",
    "open-clip": lambda folder: f"open-clip:{make_open_clip(folder).name}",
    "onnx": exported,
    "sentence-transformers": lambda folder: f"sentence-transformers:{make_pictures(folder)}",
}


@pytest.fixture
def clips(tmp_path: Path) -> list[Item]:
    """0.8 s and 0.4 s."""
    parts = {"long": RAMP, "short": RAMP[10:]}
    return [Item(name, video=write_clip(tmp_path / f"{name}.mp4", greys)) for name, greys in parts.items()]


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_clip_is_the_mean_of_so_many_frames_a_second(name: str, tmp_path: Path, clips: list[Item]) -> None:
    spec = ENCODERS[name](tmp_path / "model")
    model: Any = load_model(f"{spec}#frames=10fps")
    wanted = []
    for clip, count in zip(clips, (8, 4), strict=True):
        frames = load_frames(clip.video or "", item="", fps=10)
        assert len(frames) == count
        for number, frame in enumerate(frames):
            frame.save(tmp_path / f"{number}.png")
        pictures = [Item("", image=tmp_path / f"{number}.png") for number in range(count)]
        rows = model.encode([model.prepare(one) for one in pictures], role="corpus").astype(float)
        wanted.append((rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0))
    found = model.encode([model.prepare(clip) for clip in clips], role="corpus")
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert "10 frames a second of video" in model.preprocessing
    assert model.revision != load_model(f"{spec}#frames=10").revision


def test_a_chat_model_sees_as_many_pictures(tmp_path: Path, clips: list[Item]) -> None:
    spec = f"caption:transformers:{make_qwen2_vl(tmp_path / 'model').folder}#frames=5fps,max_new_tokens=4"
    model: Any = load_model(spec)
    prepared = [model.prepare(clip) for clip in clips]
    assert [len(one.pictures) for one in prepared] == [4, 2]
    alone = [text for one in prepared for text in model.caption([one], language="en")]
    assert list(model.caption(prepared, language="en")) == alone


BAD = ["0", "4097", "0fps", "0.0fps", "fps", "-1fps", "nanfps", "4096fps", "٣fps"]


@pytest.mark.parametrize("frames", BAD)
def test_what_is_no_number_of_frames(frames: str, tmp_path: Path) -> None:
    spec = f"transformers:{make_clip(tmp_path / 'model').folder}#frames={frames}"
    with pytest.raises(UsageError, match=rf"E412 .*frames={frames}; wanted a whole number from 1 to 4096"):
        load_model(spec)


def test_a_model_of_whole_clips_has_its_own_number(tmp_path: Path) -> None:
    spec = f"transformers:{make_x_clip(tmp_path / 'model').folder}#frames=4fps"
    with pytest.raises(UsageError, match=r"E412 .*frames=4fps; wanted frames=4, as it was trained"):
        load_model(spec)
