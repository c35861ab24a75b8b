"""``crossgauge ratings`` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossgauge.cli import main

STUDY = """query,image,rater,score,classes
q1,i1,ann,6,details;object colour
q1,i1,bob,7,details
q2,i5,ann,9,successful alternative
q2,i5,bob,10,
q3,i2,ann,3,action;details
q3,i2,bob,4,action
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "study.csv"
    path.write_text(STUDY, encoding="utf-8")
    return path


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    return int(done.value.code or 0)


def test_it_prints_a_report(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("ratings", table) == 0
    shown = capsys.readouterr().out
    assert "6 ratings of 3 pairs by 2 raters, 2 a pair" in shown
    assert "action → details" in shown


def test_merge_any_and_majority_differ(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(STUDY + "q1,i1,cid,6,\n", encoding="utf-8")  # colour: one of three now
    found = {}
    for merge in ("any", "majority"):
        assert call("ratings", table, "--merge", merge, "--json") == 0
        found[merge] = json.loads(capsys.readouterr().out)["disagreements"]["sizes"]
    assert [one["pairs"] for one in found["any"]] == [1, 0, 2]
    assert [one["pairs"] for one in found["majority"]] == [1, 1, 1]


def test_measures_are_correlated(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("query,image,ca\nq1,i1,0.5\nq2,i5,0.9\nq3,i2,0.1\n", encoding="utf-8")
    assert call("ratings", table, "--scores", scores, "--json") == 0
    found = json.loads(capsys.readouterr().out)["correlations"]
    assert [(one["measure"], one["rho"], one["pairs"]) for one in found] == [("ca", pytest.approx(1.0), 3)]
    assert call("ratings", table, "--scores", scores, "--plain") == 0
    assert "ca ^" in capsys.readouterr().out


def test_faults_exit_with_three(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(STUDY + "q9,i9,ann,99,\n", encoding="utf-8")
    assert call("ratings", table) == 3
    shown = capsys.readouterr()
    assert "E193" in shown.err
    assert shown.out == ""
    assert call("ratings", table, "--scale", 0, 100) == 0
    assert call("ratings", table, "--classes", "action", "--scale", 0, 100) == 3


def test_a_cell_needs_scores(table: Path) -> None:
    assert call("ratings", table, "--cell", "x") == 2


@pytest.mark.parametrize("scale", [(7, 3), (3, 3), ("nan", 3), (0, "inf")])
def test_a_scale_that_is_none_is_told_once(
    scale: tuple[object, object], table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("ratings", table, "--scale", *scale) == 2
    shown = capsys.readouterr().err
    assert shown.count("error E193") == 1
    assert "--scale" in shown


def test_one_is_not_several(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text("query,image,rater,score\nq1,i1,ann,6\n", encoding="utf-8")
    assert call("ratings", table) == 0
    assert "1 rating of 1 pair by 1 rater, 1 a pair" in capsys.readouterr().out
