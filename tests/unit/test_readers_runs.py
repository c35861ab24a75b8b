"""Runs read, matched with judgements and written; headers, odd paths and odd ids."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.readers import (
    Run,
    lists_of,
    read_ids,
    read_qrels,
    read_run,
    read_vectors,
    resolve,
    run_of,
    write_qrels,
    write_run,
)
from crossgauge.types import TopK
from tests.unit.test_readers_lists import TWO, codes, faults_of, file, judged, triples

SCORES = [("q1", "d1", 0.9), ("q1", "d2", 0.1)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.trec", "q1 Q0 d1 1 0.9 tag\nq1 Q0 d2 2 0.1 tag\n"),
        ("a.trec", "q1\tQ0\td1\t1\t.9\tmy tag\nq1\tQ0\td2\t2\t1e-1\tmy tag\n"),
        ("a.tsv", "q1\td1\t0.9\nq1\td2\t0.1\n"),
        ("a.tsv", "qid\tdocid\tscore\nq1\td1\t0.9\nq1\td2\t0.1\n"),
        ("a.json", '{"q1": {"d1": 0.9, "d2": 0.1}}'),
    ],
)
def test_run_formats(tmp_path: Path, name: str, content: str) -> None:
    read = read_run(file(tmp_path, content, name))
    assert triples(read) == SCORES
    assert read.findings == ()


def test_ranx_parquet_run(tmp_path: Path) -> None:
    table = {"q_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [0.9, 0.1]}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    assert triples(read_run(tmp_path / "a.parquet")) == SCORES
    pq.write_table(pa.table({"q_id": ["q1"], "doc": ["d1"], "score": [1.0]}), tmp_path / "b.parquet")
    (fault,) = faults_of(lambda: read_run(tmp_path / "b.parquet"))
    assert fault.code == "E221"
    assert "'doc'" in fault.found
    pq.write_table(pa.table({**table, "score": [0.9, float("nan")]}), tmp_path / "c.parquet")
    (fault,) = faults_of(lambda: read_run(tmp_path / "c.parquet"))
    assert (fault.code, fault.place) == ("E225", f"{tmp_path / 'c.parquet'} row 2")


def test_scores_are_read_in_double_precision(tmp_path: Path) -> None:
    read = read_run(file(tmp_path, "q1\td1\t.30000001\nq1\td2\t.3\n"))
    assert read.scores[0] > read.scores[1]


def test_a_pair_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 Q0 d1 1 .9 t\nq1 Q0 d1 2 .8 t\nq1 Q0 d2 3 .1 t\n")
    (fault,) = faults_of(lambda: read_run(path))
    assert (fault.code, fault.place) == ("E223", f"{path}:2")
    assert fault.found == f"'q1' → 'd1' again (first at {path}:1)"


def test_dedupe_keeps_the_best_score(tmp_path: Path) -> None:
    read = read_run(file(tmp_path, "q1\td1\t.8\nq1\td1\t.9\nq1\td2\t.1\nq1\td1\t.7\n"), dedupe="max")
    assert triples(read) == [("q1", "d1", 0.9), ("q1", "d2", 0.1)]
    assert codes(read) == ["W211"]


def test_json_keys_twice_name_both_lines(tmp_path: Path) -> None:
    path = file(tmp_path, '{"q1": {\n"d1": 0.9,\n"d1": 0.8}}', "a.json")
    (fault,) = faults_of(lambda: read_run(path))
    assert (fault.code, fault.place) == ("E227", f"{path}:3")
    assert "first at line 2" in fault.found


def test_ranks_that_contradict_scores_are_said(tmp_path: Path) -> None:
    read = read_run(file(tmp_path, "q1 Q0 a 2 .5 t\nq1 Q0 b 1 .4 t\nq1 Q0 c 3 .3 t\nq2 Q0 a 1 .1 t\n"))
    assert codes(read) == ["W212"]
    assert "1 times, first at" in read.findings[0].found
    assert "negate" not in read.findings[0].found


def test_distances_are_suspected(tmp_path: Path) -> None:
    read = read_run(file(tmp_path, "q1 Q0 a 1 .1 t\nq1 Q0 b 2 .4 t\nq2 Q0 a 1 .3 t\nq2 Q0 b 2 .5 t\n"))
    assert "negate" in read.findings[0].found


def test_equal_ranks_or_scores_contradict_nothing(tmp_path: Path) -> None:
    assert read_run(file(tmp_path, "q1 Q0 a 0 .5 t\nq1 Q0 b 1 .5 t\n")).findings == ()


def test_run_lists_are_no_run_and_tags_are_no_scores(tmp_path: Path) -> None:
    (fault,) = faults_of(lambda: read_run(file(tmp_path, '{"q": ["d"]}', "a.json")))
    assert fault.code == "E227"
    (fault,) = faults_of(lambda: read_run(file(tmp_path, "q1 Q0 d1 0.9 1 t\nq1 Q0 d1 x .9 t\n")))
    assert fault.code == "E225"
    assert "rank" in fault.found


# — ids meet rows —


def test_resolve_keeps_queries_without_a_positive() -> None:
    qrels = resolve(
        judged(("b", "y", 1), ("b", "x", 2), ("c", "x", 0), ("c", "y", -1)), ["a", "b", "c"], ["x", "y"]
    )
    assert qrels.start.tolist() == [0, 0, 2, 2]
    assert qrels.items.tolist() == [0, 1]
    assert qrels.gains.tolist() == [2.0, 1.0]


def test_lists_of_a_run_follow_the_queries() -> None:
    lists = lists_of(
        run(("b", "y", 1.0), ("z", "x", 3.0), ("a", "x", 2.0), ("b", "x", 0.5)), ["a", "b", "c"], ["x", "y"]
    )
    assert [None if rows is None else rows.tolist() for rows in lists.items] == [[0], [1, 0], None]
    assert [None if rows is None else rows.tolist() for rows in lists.scores] == [[2.0], [1.0, 0.5], None]
    assert [finding.code for finding in lists.findings] == ["W224"]
    (fault,) = faults_of(lambda: lists_of(run(("a", "n", 1.0)), ["a"], ["x"]))
    assert fault.code == "E214"


def test_unknown_ids_of_both_sides_are_listed() -> None:
    qrels = judged(("a", "x", 1), *[(f"n{i}", "z", 1) for i in range(25)])
    faults = faults_of(lambda: resolve(qrels, ["a"], ["x"]))
    assert [(fault.code, fault.place) for fault in faults] == [
        ("E214", "qrels.tsv:2"),
        ("E214", "qrels.tsv:2"),
    ]
    assert "25 of 26 query ids are not among the 1 given: 'n0', 'n1'" in faults[0].found
    assert "'n19' …" in faults[0].found
    assert "1 of 2 corpus ids" in faults[1].found


@pytest.mark.parametrize(
    ("unknown", "known", "words"),
    [
        (["7", "8"], ["0007", "0008"], "zeros in front"),
        (["0"], ["000"], "zeros in front"),
        ([" a", "b "], ["a", "b"], "blanks"),
        (["A", "b "], ["a", "b"], "as they are in"),
        (["A"], ["a"], "upper and lower"),
        (["a.jpg", "b.jpg"], ["a", "b"], "the file extension"),
        (["a", "b"], ["a.jpg", "b.png"], "the file extension"),
        (["val/a", "val/b"], ["a", "b"], "the folder in front"),
        (["img_1", "img_2"], ["1", "2"], "without 'img_' in front"),
        (["1", "2"], ["img_1", "img_2", "img_3"], "with 'img_' in front"),
        (["x1"], ["a", "b"], "as they are in"),
    ],
)
def test_what_unknown_ids_may_have_meant(unknown: list[str], known: list[str], words: str) -> None:
    qrels = judged(*[("q", one, 1) for one in unknown])
    (fault,) = faults_of(lambda: resolve(qrels, ["q"], known))
    assert words in fault.fix


def test_swapped_sides_are_seen() -> None:
    faults = faults_of(lambda: resolve(judged(("d1", "q1", 1), ("d2", "q1", 1)), ["q1"], ["d1", "d2"]))
    assert all("swapped" in fault.fix for fault in faults)


# — files out —


def run(*rows: tuple[str, str, float]) -> Run:
    queries, items, scores = zip(*rows, strict=True)
    return Run("run", "row", queries, items, np.array(scores), np.arange(1, len(rows) + 1), ())


def test_written_ranks_survive_float32(tmp_path: Path) -> None:
    write_run(
        tmp_path / "a.trec", run(("q", "b", 0.3), ("q", "a", 0.30000001), ("p", "a", 1.0), ("q", "c", 0.3))
    )
    assert (tmp_path / "a.trec").read_text().splitlines() == [
        "q Q0 a 1 2 crossgauge",
        "q Q0 b 2 1 crossgauge",
        "q Q0 c 3 1 crossgauge",
        "p Q0 a 1 1 crossgauge",
    ]
    read = read_run(tmp_path / "a.trec")
    as_float32 = read.scores.astype(np.float32)
    assert as_float32[0] > as_float32[1] == as_float32[2]
    assert read.findings == ()


def test_written_judgements_are_read_back(tmp_path: Path) -> None:
    qrels = judged(("q", "a", 1), ("q", "b", 0.25), ("p", "a", -1))
    stream = io.StringIO()
    write_qrels(stream, qrels)
    assert stream.getvalue() == "q 0 a 1\nq 0 b 0.25\np 0 a -1\n"
    assert triples(read_qrels(file(tmp_path, stream.getvalue()))) == triples(qrels)


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\u3000b", "", "a\nb"])
def test_ids_that_trec_cannot_hold_are_refused(tmp_path: Path, name: str) -> None:
    for call in (
        lambda: write_run(tmp_path / "x", run((name, "a", 1), ("q", name, 0))),
        lambda: write_qrels(tmp_path / "x", judged((name, "a", 1))),
        lambda: write_run(tmp_path / "x", run(("q", "a", 1)), tag=name),
    ):
        (fault,) = faults_of(call)
        assert fault.code == "E232"
        assert repr(name) in fault.found
    assert not (tmp_path / "x").exists()


def test_scores_that_are_no_numbers_are_not_written(tmp_path: Path) -> None:
    (fault,) = faults_of(lambda: write_run(tmp_path / "x", run(("q", "a", float("nan")))))
    assert fault.code == "E225"


def test_the_run_of_a_ranking_leaves_padding_out() -> None:
    top = TopK(np.array([[1, 0], [1, -1]]), np.array([[0.5, 0.25], [0.75, np.nan]]))
    assert triples(run_of(top, ["q", "p"], ["a", "b"])) == [
        ("q", "b", 0.5),
        ("q", "a", 0.25),
        ("p", "b", 0.75),
    ]


# — columns by their names —


@pytest.mark.parametrize(
    "content",
    [
        "corpus-id\tquery-id\tscore\nd1\tq1\t1\nd 2\tq2\t2\n",
        "score\tcorpus_id\tquery_id\n1\td1\tq1\n2\td 2\tq2\n",
        "Rel\tQID\tdocno\n1\tq1\td1\n2\tq2\td 2\n",
        "docid\titer\tqid\trel\nd1\t0\tq1\t1\nd 2\t0\tq2\t2\n",
    ],
)
def test_a_header_decides_which_column_is_which(tmp_path: Path, content: str) -> None:
    assert triples(read_qrels(file(tmp_path, content))) == TWO


def test_a_header_decides_in_runs_too(tmp_path: Path) -> None:
    read = read_run(file(tmp_path, "score docno qid Q0 rank tag\n.5 d1 q1 Q0 1 t\n.4 d2 q1 Q0 2 t\n"))
    assert (read.queries, read.items, read.scores.tolist()) == (("q1", "q1"), ("d1", "d2"), [0.5, 0.4])


@pytest.mark.parametrize(
    "header", ["query-id\tpicture\tscore", "query-id\tqid\tscore", "query\titem\tnote", "iter\titem\tscore"]
)
def test_a_header_that_is_not_understood_is_never_guessed(tmp_path: Path, header: str) -> None:
    path = file(tmp_path, f"{header}\nq1\td1\t1\n")
    for read in (read_qrels, read_run):
        (fault,) = faults_of(lambda read=read: read(path))  # type: ignore[misc]
        assert (fault.code, fault.place) == ("E250", f"{path}:1")


# — text that looks like something else —


@pytest.mark.parametrize(
    "content",
    [
        "cat\na\nb",
        "cat\ndog\ncow\nfox\n",
        "c1\nc2\n.",
        "(cat\nx\ny",
        "(lp0\nS'a'\n",
        "]}q\nx",
        "I1\n.",
        "N.",
        "cat\na\n.",
    ],
)
def test_ids_in_text_are_never_taken_for_a_pickle(tmp_path: Path, content: str) -> None:
    assert read_ids(file(tmp_path, content)) == tuple(content.removesuffix("\n").split("\n"))


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("value", [["a", "b"], {"q": {"d": 1}}, ("x", 1.5, None), np.float64(1)])
def test_a_pickle_of_anything_is_known_as_one(tmp_path: Path, protocol: int, value: object) -> None:
    path = file(tmp_path, pickle.dumps(value, protocol=protocol))
    for read in (read_ids, read_qrels, read_run):
        (fault,) = faults_of(lambda read=read: read(path))  # type: ignore[misc]
        assert fault.code == "E212"


@pytest.mark.parametrize("before", ["", "\ufeff", " \n"])
def test_json_is_known_by_its_content(tmp_path: Path, before: str) -> None:
    path = file(tmp_path, before + '{"q1": {"d1": 1}}', "judged.txt")
    assert triples(read_qrels(path)) == [("q1", "d1", 1.0)]
    assert read_run(path).items == ("d1",)
    (fault,) = faults_of(lambda: read_qrels(file(tmp_path, '[{"query": "q1"}]', "list.txt")))
    assert fault.code == "E227"


def test_ids_in_braces_are_no_json(tmp_path: Path) -> None:
    assert triples(read_qrels(file(tmp_path, "{q1} 0 [d1] 1\n"))) == [("{q1}", "[d1]", 1.0)]


@pytest.mark.parametrize("text", ['{"q\\u001b": {"d": 1}}', '{"q": {"d\\u0000": 1}}', '{"q": {"d\\n": 1}}'])
def test_control_characters_in_json_ids_are_refused_as_in_text(tmp_path: Path, text: str) -> None:
    for read in (read_qrels, read_run):
        (fault,) = faults_of(lambda read=read: read(file(tmp_path, text, "a.json")))  # type: ignore[misc]
        assert fault.code == "E222"


def test_control_characters_are_never_written(tmp_path: Path) -> None:
    odd = Run("r", "row", ("q\x1b", "q\x9b2"), ("d", "d"), np.ones(2), np.arange(1, 3), ())
    assert [fault.code for fault in faults_of(lambda: write_run(tmp_path / "a", odd))] == ["E232", "E232"]


# — what is no file to read —


@pytest.mark.parametrize("read", [read_qrels, read_run, read_ids, read_vectors])
def test_what_cannot_be_read_is_a_fault_and_never_a_hang(
    tmp_path: Path, read: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "folder.txt").mkdir()
    for path in (tmp_path / "pipe.txt", tmp_path / "folder.txt", tmp_path / ("x" * 300), "no\0such"):
        faults = faults_of(lambda path=path: read(path))  # type: ignore[misc]
        assert {fault.code for fault in faults} <= {"E210", "E221"}
    file(tmp_path, "a\n", "secret.txt")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    (fault,) = faults_of(lambda: read(tmp_path / "secret.txt"))
    assert (fault.code, fault.found, fault.wanted) == ("E210", "Permission denied", "a file to read")


@pytest.mark.parametrize("read", [read_qrels, read_run, read_ids, read_vectors])
@pytest.mark.parametrize("value", [None, 3, b"a.npy", ["a.npy"]])
def test_what_is_no_path_is_a_wrong_call(read: Callable[[Any], Any], value: object) -> None:
    with pytest.raises(UsageError, match="E252"):
        read(value)


def test_a_bad_score_in_the_first_line_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 nan s\nq2 Q0 c 1 0.5 s\n")
    with pytest.raises(InputError) as refused:
        read_run(tmp_path / "run")
    assert [(fault.code, fault.place) for fault in refused.value.faults] == [
        ("E225", f"{tmp_path / 'run'}:1")
    ]
