"""Pairs of a truth and a retrieved picture, from tables and from runs."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.concepts.suspects import Retrieval
from crossgauge.errors import InputError
from crossgauge.ratings.pairs import need_annotations, rated, read_pairs
from crossgauge.ratings.reading import Pair, Rating, Ratings


def table(folder: Path, *lines: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_table_tells_truth_and_retrieved_and_what_else_it_knows(tmp_path: Path) -> None:
    path = table(tmp_path, "Gold,Image,qid,rank,similarity,note", "1,2,q,3,0.5,x", "4,5,,,nan,y")
    with pytest.raises(InputError, match="E192"):
        read_pairs(path)
    path = table(tmp_path, "Gold,Image,qid,rank,similarity,note", "1,2,q,3,0.5,x", "4,5,,,,y")
    assert read_pairs(path) == (Retrieval("1", "2", "q", similarity=0.5, rank=3.0), Retrieval("4", "5"))


def test_a_run_tells_the_first_right_and_the_first_retrieved(tmp_path: Path) -> None:
    cell = tmp_path / "run" / "cells" / "t2i.en.plain"
    cell.mkdir(parents=True)
    columns = {
        "query_id": ["q1", "q2", "q3"], "image": [None, None, None], "retrieved": [[True], [True], [False]],
        "relevant": [["a", "b"], [], ["c"]], "top_id": [["z", "a"], ["y"], ["x"]],
        "top_score": [[0.9, 0.8], [0.7], [0.6]], "rank": [2.0, math.nan, math.inf],
        "m.mrr": [0.5, math.nan, 0.0],
    }  # fmt: skip
    pq.write_table(pa.table(columns), cell / "per_query.parquet")
    assert read_pairs(tmp_path / "run") == (
        Retrieval("a", "z", "q1", similarity=0.9, rank=2.0),
        Retrieval("c", "x", "q3", similarity=0.6),  # its truth was not found: no rank
    )


def test_a_run_of_captions_has_no_pictures(tmp_path: Path) -> None:
    path = tmp_path / "per_query.parquet"
    pq.write_table(pa.table({"query_id": ["q"], "m.rouge_l": [0.5]}), path)
    with pytest.raises(InputError, match=r"E190.*no rank, relevant, top_id, top_score"):
        read_pairs(path)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_pairs(table(tmp_path, "truth,retrieved,rank", "a,b,first", ",b,1"))
    told = [(fault.code, fault.place.rpartition(":")[2]) for fault in error.value.faults]
    assert told == [("E192", "2"), ("E191", "3")]
    with pytest.raises(InputError, match=r"E190.*a column truth or gold"):
        read_pairs(table(tmp_path, "retrieved", "a"))


def test_ratings_are_of_the_query_and_the_retrieved_picture() -> None:
    scores = tuple(Rating(str(score), score, frozenset(), False, "") for score in (4.0, 7.0))
    pairs = (Retrieval("t", "r", "q1"), Retrieval("t", "r", "q2"))
    ratings = Ratings("study.csv", (Pair("q1", "r", scores),), None, (0.0, 10.0), ())
    assert [one.rating for one in rated(pairs, ratings)] == [5.5, None]
    with pytest.raises(InputError, match=r"E198 study\.csv: none of 1 pairs was rated"):
        rated(pairs[1:], ratings)


def test_pairs_must_be_of_annotated_pictures() -> None:
    pairs = (Retrieval("t", "r"), Retrieval("t", "x"))
    need_annotations(pairs, {"t", "x"}, place="pairs.csv")
    with pytest.raises(InputError, match=r"E199 pairs\.csv: none of 2 pairs, the first is 't' and 'r'"):
        need_annotations(pairs, {"t"}, place="pairs.csv")


def test_whole_numbers_beside_a_missing_one_are_still_ids(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table({"truth": [1, 2, 3], "retrieved": [4.0, math.nan, 6.0]}), path)
    with pytest.raises(InputError) as error:
        read_pairs(path)
    told = [(fault.code, fault.place.rpartition(":")[2], fault.found) for fault in error.value.faults]
    assert told == [("E191", "row 2", "no retrieved picture")]
    pq.write_table(pa.table({"truth": [1, 2], "retrieved": [4.0, 6.0], "qid": [7.0, math.nan]}), path)
    assert read_pairs(path) == (Retrieval("1", "4", "7"), Retrieval("2", "6"))
