"""From a run or a list of pairs to a concept study that a report can draw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossgauge.concept_study import ConceptStudy
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.errors import InputError, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.studies import pairs_of_run, read_pairs, study_pairs, study_run
from tests.encoders import Hashing

SAMPLE = Path(__file__).parents[1] / "data" / "vg_objects_sample.json"
ZEBRAS = {
    "truth": "trunk hill tree sky field branch head leg leaf mane zebra zebra zebra zebra zebra",
    "other": "grassland field grass mane mane mane mane mane zebra zebra zebra zebra zebra zebra zebra",
}


def write_annotations(path: Path, scenes: dict[str, str]) -> Path:
    lines = [
        {"image": name, "objects": [{"synset": f"{word}.n.01"} for word in words.split()]}
        for name, words in scenes.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_pairs(path: Path, *rows: str) -> Path:
    path.write_text("query_id,truth,retrieved,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def value(study: ConceptStudy, measure: str) -> float | None:
    return next(row.value for row in study.cells[0].scores if row.measure == measure)


def test_the_zebras_come_out_as_derived(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", "q,truth,other,zebras in a lush field")
    study = study_pairs(pairs, concepts=str(write_annotations(tmp_path / "a.jsonl", ZEBRAS)))
    assert value(study, "ca") == pytest.approx(3 / 11)
    assert value(study, "ncs") == pytest.approx(5 / 36)
    assert value(study, "ce") == 6
    assert value(study, "sd") is None
    (pair,) = study.cells[0].examples
    assert pair.arithmetic["ca"] == "CA = 3/11"
    assert pair.arithmetic["ncs"] == "NCS = (1/9 + 1/6)/2 = 5/36"
    assert {(one.truth, one.retrieved) for one in pair.couples} == {
        ("hill.n.01", "grassland.n.01"), ("tree.n.01", "grass.n.01"),
    }  # fmt: skip
    assert pair.undefined["sd"]
    assert ConceptStudy.from_json(study.to_json()) == study


def test_real_annotations_give_boxes_to_draw(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", "q1,1,2,a", "q2,1,1,b")
    study = study_pairs(pairs, concepts=str(SAMPLE))
    cell = study.cells[0]
    assert (cell.queries, cell.pairs, cell.right, cell.not_annotated) == (2, 1, 1, 0)
    (pair,) = cell.examples
    assert pair.retrieved is not None
    states = [box.state for box in pair.truth.boxes]
    assert states.count("matched") == len(pair.sizes)
    assert len(pair.truth.boxes) > len(pair.sizes) > 0
    matched = sorted(box.concept for box in pair.truth.boxes if box.state == "matched")
    assert matched == sorted(box.concept for box in pair.retrieved.boxes if box.state == "matched")


def test_pictures_without_annotation_are_left_out_and_told(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", "q1,truth,other,a", "q2,truth,unseen,b", "q3,nowhere,other,c")
    study = study_pairs(pairs, concepts=str(write_annotations(tmp_path / "a.jsonl", ZEBRAS)))
    assert (study.cells[0].queries, study.cells[0].not_annotated) == (3, 2)
    assert any(line.startswith("W258") and "q2, q3" in line for line in study.audit)
    lost = write_pairs(tmp_path / "lost.csv", "q1,x,y,a")
    with pytest.raises(InputError, match="E258"):
        study_pairs(lost, concepts=str(tmp_path / "a.jsonl"))


def test_a_query_that_found_nothing_is_a_miss(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", "q1,truth,,a")
    study = study_pairs(pairs, concepts=str(write_annotations(tmp_path / "a.jsonl", ZEBRAS)))
    assert value(study, "ca") == 0
    assert study.cells[0].examples[0].retrieved is None
    assert study.cells[0].scores[0].n_missing == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((",truth,other,a",), "no query or no truth"),
        (("q,,other,a",), "no query or no truth"),
        (("q,a,x,t", "q,b,y,t"), "with the truths"),
        ((), "no row"),
    ],
)
def test_a_table_of_pairs_is_read_strictly(tmp_path: Path, rows: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match="E256") as refused:
        read_pairs(write_pairs(tmp_path / "pairs.csv", *rows))
    assert said in str(refused.value)


def test_several_rows_a_query_are_its_first_pictures_in_order(tmp_path: Path) -> None:
    table = write_pairs(tmp_path / "pairs.csv", "q,t,a,x", "p,t,c,y", "q,t,b,x", "q,t,d,x")
    first, second = read_pairs(table)
    assert [picture.id for picture in first.retrieved] == ["a", "b", "d"]
    assert [picture.id for picture in second.retrieved] == ["c"]


def test_settings_stand_in_the_signature(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", "q,truth,other,a")
    study = study_pairs(
        pairs,
        concepts=str(write_annotations(tmp_path / "a.jsonl", ZEBRAS)),
        settings=ConceptSettings(similarity="wup", sd_denominator="min"),
    )
    assert "|similarity:wup|" in study.cells[0].scores[0].signature
    assert "min/pixels" in study.cells[0].scores[0].signature
    with pytest.raises(UsageError, match="E257"):
        study_pairs(pairs, concepts="dataset")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    evaluate("emoji", Hashing(), tasks=["t2i", "i2t"], languages=["en"], limit=25, out=tmp_path / "run")
    return tmp_path / "run"


def test_a_run_is_studied_with_predicted_concepts(run: Path) -> None:
    study = study_run(run, concepts="predicted:3", examples=5)
    assert study.predicted
    assert any(line.startswith("W259") for line in study.audit)
    assert [cell.key for cell in study.cells] == ["t2i.en.plain"], "texts have no concepts to see"
    cell = study.cells[0]
    asked = list(pairs_of_run(run / "cells" / "t2i.en.plain" / "per_query.parquet"))
    assert cell.queries == len(asked)
    assert cell.pairs + cell.right == cell.queries
    assert len(cell.examples) == 5
    assert all(pair.truth.path and Path(pair.truth.path).is_file() for pair in cell.examples)
    shares = [pair.values["ca"] for pair in cell.examples]
    assert shares == sorted(shares, key=lambda share: (share is None, share))
    assert study_run(run, concepts="predicted:3", examples=5).to_json() == study.to_json()


def test_the_retrieved_picture_is_the_truth_where_it_is_right(run: Path) -> None:
    for one in pairs_of_run(run / "cells" / "t2i.en.plain" / "per_query.parquet"):
        assert len(one.retrieved) == 10
        assert one.text
