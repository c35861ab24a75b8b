"""The folder of a study: never another's, and clean after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossgauge.cli.score_concepts import concepts as command
from crossgauge.concepts.settings import COLING2022, ConceptSettings
from crossgauge.errors import ResumeRefused
from crossgauge.evaluation import evaluate
from crossgauge.studies import study_pairs
from tests.encoders import Hashing
from tests.unit.test_studies import write_annotations, write_pairs


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    pairs = write_pairs(tmp_path / "pairs.csv", "q,a,b,text")
    concepts = write_annotations(tmp_path / "a.jsonl", {"a": "dog", "b": "cat", "c": "bus"})
    return ["--pairs", str(pairs), "--truth", str(concepts)]


def made(asked: list[str], *more: str) -> Result:
    return CliRunner().invoke(command, [*asked, *more])


def codes(result: Result) -> list[str]:
    assert isinstance(result.exception, ResumeRefused)
    return [fault.code for fault in result.exception.faults]


def test_the_same_command_again_gives_the_same(tmp_path: Path, asked: list[str]) -> None:
    out = tmp_path / "study"
    assert made(asked, "-o", str(out)).exit_code == 0
    first = {file.name: file.read_bytes() for file in out.iterdir()}
    assert set(first) == {"study.json", "concepts.json", "concepts.parquet", "report.html"}
    again = made(asked, "--out", str(out))
    assert again.exit_code == 0
    assert "took the place" not in again.output
    assert {file.name: file.read_bytes() for file in out.iterdir()} == first


@pytest.mark.parametrize("changed", ["pairs", "annotations", "settings", "examples"])
def test_another_study_takes_another_folder(tmp_path: Path, asked: list[str], changed: str) -> None:
    out = tmp_path / "study"
    assert made(asked, "-o", str(out)).exit_code == 0
    before = (out / "concepts.json").read_bytes()
    more = {"settings": ["--set", "similarity=wup"], "examples": ["--examples", "3"]}.get(changed, [])
    if changed == "pairs":
        write_pairs(tmp_path / "pairs.csv", "q,a,c,text")
    if changed == "annotations":
        write_annotations(tmp_path / "a.jsonl", {"a": "dog", "b": "cow"})
    result = made(asked, "-o", str(out), *more)
    assert codes(result) == ["E301"]
    assert (out / "concepts.json").read_bytes() == before


def test_foreign_files_are_left_alone(tmp_path: Path, asked: list[str]) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "report.html").write_text("mine")
    assert codes(made(asked, "-o", str(out))) == ["E302"]
    assert [(file.name, file.read_text()) for file in out.iterdir()] == [("report.html", "mine")]


def test_what_a_kill_left_is_gone_after_the_next_time(tmp_path: Path, asked: list[str]) -> None:
    out = tmp_path / "study"
    out.mkdir()
    (out / ".tmp-concepts.parquet-1").write_bytes(b"half")
    for _ in range(2):
        assert made(asked, "-o", str(out)).exit_code == 0
        assert not list(out.glob(".tmp-*"))
        (out / ".tmp-concepts.parquet-2").write_bytes(b"half")


def test_a_run_is_swept_too_and_says_that_its_study_is_another(tmp_path: Path) -> None:
    run = tmp_path / "run"
    evaluate("emoji", Hashing(), tasks=["t2i"], languages=["en"], limit=25, out=run)
    (run / ".tmp-concepts.parquet-1").write_bytes(b"half")
    asked = ["--pairs", str(run), "--truth", "predicted:2"]
    first = made(asked)
    assert (first.exit_code, list(run.glob(".tmp-*"))) == (0, [])
    assert "took the place" not in made(asked).output
    assert f"took the place of another one in {run}" in made(asked, "--set", "similarity=wup").output


def test_the_profile_is_named_with_what_was_changed_of_it(tmp_path: Path, asked: list[str]) -> None:
    def settings(*more: str) -> dict[str, str]:
        found: dict[str, str] = json.loads(made(asked, "--json", *more).stdout)["settings"]
        return found

    assert "profile" not in settings()
    assert settings("--profile", "coling2022")["profile"] == "coling2022"
    changed = settings("--profile", "coling2022", "--set", "sd_denominator=min", "--set", "pairs=failures")
    assert changed["profile"] == "coling2022, changed: sd_denominator=min (gold)"
    plain = made(asked, "--plain", "--profile", "coling2022", "--set", "sd_denominator=min").stdout
    assert "coling2022, changed: sd_denominator=min (gold)" in plain
    assert ConceptSettings() == COLING2022  # a name changes no number


def test_python_is_held_to_it_too(tmp_path: Path, asked: list[str]) -> None:
    _, pairs, _, concepts = asked
    study_pairs(Path(pairs), concepts=concepts, out=tmp_path / "study")
    with pytest.raises(ResumeRefused, match=r"E301.*top changed"):
        study_pairs(Path(pairs), concepts=concepts, out=tmp_path / "study", top=2)
