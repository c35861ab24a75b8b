"""Metadata tables: rows keep their file and line; every fault of a file is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgauge.tables import Row, read_table


def codes(path: Path) -> list[tuple[str, str]]:
    return [(fault.code, fault.place) for fault in read_table(path).faults]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_csv_rows_are_placed_at_their_first_line(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", 'file,text\na.png,"two\nlines, one comma"\nb.png,x\n\nc.png,y\n')
    table = read_table(path)
    assert table.faults == ()
    assert [(row.place, row.values["file"]) for row in table.rows] == [
        ("m.csv:2", "a.png"), ("m.csv:4", "b.png"), ("m.csv:6", "c.png"),
    ]  # fmt: skip
    assert table.rows[0].values["text"] == "two\nlines, one comma"


def test_csv_values_stay_text(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "m.csv", "id\n0007\n")).rows[0].values == {"id": "0007"}


def test_an_unnamed_index_column_is_a_column(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "m.csv", ",id\n0,7\n")).columns == ("", "id")


def test_csv_faults_come_together_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", b"a,b,a\n1,2\n1,2,3,4\n\xff,2,3\n")
    assert codes(path) == [("E121", "m.csv:4"), ("E123", "m.csv:1"), ("E123", "m.csv:2"), ("E123", "m.csv:3")]


def test_an_open_quote_is_a_fault(tmp_path: Path) -> None:
    assert codes(write(tmp_path, "m.csv", 'a,b\n1,"open\n')) == [("E123", "m.csv:2")]


def test_tsv_uses_tabs(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "m.tsv", "a\tb\n1,5\t2\n")).rows[0].values == {"a": "1,5", "b": "2"}


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl"])
def test_a_byte_order_mark_is_fine(tmp_path: Path, name: str) -> None:
    content = "id\n1\n" if name.endswith("csv") else '{"id": "1"}\n'
    table = read_table(write(tmp_path, name, b"\xef\xbb\xbf" + content.encode()))
    assert (table.columns, table.faults) == (("id",), ())


def test_jsonl_faults_keep_the_good_rows(tmp_path: Path) -> None:
    path = write(tmp_path, "m.jsonl", b'{"a": 1}\n{"a": 1,}\n[1]\n\n{"a": "\xe9"}\n{"b": 2}\n')
    table = read_table(path)
    assert [row.place for row in table.rows] == ["m.jsonl:1", "m.jsonl:6"]
    assert table.columns == ("a", "b")
    assert codes(path) == [("E121", "m.jsonl:5"), ("E122", "m.jsonl:2"), ("E122", "m.jsonl:3")]


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = write(tmp_path, "m.jsonl", '{"t": "a\u2028b"}\n{"t": "c"}\r\n')
    assert [row.place for row in read_table(path).rows] == ["m.jsonl:1", "m.jsonl:2"]


@pytest.mark.parametrize("line", ["[" * 100_000, "1" * 5_000, '{"a": "\\ud8', "NaN", "null"])
def test_hostile_json_is_one_fault(tmp_path: Path, line: str) -> None:
    assert codes(write(tmp_path, "m.jsonl", line + "\n")) == [("E122", "m.jsonl:1")]


def test_parquet_rows_are_numbered(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x", "y"], "n": [[1], None]}), tmp_path / "m.parquet")
    table = read_table(tmp_path / "m.parquet")
    assert [row.place for row in table.rows] == ["m.parquet:row 1", "m.parquet:row 2"]
    assert table.rows[1].values == {"id": "y", "n": None}


def test_a_broken_parquet_file_is_a_fault(tmp_path: Path) -> None:
    assert codes(write(tmp_path, "m.parquet", b"PAR1nonsense")) == [("E134", "m.parquet")]


def test_lacking_columns_are_named_with_their_synonyms(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "m.csv", "a\n1\n"))
    assert [fault.wanted for fault in table.lacks(("a", "x"), ("b", "c"))] == ["a column b or c"]


def test_first_skips_what_is_empty() -> None:
    assert Row("a:1", {"x": None, "y": "", "z": 0}).first(("x", "y", "z")) == 0
    assert Row("a:1", {}).first(("x",)) is None
