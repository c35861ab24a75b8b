"""GEM's videos, end to end: from clips to scores, by one command."""

from __future__ import annotations

import json
from pathlib import Path

import av
import numpy as np
import pytest

from crossgauge.cli import main
from crossgauge.types import Item
from tests.frame_mean import FrameMean, conse
from tests.gem import RABBIT, sample_with_clip

COMMAND = ["run", "gem", "--data", "GEM", "--model", "python:tests.frame_mean:FrameMean", "--plain"]


def run(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main([*COMMAND, *more])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


@pytest.fixture
def gem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample where the command runs, one of its videos real."""
    monkeypatch.chdir(tmp_path)
    return sample_with_clip(tmp_path / "GEM")


def test_query_to_video_equals_a_loop_by_hand(gem: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-t", "QV", "-l", "en", "--json")
    assert code == 0, err
    (cell,) = json.loads(out)["cells"]
    scores = {score["measure"]: score["value"] for score in cell["scores"]}
    rows = [json.loads(line) for line in (gem / "test.en.jsonl").read_text().splitlines()]
    model, plain = FrameMean(), conse()
    texts = plain.encode([plain.prepare(Item("", text=row["query"])) for row in rows], role="query")
    videos = [model.prepare(Item("", video=gem / "videos/en" / f"{row['video_id']}.avi")) for row in rows]
    frames = [plain.encode(parts, role="corpus").mean(axis=0) for parts in videos]
    similar = texts @ np.array([frame / np.linalg.norm(frame) for frame in frames]).T
    ranks = 1 + (similar > np.diag(similar)[:, None]).sum(axis=1)
    assert scores["hit@1"] == pytest.approx((ranks == 1).mean())
    assert scores["medr"] == np.median(ranks)


def test_every_task_with_videos_that_the_model_can_do(gem: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-t", "QV,QVT,VQ", "-l", "en,zh-s", "--fusion", "mean", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert {(cell["task"], cell["language"]) for cell in found["cells"]} == {
        (task, language) for task in ("QV", "QVT") for language in ("en", "zh-Hans")
    }
    assert [one["task"] for one in found["not_applicable"]] == ["VQ"]


def test_a_model_without_videos_is_told_before_anything_is_read(
    gem: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(["run", "gem", "--data", "GEM", "--model", "conse", "-t", "QV"])
    assert done.value.code == 2
    assert "conse takes no video" in capsys.readouterr().err


def test_each_broken_clip_is_named(gem: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clips = gem / "videos" / "en"
    (clips / "en1.avi").write_bytes((clips / "en1.avi").read_bytes()[:200])
    (clips / "en2.avi").write_bytes(RABBIT.read_bytes()[:-1])
    code, _, err = run(capsys, "-t", "QV", "-l", "en")
    assert code == 3
    assert "en1.avi (item V:en:v:en1): damaged or cut off" in " ".join(err.split())
    assert "36,156 bytes and says 36,157" in " ".join(err.split())


def test_the_sample_s_own_videos_are_what_they_say(gem: Path) -> None:
    """The samples are written without PyAV; it must read them frame by frame."""
    with av.open(str(gem / "videos/en/en1.avi")) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) == 2
    assert (frames[0] == 255).all()
    assert tuple(frames[1][6, 6]) == (255, 0, 0)
