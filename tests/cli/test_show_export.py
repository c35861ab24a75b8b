"""``crossgauge show`` and ``crossgauge export`` as people call them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.cli import main

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
    assert capsys.readouterr().out == (
        "q1 Q0 a 1 0.5 conse@1f3a9c\nq1 Q0 b 2 0.49999997 conse@1f3a9c\nq1 Q0 c 3 0.100000001 conse@1f3a9c\n"
    )
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
