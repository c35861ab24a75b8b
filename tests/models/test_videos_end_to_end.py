"""GEM's videos by each adapter that takes them: the clips of the sample, and a real one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.cli import main
from crossgauge.inspection import inspect_model
from crossgauge.models import load_model
from crossgauge.types import Item
from crossgauge.video import load_frames
from tests.gem import RABBIT, sample_with_clip
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_open_clip import make_clip as make_open_clip
from tests.models.make_transformers import make_clip, make_x_clip


def x_clip(folder: Path) -> str:
    return f"transformers:{make_x_clip(folder).folder}"


def clip(folder: Path) -> str:
    return f"transformers:{make_clip(folder).folder}#frames=3"


def open_clip(folder: Path) -> str:
    return f"open-clip:{make_open_clip(folder).name}#frames=3"


def exported(folder: Path) -> str:
    make_towers(folder / "onnx", make_dual(folder / "dual"))
    return f"onnx:{folder / 'onnx'}#frames=3"


@pytest.fixture
def gem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample where the command runs, one of its videos real."""
    monkeypatch.chdir(tmp_path)
    return sample_with_clip(tmp_path / "GEM")


@pytest.mark.parametrize("make", [x_clip, clip, open_clip, exported])
def test_query_to_video_is_a_loop_by_hand(
    make: Callable[[Path], str], gem: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = make(tmp_path / "model")
    with pytest.raises(SystemExit) as done:
        main(["run", "gem", "--data", "GEM", "--model", spec, "-t", "QV", "-l", "en", "--json", "-b", "2"])
    out, err = capsys.readouterr()
    assert not done.value.code, err
    (cell,) = json.loads(out)["cells"]
    scores = {score["measure"]: score["value"] for score in cell["scores"]}
    rows = [json.loads(line) for line in (gem / "test.en.jsonl").read_text().splitlines()]
    model: Any = load_model(spec)
    texts = [Item("", text=row["query"]) for row in rows]
    videos = [Item("", video=gem / "videos" / "en" / f"{row['video_id']}.avi") for row in rows]
    sides = [np.concatenate([model.encode([model.prepare(one)], role="query") for one in side])
             for side in (texts, videos)]  # fmt: skip
    units = [side / np.linalg.norm(side.astype(float), axis=1, keepdims=True) for side in sides]
    similar = units[0] @ units[1].T
    ranks = 1 + (similar > np.diag(similar)[:, None]).sum(axis=1)
    assert scores["hit@1"] == pytest.approx((ranks == 1).mean())
    assert scores["medr"] == pytest.approx(np.median(ranks))
    assert "video" in inspect_model(spec).needs


def test_the_mean_of_frames_is_that_of_the_pictures(tmp_path: Path) -> None:
    """A clip's vector is the mean of the unit vectors of the very frames that the policy gives."""
    model: Any = load_model(clip(tmp_path / "model"))
    files = [tmp_path / f"{n}.png" for n in range(3)]
    for file, frame in zip(files, load_frames(RABBIT, item="", frames=3), strict=True):
        frame.save(file)
    alone = [model.encode([model.prepare(Item("", image=file))], role="query")[0] for file in files]
    wanted = np.mean([row / np.linalg.norm(row) for row in alone], axis=0)
    (found,) = model.encode([model.prepare(Item("", video=RABBIT))], role="query")
    np.testing.assert_allclose(found, wanted, atol=1e-6)
