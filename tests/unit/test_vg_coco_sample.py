"""The made-up set of vg-coco: it shows what the benchmark is for, in pictures that its boxes fit."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image, ImageStat

from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.concept_study import ConceptStudy, PairView
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.plan import make_plan
from crossgauge.studies import study_run

RIGHT, FOUND = "9000002", "9000003"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("VG")
    BENCHMARK.sample(made)
    return made


@pytest.fixture(scope="module")
def study(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> ConceptStudy:
    """Of the embedded model."""
    run = tmp_path_factory.mktemp("run")
    evaluate("vg-coco", load_model("conse"), folder, out=run)
    return study_run(run, concepts="dataset", dataset=make_plan("vg-coco", data=folder).dataset)


def pair(study: ConceptStudy, query: str) -> PairView:
    return next(one for one in study.cells[0].examples if one.query_id == query)


def test_equal_samples_have_equal_bytes(folder: Path, tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    files = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(files) == 6 + 8
    assert all((folder / file).read_bytes() == (tmp_path / file).read_bytes() for file in files)


def test_pictures_have_the_proportions_and_the_boxes_of_the_annotation(folder: Path) -> None:
    sizes = {one["image_id"]: one for one in json.loads((folder / "image_data.json").read_text())}
    for scene in json.loads((folder / "objects.json").read_text()):
        with Image.open(folder / "images" / f"{scene['image_id']}.jpg") as picture:
            size = sizes[scene["image_id"]]
            assert picture.size == (size["width"], size["height"])
            for thing in (one for one in scene["objects"] if "x" in one):
                box = (thing["x"], thing["y"], thing["x"] + thing["w"], thing["y"] + thing["h"])
                assert 0 <= box[0] < box[2] <= size["width"], thing
                assert 0 <= box[1] < box[3] <= size["height"], thing
                if thing["names"][0] in ("zebras", "dog", "dogs", "bus", "buses", "ship", "ball", "frisbee"):
                    inside = ImageStat.Stat(picture.convert("L").crop(box))
                    assert inside.stddev[0] > 8, f"something is drawn at {thing}"


def test_two_and_two_pictures_share_things_in_other_numbers_and_sizes(folder: Path) -> None:
    scenes = [
        Counter(one["synsets"][0] for one in scene["objects"] if one["synsets"])
        for scene in json.loads((folder / "objects.json").read_text())
    ]
    sharing = {
        (left, right) for left, right in combinations(range(len(scenes)), 2) if scenes[left] & scenes[right]
    }
    assert {(0, 1), (2, 3), (4, 5), (6, 7)} <= sharing
    for left, right in ((0, 1), (2, 3), (4, 5), (6, 7)):
        shared = scenes[left].keys() & scenes[right].keys()
        assert any(scenes[left][one] != scenes[right][one] for one in shared)
        assert 0 < len(shared) < len(scenes[left])


def test_the_embedded_model_fails_for_some_and_finds_others(study: ConceptStudy) -> None:
    cell = study.cells[0]
    assert (cell.queries, cell.pairs, cell.right) == (8, 4, 4)
    macro = {row.measure: row for row in cell.scores if ":" not in row.measure}
    for measure in ("ca", "ncs", "sd"):
        value = macro[measure].value
        assert value is not None
        assert 0 < value < 1, measure
        assert macro[measure].n_undefined == cell.right, "every pair has a value"
    assert macro["ce"].value is not None
    assert macro["ce"].value > 1


def test_the_zebras_are_the_worked_example_of_the_paper(study: ConceptStudy) -> None:
    found = pair(study, f"en:{RIGHT}#1")
    assert (found.truth.image, found.retrieved and found.retrieved.image) == (RIGHT, FOUND)
    values = {name: found.values[name] for name in ("ca", "ncs", "ce", "sd")}
    assert values == pytest.approx({"ca": 3 / 11, "ncs": 5 / 36, "ce": 6, "sd": 2 / 6})
    assert {(one.truth, one.retrieved, round(1 / one.similarity)) for one in found.couples} == {
        ("hill.n.01", "grassland.n.01", 9), ("tree.n.01", "grass.n.01", 6),
    }  # fmt: skip
    counts = {one.concept: (one.truth, one.retrieved) for one in found.counts}
    assert counts == {"zebra.n.01": (5, 7), "field.n.01": (1, 1), "mane.n.01": (1, 5)}
    far = {one.concept: one.difference for one in found.sizes if one.oversized}
    assert far == pytest.approx({"mane.n.01": 2.30, "field.n.01": 1.369}), "as printed"
    assert Counter(one.concept for one in found.sizes)["zebra.n.01"] == 4
