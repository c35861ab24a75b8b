"""A table of pairs says one thing, or says where it says two."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError
from crossgauge.ratings.pairs import read_pairs as audited
from crossgauge.studies import read_pairs, study_pairs
from tests.unit.test_studies import write_annotations


def table(folder: Path, head: str, *rows: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def retrieved(path: Path) -> list[list[str]]:
    return [[item.id for item in one.retrieved] for one in read_pairs(path)]


def told(path: Path) -> list[tuple[str, str]]:
    with pytest.raises(InputError, match="E256") as refused:
        read_pairs(path)
    return [(fault.place, fault.found) for fault in refused.value.faults]


def test_ranks_decide_the_order(tmp_path: Path) -> None:
    rows = "q1,a,b,2", "q2,a,d,1", "q1,a,c,1", "q3,a,b,"
    assert retrieved(table(tmp_path, "query_id,truth,retrieved,rank", *rows)) == [["c", "b"], ["d"], ["b"]]
    pq.write_table(
        pa.table({"query": ["q", "q"], "truth": ["a", "a"], "retrieved": ["b", "c"], "rank": [2.0, 1.0]}),
        tmp_path / "p.parquet",
    )
    assert retrieved(tmp_path / "p.parquet") == [["c", "b"]]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (["q,a,b,0"], [(2, "the rank '0'")]),
        (["q,a,b,first", "q,a,c,1.5"], [(2, "the rank 'first'"), (3, "the rank '1.5'")]),
        (["q,a,b,7"], [(2, "rank 7 of query 'q'")]),
        (["q,a,b,1", "q,a,c,3"], [(3, "rank 3 of query 'q'")]),
        (["q,a,b,1", "q,a,c,1"], [(3, "rank 1 of query 'q'")]),
        (["q,a,b,2.5", "q,a,c,1.0"], [(2, "the rank '2.5'")]),
        (["q,a,b,0.0", "q,a,c,-1.0"], [(2, "the rank '0.0'"), (3, "the rank '-1.0'")]),
        (["q,a,b,1e0"], [(2, "the rank '1e0'")]),
        (["q,a,b,", "q,a,c,", "r,a,b,"], [(2, "nothing in the column rank, nor in 2 more rows")]),
        (["q,a,b, "], [(2, "the rank ' '")]),
        (["q,a,b,", "q,a,c,", "r,a,b,1"], [(2, "nothing in the column rank, nor in 1 more rows")]),
        (["q,a,b,1", "q,a,c,"], [(2, "rank 1 of query 'q'"), (3, "no rank beside others of query 'q'")]),
    ],
)
def test_ranks_that_are_no_places_are_faults(
    tmp_path: Path, rows: list[str], found: list[tuple[int, str]]
) -> None:
    path = table(tmp_path, "query_id,truth,retrieved,rank", *rows)
    assert told(path) == [(f"pairs.csv:{line}", said) for line, said in found]


def test_a_whole_number_may_be_written_as_a_float(tmp_path: Path) -> None:
    path = table(tmp_path, "query_id,truth,retrieved,rank", "q,a,b,2.0", "q,a,c,1.", "q,a,d,3.00")
    assert retrieved(path) == [["c", "b", "d"]]
    lines = [{"query": "q", "truth": "a", "retrieved": name, "rank": rank} for name, rank in
             (("b", 2.0), ("c", 1.0), ("d", "3.0"))]  # fmt: skip
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert retrieved(tmp_path / "p.jsonl") == [["c", "b", "d"]]
    (tmp_path / "p.jsonl").write_text(json.dumps(lines[0] | {"rank": 2.5}), encoding="utf-8")
    assert told(tmp_path / "p.jsonl") == [("p.jsonl:1", "the rank 2.5")]


def test_a_column_of_places_that_is_empty_is_a_fault_in_any_format(tmp_path: Path) -> None:
    rows = {"query": ["q", "q"], "truth": ["a", "a"], "retrieved": ["b", "c"]}
    pq.write_table(pa.table({**rows, "rank": pa.array([None, None], pa.int64())}), tmp_path / "p.parquet")
    said = "nothing in the column rank, nor in 1 more rows"
    assert told(tmp_path / "p.parquet") == [("p.parquet:row 1", said)]
    pq.write_table(pa.table(rows), tmp_path / "p.parquet")
    assert retrieved(tmp_path / "p.parquet") == [["b", "c"]], "without the column rows stand best first"
    path = table(tmp_path, "query_id,truth,retrieved,rank", "q,a,b,1", "none,a,,")
    assert retrieved(path) == [["b"], []], "what found nothing has no place"


def test_what_stands_twice_or_in_two_ways_is_a_fault(tmp_path: Path) -> None:
    rows = "q,a,b,x", "r,a,b,", "q,a,b,x", "q,a,c,y", "s,a,,", "s,a,b,", "t,a,,", "u,a,,", "u,a,,"
    path = table(tmp_path, "query_id,truth,retrieved,text", *rows)
    assert told(path) == [
        ("pairs.csv:5", "query 'q' with the texts 'x' and 'y'"),
        ("pairs.csv:6", "query 's' found nothing here, and stands in other rows too"),
        ("pairs.csv:9", "query 'u' found nothing here, and stands in other rows too"),
        ("pairs.csv:10", "query 'u' found nothing here, and stands in other rows too"),
        ("pairs.csv:4", "query 'q' retrieved 'b' again"),
    ]
    rows_ = {"query": ["q", "q"], "truth": ["a", "a"], "retrieved": ["b", "b"]}
    pq.write_table(pa.table(rows_), tmp_path / "p.parquet")
    assert told(tmp_path / "p.parquet") == [("p.parquet:row 2", "query 'q' retrieved 'b' again")]


def test_columns_that_are_not_read_are_told(tmp_path: Path) -> None:
    annotations = str(write_annotations(tmp_path / "a.jsonl", {"a": "dog", "b": "cat"}))
    path = table(tmp_path, "query_id,truth,retrieved,truth_rank,txet", "q,a,b,3,words")
    audit = study_pairs(path, concepts=annotations).audit
    assert any(line.startswith("W254 pairs.csv: columns not read: truth_rank, txet") for line in audit)
    assert [one.rank for one in audited(path)] == [3.0]  # what the audit of annotations reads
    path = table(tmp_path, "query_id,truth,retrieved,text,rank", "q,a,b,words,1")
    assert not any("W254" in line for line in study_pairs(path, concepts=annotations).audit)
