"""Metadata tables: rows keep their file and line; every fault of a file is told."""

from __future__ import annotations

import errno
import os
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


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_a_header_without_commas_tells_what_separates(tmp_path: Path, separator: str) -> None:
    table = read_table(write(tmp_path, "m.csv", f"Image{separator} Text \na.png{separator}x\n"))
    assert (table.columns, table.faults) == (("image", "text"), ())
    assert table.rows[0].values == {"image": "a.png", "text": "x"}


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_columns_are_read_in_any_case_but_not_twice(tmp_path: Path, name: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / name
    if name == "m.csv":
        path.write_text("Text,TEXT\na,b\n")
    elif name == "m.jsonl":
        path.write_text('{"Text": "a", "TEXT": "b"}\n')
    else:
        pq.write_table(pa.table({"Text": ["a"], "TEXT": ["b"]}), path)
    table = read_table(path)
    assert "text" in table.columns
    assert [fault.code for fault in table.faults] == ["E123"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["m.csv", "m.jsonl"])
def test_utf_16_is_one_fault(tmp_path: Path, name: str, encoding: str) -> None:
    path = write(tmp_path, name, "image,text\na.png,x\nb.png,y\n".encode(encoding))
    assert codes(path) == [("E121", name)]


@pytest.mark.parametrize(
    "text",
    ['[\n{"a": 1},\n{"a": 2}\n]', '[{"a": 1},\n{"a": 2}]', '{\n"a": 1\n}\n', '[\n{"a": 1},\n{"a": 2},\n]\n'],
)
def test_one_json_document_over_lines_is_one_fault(tmp_path: Path, text: str) -> None:
    assert codes(write(tmp_path, "m.jsonl", text)) == [("E122", "m.jsonl:1")]


def test_a_json_key_that_stands_twice_is_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "m.jsonl", '{"t": {"en": "a", "en": "b"}}\n{"t": "x", "t": "y"}\n{"t": "z"}\n')
    assert codes(path) == [("E122", "m.jsonl:1"), ("E122", "m.jsonl:2")]


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_what_cannot_be_opened_is_one_fault(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    assert codes(path) == [("E138", name)]
    path.mkdir()
    assert codes(path) == [("E138", name)]
    path.rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)  # would be waited for
        assert codes(path) == [("E138", name)]
        path.unlink()
    assert codes(tmp_path / ("x" * 5000 + name))[0][0] == "E138"
    if name != "m.parquet":
        path.write_text("a\n")
        monkeypatch.setattr(Path, "read_bytes", closed)
        assert codes(path) == [("E138", name)]
        assert "Permission denied" in read_table(path).faults[0].found


def closed(path: Path, *_: object, **__: object) -> bytes:
    """What a file of chmod 000 does; tests may run as root."""
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_parquet_maps_are_dicts_and_whole_floats_are_whole(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    captions = pa.array([[("en", "a bee")], None], pa.map_(pa.string(), pa.string()))
    labels, shares = pa.array([1.0, None]), pa.array([0.5, 1.0])
    pq.write_table(pa.table({"texts": captions, "label": labels, "share": shares}), tmp_path / "m.parquet")
    rows = [row.values for row in read_table(tmp_path / "m.parquet").rows]
    assert rows == [
        {"texts": {"en": "a bee"}, "label": 1, "share": 0.5},
        {"texts": None, "label": None, "share": 1.0},
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_an_empty_file_is_called_so(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    (fault,) = read_table(tmp_path / name).lacks(("file", "image"))
    assert (fault.code, fault.found) == ("E123", "an empty table: neither columns nor rows")
    assert fault.fix == "write the table again"
