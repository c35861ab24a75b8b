"""Stop it anywhere: the same command goes on, computes nothing twice, and ends with the same bytes."""

from __future__ import annotations

import collections
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BATCH = 8  # what resumable.py uses


class Run:
    """A folder, a cache and a log for one experiment."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.out = home / "run"
        self.log = home / "encoded.log"

    def start(self, seconds: float = 0.0, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "tests.cli.resumable",
            self.out,
            self.home / "cache",
            self.log,
            str(seconds),
        ]
        return subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2], preexec_fn=before,  # noqa: PLW1509  (no threads here)
        )  # fmt: skip

    def finish(self, seconds: float = 0.0) -> bytes:
        process = self.start(seconds)
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
        return (self.out / "scores.json").read_bytes()

    def encoded(self) -> collections.Counter[str]:
        return (
            collections.Counter(self.log.read_text().split()) if self.log.exists() else collections.Counter()
        )

    def wait_until_encoding(self, more_than: int) -> None:
        """Until the process has encoded some more, so that a signal lands in the middle of the work."""
        deadline = time.monotonic() + 60
        while sum(self.encoded().values()) <= more_than:
            assert time.monotonic() < deadline, "nothing was encoded"
            time.sleep(0.01)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    run = Run(tmp_path_factory.mktemp("undisturbed"))
    scores = run.finish()
    assert set(run.encoded().values()) == {1}, "each content is encoded once"
    return scores


def test_kill_9_at_random_points(tmp_path: Path, undisturbed: bytes) -> None:
    run, kills, chance = Run(tmp_path), 0, random.Random(7)
    for _ in range(8):
        before = sum(run.encoded().values())
        process = run.start(seconds=0.02)
        try:
            run.wait_until_encoding(before)
        except AssertionError:
            break
        time.sleep(chance.uniform(0, 0.3))
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        assert not (run.out / "scores.json").exists() or process.returncode == 0
    assert kills >= 3
    assert run.finish() == undisturbed
    again = sum(count - 1 for count in run.encoded().values())
    assert again <= kills * BATCH, "at most the batch in flight is lost at each kill"


def test_a_second_run_encodes_nothing(tmp_path: Path, undisturbed: bytes) -> None:
    run = Run(tmp_path)
    run.finish()
    once = run.encoded()
    assert run.finish() == undisturbed
    assert run.encoded() == once


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_ctrl_c_stops_after_the_step_and_two_at_once(
    tmp_path: Path, undisturbed: bytes, number: signal.Signals
) -> None:
    run = Run(tmp_path)
    process = run.start(seconds=0.05)
    run.wait_until_encoding(0)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 7, said
    assert "stopping after this step" in said
    stopped = run.encoded()
    assert set(stopped.values()) == {1}

    process = run.start(seconds=5)
    run.wait_until_encoding(sum(stopped.values()))
    process.send_signal(number)
    time.sleep(0.2)
    process.send_signal(number)
    process.communicate(timeout=4)
    assert process.returncode == 7
    assert not (run.out / "scores.json").exists()

    assert run.finish() == undisturbed
    assert set(run.encoded().values()) <= {1, 2}
    assert sum(count - 1 for count in run.encoded().values()) <= BATCH, "what was finished is not done again"


@pytest.mark.parametrize("limit", [0, 1_000, 20_000, 60_000])
def test_a_full_disk_leaves_nothing_that_looks_like_a_result(
    tmp_path: Path, undisturbed: bytes, limit: int
) -> None:
    """A limit on file size stands in for the disk: the system refuses the write in the same way."""
    run = Run(tmp_path)
    process = run.start(before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    _, said = process.communicate(timeout=120)
    assert process.returncode == 4, said
    assert "E501" in said or "E502" in said  # SQLite calls a refused write an I/O error
    assert "Traceback" not in said
    assert not (run.out / "scores.json").exists()
    assert run.finish() == undisturbed


@pytest.mark.parametrize("kilobytes", [4, 60, 200])
def test_a_disk_that_really_fills_up(tmp_path: Path, undisturbed: bytes, kilobytes: int) -> None:
    """The same on a real file system of that size, where this user may mount one."""
    home = tmp_path / "small"
    home.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(home)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip(
            "this user may not mount a small file system; the limit on file size above stands in for it"
        )
    try:
        process = Run(home).start()
        _, said = process.communicate(timeout=120)
        assert process.returncode == 4, said
        assert "E502" in said
        assert not (home / "run" / "scores.json").exists()
        grown = ["mount", "-o", "remount,size=64m", str(home)]
        subprocess.run(grown, check=True, capture_output=True)
        assert Run(home).finish() == undisturbed
    finally:
        subprocess.run(["umount", str(home)], check=True)


def test_a_changed_experiment_is_refused_and_named(tmp_path: Path) -> None:
    from crossgauge.errors import ResumeRefused
    from crossgauge.evaluation import evaluate
    from tests.encoders import Hashing

    evaluate("emoji", Hashing(), tasks=["i2t"], languages=["en"], out=tmp_path / "run")
    before = (tmp_path / "run" / "scores.json").read_bytes()
    other = Hashing()
    other.revision = "2"
    changes: list[tuple[str, Hashing, dict[str, Any]]] = [
        ("model revision", other, {}),
        ("cells", Hashing(), {"languages": ["de"]}),
        ("prompts", Hashing(), {"prompts": ["a photo of {}"]}),
        ("data", Hashing(), {"limit": 9}),
    ]
    for named, model, change in changes:
        asked = {"tasks": ["i2t"], "languages": ["en"], "out": tmp_path / "run"} | change
        with pytest.raises(ResumeRefused, match=f"{named} changed"):
            evaluate("emoji", model, **asked)
    assert (tmp_path / "run" / "scores.json").read_bytes() == before
