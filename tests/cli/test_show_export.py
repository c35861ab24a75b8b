"""``crossgauge show`` and ``crossgauge export`` as people call them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.cli import main
from crossgauge.scoring import score_run

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with the golden result and a tiny per-query table."""
    folder = tmp_path / "run"
    cell = folder / "cells" / "i2t.en.plain"
    cell.mkdir(parents=True)
    (folder / "scores.json").write_bytes((GOLDEN / "report_result.json").read_bytes())
    write_table(cell, ids=["q1", "q2"])
    return folder


def write_table(cell: Path, *, ids: list[str]) -> None:
    table = pa.table({
        "query_id": ids,
        "top_id": [["a", "b", "c"]] + [[]] * (len(ids) - 1),
        "top_score": [[0.5, 0.5, 0.1]] + [[]] * (len(ids) - 1),
    })  # fmt: skip
    pq.write_table(table, cell / "per_query.parquet")


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    return int(done.value.code or 0)


def test_show_prints_the_tables_for_a_folder_and_for_its_file(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("show", run) == 0
    whole = capsys.readouterr().out
    assert whole == (GOLDEN / "report_terminal.txt").read_text(encoding="utf-8")
    assert call("show", run / "scores.json") == 0
    assert capsys.readouterr().out == whole


def test_show_json_is_the_document_and_nothing_else(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", run, "--json") == 0
    assert json.loads(capsys.readouterr().out)["benchmark"] == "egmm"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """A run folder as it is written, with cells and their checksums."""
    folder = tmp_path / "measured"
    score_run({"q1": {"a": 0.9}, "q2": {"a": 0.9, "b": 0.1}}, {"q1": {"a": 1}, "q2": {"b": 1}}, out=folder)
    return folder


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"value": 0.5\n', '"value": 0.99\n', "not between 0.41"),
        ('"value": 0.5\n', '"value": 1.5\n', "1.5 is no fraction"),
        ('"low": 0.25,', '"low": 0.9,', "an interval from 0.9"),
        ('"n_missing": 0,', '"n_missing": 99,', "counts of queries"),
        ('"macro": 0.25,', '"macro": 0.9,', "the mean of its languages is"),
    ],
)
def test_numbers_that_contradict_one_another_are_refused(
    run: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, words: str
) -> None:
    edit(run / "scores.json", old, new)
    for command in (("show", run), ("export", run, "--format", "csv")):
        assert call(*command) == 3
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "error E327" in shown.err
        assert words in shown.err


def test_a_cell_that_was_edited_on_either_side_is_named(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("show", measured) == 0
    before = (measured / "scores.json").read_bytes()
    edit(measured / "scores.json", '"chance": 0.75,', '"chance": 0.1,')
    assert call("show", measured) == 3
    shown = capsys.readouterr().err
    assert "error E328" in shown
    assert re.search(r"q2c\.\w+\.plain \S+ chance", shown)
    (measured / "scores.json").write_bytes(before)
    cell = next((measured / "cells").iterdir())
    edit(cell / "result.json", '"chance":0.75', '"chance":0.1')
    assert call("export", measured, "--format", "json") == 3
    shown = capsys.readouterr().err
    assert "error E328" in shown
    assert "error E329" in shown


def test_a_table_of_queries_that_was_edited_is_named(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = next((measured / "cells").iterdir())
    write_table(cell, ids=["q1", "q2"])
    assert call("export", measured, "--format", "trec") == 3
    assert "per_query.parquet" in capsys.readouterr().err


def test_a_pipe_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "scores.json")
    for path in (tmp_path, tmp_path / "scores.json", tmp_path / ("x" * 300)):
        assert call("show", path) == 3
        assert "E320" in capsys.readouterr().err


@pytest.mark.parametrize(
    "scores", [[3e300, 1e300, -1e300], [float("inf"), 1.0, float("nan")], [1.0, 1.0 - 1e-12, 0.5]]
)
def test_trec_keeps_any_scores_finite_and_in_order(
    run: Path, capsys: pytest.CaptureFixture[str], scores: list[float]
) -> None:
    cell = run / "cells" / "i2t.en.plain"
    table = pa.table({"query_id": ["q"], "top_id": [["a", "b", "c"]], "top_score": [scores]})
    pq.write_table(table, cell / "per_query.parquet")
    assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [(item, rank, score) for _, _, item, rank, score, _ in lines] == [
        ("a", "1", "3"), ("b", "2", "2"), ("c", "3", "1"),
    ]  # fmt: skip


def test_a_trec_file_gives_the_numbers_back(
    measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ties survive: what is exported and scored again is what was measured."""
    tied = tmp_path / "tied"
    qrels = {"q": {"a": 1}}
    first = score_run({"q": {"a": 0.3, "b": 0.3, "c": 0.1}}, qrels, out=tied)
    assert call("export", tied, "--format", "trec", "-o", tmp_path / "a.trec") == 0
    again = score_run(tmp_path / "a.trec", qrels)
    assert [row.value for row in again.cells[0].scores] == [row.value for row in first.cells[0].scores]


def test_trec_refuses_control_characters(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(run / "cells" / "i2t.en.plain", ids=["q\x1b[31m", "q\x9b", "👩\u200d🚀"])
    assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 3
    assert capsys.readouterr().err.count("error E323") == 2


def test_show_plain_is_ascii(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", run, "--plain") == 0
    assert capsys.readouterr().out.isascii()


def test_show_of_something_else_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", tmp_path) == 3
    assert "E320" in capsys.readouterr().err
    (tmp_path / "scores.json").write_text("{")
    assert call("show", tmp_path) == 3
    assert "E303" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ending", "word"), [("csv", "egmm"), ("md", "| en |"), ("tex", r"\toprule"), ("json", "{")]
)
def test_export_writes_to_stdout_or_to_a_file(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, word: str
) -> None:
    assert call("export", run, "--format", ending) == 0
    printed = capsys.readouterr().out
    assert word in printed
    file = tmp_path / f"table.{ending}"
    assert call("export", run, "--format", ending, "-o", file) == 0
    assert file.read_bytes().decode() == printed


def test_two_runs_stand_in_one_table(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("export", run, GOLDEN / "report_other.json", "--format", "md") == 0
    assert "**1.5**" in capsys.readouterr().out


def test_runs_on_other_data_are_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.json"
    text = (GOLDEN / "report_other.json").read_text(encoding="utf-8")
    other.write_text(text.replace("data:sha256:4be1f00d4be1|", "data:sha256:9c9c|"), encoding="utf-8")
    assert call("export", run, other, "--format", "csv") == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "E322" in shown.err
    assert "sha256:4be1f00d4be1 ≠ sha256:9c9c" in shown.err


def test_trec_keeps_the_order_of_ties_and_holds_one_cell(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("export", run, "--format", "trec") == 2
    assert "E324" in capsys.readouterr().err
    assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 0
    shown = capsys.readouterr()
    assert shown.out == ("q1 Q0 a 1 2 conse@1f3a9c\nq1 Q0 b 2 2 conse@1f3a9c\nq1 Q0 c 3 1 conse@1f3a9c\n")
    assert shown.err.count("\n") == 1
    assert "only the stored top" in shown.err
    assert call("export", run, "--format", "trec", "--cell", "i2t.ar.plain") == 3
    assert "E325" in capsys.readouterr().err
    assert call("export", run, "--format", "trec", "--cell", "nope") == 2
    assert "E321" in capsys.readouterr().err


def test_trec_refuses_every_id_with_a_space(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(run / "cells" / "i2t.en.plain", ids=["q 1", "q2", "\u2003", ""])
    assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 3
    shown = capsys.readouterr().err
    assert shown.count("error E323") == 3
    assert "query id 'q 1'" in shown


def test_a_table_that_is_none_is_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run / "cells" / "i2t.en.plain" / "per_query.parquet"
    for content in (b"", b"PAR1 no"):
        path.write_bytes(content)
        assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 3
        assert "E326" in capsys.readouterr().err
    pq.write_table(pa.table({"query_id": ["a"]}), path)
    assert call("export", run, "--format", "trec", "--cell", "i2t.en.plain") == 3
    assert "top_id" in capsys.readouterr().err


def test_a_study_of_a_table_of_pairs_is_shown_and_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = [{"image": name, "objects": [{"synset": f"{name}.n.01"}]} for name in ("dog", "cat")]
    (tmp_path / "o.jsonl").write_text("".join(json.dumps(one) + "\n" for one in shown), encoding="utf-8")
    (tmp_path / "p.csv").write_text("query_id,truth,retrieved\nq,dog,cat\n", encoding="utf-8")
    home = tmp_path / "study"
    command = ["--pairs", tmp_path / "p.csv", "--truth", tmp_path / "o.jsonl", "-o", home]
    assert call("score", "concepts", *command) == 0
    printed = capsys.readouterr().out.partition("report      ")[0]
    assert call("show", home) == 0
    assert capsys.readouterr().out == printed
    assert call("show", home, "--json") == 0
    assert capsys.readouterr().out == (home / "concepts.json").read_text(encoding="utf-8")
    told = {"csv": '"concept","p.csv"', "md": "| CA % ↑ | 0.0 |", "tex": r"CA \% $\uparrow$"}
    for ending, said in told.items():
        assert call("export", home, "--format", ending) == 0
        assert said in capsys.readouterr().out
    assert call("export", home, "--format", "trec") == 3
    assert "E325" in capsys.readouterr().err
