"""``crossgauge run --engine``: the same result documents, whatever does the work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from crossgauge.cli import main

ROOT = Path(__file__).parents[2]
RUN = ["run", "emoji", "--tasks", "i2t,t2i", "--languages", "en,ja", "--no-cache", "--plain"]


def crossgauge(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int | str | None, str, str]:
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    said = capsys.readouterr()
    return done.value.code, said.out, said.err


@pytest.mark.parametrize("model", [pytest.param("conse", marks=pytest.mark.slow), "random:16"])
def test_every_engine_gives_the_same_bytes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str
) -> None:
    ways = {
        "local": [], "one": ["--engine", "processes", "--workers", "1"],
        "two": ["--engine", "processes", "--workers", "2", "--batch-size", "7"],
    }  # fmt: skip
    for name, options in ways.items():
        asked = ["-m", model, "--limit", "12", "--out", str(tmp_path / name), *options]
        assert crossgauge(capsys, *RUN, *asked)[0] in {0, None}
    documents = {(tmp_path / name / "scores.json").read_bytes() for name in ways}
    assert len(documents) == 1


def test_the_run_folder_is_the_same_whatever_the_engine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ["run", "emoji", "-m", "random:8", "-l", "en", "-t", "i2t", "--plain"]
    crossgauge(capsys, *run)
    _, _, said = crossgauge(capsys, *run, "--engine", "processes", "-b", "auto")
    assert "resuming runs/" in said
    assert len(list((tmp_path / "runs").iterdir())) == 1


def pictures(folder: Path, *texts: str) -> list[str]:
    """A folder of pictures with these texts, and the command that puts the texts to them."""
    folder.mkdir()
    rows = [{"file_name": f"{n}.png", "text": text} for n, text in enumerate(texts)]
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for n in range(len(texts)):
        Image.new("RGB", (8, 8), (40 * n, 0, 0)).save(folder / f"{n}.png")
    return ["run", "folder", "-d", str(folder), "-t", "i2t", "-b", "2", "--plain"]


@pytest.mark.parametrize("engine", ["local", "processes"])
def test_a_corrupt_picture_in_the_middle(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """It is listed, the rest is kept, and the same command later does what was left."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(tmp_path / "cache"))
    run = pictures(tmp_path / "data", "a", "b", "c", "d", "e")
    run += ["-m", f"python:tests.engine_models:Logging:{tmp_path}", "--engine", engine]
    whole = (tmp_path / "data" / "2.png").read_bytes()
    (tmp_path / "data" / "2.png").write_bytes(whole[:45])
    code, _, err = crossgauge(capsys, *run, "--out", str(tmp_path / "out"))
    assert code == 3, err
    assert "W670" in err, "told as soon as it was found"
    assert "E163" in err
    log = tmp_path / "log"
    assert len(log.read_text().split()) == 4, "the other pictures are encoded all the same"
    (tmp_path / "data" / "2.png").write_bytes(whole)
    assert crossgauge(capsys, *run, "--out", str(tmp_path / "out"))[0] in {0, None}
    encoded = log.read_text().split()
    assert len(encoded) == len(set(encoded)) == 10, "one picture and the five texts were left"


@pytest.mark.parametrize("size", ["0", "many", "-3"])
def test_a_batch_size_is_auto_or_a_number(capsys: pytest.CaptureFixture[str], size: str) -> None:
    code, _, err = crossgauge(capsys, *RUN, "-m", "random:8", "--batch-size", size)
    assert code == 2
    assert "neither auto nor a whole number" in err


def test_the_model_s_own_batch_size(tmp_path: Path) -> None:
    from crossgauge.evaluation import evaluate
    from tests.encoders import Hashing

    class Watching(Hashing):
        batch_size = 9
        most = 0

        def encode(self, prepared, *, role):  # type: ignore[no-untyped-def]
            Watching.most = max(Watching.most, len(prepared))
            return super().encode(prepared, role=role)

    evaluate("emoji", Watching(), tasks="i2t", languages="en")
    assert Watching.most == 9
    evaluate("emoji", Watching(), tasks="i2t", languages="en", batch_size=20)
    assert Watching.most == 20


@pytest.mark.slow
def test_ray_keeps_standard_output_clean_when_an_actor_dies(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra [ray]")
    run = [sys.executable, "-m", "crossgauge", *pictures(tmp_path / "data", "a", "b", "die once", "c"),
           "-m", f"python:tests.engine_models:Mortal:{tmp_path}", "--json", "--no-cache",
           "--out", str(tmp_path / "out"), "--engine", "ray"]  # fmt: skip
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "died").exists()
    assert done.stdout == (tmp_path / "out" / "scores.json").read_text(), "nothing of Ray's beside it"
    assert done.stderr.count("W671") == 1
    assert "raylet" not in done.stderr
