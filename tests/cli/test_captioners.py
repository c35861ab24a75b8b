"""Captioners as people run them: stopped anywhere, failing in part, and never telling the key."""

from __future__ import annotations

import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossgauge.cli import main
from crossgauge.models import _endpoint
from crossgauge.result import Result
from tests import endpoint
from tests.endpoint import Server, always

ROOT = Path(__file__).parents[2]
KEY = "sk-secret-0123456789abcdef"
MINE = """
from pathlib import Path
from tests.captioners import Speaking

def slow(seconds): return Speaking(Path("written.log"), seconds=float(seconds))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(_endpoint, "PAUSE", 0.01)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "mine.py").write_text(MINE)
    main_("sample", "gem", "GEM")
    return tmp_path


@pytest.fixture
def server() -> Iterator[Server]:
    with endpoint.serving() as served:
        yield served


def main_(*argv: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(list(argv))
    return int(done.value.code or 0)


def test_labels_run_end_to_end(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main_("run", "gem", "--data", "GEM", "-m", "caption:labels", "-o", "run", "--json") == 0
    result = Result.from_json(capsys.readouterr().out.encode())
    assert {cell.key for cell in result.cells} == {f"IQ.{code}.plain" for code in ("en", "de", "ja", "tr")}
    warned = {warning for cell in result.cells for warning in cell.warnings}
    assert warned == {f"W304 caption:labels:2 was not made for {code}" for code in ("de", "ja", "tr")}
    assert "caption:labels:2" in (home / "run" / "report.html").read_text()
    assert main_("run", "gem", "--data", "GEM", "-m", "caption:labels", "-o", "run") == 0, "found again"


def test_the_plan_of_a_captioner(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_("run", "gem", "--data", "GEM", "-m", "python:mine:slow:0", "-t", "TQ", "--dry-run") == 0
    assert "TQ.fil.plain                           3 queries  to write about" in capsys.readouterr().out


def test_the_doctor_looks_at_captioners_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_("doctor", "--model", "caption:labels") == 0
    assert "model caption:labels image: '" in capsys.readouterr().out


def test_an_endpoint_that_fails_in_part_is_finished_by_the_same_command(
    home: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("run", "gem", "--data", "GEM", "-t", "IQ,TQ", "-l", "en,fil", "--json", "--debug", "-o")
    spec = f"caption:openai:m@{server.base}#retries=0,seconds=2"
    assert main_(*asked, "whole", "-m", spec, "--no-cache") == 0
    titles = [one for one in server.asked if one != "picture"]
    server.deeds = {
        titles[0]: always(500, {"error": {"message": f"key {KEY} is overloaded"}}),
        titles[1]: endpoint.close,
    }
    assert main_(*asked, "run", "-m", spec) == 5
    said = capsys.readouterr()
    assert "status 500 key *** is overloaded" in said.err
    assert "3 answers" in said.err
    server.deeds, server.asked = {}, []
    assert main_(*asked, "run", "-m", spec) == 0
    assert sorted(server.asked) == sorted(titles[:2])
    assert (home / "run" / "scores.json").read_bytes() == (home / "whole" / "scores.json").read_bytes()
    assert all(one["Authorization"] == f"Bearer {KEY}" for one in server.headers)
    heard = capsys.readouterr()
    assert KEY not in said.out + said.err + heard.out + heard.err
    telling = [file for file in home.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert telling == []


def test_a_key_that_is_refused_is_an_error_of_the_environment(
    home: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.deeds = {"picture": always(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})}
    spec = f"caption:openai:m@{server.base}"
    assert main_("run", "gem", "--data", "GEM", "-t", "IQ", "-m", spec, "-o", "run") == 4
    said = capsys.readouterr().err
    assert "E424" in said
    assert KEY not in said
    assert json.loads((home / "run" / "status.json").read_text())["state"] == "interrupted"


def run(home: Path, seconds: float) -> subprocess.Popen[str]:
    spec = f"python:mine:slow:{seconds}"
    command = [sys.executable, "-m", "crossgauge", "run", "gem", "--data", "GEM", "-m", spec, "-o", "run"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*command, "-b", "1", "--plain"], cwd=home, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def written(home: Path) -> collections.Counter[str]:
    log = home / "written.log"
    return collections.Counter(log.read_text().splitlines() if log.exists() else ())


def test_kill_9_at_random_points(home: Path) -> None:
    chance, kills = random.Random(5), 0
    for _ in range(3):
        before, process = sum(written(home).values()), run(home, 0.05)
        deadline = time.monotonic() + 60
        while sum(written(home).values()) <= before and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3))
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert kills >= 2
    last = run(home, 0.05)
    said = last.communicate(timeout=120)
    assert last.returncode == 0, said
    scores = (home / "run" / "scores.json").read_bytes()
    assert sum(count - 1 for count in written(home).values()) <= kills, "at most the item in flight"
    assert main_("run", "gem", "--data", "GEM", "-m", "python:mine:slow:0", "--no-cache", "-o", "other") == 0
    assert scores == (home / "other" / "scores.json").read_bytes()


def test_what_a_run_wrote_scores_the_same_as_a_submission(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main_("run", "gem", "--data", "GEM", "-m", "python:mine:slow:0", "-o", "run") == 0
    assert main_("export", "--format", "gem", "run", "-o", "sub") == 0
    capsys.readouterr()
    assert (
        main_("score", "gem", "sub", "--truth", "GEM", "--json") == 5
    )  # no QV, QVT: the model takes no videos
    scored = Result.from_json(capsys.readouterr().out.encode())
    ours = Result.from_json((home / "run" / "scores.json").read_bytes())
    assert {cell.key for cell in scored.cells} == {cell.key for cell in ours.cells}
    theirs = {cell.key: cell for cell in scored.cells}
    for cell in ours.cells:
        pairs = list(zip(cell.scores, theirs[cell.key].scores, strict=True))
        assert [one.value for one, _ in pairs] == [two.value for _, two in pairs]
