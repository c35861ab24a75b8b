"""Studies of many pairs hold little of them at a time, and nobody can tell from what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crossgauge.concepts.measures import CONCEPT_MEASURES
from crossgauge.errors import InputError
from crossgauge.studies import Asked, Picture, Queries, study_pairs
from crossgauge.studies import table as module
from crossgauge.studies.reading import read_pairs
from crossgauge.studies.table import PairRow, pair_table
from tests.unit.test_studies import write_annotations

DOG, CAT, WORDS = Picture("dog", "a/dog.png"), Picture("cat"), Picture("cat", is_text=True)
ASKED = [
    Asked("q1", "a dog\u2028here", DOG, (DOG, CAT), (CAT, DOG, WORDS), sharing=2, tied=True, cluster=0),
    Asked("", "", CAT, (CAT,), ()),
    Asked("q\ud800", None, WORDS, (WORDS,), (WORDS,), cluster=-1),
]
SHOWN = {"a": "dog ball park", "b": "dog frisbee park", "c": "cat fish", "d": "cat mouse ball"}


def test_queries_come_back_as_they_were() -> None:
    kept = Queries(ASKED)
    assert list(kept) == ASKED
    assert kept[-1] == ASKED[2]
    assert kept[1:] == ASKED[1:]
    assert [kept.query_id(at) for at in range(3)] == ["q1", "", "q\ud800"]
    assert [kept.cluster(at) for at in range(3)] == [0, None, -1]
    assert list(kept.pictures) == [DOG, CAT, WORDS]
    assert kept[2].truth is kept[0].retrieved[2]
    with pytest.raises(IndexError):
        kept[3]


def pairs(path: Path, n: int) -> Path:
    names = "abcd"
    rows = [f"q{i},{names[i % 4]},{names[(i * i + i // 4 + 1) % 4]},words {i}\n" for i in range(n)]
    path.write_text("query_id,truth,retrieved,text\n" + "".join(rows), encoding="utf-8")
    return path


def test_rows_of_one_query_may_stand_anywhere(tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text(
        "query,truth,retrieved,text\nq,a,b,\nr,b,d,\nq,a,c,y\nr,b,a,\nq,a,a,\n", encoding="utf-8"
    )
    first, second = read_pairs(table)
    assert ([item.id for item in first.retrieved], first.text) == (["b", "c", "a"], "y")
    assert ([item.id for item in second.retrieved], second.text) == (["d", "a"], None)


@pytest.fixture
def shown(tmp_path: Path) -> str:
    return str(write_annotations(tmp_path / "a.jsonl", SHOWN))


def test_no_byte_depends_on_how_many_count(tmp_path: Path, shown: str) -> None:
    table = pairs(tmp_path / "pairs.csv", 50)
    for workers in (1, 2):
        study_pairs(table, concepts=shown, out=tmp_path / str(workers), workers=workers)
    for name in ("concepts.json", "concepts.parquet"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_pairs_are_written_part_by_part(tmp_path: Path, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pairs(tmp_path / "pairs.csv", 50)
    study = study_pairs(table, concepts=shown, out=tmp_path / "whole")
    monkeypatch.setattr(module, "_ROWS", 3)
    monkeypatch.setattr(module, "_GROUP", 7)
    study_pairs(table, concepts=shown, out=tmp_path / "parts")
    whole, parts = (pq.ParquetFile(tmp_path / name / "concepts.parquet") for name in ("whole", "parts"))
    assert repr(whole.read().to_pylist()) == repr(parts.read().to_pylist())  # NaN is not NaN
    assert whole.metadata.num_rows == study.cells[0].pairs
    assert (whole.num_row_groups, parts.num_row_groups) == (1, -(-whole.metadata.num_rows // 9))


def test_a_table_that_is_not_finished_leaves_nothing(tmp_path: Path) -> None:
    def rows() -> Iterator[PairRow]:
        values = {one.name: 0.5 for one in CONCEPT_MEASURES}
        yield PairRow("pairs", "q", 1, "b", "b", "a", values)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), pair_table(tmp_path / "out") as table:
        table.add(rows())
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"query_id": {"x": 1}, "truth": "a", "retrieved": "b"}', "the query {'x': 1}"),
        ('{"query_id": "q", "truth": ["a"], "retrieved": "b"}', "the truth ['a']"),
        ('{"query_id": "q", "truth": "a", "retrieved": ["b", "c"]}', "the retrieved ['b', 'c']"),
        ('{"query_id": "q", "truth": 1.5, "retrieved": "b"}', "the truth 1.5"),
        ('{"query_id": true, "truth": "a", "retrieved": "b"}', "the query True"),
    ],
)
def test_ids_that_are_neither_texts_nor_whole_numbers_are_refused(
    tmp_path: Path, row: str, said: str
) -> None:
    table = tmp_path / "pairs.jsonl"
    table.write_text(f'{{"query_id": 7, "truth": 1, "retrieved": 2}}\n{row}\n')
    with pytest.raises(InputError) as refused:
        read_pairs(table)
    (fault,) = refused.value.faults
    assert (fault.code, fault.place, fault.found) == ("E256", "pairs.jsonl:2", said)


def test_whole_numbers_are_ids_as_written(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"query_id": 7, "truth": 1, "retrieved": 2}\n')
    (one,) = read_pairs(tmp_path / "pairs.jsonl")
    assert (one.query_id, one.truth.id, one.retrieved[0].id) == ("7", "1", "2")
