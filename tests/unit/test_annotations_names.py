"""What a picture is called beside its id, and the pairs and ratings that call it so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossgauge.annotations import Choice, read_annotations
from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.cli import main
from crossgauge.concepts.suspects import Retrieval
from crossgauge.concepts.wordnet import WordNet
from crossgauge.ratings.pairs import as_annotated, rated
from crossgauge.ratings.reading import Pair, Rating, Ratings
from crossgauge.ratings.scores import read_scores
from crossgauge.scenes import Annotations

WORDNET = WordNet()
SCORE = (Rating("ann", 7.0, frozenset(), alternative=False, place=""),)


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    return int(done.value.code or 0)


def instances(folder: Path, *images: dict[str, Any]) -> Path:
    path = folder / "instances_val2014.json"
    ids = [one["id"] for one in images]
    noted = [{"id": at, "image_id": one, "category_id": 1} for at, one in enumerate(ids)]
    categories = [{"id": 1, "name": "dog"}]
    path.write_text(json.dumps({"images": images, "annotations": noted, "categories": categories}))
    return path


def read(path: Path, **choice: Any) -> Annotations:
    return read_annotations(path, hierarchy=WORDNET, choice=Choice(**choice))


def per_query(folder: Path, relevant: list[str], top: list[str]) -> Path:
    columns = {
        "query_id": [f"{one}#1" for one in relevant], "relevant": [[one] for one in relevant],
        "top_id": [[one] for one in top], "top_image": [[None]] * len(top),
        "top_score": [[0.5]] * len(top), "rank": [1.0] * len(top), "m.mrr": [1.0] * len(top),
    }  # fmt: skip
    cell = folder / "cells" / "t2i.en.plain"
    cell.mkdir(parents=True)
    columns["top_image"] = pa.array(columns["top_image"], pa.list_(pa.string()))
    pq.write_table(pa.table(columns), cell / "per_query.parquet")
    return folder


def test_pictures_of_coco_are_called_by_their_file_in_every_release(tmp_path: Path) -> None:
    names = read(instances(tmp_path, {"id": 9, "file_name": "COCO_val2014_000000000009.jpg"})).names
    assert set(names.values()) == {"9"}
    assert {"000000000009.jpg", "COCO_train2014_000000000009.jpg"} <= names.keys()
    own = {"id": 9, "file_name": "a/dog.jpg"}
    assert dict(read(instances(tmp_path, own)).names) == {"a/dog.jpg": "9", "dog.jpg": "9"}


def test_a_name_of_two_pictures_is_of_none(tmp_path: Path) -> None:
    images = ({"id": 9, "file_name": "a/dog.jpg"}, {"id": 8, "file_name": "b/dog.jpg"}, {"id": 7})
    path = instances(tmp_path, *images)
    assert dict(read(path).names) == {"a/dog.jpg": "9", "b/dog.jpg": "8"}
    assert set(read(path, images=frozenset({"9"})).names) == {"a/dog.jpg", "dog.jpg"}


def test_pictures_of_visual_genome_are_called_by_their_coco_id(tmp_path: Path) -> None:
    lines = [{"image_id": at, "coco_id": coco} for at, coco in ((1, 30), (2, 1), (3, None))]
    (tmp_path / "image_data.json").write_text(json.dumps(lines))
    path = tmp_path / "objects.json"
    path.write_text(json.dumps([{"image_id": at, "objects": []} for at in (1, 2, 3)]))
    found = read(path)
    assert found.names == {"30": "1", "1": "2"}
    # the number 1 is an id of both: what is asked beside it says of which
    assert found.called(["1", "30"]) == {"1": "2", "30": "1"}
    assert found.called(["1", "3"]) == {"1": "1", "3": "3"}


@pytest.mark.parametrize(("before", "behind"), [("", ""), ("en:", "#2")])  # pictures, or their captions
def test_a_run_of_coco_joins_with_the_instances_of_coco(
    before: str, behind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [f"{before}COCO_val2014_{number:012d}.jpg{behind}" for number in (1, 2)]
    run = per_query(tmp_path / "run", files, files[::-1])
    path = instances(tmp_path, *({"id": at, "file_name": f"{at:012d}.jpg"} for at in (1, 2)))
    assert call("audit-annotations", "--annotations", path, "--pairs", run, "--json") == 0
    assert "2 of 2 compared" in json.loads(capsys.readouterr().out)["facts"]["pairs"]


def test_a_run_of_vg_coco_joins_with_the_objects_of_visual_genome(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert BENCHMARK.sample is not None
    BENCHMARK.sample(tmp_path / "vg")
    out = tmp_path / "run"
    assert call("run", "vg-coco", "--data", tmp_path / "vg", "--model", "random", "--set", "captions=mean",
                "--out", out) == 0  # fmt: skip
    capsys.readouterr()
    objects = tmp_path / "vg" / "objects.json"
    assert call("audit-annotations", "--annotations", objects, "--pairs", out, "--json") == 0
    assert " of 8 compared" in json.loads(capsys.readouterr().out)["facts"]["pairs"]


def test_captions_that_stand_for_pictures_are_rated_as_these(tmp_path: Path) -> None:
    pairs = (Retrieval("en:20#2", "en:30#without1", "en:20#1"),)
    ratings = Ratings("study.csv", (Pair("en:20#1", "30", SCORE),), None, (0.0, 10.0), ())
    assert [one.rating for one in rated(pairs, ratings)] == [7.0]
    scenes = {name: read(instances(tmp_path, {"id": 9})).scenes["9"] for name in ("1", "2")}
    named = as_annotated(pairs, Annotations(scenes, names={"20": "1", "30": "2"}))
    assert [(one.truth, one.retrieved) for one in named] == [("1", "2")]
    run = per_query(tmp_path / "run", ["en:20"], ["en:30#without1"])
    assert read_scores(run, (Pair("en:20#1", "30", SCORE),)).known == 1
