"""Judgements, runs and JSON are read strictly, with every fault at its line; ids meet rows or are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import Fault, InputError
from crossgauge.readers import (
    Judgements,
    Run,
    parse_json,
    read_json,
    read_qrels,
)


def faults_of(call: Callable[[], Any]) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.faults


def file(tmp_path: Path, content: str | bytes, name: str = "file.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def triples(read: Judgements | Run) -> list[tuple[str, str, float]]:
    numbers = read.gains if isinstance(read, Judgements) else read.scores
    return list(zip(read.queries, read.items, numbers.tolist(), strict=True))


def codes(read: Judgements | Run) -> list[str]:
    return [finding.code for finding in read.findings]


def judged(*rows: tuple[str, str, float]) -> Judgements:
    queries, items, gains = zip(*rows, strict=True)
    return Judgements("qrels.tsv", "line", queries, items, np.array(gains), np.arange(1, len(rows) + 1), ())


# — judgements —

TWO = [("q1", "d1", 1.0), ("q2", "d 2", 2.0)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "q1\t0\td1\t1\nq2\t0\td 2\t2\n"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td 2\t2\n"),
        ("a.tsv", "q1\td1\t1\nq2\td 2\t2"),
        ("a.json", '{"q1": {"d1": 1}, "q2": {"d 2": 2.0}}'),
    ],
)
def test_qrels_formats(tmp_path: Path, name: str, content: str) -> None:
    read = read_qrels(file(tmp_path, content, name))
    assert triples(read) == TWO
    assert read.findings == ()


def test_trec_qrels_split_at_any_blanks(tmp_path: Path) -> None:
    read = read_qrels(file(tmp_path, "q1 0 d1 1\n q2  0\td2   0 \nq3\t0 d\u00a03 -1\n", "a.qrels"))
    assert triples(read) == [("q1", "d1", 1.0), ("q2", "d2", 0.0), ("q3", "d\u00a03", -1.0)]
    assert codes(read) == ["W222"]
    assert "2 of 3 judgements" in read.findings[0].found
    assert read.at(2).endswith("a.qrels:3")


def test_json_lists_are_plain_relevance(tmp_path: Path) -> None:
    read = read_qrels(file(tmp_path, '{"q1": ["d1", "0007"], "q2": [7]}', "a.json"))
    assert triples(read) == [("q1", "d1", 1.0), ("q1", "0007", 1.0), ("q2", "7", 1.0)]
    assert read.at(1).endswith("a.json entry 2")


def test_parquet_qrels(tmp_path: Path) -> None:
    table = {"query-id": ["q1", "q2"], "corpus-id": ["d1", "d 2"], "score": pa.array([1, 2])}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    assert triples(read_qrels(tmp_path / "a.parquet")) == TWO


def test_byte_order_mark_and_crlf_are_dropped_and_said(tmp_path: Path) -> None:
    content = "\ufeffquery-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq2\td 2\t2\r\n"
    read = read_qrels(file(tmp_path, content, "a.tsv"))
    assert triples(read) == TWO
    assert codes(read) == ["W216"]
    assert "a byte order mark" in read.findings[0].found
    assert "CR" in read.findings[0].found


def test_a_first_line_of_numbers_is_no_header(tmp_path: Path) -> None:
    read = read_qrels(file(tmp_path, "0\t0\t0\n0\t1\t1\n"))
    assert triples(read) == [("0", "0", 0.0), ("0", "1", 1.0)]


def test_an_equal_judgement_counts_once(tmp_path: Path) -> None:
    read = read_qrels(file(tmp_path, "q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 1.0\n"))
    assert triples(read) == [("q1", "d1", 1.0), ("q2", "d1", 1.0)]
    assert codes(read) == ["W210"]
    assert "file.txt:3" in read.findings[0].found


def test_contradicting_judgements_name_both_lines(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 0\nq1 0 d1 2\n")
    faults = faults_of(lambda: read_qrels(path))
    assert [(fault.code, fault.place) for fault in faults] == [("E226", f"{path}:3"), ("E226", f"{path}:4")]
    assert faults[0].found == f"'q1' → 'd1' judged 0, but 1 at {path}:1"


NOT_NUMBERS = ["nan", "inf", "1_0", "١", "1e400", "", "0x1", "1,5", "--1", "1e", "infinity", "½"]


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_numbers_are_ascii_decimals(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, f"q1\t0\td1\t1\nq2\t0\td2\t{text}\n")
    (fault,) = faults_of(lambda: read_qrels(path))
    assert (fault.code, fault.place) == ("E225", f"{path}:2")


@pytest.mark.parametrize(
    "text", ["1", "-0", "+.5", "3.", "1e-400", "0.123456789012345678901234567890", "-1.5E+3"]
)
def test_every_usual_decimal_is_a_number(tmp_path: Path, text: str) -> None:
    assert read_qrels(file(tmp_path, f"q1 0 d1 {text}\n")).gains.tolist() == [float(text)]


def test_every_bad_line_is_reported_at_once(tmp_path: Path) -> None:
    content = b"q1 0 d1 1\nq1 0 d2\n\nq1 0 d3 x\nq1 0 d\x00 1\nq1 0 d\xe4 1\nq1 0 a b c\n"
    path = file(tmp_path, content)
    faults = faults_of(lambda: read_qrels(path))
    assert [(fault.code, fault.place) for fault in faults] == [
        ("E224", f"{path}:2"),
        ("E224", f"{path}:3"),
        ("E225", f"{path}:4"),
        ("E222", f"{path}:5"),
        ("E222", f"{path}:6"),
        ("E224", f"{path}:7"),
    ]
    assert faults[0].found == "3 fields"
    assert faults[0].wanted == "4 (query 0 item judgement)"
    assert "tabs" in faults[5].fix


def test_a_broken_first_line_spoils_no_other(tmp_path: Path) -> None:
    path = file(tmp_path, "q1\nq1\td1\t1\nq1\td2\t1\nq1\td3\n")
    assert [(fault.code, fault.place) for fault in faults_of(lambda: read_qrels(path))] == [
        ("E224", f"{path}:1"),
        ("E224", f"{path}:4"),
    ]


def test_an_empty_id_between_tabs(tmp_path: Path) -> None:
    (fault,) = faults_of(lambda: read_qrels(file(tmp_path, "q1\t0\td1\t1\n\t0\td2\t1\n")))
    assert fault.code == "E220"


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("query-id\tcorpus-id\tscore\n", "E210", "no rows"),
        ("", "E210", "empty file"),
        ("\ufeff".encode("utf-16"), "E222", "UTF-16"),
        (b"\x80\x04]q\x00.", "E212", "pickle"),
        (b"\x1f\x8b\x08", "E211", "gzip"),
        (b"PK\x03\x04", "E211", "zip"),
        ("q1 d1\n", "E224", "2 fields"),
        (b"q" * 70_000 + b"\n", "E222", "64 KiB"),
        ("q1 0 d1 1\rq2 0 d2 1\n", "E222", "0x0d"),
    ],
)
def test_what_is_no_table(tmp_path: Path, content: str | bytes, code: str, words: str) -> None:
    (fault,) = faults_of(lambda: read_qrels(file(tmp_path, content)))
    assert fault.code == code
    assert words in fault.found


def test_files_too_large_to_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.readers.source.MAX_TEXT", 5)
    monkeypatch.setattr("crossgauge.readers.strict_json.MAX_BYTES", 5)
    for name, content in (("a.tsv", "q1 0 d1 1\n"), ("a.json", '{"q": {"d": 1}}')):
        file(tmp_path, content, name)
        with pytest.raises(InputError, match="E219"):
            read_qrels(tmp_path / name)


def test_a_missing_file() -> None:
    (fault,) = faults_of(lambda: read_qrels("nowhere.tsv"))
    assert (fault.code, fault.place) == ("E210", "nowhere.tsv")


def test_a_line_of_ten_megabytes_is_not_held(tmp_path: Path) -> None:
    path = file(tmp_path, b"q1 0 d1 1\n" + b"x" * 10_000_000)
    (fault,) = faults_of(lambda: read_qrels(path))
    assert (fault.code, fault.place) == ("E222", f"{path}:2")


# — JSON —


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"q": {"d": NaN}}', "x:1", "NaN"),
        ('{"q":\n{"d": -Infinity}}', "x:2", "-Infinity"),
        ('{"q":\n\n{"d": 1e999}}', "x:3", "1e999"),
        ('{"q": {"d": ' + "9" * 5000 + "}}", "x:1", "999"),
        ('{"q":\n{"d": 1,\n"d": 2}}', "x:3", '"d" again (first at line 2)'),
        ('{"q": ["\\ud800"]}', "x:1", "surrogate"),
        ('{"q":\n ["\\udc00a"]}', "x:2", "surrogate"),
        ('{"q": [1,]}', "x:1:", "trailing comma"),
        ("[" * 100_000, "x", "too deep"),
        ('{"a": ' * 100_000, "x", "too deep"),
        ("{'q': 1}", "x:1:2", ""),
    ],
)
def test_json_is_strict_and_says_where(text: str, place: str, words: str) -> None:
    (fault,) = faults_of(lambda: parse_json(text.encode(), "x"))
    assert fault.code == "E227"
    assert fault.place == place or fault.place.startswith(place)
    if "trailing" not in words:
        assert words in fault.found


def test_json_reads_what_is_sound() -> None:
    text = '\ufeff{"q\\ud83d\\ude00": [1, -2.5, "\\\\ud800", {"__proto__": null, "a": true}, {"a": {}}]}'
    value = parse_json(text.encode(), "x")
    assert value == {"q😀": [1, -2.5, "\\ud800", {"__proto__": None, "a": True}, {"a": {}}]}


def test_every_doubled_key_is_listed_whatever_its_spelling() -> None:
    text = '{"a": {"b": 1, "\\u0062": 2}, "c": [{"b": 1}, {"b": 1}],\n "a": 3}'
    faults = faults_of(lambda: parse_json(text.encode(), "x"))
    assert [fault.place for fault in faults] == ["x:1", "x:2"]


def test_json_that_is_not_utf8(tmp_path: Path) -> None:
    path = file(tmp_path, b'{"q":\n"\xe4"}', "a.json")
    (fault,) = faults_of(lambda: read_json(path))
    assert (fault.code, fault.place) == ("E222", f"{path}:2")


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        ('{"q": {"d": "1"}, "r": {"d": true}, "s": {"d": null}}', ["E225", "E225", "E225"]),
        ('{"q": 3, "r": "d", "s": null}', ["E227", "E227", "E227"]),
        ('{"q": [1.5, null]}', ["E220", "E220"]),
        ('{"": {"d": 1}, "q": {"": 1}}', ["E220", "E220"]),
        ("[]", ["E227"]),
        ("{}", ["E210"]),
        ('{"q": []}', ["E210"]),
    ],
)
def test_json_judgements_of_another_shape(tmp_path: Path, content: str, codes: list[str]) -> None:
    path = file(tmp_path, content, "a.json")
    assert [fault.code for fault in faults_of(lambda: read_qrels(path))] == codes


# — runs —
