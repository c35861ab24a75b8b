"""Matrices and saved runs scored, run folders written, and what may be handed over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError, ResumeRefused, UsageError
from crossgauge.readers import read_qrels, read_run, read_vectors
from crossgauge.result import Result
from crossgauge.scoring import score_embeddings, score_matrix, score_run
from crossgauge.types import Embeddings, Qrels
from crossgauge.vector_audit import audit_vectors
from tests.unit.test_scoring import RING, cell, faults_of, row, said, side


def test_ties_add_no_queries() -> None:
    """#2, on a matrix: expected 7/9, bounds 2/3 and 1."""
    result = score_matrix([[0.9, 0.1, 0.2], [0.5, 0.5, 0.5], [0.1, 0.2, 0.8]], measures=["hit@1"])
    first = row(result, "hit@1")
    assert (first.n, first.optimistic, first.pessimistic) == (3, 1.0, pytest.approx(2 / 3))
    assert first.value == pytest.approx(7 / 9)
    assert first.signature.startswith("matrix/q2c|hit@1|")


def test_the_transposed_matrix_is_the_other_direction() -> None:
    scores = np.arange(12, dtype=float).reshape(3, 4)
    qrels = Qrels.of([[0], [1, 2], [3]])
    result = score_matrix(scores, qrels=qrels, measures=["mrr"])
    other = score_matrix(scores.T, qrels=qrels.transposed(4), measures=["mrr"], directions=["q2c"])
    assert row(result, "mrr", "c2q").value == row(other, "mrr").value
    assert (cell(result, "c2q").queries, cell(result, "c2q").gallery) == (4, 3)


def test_matrix_ids_that_do_not_fit() -> None:
    faults = faults_of(
        lambda: score_matrix(np.ones((2, 3)), query_ids=["a", "b", "c"], corpus_ids=["x", "y"])
    )
    assert [(fault.code, fault.place, fault.found) for fault in faults] == [
        ("E230", "queries", "3 ids, the matrix is 2 × 3"),
        ("E230", "corpus", "2 ids, the matrix is 2 × 3"),
    ]
    assert faults_of(lambda: score_matrix([1.0, 2.0]))[0].code == "E230"
    assert faults_of(lambda: score_matrix(np.ones((2, 3))))[0].code == "E229"
    assert faults_of(lambda: score_matrix([[np.nan, 1], [0, 1]]))[0].code == "E442"


# — a run —


def files(tmp_path: Path, run: str, qrels: str) -> tuple[Path, Path]:
    (tmp_path / "run").write_text(run)
    (tmp_path / "qrels").write_text(qrels)
    return tmp_path / "run", tmp_path / "qrels"


def test_a_query_without_a_line_is_a_miss_and_is_named(tmp_path: Path) -> None:
    """#19: one answered perfectly and one unanswered give one half."""
    run, qrels = files(tmp_path, "q1 Q0 d1 1 .9 t\n", "q1 0 d1 1\nq2 0 d2 1\n")
    result = score_run(read_run(run), read_qrels(qrels), measures=["hit@1", "mrr"])
    assert [(score.value, score.n, score.n_missing) for score in cell(result).scores] == [(0.5, 2, 1)] * 2
    assert said(result, "W303") == ["W303 1 of 2 queries were not answered: counted as misses: q2"]
    assert [one.task for one in result.cells] == ["q2c"]
    assert row(result, "hit@1").signature.startswith("run/q2c|hit@1|ties:expected|missing:1|n:2|gallery:2|")


def test_repeated_items_are_refused_or_count_once(tmp_path: Path) -> None:
    """#20: with dedupe recall@2 is 1, never more."""
    run, qrels = files(tmp_path, "q1\td1\t.9\nq1\td1\t.8\nq1\td2\t.1\n", "q1 0 d1 1\n")
    assert faults_of(lambda: read_run(run))[0].code == "E223"
    result = score_run(read_run(run, dedupe="max"), read_qrels(qrels), measures=["recall@2"])
    assert row(result, "recall@2").value == 1.0
    assert said(result, "W211")


def test_negative_scores_rank_like_any_other(tmp_path: Path) -> None:
    """#17."""
    run, qrels = files(tmp_path, "q\ta\t-.1\nq\tb\t-.5\nq\tc\t-.9\n", "q 0 a 1\n")
    result = score_run(read_run(run), read_qrels(qrels), measures=["mrr", "hit@1", "recall@1"])
    assert [score.value for score in cell(result).scores] == [1.0, 1.0, 1.0]


def test_unjudged_queries_are_left_out_and_said(tmp_path: Path) -> None:
    run, qrels = files(tmp_path, "q\ta\t1\nx\tb\t1\n", "q 0 a 1\n")
    result = score_run(read_run(run), read_qrels(qrels), measures=["hit@1"])
    assert (row(result, "hit@1").n, row(result, "hit@1").value) == (1, 1.0)
    assert "'x'" in said(result, "W224")[0]


def test_a_declared_corpus_sets_the_gallery(tmp_path: Path) -> None:
    run, qrels = files(tmp_path, "q\ta\t1\n", "q 0 a 1\n")
    opened = score_run(read_run(run), read_qrels(qrels), measures=["hit@1"])
    assert said(opened, "W225")
    corpus = [*"abcdefghij"]
    result = score_run(
        read_run(run), read_qrels(qrels), corpus_ids=corpus, query_ids=["q", "p"], measures=["hit@1"]
    )
    assert said(result, "W225") == []
    assert (cell(result).gallery, row(result, "hit@1").n, row(result, "hit@1").n_undefined) == (10, 2, 1)
    faults = faults_of(lambda: score_run(read_run(run), read_qrels(qrels), corpus_ids=["b", "A"]))
    assert [(fault.code, fault.place) for fault in faults] == [("E214", f"{qrels}:1"), ("E214", f"{run}:1")]


def test_the_order_of_lines_changes_no_byte(tmp_path: Path) -> None:
    lines = [f"q{q}\td{d}\t{(q * 7 + d * 3) % 5}\n" for q in range(4) for d in range(5)]
    run, qrels = files(tmp_path, "".join(lines), "".join(f"q{q} 0 d{q} 1\n" for q in range(4)))
    first = score_run(read_run(run), read_qrels(qrels)).to_json()
    run.write_text("".join(reversed(lines)))
    assert score_run(read_run(run), read_qrels(qrels)).to_json() == first


# — run folders —


def test_a_run_folder_holds_scores_and_queries(tmp_path: Path) -> None:
    texts, images = side(RING, "a b c d e f"), side(RING, "a b c d e f")
    result = score_embeddings(texts, images, out=tmp_path / "run", about={"argv": ["x"]})
    assert Result.from_json((tmp_path / "run" / "scores.json").read_bytes()) == result
    table = pq.read_table(tmp_path / "run" / "cells" / cell(result).key / "per_query.parquet")
    assert table.column("query_id").to_pylist() == [*"abcdef"]
    assert json.loads((tmp_path / "run" / "status.json").read_text())["state"] == "complete"
    again = score_embeddings(texts, images, out=tmp_path / "run")
    assert again.to_json() == (tmp_path / "run" / "scores.json").read_bytes()


def test_a_run_folder_takes_no_other_experiment(tmp_path: Path) -> None:
    score_embeddings(side(RING), side(RING), out=tmp_path / "run")
    with pytest.raises(ResumeRefused, match="model revision"):
        score_embeddings(side(RING[::-1]), side(RING), out=tmp_path / "run")


# — what callers hand over —


def test_paths_arrays_and_embeddings_give_the_same_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array(RING, np.float32))
    expected = score_embeddings(side(RING), side(RING)).to_json()
    for given in (tmp_path / "a.npy", str(tmp_path / "a.npy"), np.array(RING, np.float32)):
        assert score_embeddings(given, given).to_json() == expected
    assert row(score_embeddings(RING, RING, measures="hit@1"), "hit@1").value == 1.0


def test_dicts_and_paths_are_runs_and_judgements(tmp_path: Path) -> None:
    run, qrels = files(tmp_path, "q1\td1\t.9\nq1\td2\t.5\n", "q1 0 d1 1\nq2 0 d2 1\n")
    read = score_run(read_run(run), read_qrels(qrels))
    scored = {"q1": {"d1": np.float32(0.9), "d2": 0.5}}
    judged: Any = {"q1": {"d1": 1}, "q2": ["d2"]}
    for result in (score_run(str(run), qrels), score_run(scored, judged)):
        assert cell(result).scores[0].value == cell(read).scores[0].value == 0.5
    assert score_embeddings(RING, RING, qrels={str(n): {str(n): 1} for n in range(6)}).cells[0].queries == 6
    (tmp_path / "corpus.txt").write_text("d1\nd2\nd3\n")
    assert cell(score_run(scored, judged, corpus_ids=tmp_path / "corpus.txt")).gallery == 3


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda: score_embeddings(None, RING), UsageError, "E252"),  # type: ignore[arg-type]
        (lambda: score_embeddings({"a": [1]}, RING), UsageError, "E252"),  # type: ignore[arg-type]
        (lambda: score_embeddings([1.0, 2.0], RING), InputError, "E217"),
        (lambda: score_embeddings([[1.0], [1.0, 2.0]], RING), InputError, "E217"),
        (lambda: score_embeddings(Embeddings(("a", "a"), np.eye(2)), RING), InputError, "E216"),
        (lambda: score_embeddings(Embeddings(("a",), np.eye(2)), RING), InputError, "E215"),
        (lambda: score_embeddings("nowhere.npy", RING), InputError, "E210"),
        (lambda: score_embeddings(RING, RING, qrels=3), UsageError, "E252"),  # type: ignore[arg-type]
        (lambda: score_run(None, {"q": {"d": 1}}), UsageError, "E252"),  # type: ignore[arg-type]
        (lambda: score_run({"q": {"d": 1}}, None), UsageError, "E252"),  # type: ignore[arg-type]
        (lambda: score_run({"q": ["d"]}, {"q": ["d"]}), InputError, "E227"),  # type: ignore[dict-item]
        (lambda: score_run({"q": {"d": "x"}}, {"q": ["d"]}), InputError, "E225"),  # type: ignore[dict-item]
        (lambda: score_run({}, {"q": ["d"]}), InputError, "E210"),
        (lambda: score_matrix(np.eye(2), query_ids=["a", "a"]), InputError, "E216"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(
    call: Callable[[], Result], kind: type[Exception], code: str
) -> None:
    with pytest.raises(kind, match=code):
        call()


def test_faults_of_both_sides_and_of_the_judgements_come_together(tmp_path: Path) -> None:
    faults = faults_of(lambda: score_embeddings("a.npy", "b.npy", qrels="c.tsv"))
    assert [fault.place for fault in faults] == ["a.npy", "b.npy", "c.tsv"]


def test_every_unknown_name_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        score_embeddings(RING, RING, measures=["hit@1", "nope", "hit@0"], directions=["x"])
    assert [fault.code for fault in caught.value.faults] == ["E110", "E141", "E233"]


def test_row_numbers_are_nobodys_ids(tmp_path: Path) -> None:
    """Ids that nobody gave are no ids: they pair no rows, however the other side is named."""
    np.save(tmp_path / "a.npy", np.array(RING, np.float32))
    shuffled = side(RING, "5 4 3 2 1 0")
    for queries, corpus in ((tmp_path / "a.npy", shuffled), (shuffled, tmp_path / "a.npy")):
        result = score_embeddings(queries, corpus, measures=["hit@1"])
        assert row(result, "hit@1").value == 1.0
        assert said(result, "W213")
        assert not said(result, "W152")
    half = side(RING, "0 1 2 x y z")
    assert said(score_embeddings(tmp_path / "a.npy", half, measures=["hit@1"]), "W213")


def test_bare_files_have_no_ids_in_common(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array(RING, np.float32))
    bare, named = read_vectors(tmp_path / "a.npy"), side(RING, "a b c d e f")
    assert [fault.code for fault in audit_vectors(bare, bare).faults] == []
    assert [fault.code for fault in audit_vectors(named, named).faults] == ["W152"]


def test_a_run_of_other_queries_is_an_error(tmp_path: Path) -> None:
    run, qrels = files(tmp_path, "x1\td1\t1\nx2\td1\t1\n", "q1 0 d1 1\n")
    for declared in (None, ["x1", "x2", "q1"]):
        (fault,) = faults_of(
            lambda ids=declared: score_run(read_run(run), read_qrels(qrels), query_ids=ids)  # type: ignore[misc]
        )
        assert (fault.code, fault.place) == ("E251", str(run))
        assert "'x1', 'x2'" in fault.found
        assert "'q1'" in fault.wanted


def test_the_unanswered_are_named_as_they_are_counted(tmp_path: Path) -> None:
    run, qrels = files(tmp_path, "q1\td1\t1\n", "q1 0 d1 1\nq2 0 d1 0\nq3 0 d1 1\n")
    result = score_run(read_run(run), read_qrels(qrels), query_ids=["q0", "q1", "q2", "q3"])
    assert row(result, "hit@1").n_missing == 1
    assert said(result, "W303") == ["W303 1 of 4 queries were not answered: counted as misses: q3"]
    broken = side([[np.nan, 1], [1, 0], [0, 1]], "a b c")
    vectors = score_embeddings(broken, side(np.eye(3, 2) + 1, "x y z"), on_nonfinite="miss")
    assert said(vectors, "W303") == ["W303 1 of 3 queries were not answered: counted as misses: a"]
