"""What somebody may hand to the functions of the library: read as meant, or refused in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import CrossgaugeError, Fault, InputError, UsageError
from crossgauge.measures import measure, parse
from crossgauge.ranking import rank, rank_lists, rank_matrix
from crossgauge.types import Qrels

EYE = np.eye(3, dtype=np.float32)
BIG = 2**53


def faults(call: Callable[[], Any], kind: type[CrossgaugeError] = InputError) -> tuple[Fault, ...]:
    with pytest.raises(kind) as error:
        call()
    return error.value.faults


def ways(relevant: Any) -> list[Callable[[], Any]]:
    """Every function that takes relevance of three queries over three rows."""
    lists: list[Any] = [[0, 1, 2]] * 3
    return [
        lambda: rank(EYE, EYE, relevant),
        lambda: rank_matrix(EYE, relevant),
        lambda: rank_lists(lists, [[3.0, 2.0, 1.0]] * 3, relevant, corpus_size=3),
        lambda: Qrels.of(relevant),
    ]


def test_a_mapping_from_row_to_gain_is_graded_relevance() -> None:
    scores = [[0.9, 0.1, 0.8]]
    ranks = rank_matrix(scores, [{0: 1, 2: 3}])
    assert ranks.gains.tolist() == [1.0, 3.0]
    ideal = 3 + 1 / math.log2(3)
    assert measure(ranks, "ndcg")["ndcg"].value == pytest.approx((1 + 3 / math.log2(3)) / ideal)
    assert rank_matrix(scores, Qrels.of([[0, 2]], [[1, 3]])).gains.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("said", "rows", "gains"),
    [
        ({2: 3, 0: 0, 1: -1}, [2], [3.0]),
        ({}, [], []),
        (Counter({1: 2}), [1], [2.0]),
        ({np.int64(1): np.float32(0.5), 0: True}, [0, 1], [1.0, 0.5]),
        (np.array([2, 0], np.uint8), [0, 2], [1.0, 1.0]),
        (np.array([]), [], []),
        ((1,), [1], [1.0]),
        ({2, 1}, [1, 2], [1.0, 1.0]),
        (range(3), [0, 1, 2], [1.0, 1.0, 1.0]),
    ],
)
def test_what_a_query_may_have(said: Any, rows: list[int], gains: list[float]) -> None:
    found = Qrels.of([[1], said, []])
    assert found.items[found.start[1] : found.start[2]].tolist() == rows
    assert found.gains[found.start[1] : found.start[2]].tolist() == gains
    assert rank(EYE, EYE, [[1], said, []]).items.tolist() == [1, *rows]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (np.array([True, False, False]), "a mask of bool"),
        ([False, True], "a mask of bool"),
        ([True, 0], "a mask of bool"),
        ([1, 0, 0], "corpus row 0 stands twice"),
        ([0.5], "0.5, a float"),
        (np.array([0.0, 1.0]), "0.0, a float"),
        ([np.nan], "nan, a float"),
        ("0", "a str"),
        (["0"], "'0', a str"),
        ([2, 2], "corpus row 2 stands twice"),
        ([-1], "relevant row -1"),
        ([2**70], "beyond 2"),
        ([2**63], f"row {2**63}"),
        (np.ma.array([0, 1], mask=[True, False]), "a masked array"),
        ([np.ma.masked], "masked values"),
        ([None], "None, a NoneType"),
        (None, "None"),
        (1, "1, an int"),
        ([[0, 1]], "shape (1, 2)"),
        ([[0], [0, 1]], "makes no array"),
        ({0: np.nan}, "gain nan"),
        ({0: np.inf}, "gain inf"),
        ({0: "high"}, "gains: ['high']"),
        ({0.5: 1}, "0.5, a float"),
        ({True: 1}, "a mask of bool"),
    ],
)
def test_what_are_no_row_numbers_is_refused_and_names_the_query(said: Any, found: str) -> None:
    for call in ways([[1], said, []]):
        (fault, *_) = faults(call)
        assert (fault.code, fault.place) == ("E445", "query row 1")
        assert found in fault.found
    (fault, *_) = faults(lambda: rank(EYE, EYE, [[1], said, []], query_ids=["a", "b", "c"]))
    assert fault.place == "query row 1 ('b')"


@pytest.mark.parametrize("mask", [np.eye(3, dtype=bool), np.eye(3, dtype=bool).tolist(), EYE.astype(int),
                                  EYE.astype(int).tolist(), np.eye(3, dtype=np.uint8)])  # fmt: skip
def test_a_matrix_of_masks_is_refused(mask: Any) -> None:
    for call in ways(mask):
        found = faults(call)
        assert {fault.code for fault in found} == {"E445"}
        assert all("np.flatnonzero(mask)" in fault.fix for fault in found)


def test_a_small_matrix_of_zeros_and_ones_is_a_mask() -> None:
    (fault,) = faults(lambda: rank(EYE[:2], EYE[:2], np.eye(2, dtype=int)))
    assert "a 0-1 matrix" in fault.found


def test_a_column_of_row_numbers_is_one_a_query() -> None:
    assert rank(EYE, EYE, np.array([[2], [1], [0]])).items.tolist() == [2, 1, 0]


@pytest.mark.parametrize("flat", [[0, 1, 2], (0, 1, 2), np.arange(3), range(3), [np.int64(0), 1, 2]])
def test_a_flat_list_says_what_was_meant(flat: Any) -> None:
    for call in ways(flat):
        (fault,) = faults(call)
        assert (fault.code, fault.found, fault.fix) == ("E445", "a flat list", "[[0], [1], [2]]")


def test_a_flat_list_for_one_query_or_very_long() -> None:
    assert faults(lambda: rank(EYE[:1], EYE, [0, 2]))[0].fix == "[[0, 2]]"
    assert faults(lambda: Qrels.of(list(range(99))))[0].fix == "[[0], [1], [2], [3], …]"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "whole", ["abc", b"abc", {0: [0], 1: [1]}, {0, 1}, 3, (q for q in [[0]] * 3), np.ma.array(np.eye(3))]
)
def test_relevance_that_is_no_list_is_refused(whole: Any) -> None:
    for call in ways(whole):
        (fault,) = faults(call)
        assert (fault.code, fault.place, fault.wanted) == ("E445", "relevance", "one list a query")


def test_every_query_that_is_wrong_is_named_at_once() -> None:
    found = faults(lambda: rank(EYE, EYE, [[0.5], [7], [1, 1]]))
    assert [fault.place for fault in found] == ["query row 0", "query row 1", "query row 2"]


@pytest.mark.parametrize(
    ("relevant", "gains", "found"),
    [
        ([[0]], [[1.0, 2.0]], "1 rows, 2 gains"),
        ([[0], [1]], [[1.0]], "2 lists of rows, 1 of gains"),
        ([[0]], [["x"]], "gains: ['x']"),
        ([[0]], [[np.nan]], "gain nan"),
        ([[0]], [1.0], "a flat list"),
        ([{0: 1}], [[1.0]], "gains beside it"),
        ([{0, 1}], [[1.0, 2.0]], "a set"),
    ],
)
def test_gains_that_do_not_fit_are_refused(relevant: Any, gains: Any, found: str) -> None:
    (fault,) = faults(lambda: Qrels.of(relevant, gains))
    assert fault.code == "E445"
    assert found in fault.found


def test_gains_may_be_an_array_and_say_not_relevant() -> None:
    found = Qrels.of([[2, 1], [0, 1]], np.array([[1.0, 2.0], [0.0, 3.0]]))  # type: ignore[arg-type]
    assert (found.items.tolist(), found.gains.tolist()) == ([1, 2, 1], [2.0, 1.0, 3.0])


@pytest.mark.parametrize(
    "said", [np.array([True, False]), [0.0, 1.0], ["0"], None, np.ma.array([0], mask=[True])]
)
def test_candidates_and_lists_are_read_as_strictly(said: Any) -> None:
    for call in (
        lambda: rank(EYE, EYE, candidates=[[0], said, [2]]),
        lambda: rank_matrix(EYE, candidates=[[0], said, [2]]),
    ):
        assert [(fault.code, fault.place) for fault in faults(call)] == [("E446", "query row 1")]
    if said is not None:
        (fault,) = faults(lambda: rank_lists([[0], said], [[1], [1, 2]], [[0], [1]], corpus_size=3))
        assert (fault.code, fault.place) == ("E448", "query row 1")
    assert faults(lambda: rank(EYE, EYE, candidates=[0, 1, 2]))[0].code == "E446"  # type: ignore[list-item]
    assert faults(lambda: rank(EYE, EYE, candidates=iter(())))[0].code == "E446"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "scores",
    [["0.5"], {0: 0.5}, [1j], [[0.5]], [BIG + 1], np.array([0.5], np.longdouble), np.ma.array([1.0])],
)
def test_scores_of_lists_must_be_numbers(scores: Any) -> None:
    (fault,) = faults(lambda: rank_lists([[0]], [scores], [[0]], corpus_size=3))
    assert (fault.code, fault.place) == ("E448", "query row 0")
    assert faults(lambda: rank_lists([0], [[1]], [[0]], corpus_size=3))[0].code == "E448"  # type: ignore[list-item]


@pytest.mark.parametrize("value", [BIG + 1, -BIG - 1, np.uint64(2**64 - 1), np.iinfo(np.int64).min])
def test_integers_that_float64_cannot_hold_are_refused(value: Any) -> None:
    array = np.array([[value, value - type(value)(1) if value > 0 else 0]])
    for call in (lambda: rank_matrix(array, [[0]]), lambda: rank(array, array, similarity="dot")):
        fault = faults(call)[0]
        assert fault.code == "E440"
        assert fault.found == f"the integer {int(value)}"
    assert faults(lambda: rank_matrix(array.tolist(), [[0]]))[0].code == "E440"


def test_integers_up_to_2_to_53_are_exact() -> None:
    assert rank_matrix([[BIG, BIG - 1], [-BIG, 1 - BIG]]).higher.tolist() == [0, 0]


@pytest.mark.parametrize("bad", [[[1.0, 2.0], [3.0]], np.ma.array(np.eye(2), mask=np.eye(2)), None, "ab", {},
                                 [[None, 1.0]], [["a", "b"]]])  # fmt: skip
def test_what_is_no_matrix_is_an_input_error_on_both_sides(bad: Any) -> None:
    for call in (lambda: rank(bad, bad), lambda: rank_matrix(bad)):
        assert {fault.code for fault in faults(call)} == {"E440"}
    assert [fault.place for fault in faults(lambda: rank(bad, bad))] == ["queries", "corpus"]


@pytest.mark.parametrize("ids", [["a", "b"], "abc", 5, iter("abc")])
def test_ids_are_one_a_row(ids: Any) -> None:
    for call in (
        lambda: rank(EYE, EYE, query_ids=ids, corpus_ids=ids),
        lambda: rank_matrix(EYE, query_ids=ids, corpus_ids=ids),
    ):
        assert [(fault.code, fault.place) for fault in faults(call)] == [
            ("E142", "query_ids"), ("E142", "corpus_ids"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    "options", [{"top": "5"}, {"top": 2.0}, {"top": -1}, {"top": True}, {"on_nonfinite": "ignore"}]
)
def test_options_that_do_not_exist_are_refused_everywhere(options: dict[str, Any]) -> None:
    for call in (
        lambda: rank(EYE, EYE, **options),
        lambda: rank_matrix(EYE, **options),
        lambda: rank_lists([[0]], [[1]], [[0]], corpus_size=1, **options),
    ):
        assert [fault.code for fault in faults(call, UsageError)] == ["E140"]


@pytest.mark.parametrize("size", [0, -1, "3", 2.5])
def test_a_corpus_has_a_size(size: Any) -> None:
    call = lambda: rank_lists([[0]], [[1]], [[0]], corpus_size=size)  # noqa: E731
    assert [fault.code for fault in faults(call, UsageError)] == ["E140"]


@pytest.mark.parametrize("options", [{"memory": "1"}, {"memory": 0}, {"memory": -1.0}, {"threads": "2"}])
def test_memory_and_threads_are_numbers(options: dict[str, Any]) -> None:
    assert [fault.code for fault in faults(lambda: rank(EYE, EYE, **options), UsageError)] == ["E140"]
    assert len(rank(EYE, EYE, memory=1e8)) == 3  # type: ignore[arg-type]


RANKS = rank(EYE, EYE)


def test_one_name_may_stand_alone() -> None:
    assert list(measure(RANKS, "hit@1")) == ["hit@1"]
    assert list(measure(RANKS, iter(["mrr", "hit@1"]))) == ["mrr", "hit@1"]


@pytest.mark.parametrize("names", [None, [1], 5, b"hit@1", [None], ["hit@1", ["mrr"]]])
def test_what_are_no_names_of_measures(names: Any) -> None:
    assert [fault.code for fault in faults(lambda: measure(RANKS, names), UsageError)] == ["E143"]


def test_all_names_that_are_wrong_are_told_at_once() -> None:
    found = faults(lambda: measure(RANKS, ["hits@5", "mrr", "ndgc", 7, "hit@x"]), UsageError)  # type: ignore[list-item]
    assert [fault.code for fault in found] == ["E110", "E110", "E143", "E141"]
    assert faults(lambda: parse(7), UsageError)[0].code == "E143"  # type: ignore[arg-type]


@pytest.mark.parametrize("ranks", [None, [1, 2], EYE])
def test_what_are_no_ranks(ranks: Any) -> None:
    assert [fault.code for fault in faults(lambda: measure(ranks, "mrr"), UsageError)] == ["E144"]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"clusters": [1, 2]}, ["E145"]),
        ({"clusters": 4}, ["E145"]),
        ({"clusters": [[1], [2], [3]]}, ["E145"]),
        ({"seed": -1, "resamples": 0}, ["E146", "E146"]),
        ({"seed": "x"}, ["E146"]),
        ({"resamples": 2.5}, ["E146"]),
    ],
)
def test_clusters_and_draws_that_do_not_fit(options: dict[str, Any], codes: list[str]) -> None:
    assert [fault.code for fault in faults(lambda: measure(RANKS, "mrr", **options), UsageError)] == codes
