"""kill -9 in the middle of asking an endpoint: the same command asks for the rest, and for nothing else."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossgauge import registry
from crossgauge.result import Result
from tests import endpoint
from tests.endpoint import Server

ROOT = Path(__file__).parents[2]
AT_ONCE = 2


@pytest.fixture
def server() -> Iterator[Server]:
    with endpoint.serving() as served:
        yield served


def start(home: Path, model: str, task: str) -> subprocess.Popen[str]:
    benchmark = ["gem", "--data", "GEM"] if task == "IQ" else ["vg-coco", "--data", "VG"]
    asked = ["run", *benchmark, "-t", task, "-m", model, "-o", "run", "-b", str(AT_ONCE), "--plain"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "no_proxy": "*"}
    environment["CROSSGAUGE_CACHE"] = str(home / "cache")
    environment.pop("OPENAI_API_KEY", None)
    return subprocess.Popen(
        [sys.executable, "-m", "crossgauge", *asked], cwd=home, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def kill_after(server: Server, process: subprocess.Popen[str], questions: int) -> None:
    deadline = time.monotonic() + 60
    while len(server.documents) < questions and process.poll() is None:
        assert time.monotonic() < deadline, "nothing was asked"
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it was killed at work"


def finish(process: subprocess.Popen[str]) -> None:
    heard = process.communicate(timeout=120)
    assert process.returncode == 0, heard


def test_captions(server: Server, tmp_path: Path) -> None:
    registry.load("benchmarks", "gem").sample(tmp_path / "GEM")
    server.deeds["picture"] = endpoint.slowly(0.2)
    spec = f"caption:openai:m@{server.base}#concurrency={AT_ONCE}"
    kill_after(server, start(tmp_path, spec, "IQ"), 5)
    kill_after(server, start(tmp_path, spec, "IQ"), 9)
    server.deeds = {}
    finish(start(tmp_path, spec, "IQ"))
    asked = collections.Counter(str(one["messages"]) for one in server.documents)
    result = Result.from_json((tmp_path / "run" / "scores.json").read_bytes())
    assert len(asked) == sum(cell.scores[0].n for cell in result.cells) == 12
    again = sum(count - 1 for count in asked.values())
    assert again <= 2 * AT_ONCE, "at most the batch in flight is asked for again after each kill"


def test_vectors(server: Server, tmp_path: Path) -> None:
    registry.load("benchmarks", "vg-coco").sample(tmp_path / "VG")
    spec = f"embed:http:m@{server.base}"
    finish(start(tmp_path, spec, "caption2image"))
    texts = set(server.asked)
    undisturbed = (tmp_path / "run" / "scores.json").read_bytes()
    (tmp_path / "cache").rename(tmp_path / "old cache")
    (tmp_path / "run").rename(tmp_path / "old run")
    assert len(texts) > 3 * AT_ONCE
    server.asked, server.documents = [], []
    server.deeds = dict.fromkeys(texts, endpoint.slowly(0.1))
    kill_after(server, start(tmp_path, spec, "caption2image"), 3)
    server.deeds = {}
    finish(start(tmp_path, spec, "caption2image"))
    asked = collections.Counter(server.asked)
    assert set(asked) == texts
    assert sum(count - 1 for count in asked.values()) <= AT_ONCE
    assert (tmp_path / "run" / "scores.json").read_bytes() == undisturbed
