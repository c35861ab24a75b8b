"""vg-coco: which pictures are joined, what a query competes against, and whose objects are compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge import evaluate
from crossgauge.benchmark import PLAIN, AnnotatedDataset, Prompt
from crossgauge.benchmarks.vg_coco import BENCHMARK
from crossgauge.benchmarks.vg_coco.data import TASK, CaptionsForImages
from crossgauge.errors import InputError, UsageError
from crossgauge.types import Split
from tests.encoders import Constant, Hashing


def opened(folder: Path, **options: str) -> CaptionsForImages:
    dataset = BENCHMARK.open(folder, options)
    assert isinstance(dataset, CaptionsForImages)
    return dataset


def cell(folder: Path, **options: str) -> Split:
    return opened(folder, **options).split(TASK, "en", PLAIN)


def ids(split: Split) -> tuple[list[str], list[str]]:
    return [one.id for one in split.queries], [one.id for one in split.corpus]


def relevant(split: Split) -> list[list[str]]:
    starts = split.qrels.start
    rows = [split.qrels.items[starts[at] : starts[at + 1]] for at in range(len(split.queries))]
    return [[split.corpus[row].id for row in one] for one in rows]


def edited(folder: Path, file: str, edit: Callable[[Any], None]) -> None:
    content = json.loads((folder / file).read_text())
    edit(content)
    (folder / file).write_text(json.dumps(content))


def faults(folder: Path, **options: str) -> list[str]:
    with pytest.raises(InputError) as refused:
        opened(folder, **options)
    return [fault.code for fault in refused.value.faults]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pictures: 20 (Visual Genome's 1) with three captions, 3 (Visual Genome's 2) with two."""
    said = {
        20: {7: "a zebra eats", 5: "zebras in a field", 9: "striped animals"},
        3: {4: "a red bus", 6: "one bus "},
    }
    captions = [
        {"image_id": image, "id": key, "caption": text}
        for image, of in said.items()
        for key, text in of.items()
    ]
    document = {
        "images": [{"id": image, "file_name": f"{image}.jpg"} for image in said],
        "annotations": captions,
    }
    data = [
        {"image_id": at, "width": 90, "height": 60, "coco_id": coco}
        for at, coco in ((1, 20), (2, 3), (4, None))
    ]
    things = [{"object_id": 1, "x": 0, "y": 0, "w": 9, "h": 9, "names": ["zebra"], "synsets": ["zebra.n.01"]}]
    objects = [
        {"image_id": 1, "objects": things},
        {"image_id": 2, "objects": []},
        {"image_id": 4, "objects": []},
    ]
    regions = [
        {"id": at, "regions": [{"region_id": 2, "phrase": "b"}, {"region_id": 1, "phrase": "a"}]}
        for at in (1, 2)
    ]
    for name, content in (("captions_a", document), ("image_data", data), ("objects", objects),
                          ("region_descriptions", regions)):  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_the_first_caption_asks_and_the_others_are_found(folder: Path) -> None:
    split = cell(folder)
    assert [(one.id, one.text, one.lang) for one in split.queries] == [
        ("en:3#1", "a red bus", "en"),
        ("en:20#1", "zebras in a field", "en"),
    ]
    assert [one.text for one in split.corpus] == ["one bus", "a zebra eats", "striped animals"]
    assert relevant(split) == [["en:3#2"], ["en:20#2", "en:20#3"]]
    assert (split.draws, split.clusters) == (None, None)


def test_the_mean_of_the_other_captions_is_one_candidate_a_picture(folder: Path) -> None:
    split = cell(folder, captions="mean")
    assert ids(split)[1] == ["en:3#without1", "en:20#without1"]
    assert [one.ensemble for one in split.corpus] == [("one bus",), ("a zebra eats", "striped animals")]
    assert relevant(split) == [["en:3#without1"], ["en:20#without1"]]
    prompted = opened(folder, captions="mean").split(TASK, "en", Prompt("photo", "see {}"))
    assert prompted.corpus[1].ensemble == ("see a zebra eats", "see striped animals")


def test_each_caption_asks_in_turn_and_never_meets_itself(folder: Path) -> None:
    for captions, sizes in (
        ("best", [3, 3, 4]),
        ("each", [3, 3, 4]),
        ("mean", [2, 2, 2]),
        ("one", [2, 2, 2]),
    ):
        split = cell(folder, captions=captions, queries="each")
        assert ids(split)[0] == ["en:3#1", "en:20#1", "en:3#2", "en:20#2", "en:20#3"]
        assert split.clusters is not None
        assert split.clusters.tolist() == [0, 1, 0, 1, 1]
        assert split.draws is not None
        assert [len(draw.corpus) for draw in split.draws] == sizes
        for draw in split.draws:
            asking = {split.queries[row].text for row in draw.queries}
            found = {
                text
                for row in draw.corpus
                for text in (split.corpus[row].ensemble or (split.corpus[row].text,))
            }
            assert not asking & found
            shown = {opened(folder).scene_of(split.corpus[row].id) for row in draw.corpus}
            assert shown == {"3", "20"}, "every picture competes in every draw"
            assert np.isin(split.qrels.items[split.qrels.start[draw.queries[0]]], draw.corpus)


def test_pictures_found_by_their_regions(folder: Path) -> None:
    split = cell(folder, corpus="regions")
    assert [one.text for one in split.corpus] == ["a", "b", "a", "b"]
    assert relevant(split)[1] == ["en:20#region1", "en:20#region2"]
    mean = cell(folder, corpus="regions", captions="mean")
    assert [(one.id, one.ensemble) for one in mean.corpus] == [
        ("en:3#regions", ("a", "b")),
        ("en:20#regions", ("a", "b")),
    ]
    assert [one.text for one in cell(folder, corpus="regions", captions="one").corpus] == ["a", "a"]


def test_annotations_are_of_the_pictures_by_coco_id(folder: Path) -> None:
    dataset = opened(folder)
    assert isinstance(dataset, AnnotatedDataset)
    found = dataset.annotations()
    assert found is not None
    assert {name: scene.image for name, scene in found.scenes.items()} == {"20": "20", "3": "3"}
    assert found.names == {"20.jpg": "20", "3.jpg": "3"}
    assert found.scenes["20"].counts == {"zebra.n.01": 1}
    assert (found.scenes["20"].width, found.scenes["3"].things) == (90, ())
    split = dataset.split(TASK, "en", PLAIN)
    assert {dataset.scene_of(one.id) for one in (*split.queries, *split.corpus)} == {"20", "3"}
    assert dataset.scene_of("20") == "20"
    with pytest.raises(UsageError):
        dataset.scene_of("de:20#1x:y")
    (kept,) = dataset.limited(1).media()
    only = dataset.limited(1).annotations()
    assert only is not None
    assert set(only.scenes) == {kept.id}
    assert kept.image is None, "no file is there, but it counts in a limit"
    assert opened(folder, annotations="none").annotations() is None


def test_numbers_depend_on_annotations_and_so_does_the_fingerprint(folder: Path) -> None:
    before = opened(folder).fingerprint
    edited(folder, "objects.json", lambda content: content[0]["objects"][0].update(w=10))
    assert opened(folder).fingerprint != before
    unannotated = opened(folder, annotations="none").fingerprint
    edited(folder, "objects.json", lambda content: content[0]["objects"][0].update(w=11))
    assert opened(folder, annotations="none").fingerprint == unannotated


def test_what_only_one_data_set_has_is_left_out_and_counted(folder: Path) -> None:
    def more(content: Any) -> None:
        content["annotations"] += [
            {"image_id": 3, "id": 90, "caption": "  "},
            {"image_id": 3, "id": 91, "caption": "a red bus "},
            {"image_id": 3, "id": 4, "caption": "a red bus"},
            {"image_id": 77, "id": 92, "caption": "of COCO alone"},
        ]

    edited(folder, "captions_a.json", more)
    edited(
        folder,
        "image_data.json",
        lambda content: content.extend([{"image_id": 5, "coco_id": 3}, {"image_id": 6, "coco_id": 8}]),
    )
    dataset = opened(folder)
    told = next(fault.found for fault in dataset.findings if fault.code == "W298")
    assert told == (
        "blank captions: 1, captions equal to another of their picture: 1, "
        "pictures of Visual Genome without a coco_id: 1, pictures with the coco_id of another: 1, "
        "pictures without a caption: 1"
    )
    assert dataset.facts()["captions"] == "5, a picture 2/2.5/3"


def test_a_picture_with_one_caption_cannot_be_found(folder: Path) -> None:
    edited(folder, "captions_a.json", lambda content: content["annotations"].pop())
    assert ids(cell(folder))[0] == ["en:20#1"]
    assert ids(cell(folder, corpus="regions"))[0] == ["en:3#1", "en:20#1"]


def test_captions_as_places_are_told_and_equal_captions_too(folder: Path) -> None:
    edited(folder, "captions_a.json", lambda content: content["annotations"][0].update(caption="one bus"))
    assert [fault.code for fault in opened(folder).findings] == ["W298", "W371"]
    assert [fault.code for fault in opened(folder, captions="each").findings] == ["W298", "W371", "W299"]
    assert "W299" not in {fault.code for fault in opened(folder, captions="mean").findings}


def test_faults_of_all_files_come_at_once(folder: Path) -> None:
    edited(
        folder,
        "captions_a.json",
        lambda content: content["annotations"].append({"image_id": 3, "id": 4, "caption": "?"}),
    )
    edited(folder, "objects.json", lambda content: content[0]["objects"][0].update(w=-1))
    edited(folder, "image_data.json", lambda content: content.append({"image_id": "x", "coco_id": "y"}))
    edited(folder, "region_descriptions.json", lambda content: content[0]["regions"][0].update(phrase=3))
    assert sorted(faults(folder, corpus="regions")) == ["E291", "E291", "E292", "E293"]


def test_files_that_are_not_there_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        opened(tmp_path, corpus="regions")
    assert [fault.found for fault in refused.value.faults] == [
        "no image_data.json", "no objects.json", "no region_descriptions.json", "no captions_*.json",
    ]  # fmt: skip
    assert faults(tmp_path / "none") == ["E131"]


def test_no_picture_in_common_stops(folder: Path) -> None:
    edited(folder, "image_data.json", lambda content: [one.update(coco_id=None) for one in content])
    assert faults(folder) == ["E297"]


@pytest.mark.parametrize("queries", ["first", "each"])
@pytest.mark.parametrize("captions", ["best", "each", "mean", "one"])
def test_a_constant_model_gets_exactly_chance(tmp_path: Path, captions: str, queries: str) -> None:
    BENCHMARK.sample(tmp_path)
    options = {"captions": captions, "queries": queries}
    result = evaluate("vg-coco", Constant(), data=tmp_path, options=options)
    scores = {row.measure: row for row in result.cells[0].scores}
    assert scores["hit@1"].value == pytest.approx(1 / 8)
    assert scores["hit@1"].chance == pytest.approx(1 / 8)
    if captions != "each":
        assert scores["hit@5"].value == pytest.approx(5 / 8)
        assert scores["medr"].value == pytest.approx(4.5)


def test_a_picture_stands_where_its_best_caption_does(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    model = Hashing(dim=8)
    best, each = (
        evaluate("vg-coco", model, data=tmp_path, options={"captions": how}).cells[0]
        for how in ("best", "each")
    )
    assert (best.gallery, each.gallery) == (8, 32)
    values = [{row.measure: row.value for row in cell.scores} for cell in (best, each)]
    assert values[0]["hit@1"] == values[1]["hit@1"], "the picture of the best caption, either way"
    assert values[0]["hit@5"] > values[1]["hit@5"], "five pictures, not five captions"
    split = cell(tmp_path)
    left, right = (
        np.array(model.encode([model.prepare(item) for item in side], role="query"), dtype=np.float64)
        for side in (split.queries, split.corpus)
    )
    cosine = (left / np.linalg.norm(left, axis=1, keepdims=True)) @ (
        right / np.linalg.norm(right, axis=1, keepdims=True)
    ).T
    assert split.units is not None
    peaks = np.stack([cosine[:, split.units == unit].max(axis=1) for unit in range(8)], axis=1)
    places = [1 + int((row > row[query]).sum()) for query, row in enumerate(peaks)]
    assert values[0]["medr"] == np.median(places)


def test_a_picture_is_found_by_equal_words(folder: Path) -> None:
    """Hashing gives equal texts equal vectors, and others directions of their own."""
    edited(folder, "captions_a.json", lambda content: content["annotations"][0].update(caption="a red bus"))
    result = evaluate("vg-coco", Hashing(), data=folder, options={"annotations": "none"})
    assert result.cells[0].scores[0].value < 1, "20 has the very words of the caption of 3"


def test_the_first_place_is_the_picture_of_the_best_caption(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    model, split = Hashing(dim=3), cell(tmp_path)  # three dimensions: some are right, some are not
    vectors = [
        model.encode([model.prepare(item) for item in side], role="query")
        for side in (split.queries, split.corpus)
    ]
    queries, corpus = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in vectors)
    pictures = np.array([opened(tmp_path).scene_of(item.id) for item in split.corpus])
    best = pictures[(queries @ corpus.T).argmax(axis=1)]
    right = np.mean(best == [opened(tmp_path).scene_of(item.id) for item in split.queries])
    assert 0 < right < 1
    result = evaluate("vg-coco", model, data=tmp_path)
    assert result.cells[0].scores[0].value == pytest.approx(right)
