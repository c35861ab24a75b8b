"""Vectors, matrices and runs are scored as they are: ties expected, misses counted, assumptions said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers import read_qrels, read_run, read_vectors, relevance_of, write_run
from crossgauge.result import CellResult, Result, ScoreRow
from crossgauge.scoring import score_embeddings, score_matrix, score_run
from crossgauge.signature import differences
from crossgauge.types import Embeddings, Qrels


def faults_of(call: Callable[[], Any]) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.faults


def side(vectors: Any, ids: str | None = None, dtype: str = "f4") -> Embeddings:
    array = np.array(vectors, dtype=dtype)
    return Embeddings(tuple(ids.split()) if ids else tuple(map(str, range(len(array)))), array)


def cell(result: Result, task: str = "q2c") -> CellResult:
    return next(cell for cell in result.cells if cell.task == task)


def row(result: Result, measure: str, task: str = "q2c") -> ScoreRow:
    return next(row for row in cell(result, task).scores if row.measure == measure)


def said(result: Result, code: str) -> list[str]:
    return [text for text in (*result.audit, *cell(result).warnings) if text.startswith(code)]


RING = [[np.cos(angle), np.sin(angle)] for angle in np.linspace(0.1, 3, 6)]


# — vectors —


def test_both_directions_with_their_signatures() -> None:
    result = score_embeddings(side(RING), side(RING), measures=["hit@1", "medr"])
    assert [(one.task, one.title, one.queries, one.gallery) for one in result.cells] == [
        ("q2c", "query→corpus", 6, 6),
        ("c2q", "corpus→query", 6, 6),
    ]
    assert [score.value for one in result.cells for score in one.scores] == [1.0, 1.0, 1.0, 1.0]
    signature = row(result, "hit@1").signature
    assert signature.startswith(
        "embeddings/q2c|hit@1|ties:expected|missing:0|n:6|gallery:6|similarity:cosine|"
    )
    assert "|relevance:diagonal|data:sha256:" in signature
    assert "|model:vectors@sha256:" in signature
    assert row(result, "hit@1", "c2q").signature.startswith("embeddings/c2q|hit@1|")


def test_several_positives_are_transposed() -> None:
    """Four texts of two pictures: text→image has four queries, image→text two."""
    texts = side([[1, 0.1], [1, 0.2], [0.1, 1], [0.2, 1]], "t1 t2 t3 t4")
    images = side([[1, 0], [0, 1]], "i1 i2")
    result = score_embeddings(
        texts, images, qrels=Qrels.of([[0], [0], [1], [1]]), measures=["hit@1", "recall@1"]
    )
    assert (cell(result).queries, cell(result).gallery, cell(result).positives) == (4, 2, (1, 1.0, 1))
    assert (cell(result, "c2q").queries, cell(result, "c2q").positives) == (2, (2, 2.0, 2))
    assert (row(result, "hit@1", "c2q").value, row(result, "recall@1", "c2q").value) == (1.0, 0.5)


def test_collapsed_vectors_get_chance_and_a_warning() -> None:
    """#35: ten equal candidates score exactly one tenth, and it is said."""
    same = side(np.ones((10, 4)), "a b c d e f g h i j")
    result = score_embeddings(side(np.ones((10, 4))), same, measures=["hit@1"])
    assert row(result, "hit@1").value == pytest.approx(0.1)
    assert (row(result, "hit@1").optimistic, row(result, "hit@1").pessimistic) == (1.0, 0.0)
    assert any("all 10 vectors are equal" in text for text in said(result, "W150"))
    assert said(result, "W301")[0].startswith("W301 10 of 10 queries tie")


def test_a_zero_vector_is_an_error_that_names_the_item() -> None:
    """#34."""
    faults = faults_of(lambda: score_embeddings(side([[0, 0], [1, 0]], "q0 q1"), side([[1, 0], [0, 1]])))
    assert [fault.code for fault in faults] == ["E443"]
    assert "q0" in faults[0].place
    assert "norm 0" in faults[0].found


def test_what_is_not_finite_is_an_error_or_a_miss() -> None:
    broken = side([[np.nan, 1], [1, 0], [0, 1]], "a b c")
    good = side([[1, 1], [1, 0], [0, 1]], "a b c")
    assert [fault.code for fault in faults_of(lambda: score_embeddings(broken, good))] == ["E442"]
    result = score_embeddings(broken, good, measures=["hit@1"], on_nonfinite="miss")
    assert (row(result, "hit@1").value, row(result, "hit@1").n, row(result, "hit@1").n_missing) == (
        pytest.approx(2 / 3),
        3,
        1,
    )
    assert "|nonfinite:miss|" in row(result, "hit@1").signature
    assert said(result, "W303")


def test_other_dimensions_name_both_files() -> None:
    """#38."""
    images, texts = side(np.ones((2, 512))), side(np.ones((2, 768)))
    (fault,) = faults_of(lambda: score_embeddings(texts, images, names=("txt.npy", "img.npy")))
    assert fault.found == "txt.npy has 768 dimensions, img.npy has 512"


def test_dimensions_and_relevance_are_refused_together() -> None:
    faults = faults_of(lambda: score_embeddings(side(np.ones((2, 3))), side(np.ones((3, 4)))))
    assert [fault.code for fault in faults] == ["E150", "E229"]


def test_both_sides_are_described() -> None:
    """#38: dimensions, type and norms of both sides stand in the result."""
    options = score_embeddings(side([[3, 4], [0, 1]]), side([[1, 0], [0, 2]], dtype="f8")).options
    assert options["queries"] == "2 vectors of 2 dimensions, float32, norms 1 to 5, median 3"
    assert options["corpus"] == "2 vectors of 2 dimensions, float64, norms 1 to 2, median 1.5"
    assert (options["similarity"], options["relevance"]) == ("cosine", "diagonal")


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_is_widened_before_the_product(tmp_path: Path, dtype: Any) -> None:
    """#4: scores that tie in half precision are apart once products are taken in full precision."""
    corpus = np.array([[0.75, 2**-10], [0.75, 2**-9]], dtype=dtype)  # scores .75 + 2**-20 and .75 + 2**-19
    query = np.array([[1.0, 2**-10]], dtype=dtype)
    for name, array in (("q", query), ("c", corpus)):
        safetensors.numpy.save_file({"vectors": array}, tmp_path / f"{name}.safetensors")
    read = [read_vectors(tmp_path / f"{name}.safetensors") for name in "qc"]
    in_half = (query @ corpus.T).astype(dtype)
    assert in_half[0, 0] == in_half[0, 1]
    result = score_embeddings(
        read[0], read[1], qrels=Qrels.of([[0]]), similarity="dot", measures=["medr"], directions=["q2c"]
    )
    assert (row(result, "medr").value, row(result, "medr").n_tied) == (2.0, 0)


@pytest.mark.parametrize(("dtype", "interval"), [("f8", (1.0, 1.0)), ("f4", (1.0, 2.0))])
def test_ranks_follow_the_precision_supplied(dtype: str, interval: tuple[float, float]) -> None:
    """#5: .30000001 against .3."""
    scores = np.array([[0.30000001, 0.3]], dtype=dtype)
    result = score_matrix(scores, qrels=Qrels.of([[0]]), measures=["medr"], directions=["q2c"])
    assert (row(result, "medr").optimistic, row(result, "medr").pessimistic) == interval


def test_a_run_written_and_read_back_keeps_its_rank(tmp_path: Path) -> None:
    """#5: export, re-import, the rank is still 1."""
    (tmp_path / "a.tsv").write_text("q\ta\t.30000001\nq\tb\t.3\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    write_run(tmp_path / "b.trec", read_run(tmp_path / "a.tsv"))
    qrels = read_qrels(tmp_path / "qrels")
    for name in ("a.tsv", "b.trec"):
        assert row(score_run(read_run(tmp_path / name), qrels, measures=["mrr"]), "mrr").value == 1.0


# — relevance that is not given —


def test_equal_ids_match_whatever_their_order() -> None:
    result = score_embeddings(side(RING, "a b c d e f"), side(RING[::-1], "f e d c b a"), measures=["hit@1"])
    assert row(result, "hit@1").value == 1.0
    assert "relevance:same-id" in row(result, "hit@1").signature
    assert "equal ids (the rows stand in another order)" in said(result, "W214")[0]
    assert said(result, "W152") == []


def test_rows_match_rows_and_it_is_said() -> None:
    result = score_embeddings(side(RING, "a b c d e f"), side(RING, "u v w x y z"))
    (text,) = said(result, "W213")
    assert text.startswith("W213 queries and corpus: relevance assumed: row i ↔ row i")


@pytest.mark.parametrize(
    ("queries", "corpus", "how", "rows"),
    [
        ("a b", "a b", "same-id", [0, 1]),
        ("a b", "b a", "same-id", [1, 0]),
        ("0 1", "0 1", "diagonal", [0, 1]),
        ("0 1", "1 0", "same-id", [1, 0]),
        ("0 1", "x y", "diagonal", [0, 1]),
    ],
)
def test_what_is_assumed(queries: str, corpus: str, how: str, rows: list[int]) -> None:
    found = relevance_of(queries.split(), corpus.split())
    assert (found.how, found.qrels.items.tolist()) == (how, rows)


@pytest.mark.parametrize(
    ("queries", "corpus", "words"),
    [
        ("a b c", "x y", "3 queries, 2 corpus items"),
        ("a b", "b c", "only 1 of 2 ids"),
        ("0 1 2", "1 2 3", "only 2 of 3"),
    ],
)
def test_what_cannot_be_assumed(queries: str, corpus: str, words: str) -> None:
    (fault,) = faults_of(lambda: relevance_of(queries.split(), corpus.split()))
    assert fault.code == "E229"
    assert words in fault.found
    assert "--qrels" in fault.fix


def test_no_relevant_item_at_all(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("0 0 1 0\n")
    (fault,) = faults_of(
        lambda: score_embeddings(side(RING), side(RING), qrels=read_qrels(tmp_path / "qrels"))
    )
    assert (fault.code, fault.place) == ("E231", str(tmp_path / "qrels"))


def test_queries_without_a_positive_are_undefined(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("0 0 0 1\n1 0 2 0\n2 0 2 1\n")
    result = score_embeddings(
        side(RING[:3]), side(RING), qrels=read_qrels(tmp_path / "qrels"), measures=["hit@1"]
    )
    assert (row(result, "hit@1").n, row(result, "hit@1").n_undefined, row(result, "hit@1").value) == (
        3,
        1,
        1.0,
    )
    assert said(result, "W302")[0].startswith("W302 1 of 3 queries")
    assert said(result, "W222")
    assert row(result, "hit@1", "c2q").n_undefined == 4


def test_own_images_texts_and_qrels(tmp_path: Path) -> None:
    """#101: img.npy (2×3), txt.npy (4×3), qrels.tsv → a full report."""
    np.save(tmp_path / "img.npy", np.array([[1, 0, 0], [0, 1, 0]], np.float32))
    np.save(tmp_path / "txt.npy", np.array([[1, 0.1, 0], [0.9, 0, 0], [0, 1, 1], [0.6, 0.5, 0]], np.float32))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n0\t0\t1\n1\t0\t1\n2\t1\t1\n3\t1\t1\n")
    result = score_embeddings(
        read_vectors(tmp_path / "txt.npy"),
        read_vectors(tmp_path / "img.npy"),
        qrels=read_qrels(tmp_path / "qrels.tsv"),
    )
    assert row(result, "hit@1").value == 0.75
    assert row(result, "hit@5").flags == ("k>=gallery",)
    assert row(result, "hit@1", "c2q").value == 1.0
    assert Result.from_json(result.to_json()) == result


def test_equal_ids_are_news_only_where_judgements_say_otherwise() -> None:
    qrels = Qrels.of([[1], [0], [2], [3], [4], [5]])
    named = score_embeddings(side(RING, "a b c d e f"), side(RING, "a b c d e f"), qrels=qrels)
    assert said(named, "W152")
    assert said(score_embeddings(side(RING), side(RING), qrels=qrels), "W152") == []


def test_unknown_directions_measures_and_similarities() -> None:
    for options in (
        {"directions": ["i2t"]},
        {"directions": []},
        {"measures": ["hit@"]},
        {"similarity": "l1"},
    ):
        with pytest.raises(UsageError):
            score_embeddings(side(RING), side(RING), **options)  # type: ignore[arg-type]


# — what makes results comparable —


def test_two_systems_on_one_question_are_comparable() -> None:
    one = score_embeddings(side(RING), side(RING), model="a")
    two = score_embeddings(side(RING[::-1]), side(RING), model="b")
    assert differences(row(one, "hit@1").signature, row(two, "hit@1").signature) == ()
    assert one.data == two.data
    assert one.model_revision != two.model_revision


def test_other_relevance_other_data() -> None:
    one = score_embeddings(side(RING), side(RING))
    two = score_embeddings(side(RING), side(RING), qrels=Qrels.of([[1], [0], [2], [3], [4], [5]]))
    assert {
        text.partition(":")[0] for text in differences(*(row(r, "mrr").signature for r in (one, two)))
    } == {
        "relevance",
        "data",
    }


def test_equal_numbers_have_equal_bytes_however_they_are_stored() -> None:
    plain = side(RING)
    fortran = Embeddings(plain.ids, np.asfortranarray(plain.vectors))
    swapped = Embeddings(plain.ids, plain.vectors.astype(">f4").astype("=f4"))
    expected = score_embeddings(plain, plain).to_json()
    assert score_embeddings(fortran, swapped).to_json() == expected


# — a matrix —
