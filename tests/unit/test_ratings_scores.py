"""Automatic measures beside ratings: from runs and tables, with what cannot be compared told."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.ratings.correlation import correlations
from crossgauge.ratings.reading import Pair, Rating, Ratings
from crossgauge.ratings.scores import read_scores
from crossgauge.ratings.study import study

SCORE = (Rating("a", 5.0, frozenset(), alternative=False, place=""),)
PAIRS = (Pair("q1", "i1", SCORE), Pair("q2", "i2", SCORE), Pair("q3", "i3", SCORE))


def csv(folder: Path, *lines: str) -> Path:
    path = folder / "scores.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(folder: Path, *cells: str, first: tuple[str, ...] = ("i1", "x", "i3")) -> Path:
    for cell in cells:
        (folder / "run" / "cells" / cell).mkdir(parents=True)
        pq.write_table(
            pa.table({
                "query_id": ["q1", "q2", "q3"],
                "m.ca": [0.2, 0.9, math.nan],
                "m.mrr": [1.0, 0.5, 0.1],
                "top_id": [[one, "z"] if one else [] for one in first],
                "top_image": [[f"pictures/{one}.jpg", None] if one else [] for one in first],
            }),
            folder / "run" / "cells" / cell / "per_query.parquet",
        )  # fmt: skip
    return folder / "run"


def faults(path: Path, pairs: tuple[Pair, ...] = PAIRS) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as error:
        read_scores(path, pairs)
    return [(fault.code, fault.place.rpartition("/")[2]) for fault in error.value.faults]


def test_a_run_tells_of_the_picture_that_came_first(tmp_path: Path) -> None:
    found = read_scores(run(tmp_path, "t2i.en.plain"), PAIRS)
    assert list(found.values) == ["ca", "mrr"]
    assert found.values["mrr"].tolist() == pytest.approx([1.0, math.nan, 0.1], nan_ok=True)
    assert np.isnan(found.values["ca"]).tolist() == [False, True, True]
    assert (found.known, found.other) == (2, 1)


def test_a_picture_may_be_named_by_its_file(tmp_path: Path) -> None:
    pairs = (Pair("q1", "i1.jpg", SCORE), Pair("q3", "i3", SCORE))
    assert read_scores(run(tmp_path, "c"), pairs).known == 2


def test_a_query_for_which_nothing_came_matches_no_picture(tmp_path: Path) -> None:
    found = read_scores(run(tmp_path, "c", first=("i1", "", "i3")), PAIRS)
    assert (found.known, found.other) == (2, 1)


def test_a_cell_a_table_and_a_run_of_one_cell_are_the_same(tmp_path: Path) -> None:
    folder = run(tmp_path, "t2i.en.plain")
    cell = folder / "cells" / "t2i.en.plain"
    for path in (folder, cell, cell / "per_query.parquet"):
        assert read_scores(path, PAIRS).values["mrr"].tolist()[0] == 1.0


def test_of_several_cells_one_is_chosen(tmp_path: Path) -> None:
    folder = run(tmp_path, "i2t.en.plain", "t2i.en.plain")
    with pytest.raises(UsageError, match=r"i2t\.en\.plain, t2i\.en\.plain"):
        read_scores(folder, PAIRS)
    with pytest.raises(UsageError, match="cell 'zz'"):
        read_scores(folder, PAIRS, cell="zz")
    assert read_scores(folder, PAIRS, cell="t2i.en.plain").known == 2


def test_a_folder_without_tables_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path)[0][0] == "E196"


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = csv(
        tmp_path, "Query_ID,image,CA,m.medr,note", "q1,i1,0.5,inf,good", "q2,i2,,3,", "q3,other,1,1,bad"
    )
    found = read_scores(path, PAIRS)
    assert list(found.values) == ["ca", "medr"]  # notes are no measure
    assert found.values["ca"].tolist() == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)
    assert found.values["medr"].tolist()[:2] == [math.inf, 3.0]
    assert (found.known, found.other) == (2, 1)


def test_a_table_of_queries_alone_needs_one_picture_a_query(tmp_path: Path) -> None:
    path = csv(tmp_path, "query,ca", "q1,0.5", "q2,0.6")
    assert read_scores(path, PAIRS).known == 2
    assert faults(path, (*PAIRS, Pair("q1", "other", SCORE))) == [("E197", "scores.csv")]


def test_faults_of_a_table_are_told_with_their_lines(tmp_path: Path) -> None:
    path = csv(tmp_path, "query,image,ca", "q1,i1,0.5", "q2,,0.5", "q1,i1,0.6", 'q3,i3,"0,5"')
    assert sorted(faults(path)) == [
        ("E191", "scores.csv:3"),
        ("E192", "scores.csv:5"),
        ("E194", "scores.csv:4"),
    ]


@pytest.mark.parametrize("undefined", ["nan", "", "NaN", "none", "—"])
def test_a_measure_without_any_value_is_told_as_such(tmp_path: Path, undefined: str) -> None:
    path = csv(tmp_path, "query,image,ca,note", f"q1,i1,{undefined},fine", f"q2,i2,{undefined},odd")
    with pytest.raises(InputError) as error:
        read_scores(path, PAIRS)
    (fault,) = error.value.faults
    assert fault.code == "E196"
    assert fault.found == "every value of 'ca' is undefined: empty or nan"
    assert "what wrote the table" in fault.fix
    several = csv(tmp_path, "query,image,ca,sd", "q1,i1,nan,", "q2,i2,nan,nan")
    with pytest.raises(InputError, match=r"every value of 'ca' and 1 more columns is undefined"):
        read_scores(several, PAIRS)
    assert list(read_scores(csv(tmp_path, "query,image,ca", "q1,i1,nan", "q2,i2,1"), PAIRS).values) == ["ca"]


def test_a_table_without_numbers_or_without_the_pairs_is_a_fault(tmp_path: Path) -> None:
    assert faults(csv(tmp_path, "query,image,note", "q1,i1,fine")) == [("E196", "scores.csv")]
    assert faults(csv(tmp_path, "query,image,ca", "other,i1,1")) == [("E198", "scores.csv")]
    assert faults(csv(tmp_path, "image,ca", "i1,1")) == [("E190", "scores.csv")]


def test_undefined_values_are_left_out_and_counted() -> None:
    found = correlations({"ce": np.array([5.0, np.nan, 3.0, 1.0, 0.0])}, [1.0, 9.0, 2.0, 3.0, 4.0])[0]
    assert (found.pairs, found.undefined, found.higher_is_better) == (4, 1, False)
    assert found.rho == pytest.approx(-1.0)
    assert (found.low, found.high) == pytest.approx((-1.0, -1.0))


@pytest.mark.parametrize(
    ("values", "means"),
    [([1.0, 2.0], [1.0, 2.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [4.0] * 3), ([], [])],
)
def test_what_does_not_vary_has_no_correlation(values: list[float], means: list[float]) -> None:
    found = correlations({"x": np.array(values)}, means)[0]
    assert math.isnan(found.rho)
    assert math.isnan(found.low)


def test_infinite_ranks_order_pairs_too() -> None:
    found = correlations({"medr": np.array([1.0, 2.0, np.inf, np.inf])}, [9.0, 8.0, 1.0, 2.0])[0]
    assert found.rho == pytest.approx(-0.9486833)


def test_pairs_that_the_measures_do_not_know_are_told(tmp_path: Path) -> None:
    ratings = Ratings("r.csv", PAIRS, None, (0.0, 10.0), ())
    automatic = read_scores(csv(tmp_path, "query,image,ca", "q1,i1,1", "q2,i9,1"), PAIRS)
    found = study(ratings, automatic=automatic)
    assert [fault.code for fault in found.findings] == ["W191"]
    assert (
        found.findings[0].found
        == "2 of 3 rated pairs are not in it; for 1 it has the query with another picture"
    )


def study_of(folder: Path, *cells: str) -> Path:
    """Concept values of three queries, of the second with two pictures; items stand for pictures."""
    folder.mkdir(exist_ok=True)
    pairs = [("q1", "i1.jpg", 0.5), ("q2", "x", 0.25), ("q2", "i2", 0.75), ("q3", None, None)]
    rows = [
        {
            "cell": cell,
            "query_id": query,
            "image": image,
            "item": image and f"{image}#1",
            "truth": "t",
            "m.ca": ca,
            "m.sd_mean": 2.0,
        }
        for cell in cells
        for query, image, ca in pairs
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "concepts.parquet")
    return folder


def test_concept_values_of_a_run_stand_beside_its_measures(tmp_path: Path) -> None:
    folder = study_of(run(tmp_path, "i2t.en.plain", "t2i.en.plain"), "t2i.en.plain", "other")
    pairs = (Pair("q1", "i1", SCORE), *PAIRS[1:])
    for path in (folder, folder / "cells" / "t2i.en.plain"):
        found = read_scores(path, pairs, cell="t2i.en.plain")
        assert list(found.values) == ["ca", "mrr", "sd_mean"]
        assert found.values["ca"].tolist() == pytest.approx([0.5, 0.75, math.nan], nan_ok=True)
        assert found.values["mrr"].tolist() == pytest.approx([1.0, math.nan, 0.1], nan_ok=True)
        assert (found.known, found.other) == (3, 0)
        assert found.place.endswith("per_query.parquet and " + str(folder / "concepts.parquet"))
    without = read_scores(folder, pairs, cell="i2t.en.plain")  # of which there is no study
    assert list(without.values) == ["ca", "mrr"]


def test_a_study_alone_tells_of_its_pairs(tmp_path: Path) -> None:
    folder = study_of(tmp_path / "study", "pairs")
    for path in (folder, folder / "concepts.parquet"):
        found = read_scores(path, PAIRS)
        assert list(found.values) == ["ca", "sd_mean"]
        assert (found.known, found.other) == (2, 1)
    assert read_scores(folder, (Pair("q2", "i2#1", SCORE),)).values["ca"].tolist() == [0.75]
    with pytest.raises(UsageError, match=r"E196.*one of: pairs"):
        read_scores(folder, PAIRS, cell="zz")
    with pytest.raises(UsageError, match=r"E196.*2 cells"):
        read_scores(study_of(folder, "a", "b"), PAIRS)


def test_a_pair_that_stands_twice_in_a_study_is_a_fault(tmp_path: Path) -> None:
    folder = study_of(tmp_path, "a")
    table = pq.read_table(folder / "concepts.parquet")
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), folder / "concepts.parquet")
    assert faults(folder) == [("E194", "concepts.parquet:row 5")]


def test_the_directions_of_concept_measures_are_known() -> None:
    values = {name: np.array([1.0, 2.0, 3.0]) for name in ("ca", "sd_mean")}
    found = correlations(values, [1.0, 2.0, 3.0])
    assert [one.higher_is_better for one in found] == [True, False]
