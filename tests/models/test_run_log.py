"""What ran, and what happened to it on the way, can be read in the run folder afterwards."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import crossgauge
from crossgauge.cli import main
from crossgauge.errors import InputError
from crossgauge.run_log import NAME, Logged
from tests.encoders import Hashing, Sick
from tests.models.make_transformers import Made, make_clip


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_clip(tmp_path_factory.mktemp("model") / "clip")


def run(clip: Made, out: Path) -> tuple[list[str], bytes]:
    """The log without its times, and the scores, of the command."""
    with pytest.raises(SystemExit) as done:
        main(["run", "emoji", "-m", f"transformers:{clip.folder}", "-l", "en", "-t", "i2t", "--limit", "12",
              "-o", str(out), "--no-cache", "-b", "8", "--plain"])  # fmt: skip
    assert not done.value.code
    lines = (out / NAME).read_text().splitlines()
    return [line.partition(" ")[2] for line in lines], (out / "scores.json").read_bytes()


def test_halved_batches_are_recorded_and_change_no_score(
    clip: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import CLIPModel

    begun, undisturbed = run(clip, tmp_path / "undisturbed")
    name = f"transformers:{clip.folder}"
    assert begun[0].startswith(f"{name} begins, fp32 on cpu, 8 items at once, engine local, torch ")
    assert f"transformers {version('transformers')}" in begun[0]
    assert not any("out of memory" in line for line in begun)
    asked = CLIPModel.get_image_features

    def small(self: Any, pixel_values: Any) -> Any:
        if len(pixel_values) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return asked(self, pixel_values=pixel_values)

    monkeypatch.setattr(CLIPModel, "get_image_features", small)
    told, scores = run(clip, tmp_path / "halved")
    assert [line for line in told if "out of memory" in line] == [
        f"{name}: out of memory with 8 items at once; now 4",
        f"{name}: out of memory with 4 items at once; now 2",
    ]
    assert scores == undisturbed


def test_every_process_that_worked_on_a_run_is_in_its_log(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tasks": "i2t", "languages": "en", "out": tmp_path / "run"}
    for batch_size in (7, 9):
        crossgauge.evaluate("emoji", Hashing(), batch_size=batch_size, **asked)
    log = (tmp_path / "run" / NAME).read_text().splitlines()
    assert [line.partition(" ")[2] for line in log if " begins, " in line] == [
        f"hashing begins, {batch_size} items at once, engine local" for batch_size in (7, 9)
    ]
    assert "resuming" in log[-2]
    assert log[-1].endswith(" ended")


def test_why_a_run_stopped_is_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E408"):
        crossgauge.evaluate("emoji", Sick(""), tasks="i2t", languages="en", out=tmp_path / "run")
    log = (tmp_path / "run" / NAME).read_text()
    assert "stopped: E408 model sick, item " in log.rpartition("+00:00 ")[2]


def test_a_cell_that_failed_and_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    class Listening:
        heard: list[str] = []  # noqa: RUF012  (of one test)

        def stage(self, name: str, total: int) -> None: ...

        def advance(self, done: int) -> None: ...

        def note(self, text: str) -> None:
            self.heard.append(text)

        def stopping(self) -> bool:
            return True

    log = Logged(Listening(), tmp_path / NAME)
    log.note("cell failed:\nE163 caf\udce9.png")
    assert log.stopping()
    first, second = (tmp_path / NAME).read_text().splitlines()
    assert first.endswith("cell failed:")
    assert second == "  E163 caf\\udce9.png"
    Logged(Listening(), tmp_path / "no folder" / NAME).note("on")
    assert Listening.heard == ["cell failed:\nE163 caf\udce9.png", "on"]
