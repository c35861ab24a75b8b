"""The commands as people type them: output, exit codes, and what is (not) left behind."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crossgauge.cli import COMMANDS, main
from crossgauge.codes import CODES

RANDOM = ["run", "emoji", "--model", "random:8", "--languages", "en"]


class Said:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def crossgauge(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Call the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as done:
            main(list(arguments))
        captured = capsys.readouterr()
        code = done.value.code
        return Said(code if isinstance(code, int) else 0, captured.out, captured.err)

    return call


def test_a_run_prints_tables_and_says_where_everything_is(crossgauge, tmp_path: Path) -> None:
    said = crossgauge(*RANDOM)
    assert said.code == 0
    for title in (
        "image→text",
        "text→image",
        "image→class",
        "R@1 % ↑",
        "medR ↓",
        "chance",
        "95 %",
        "signature",
    ):
        assert title in said.out
    folder = re.search(r"run folder  (\S+)", said.out)
    assert folder
    files = {path.name for path in (tmp_path / folder[1]).iterdir()}
    assert files == {"run.json", "status.json", "cells", "scores.json", "report.html", "log.txt"}
    about = json.loads((tmp_path / folder[1] / "run.json").read_text())
    assert about["argv"][0] == "crossgauge"
    assert json.loads((tmp_path / folder[1] / "status.json").read_text())["state"] == "complete"


def test_json_is_one_document_on_stdout_and_nothing_else(crossgauge) -> None:
    said = crossgauge(*RANDOM, "--json", "--out", "r")
    assert json.loads(said.out)["schema"] == 1
    assert "run folder" in said.err
    assert said.out == Path("r/scores.json").read_text()


def test_a_dry_run_computes_and_writes_nothing(crossgauge, tmp_path: Path) -> None:
    said = crossgauge(*RANDOM, "--dry-run")
    assert said.code == 0
    assert "3 cells" in said.out
    assert list(tmp_path.iterdir()) == []
    plan = json.loads(crossgauge(*RANDOM, "--dry-run", "--json").out)
    assert [cell["cell"] for cell in plan["cells"]] == ["i2t.en.plain", "t2i.en.plain", "classify.en.plain"]


def test_a_limited_run_is_partial_everywhere_and_still_exits_0(crossgauge) -> None:
    said = crossgauge(*RANDOM, "--limit", "9", "--out", "r")
    assert said.code == 0
    assert "PARTIAL" in said.out
    assert "PARTIAL" in crossgauge("show", "r").out.upper()
    assert "partial" in Path("r/report.html").read_text().casefold()


def test_the_same_request_finds_its_folder_and_another_gets_another(crossgauge, tmp_path: Path) -> None:
    crossgauge(*RANDOM)
    assert "resuming" in crossgauge(*RANDOM).err
    crossgauge(*RANDOM, "--tasks", "i2t")
    assert len(list((tmp_path / "runs").iterdir())) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "emoji", "--model", "nothing"], 2, "E110"),
        (["run", "emojis", "--model", "conse"], 2, "did you mean emoji"),
        (["run", "emoji"], 2, "--model"),
        ([*RANDOM, "--limit", "0"], 2, "E112"),
        ([*RANDOM, "--memory", "much"], 2, "not a size"),
        ([*RANDOM, "--prompt", "no place"], 2, "E113"),
        ([*RANDOM, "--tasks", "i2t,,t2i"], 2, "empty name"),
        ([*RANDOM, "--set", "labels"], 2, "key=value"),
        ([*RANDOM, "--set", "a=1", "--set", "b=2", "--set", "a=3"], 2, "a=1 and a=3: give each key once"),
        (["check", "emoji", "--set", "a=1", "--set", "a=1"], 2, "a=1 and a=1: give each key once"),
        (
            [
                "score",
                "concepts",
                "--pairs",
                "p.csv",
                "--truth",
                "predicted:2",
                "--set",
                "names=resolve",
                "--set",
                " names = error",
            ],
            2,
            "names=resolve and names=error: give each key once",
        ),
        (["score", "gem", "x", "--truth", "y", "--set", "k=a", "--set", "k=b"], 2, "k=a and k=b: give each"),
        (["score", "mmmeb", "x", "--data", "y", "--set", "k=a", "--set", "k=b"], 2, "k=a and k=b: give each"),
        (["score", "gem", "x", "--truth", "y", "--set", "split=dev"], 2, "--split NAME"),
        (["run", "folder", "--model", "random:8"], 2, "E111"),
        (["run", "folder", "--model", "random:8", "--data", "nowhere"], 3, "nowhere"),
        ([*RANDOM, "--out", "/dev/null/x"], 4, "E501"),
        ([*RANDOM, "--out", "a file"], 4, "this is a file\n  want   a folder to write into"),
        ([*RANDOM, "--out", "a file/runs/mine"], 4, "a file is a file\n  want   a folder to write into"),
        (["sample", "folder", "a file"], 4, "this is a file\n  want   a folder to write into"),
        ([*RANDOM, "--out", "damaged"], 3, "E305"),
        (["explain", "E999"], 2, "E118"),
        (["sample", "folder", "."], 2, "E119"),
        (["show", "nowhere"], 3, "nowhere"),
        (["frobnicate"], 2, "frobnicate"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_block(
    crossgauge, arguments: list[str], code: int, said: str
) -> None:
    Path("a file").touch()
    Path("damaged").mkdir()
    Path("damaged/run.json").write_text('{"experiment": {"benchm')
    found = crossgauge(*arguments)
    assert found.code == code
    assert said in found.err
    assert found.out == ""
    assert "Traceback" not in found.err
    assert not list(Path().glob("**/scores.json"))


def test_underscores_are_welcome_in_options(crossgauge) -> None:
    assert crossgauge(*RANDOM, "--batch_size", "4", "--dry_run").code == 0


@pytest.mark.parametrize("kind", ["benchmarks", "models", "measures"])
def test_lists_are_also_json(crossgauge, kind: str) -> None:
    rows = json.loads(crossgauge("list", kind, "--json").out)[kind]
    assert rows
    plain = crossgauge("list", kind).out
    assert all(row["name"] in plain and row["summary"] in plain for row in rows)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_explained(crossgauge, code: str) -> None:
    said = crossgauge("explain", code.lower())
    assert said.code == 0
    assert len(said.out) > len(code) + 40


def test_doctor_says_what_is_there(crossgauge) -> None:
    said = crossgauge("doctor", "--model", "random:8")
    assert said.code == 0
    assert "python" in said.out
    assert "batch gap 0.0e+00" in said.out


def test_doctor_finds_a_model_that_depends_on_the_batch(crossgauge, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from tests.encoders import Hashing

    class Padding(Hashing):
        def encode(self, prepared, *, role):
            return super().encode(prepared, role=role) + np.float32(len(prepared))

    monkeypatch.setattr("crossgauge.models.load_model", lambda _: Padding())
    said = crossgauge("doctor", "--model", "padding")
    assert said.code == 3
    assert "E430" in said.err


def test_the_cache_is_listed_verified_and_cleared(crossgauge) -> None:
    crossgauge("run", "emoji", "--model", "conse", "--languages", "en", "--tasks", "t2i", "--limit", "3")
    assert "conse" in crossgauge("cache", "list").out
    assert "all whole" in crossgauge("cache", "verify").out
    assert "forgotten" in crossgauge("cache", "clear", "--yes").out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(crossgauge, command: str) -> None:
    said = crossgauge(command, "--help")
    assert said.code == 0
    assert "Usage: crossgauge" in said.out


def test_a_fault_of_ours_says_so(crossgauge, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("crossgauge.plan.make_plan", broken)
    said = crossgauge(*RANDOM, "--dry-run")
    assert said.code == 70
    assert "E900" in said.err
    assert "Traceback" not in said.err


def test_on_a_terminal_there_is_a_bar_with_count_rate_and_time(tmp_path: Path) -> None:
    """The whole command behind a pseudo-terminal, as a person sees it."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "crossgauge", *RANDOM, "--tasks", "i2t", "--out", str(tmp_path / "r")],
        stdout=follower, stderr=follower, env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(follower)
    seen = read_all(leader, process)
    assert process.wait(timeout=60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert re.search(r"encode image.*\d+/291.*/s", text)
    assert "R@1" in text


def read_all(leader: int, process: subprocess.Popen[bytes]) -> str:
    seen, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                seen += os.read(leader, 65536)
            except OSError:  # the other end is closed: Linux says so this way
                break
        elif process.poll() is not None:
            break
    return seen.decode("utf-8", "replace")


def vectors_for(items: Path, folder: Path, *, broken: str = "") -> None:
    """Random vectors for every item of a list that ``check --items`` wrote; NaN where the id begins so."""
    import numpy as np

    ids = [json.loads(line)["id"] for line in items.read_text().splitlines()]
    vectors = np.random.default_rng(0).standard_normal((len(ids), 8)).astype(np.float32)
    vectors[[bool(broken) and one.startswith(broken) for one in ids]] = np.nan
    folder.mkdir()
    np.savez(folder / "all.npz", ids=np.array(ids), vectors=vectors)


def test_a_benchmark_runs_on_vectors_made_elsewhere(crossgauge) -> None:
    crossgauge("sample", "folder", "data")
    assert crossgauge("check", "folder", "--data", "data", "--items", "items.jsonl").code == 0
    vectors_for(Path("items.jsonl"), Path("vectors"))
    said = crossgauge(
        "run", "folder", "--data", "data", "--model", "precomputed:vectors", "--out", "r", "--json"
    )
    assert said.code == 0
    assert json.loads(said.out)["partial"] == []


def test_when_one_language_fails_the_rest_is_scored_and_the_exit_code_is_5(crossgauge) -> None:
    crossgauge("sample", "folder", "data")
    crossgauge("check", "folder", "--data", "data", "--items", "items.jsonl")
    vectors_for(Path("items.jsonl"), Path("vectors"), broken="de:")
    said = crossgauge("run", "folder", "--data", "data", "--model", "precomputed:vectors", "--out", "r")
    assert said.code == 5
    assert "E408" in said.err
    assert "PARTIAL" in said.out
    result = json.loads(Path("r/scores.json").read_text())
    assert {cell["language"] for cell in result["cells"]} >= {"en", "ja"}
    assert all("de" in reason for reason in result["partial"])
    again = crossgauge("run", "folder", "--data", "data", "--model", "precomputed:vectors", "--out", "r")
    assert again.code == 5


def test_a_sample_shows_the_layout(crossgauge) -> None:
    said = crossgauge("sample", "egmm", "somewhere/new")
    assert said.code == 0
    assert crossgauge("check", "egmm", "--data", "somewhere/new").code == 0


def test_explain_without_a_code_lists_them_all(crossgauge) -> None:
    assert all(code in crossgauge("explain").out for code in CODES)


def test_a_prompt_is_not_claimed_for_vectors_made_without_it(crossgauge) -> None:
    crossgauge("sample", "folder", "data")
    crossgauge("check", "folder", "--data", "data", "--items", "items.jsonl")
    vectors_for(Path("items.jsonl"), Path("vectors"))
    asked = ["run", "folder", "--data", "data", "--model", "precomputed:vectors", "--out", "r"]
    said = crossgauge(*asked, "--prompt", "a photo of {}")
    assert said.code == 2
    assert "E105" in said.err
    assert crossgauge(*asked, "--prompt", "{}").code == 0


def test_a_limit_that_cuts_nothing_is_no_limit(crossgauge) -> None:
    said = crossgauge(*RANDOM, "--limit", "5000", "--json", "--out", "r")
    result = json.loads(said.out)
    assert result["partial"] == []
    assert "limit" not in result["cells"][0]["scores"][0]["signature"]


def test_ctrl_c_stops_between_cells_even_when_nothing_is_left_to_encode(tmp_path: Path) -> None:
    from crossgauge.errors import Interrupted
    from crossgauge.evaluation import evaluate
    from crossgauge.progress import Silent
    from tests.encoders import Hashing

    class Stops(Silent):
        def stopping(self) -> bool:
            return len(list((tmp_path / "r").glob("cells/*"))) >= 2

    with pytest.raises(Interrupted, match="2 of 5 cells"):
        evaluate("emoji", Hashing(), languages=["en", "de"], out=tmp_path / "r", progress=Stops())
    status = json.loads((tmp_path / "r/status.json").read_text())
    assert status == {"cells": 5, "done": 2, "state": "interrupted"}


def test_doctor_tries_the_cache(crossgauge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSGAUGE_CACHE", "/dev/null/cache")
    said = crossgauge("doctor")
    assert said.code == 4
    assert "E501" in said.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", [["list", "benchmarks"], [*RANDOM, "--json", "--out", "r"]])
def test_an_output_that_is_full_is_the_environments_fault(tmp_path: Path, command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "crossgauge", *command], stdout=full, stderr=subprocess.PIPE, text=True,
            cwd=tmp_path, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 4
    assert "E502" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"model": 5}, "E413"), ({"limit": "5"}, "E112"), ({"benchmark": 7}, "E110"), ({"tasks": "i2"}, "E115")],
)
def test_the_python_call_refuses_what_makes_no_sense(arguments: dict[str, object], code: str) -> None:
    from crossgauge import evaluate
    from crossgauge.errors import UsageError

    with pytest.raises(UsageError, match=code):
        evaluate(**({"benchmark": "emoji", "model": "random:8"} | arguments))  # type: ignore[arg-type]


def test_a_reader_that_stops_reading_does_not_change_the_exit_code(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "crossgauge", "run", "emoji", "--model", "nothing"],
        stderr=writing, cwd=tmp_path, check=False, timeout=60,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 2
