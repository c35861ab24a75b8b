"""What ``run --concepts`` can know before anything is encoded, it says then; a hierarchy says what is odd."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.cli.audit_annotations import audit_annotations
from crossgauge.cli.run import run as command
from crossgauge.errors import CrossgaugeError
from crossgauge.models.random import Random
from crossgauge.studies import study_pairs
from tests.unit.test_studies import write_pairs

EMOJI = ("emoji", "--languages", "en", "--limit", "8")


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many items each batch has held."""
    met: list[int] = []
    own = Random.encode

    def counting(self: Random, prepared: Sequence[bytes], **named: Any) -> Any:
        met.append(len(prepared))
        return own(self, prepared, **named)

    monkeypatch.setattr(Random, "encode", counting)
    return met


def ran(out: Path, concepts: str, *asked: str) -> Result:
    words = [
        *asked,
        "--model",
        "random:4",
        "--concepts",
        concepts,
        "--plain",
        "--no-cache",
        "--out",
        str(out),
    ]
    return CliRunner().invoke(command, words)


def found(result: Result) -> list[tuple[str, str]]:
    assert isinstance(result.exception, CrossgaugeError), result.output
    return [(fault.code, fault.place) for fault in result.exception.faults]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "nan.jsonl").write_text(
        '{"image": "a", "objects": [{"name": "dog", "box": [0, NaN, 1, 1]}]}\n'
    )
    (tmp_path / "other.jsonl").write_text('{"image": "a", "objects": [{"synset": "dog.n.01"}]}\n')
    BENCHMARK.sample(tmp_path / "VG")
    return tmp_path


@pytest.mark.parametrize(
    ("concepts", "asked", "code", "place"),
    [
        ("dataset", ("--tasks", "t2i"), "E257", "dataset"),
        ("nan.jsonl", ("--tasks", "t2i"), "E291", "nan.jsonl:1 $.objects[0].box[1]"),
        ("other.jsonl", (), "E258", "other.jsonl"),
        ("predicted:3", ("--tasks", "i2t"), "E258", "predicted:3"),
        ("", ("--tasks", "t2i"), "E210", "."),
    ],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_what_does_not_fit_is_said_first(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoded: list[int],
    *,
    concepts: str,
    asked: tuple[str, ...],
    code: str,
    place: str,
    more: tuple[str, ...],
) -> None:
    monkeypatch.chdir(files)
    assert found(ran(files / "run", concepts, *EMOJI, *asked, *more)) == [(code, place)]
    assert encoded == []
    assert not (files / "run").exists()


def test_so_it_is_for_annotations_that_were_not_asked_for(files: Path, encoded: list[int]) -> None:
    asked = ("vg-coco", "--data", str(files / "VG"), "--set", "annotations=none")
    assert found(ran(files / "run", "dataset", *asked)) == [("E257", "dataset")]
    assert encoded == []


@pytest.mark.parametrize("concepts", ["dataset", "VG/objects.json"])
def test_what_fits_is_studied(
    files: Path, monkeypatch: pytest.MonkeyPatch, encoded: list[int], concepts: str
) -> None:
    monkeypatch.chdir(files)
    result = ran(files / "run", concepts, "vg-coco", "--data", "VG")
    assert (result.exit_code, result.exception) == (0, None)
    assert (files / "run" / "concepts.json").is_file()
    assert encoded


def test_a_hierarchy_with_several_roots_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("child,parent\nfruit,food\napple,fruit\nbread,foood\n")
    (tmp_path / "a.jsonl").write_text(
        '{"image": "a", "objects": [{"synset": "apple"}]}\n{"image": "b", "objects": [{"synset": "bread"}]}\n'
    )
    pairs, hierarchy = write_pairs(tmp_path / "p.csv", "q,a,b,text"), str(tmp_path / "own.csv")
    study = study_pairs(pairs, concepts=str(tmp_path / "a.jsonl"), hierarchy=hierarchy)
    (line,) = (line for line in study.audit if line.startswith("W271"))
    assert "food, foood" in line
    asked = ["--annotations", str(tmp_path / "a.jsonl"), "--hierarchy", hierarchy]
    assert "W271" in CliRunner().invoke(audit_annotations, asked).stderr
