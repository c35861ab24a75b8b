"""Ratings as tables hold them: formats, names of columns, and every fault at its line."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError
from crossgauge.ratings.reading import Ratings, read_ratings

ROWS = (
    {"query": "q1", "image": "i1", "rater": "ann", "score": 6, "classes": ["details", "object colour"]},
    {"query": "q1", "image": "i1", "rater": "bob", "score": 7.5, "classes": []},
    {"query": "q0", "image": "i2", "rater": "ann", "score": 10, "classes": ["Successful_Alternative"]},
)
HEADER = "query,image,rater,score,classes"


def as_csv(folder: Path, separator: str = ",", name: str = "r.csv") -> Path:
    lines = [HEADER.replace(",", separator)]
    for row in ROWS:
        cells = [";".join(cell) if isinstance(cell, list) else str(cell) for cell in row.values()]
        lines.append(separator.join(cells))
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_jsonl(folder: Path) -> Path:
    path = folder / "r.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def as_parquet(folder: Path) -> Path:
    pq.write_table(
        pa.Table.from_pylist([row | {"score": float(row["score"])} for row in ROWS]), folder / "r.parquet"
    )
    return folder / "r.parquet"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "ratings.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def said(ratings: Ratings) -> list[tuple[str, str, list[tuple[str, float, list[str], bool]]]]:
    return [
        (pair.query, pair.image, [(r.rater, r.score, sorted(r.classes), r.alternative) for r in pair.ratings])
        for pair in ratings.pairs
    ]


def faults(path: Path, **asked: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as error:
        read_ratings(path, **asked)  # type: ignore[arg-type]
    return [(fault.code, fault.place.rpartition("/")[2]) for fault in error.value.faults]


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "parquet"])
def test_every_format_holds_the_same(form: str, tmp_path: Path) -> None:
    path = {
        "csv": as_csv, "tsv": lambda at: as_csv(at, "\t", "r.tsv"), "jsonl": as_jsonl, "parquet": as_parquet,
        "semicolons": lambda at: as_csv(at, "|"),
    }[form](tmp_path)  # fmt: skip
    ratings = read_ratings(path)
    assert said(ratings) == [
        ("q0", "i2", [("ann", 10.0, [], True)]),
        ("q1", "i1", [("ann", 6.0, ["details", "object colour"], False), ("bob", 7.5, [], False)]),
    ]
    assert ratings.classes == ("details", "object colour")


def test_other_names_of_columns_are_understood(tmp_path: Path) -> None:
    path = written(tmp_path, "Caption,Retrieved,Annotator,Rating", "a dog,7,ann,3")
    ratings = read_ratings(path)
    assert said(ratings) == [("a dog", "7", [("ann", 3.0, [], False)])]
    assert ratings.classes is None


def test_whole_numbers_and_their_text_are_the_same_id(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(
        '{"query": 7, "image": 1, "rater": 3, "score": 5}\n'
        '{"query": "7", "image": "1", "rater": "4", "score": "6"}\n'
    )
    assert said(read_ratings(path)) == [("7", "1", [("3", 5.0, [], False), ("4", 6.0, [], False)])]


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path, HEADER,
        "q1,i1,ann,11,details",  # beyond the scale
        "q1,i1,bob,high,",  # no number
        ",i1,cid,5,",  # no query
        "q2,i1,ann,,",  # no score
        "q1,i1,ann,5,",  # again
        "q3,i1,ann,5,detials",  # not on the list
        "q4,i1,ann,nan,",
    )  # fmt: skip
    assert faults(path, classes=["details"]) == [
        ("E193", "ratings.csv:2"), ("E192", "ratings.csv:3"), ("E191", "ratings.csv:4"),
        ("E191", "ratings.csv:5"), ("E194", "ratings.csv:6"), ("E195", "ratings.csv:7"),
        ("E192", "ratings.csv:8"),
    ]  # fmt: skip


def test_a_rating_that_stands_twice_names_the_first(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, "q,i,ann,5,", "q,i,bob,5,", "q,i,ann,6,")
    with pytest.raises(InputError, match=r"'ann' rated 'i' for 'q' again, first at .*ratings\.csv:2"):
        read_ratings(path)


def test_a_class_is_unknown_only_where_a_list_is_given(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, "q,i,ann,5,Anything at all")
    assert read_ratings(path).classes == ("anything at all",)
    assert faults(path, classes=["details"]) == [("E195", "ratings.csv:2")]


def test_a_listed_class_that_nobody_marked_is_still_a_class(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, "q,i,ann,5,details")
    assert read_ratings(path, classes=["Details", "action", "successful alternative"]).classes == (
        "action",
        "details",
    )


@pytest.mark.parametrize("scale", [(1.0, 5.0), (0.0, 10.0)])
def test_the_scale_is_what_one_says(scale: tuple[float, float], tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, f"q,i,ann,{scale[1]},", f"q,i,bob,{scale[0]},")
    assert [rating.score for rating in read_ratings(path, scale=scale).pairs[0].ratings] == [
        scale[1],
        scale[0],
    ]
    assert faults(written(tmp_path, HEADER, f"q,i,ann,{scale[1] + 0.5},"), scale=scale) == [
        ("E193", "ratings.csv:2")
    ]


def test_each_lacking_column_is_told(tmp_path: Path) -> None:
    assert faults(written(tmp_path, "query,note", "a,b")) == [("E190", "ratings.csv")] * 3


def test_two_columns_for_one_thing_are_never_guessed(tmp_path: Path) -> None:
    assert faults(written(tmp_path, "query,image,rater,score,rating", "q,i,a,1,2")) == [
        ("E190", "ratings.csv")
    ]


@pytest.mark.parametrize("lines", [(HEADER,), ("",)])
def test_a_table_without_a_rating_is_a_fault(lines: tuple[str, ...], tmp_path: Path) -> None:
    assert faults(written(tmp_path, *lines))


def test_ragged_rows_and_bad_scores_are_told_together(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, "q,i,ann,5", "q,i,bob,12,")
    assert {code for code, _ in faults(path)} == {"E123", "E193"}


def test_classes_that_are_no_names_are_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"query": "q", "image": "i", "rater": "a", "score": 1, "classes": [1]}\n')
    assert faults(path) == [("E195", "r.jsonl:1")]


def test_a_valid_answer_with_a_disagreement_is_told(tmp_path: Path) -> None:
    ratings = read_ratings(written(tmp_path, HEADER, "q,i,ann,9,successful alternative;details"))
    assert [fault.code for fault in ratings.findings] == ["W190"]
    assert said(ratings) == [("q", "i", [("ann", 9.0, ["details"], True)])]


def test_classes_of_valid_answers_may_be_others(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, "q,i,ann,9,fine;successful alternative")
    ratings = read_ratings(path, alternatives=["Fine"])
    assert said(ratings) == [("q", "i", [("ann", 9.0, ["successful alternative"], True)])]


def test_a_comma_between_classes_is_a_fault_that_names_the_known_ones(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, 'q,i,ann,5,"details, object colour"', "q,i,bob,5,details;action")
    with pytest.raises(InputError) as refused:
        read_ratings(path)
    (fault,) = refused.value.faults
    assert (fault.code, fault.place.rpartition("/")[2]) == ("E195", "ratings.csv:2")
    assert fault.found == "the class 'details, object colour'"
    assert "known here: action, details, successful alternative" in fault.wanted
    assert fault.fix == "write 'details;object colour'"
    assert faults(path, classes=["details", "action"]) == [("E195", "ratings.csv:2")]
    listed = tmp_path / "r.jsonl"
    listed.write_text('{"query": "q", "image": "i", "rater": "a", "score": 1, "classes": ["a, b", "c"]}\n')
    assert faults(listed) == [("E195", "r.jsonl:1")]
