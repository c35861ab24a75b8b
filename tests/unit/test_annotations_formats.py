"""COCO's instances, JSON lines, and how a file's content tells which format it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossgauge.annotations import Choice, read_annotations
from crossgauge.annotations.coco import coco_synsets
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import InputError
from crossgauge.scenes import Annotations, Box

WORDNET = WordNet()


class Menagerie:
    """A hierarchy of somebody's own, in which plain words are the concepts."""

    name = "menagerie"

    def __contains__(self, concept: object) -> bool:
        return concept in ("beast", "zebra")

    def resolve(self, name: str) -> str | None:
        return {"stripy": "zebra"}.get(name)


def read(path: Path, **choice: Any) -> Annotations:
    return read_annotations(path, hierarchy=WORDNET, choice=Choice(**choice))


def faults(path: Path, **choice: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as refused:
        read(path, **choice)
    return [(fault.code, fault.place.removeprefix(str(path)).strip()) for fault in refused.value.faults]


def coco(folder: Path, *annotations: Mapping[str, Any], **other: Any) -> Path:
    """An instances file of two pictures and three categories with these annotations."""
    whole = {
        "info": {"year": 2017},
        "images": [{"id": 9, "width": 100, "height": 50, "file_name": "9.jpg"}, {"id": 8}],
        "annotations": [
            {"id": at, "image_id": 9, "category_id": 74, **one} for at, one in enumerate(annotations)
        ],
        "categories": [
            {"id": 74, "name": "mouse"},
            {"id": 1, "name": "person"},
            {"id": 99, "name": "zebras"},
        ],
    } | other
    path = folder / "instances_val2017.json"
    path.write_text(json.dumps(whole))
    return path


def lines(folder: Path, *said: Any) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in said) + "\n")
    return path


def test_every_category_is_a_noun_of_wordnet_that_its_words_can_mean_or_says_why() -> None:
    text = (Path(read_annotations.__code__.co_filename).parent / "data" / "coco_synsets.csv").read_text()
    why = {row.split(",")[0]: row.split(",", 2)[2] for row in text.splitlines()[1:]}
    assert len(coco_synsets()) == len(set(coco_synsets().values())) == len(why) == 80
    for name, synset in coco_synsets().items():
        assert synset in WORDNET
        assert synset.split(".")[-2] == "n"
        assert synset in WORDNET.senses(name, "n") or name in {
            "stop sign", "sports ball", "potted plant", "cell phone", "keyboard"
        }  # fmt: skip
        first = WORDNET.resolve(name, "n")
        assert synset == first or why[name] or first is None, f"{name}: why not {first}?"


@pytest.mark.parametrize(
    ("name", "synset"),
    [("mouse", "mouse.n.04"), ("remote", "remote_control.n.01"), ("hot dog", "hotdog.n.02"),
     ("toaster", "toaster.n.02"), ("kite", "kite.n.03"), ("tie", "necktie.n.01"),
     ("cell phone", "cellular_telephone.n.01"), ("orange", "orange.n.01"),
     ("tv", "television_receiver.n.01")],
)  # fmt: skip
def test_the_sense_is_the_one_the_pictures_show(name: str, synset: str) -> None:
    assert coco_synsets()[name] == synset


def test_coco_categories_become_synsets(tmp_path: Path) -> None:
    found = read(coco(tmp_path, {"bbox": [1, 2, 3.5, 4], "segmentation": [[1, 2]]}, {"category_id": 1}))
    assert found.scenes["9"].counts == {"mouse.n.04": 1, "person.n.01": 1}
    assert found.scenes["9"].boxes("mouse.n.04") == (Box(1, 2, 3.5, 4),)
    assert (found.scenes["9"].width, found.scenes["8"].things) == (100, ())
    assert found.facts["annotated pictures"] == "2, 1 without an object"


def test_a_category_of_ones_own_has_no_synset_unless_its_name_is_resolved(tmp_path: Path) -> None:
    path = coco(tmp_path, {"category_id": 99, "bbox": [1, 2, 3, 4]})
    assert read(path).scenes["9"].concepts == frozenset()
    assert read(path, names="resolve").scenes["9"].concepts == {"zebra.n.01"}


def test_a_crowd_is_one_thing_without_a_box(tmp_path: Path) -> None:
    found = read(coco(tmp_path, {"bbox": [1, 2, 3, 4], "iscrowd": 1, "segmentation": {"counts": [1]}}))
    assert found.scenes["9"].counts == {"mouse.n.04": 1}
    assert found.scenes["9"].boxes("mouse.n.04") == ()
    assert [fault.code for fault in found.findings] == ["W293", "W297"]


def test_coco_faults_come_all_at_once(tmp_path: Path) -> None:
    path = coco(
        tmp_path,
        {"image_id": 7},
        {"category_id": 5, "image_id": 6},
        {"bbox": [1, 2, 3]},
        {"bbox": [1, 2, -3, 4]},
        {"id": 3},
        categories=[{"id": 74, "name": "mouse"}, {"id": 74, "name": "person"}, {"id": "x", "name": "a"}],
    )
    assert faults(path) == [
        ("E291", "$.categories[2].id"),
        ("E293", "$.categories[1]"),
        ("E295", "$.annotations[0]"),
        ("E295", "$.annotations[1]"),
        ("E291", "$.annotations[2].bbox"),
        ("E292", "$.annotations[3]"),
        ("E293", "$.annotations"),
    ]


def test_coco_files_that_are_wrong_as_a_whole(tmp_path: Path) -> None:
    path = coco(tmp_path, {"bbox": [1, 2, 3, 4]})
    whole = path.read_text()
    path.write_text(whole.replace("3, 4]", "NaN, Infinity]"))
    assert faults(path) == [("E291", "$.annotations[0].bbox[2]"), ("E291", "$.annotations[0].bbox[3]")]
    path.write_text(whole[:-30])
    assert [code for code, _ in faults(path)] == ["E290"]
    path.write_text(json.dumps({"images": [], "annotations": []}))
    with pytest.raises(InputError, match="categories"):
        read(path)


def test_lines_have_synsets_names_boxes_and_counts(tmp_path: Path) -> None:
    objects = [
        {"synset": "dog.n.01", "count": 3},
        {"synset": "dog.n.01", "box": [0, 0, 4, 5]},
        {"name": "zebras"},
    ]
    path = lines(
        tmp_path,
        {"image": "a.jpg", "objects": objects, "width": 9, "height": 9},
        "",
        {"image": 7, "objects": []},
    )
    found = read(path)
    assert found.scenes["a.jpg"].counts == {"dog.n.01": 4}
    assert found.scenes["a.jpg"].boxes("dog.n.01") == (Box(0, 0, 4, 5),)
    assert found.scenes["7"].things == ()
    assert read(path, names="resolve").scenes["a.jpg"].counts == {"dog.n.01": 4, "zebra.n.01": 1}


def test_faults_of_lines_come_all_at_once(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"image": "a", "objects": [{"synset": "dog.n.01", "bbox": [1, 2, 3, 4]}, {"name": 3}, {}]},
        {
            "image": "b",
            "objects": [{}, {"name": "x", "count": 0}, {"name": "x", "count": 2, "box": [1, 2, 3, 4]}],
        },
        {"image": "b", "objects": []},
        {"picture": "c", "objects": []},
        '{"image": "d", "objects": [{"name": "x", "box": [0, 0, NaN, 1]}]}',
        '{"image": "e", "obj',
        "[]",
    )
    assert faults(path) == [
        ("E291", ":1 $.objects[0].bbox"),
        ("E291", ":1 $.objects[1].name"),
        ("E291", ":1 $.objects[2]"),
        ("E291", ":2 $.objects[0]"),
        ("E292", ":2 $.objects[1]"),
        ("E292", ":2 $.objects[2]"),
        ("E293", ":3"),
        ("E291", ":4 $.picture"),
        ("E291", ":4"),
        ("E291", ":5 $.objects[0].box[2]"),
        ("E291", ":6"),
        ("E291", ":7"),
    ]


def test_concepts_of_ones_own_hierarchy(tmp_path: Path) -> None:
    path = lines(
        tmp_path, {"image": "a", "objects": [{"synset": "beast"}, {"synset": "dog.n.01"}, {"name": "stripy"}]}
    )
    found = read_annotations(path, hierarchy=Menagerie(), choice=Choice(names="resolve"))  # type: ignore[arg-type]
    assert [one.concept for one in found.scenes["a"].things] == ["beast", None, "zebra"]
    assert found.hierarchy == "menagerie"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "image,objects\n",
        '"a"',
        "[]x",
        '[{"image_id": 1, "regions": []}]',
        '[{"image_id": 1, "width": 3}]',
        "[[1]]",
    ],
)
def test_what_is_no_annotation_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "objects.json"
    path.write_text(text)
    assert {code for code, _ in faults(path)} <= {"E210", "E290", "E291"}


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    vg = tmp_path / "a.jsonl"
    vg.write_bytes(b'\xef\xbb\xbf \n[{"objects": [{"synsets": ["dog.n.01"]}], "image_id": 5}]')
    assert read(vg).scenes["5"].counts == {"dog.n.01": 1}
    mine = tmp_path / "objects.json"
    mine.write_bytes(b'\xef\xbb\xbf{"objects": [{"synset": "dog.n.01"}], "image": "x"}')
    assert read(mine).scenes["x"].counts == {"dog.n.01": 1}
    renamed = coco(tmp_path, {"bbox": [1, 2, 3, 4]}).rename(tmp_path / "scene_graphs.json")
    assert read(renamed).scenes["9"].counts == {"mouse.n.04": 1}


def test_no_file_and_no_regular_file(tmp_path: Path) -> None:
    assert faults(tmp_path / "none.json")[0][0] == "E210"
    assert faults(tmp_path)[0][0] == "E210"


def test_a_deep_record_is_refused_and_not_a_crash(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    path = tmp_path / "objects.json"
    path.write_text(f'[{{"image_id": 1, "objects": [{{"x": {deep}}}]}}]')
    assert [code for code, _ in faults(path)] == ["E291"]
    path.write_text(f'{{"image": "a", "objects": [{{"x": {deep}}}]}}')
    assert [code for code, _ in faults(path)] == ["E291"]


@pytest.mark.parametrize("count", [0, 2**31, 99999999999999999999999])
def test_a_count_that_cannot_be_is_told_with_its_path(tmp_path: Path, count: int) -> None:
    objects = [{"name": "dog", "count": 2**31 - 1}, {"name": "dog", "count": count}]
    path = lines(tmp_path, {"image": "a", "objects": objects})
    assert faults(path) == [("E292", ":1 $.objects[1]")]


def test_lengths_that_cannot_be_are_told(tmp_path: Path) -> None:
    wide = {"image": "a", "width": 10**30, "objects": [{"name": "dog", "box": [0, 0, 1e200, 1e200]}]}
    assert faults(lines(tmp_path, wide)) == [("E292", ":1"), ("E292", ":1 $.objects[0]")]


def test_a_key_twice_is_a_fault_in_every_format(tmp_path: Path) -> None:
    line = '{"image": "a", "objects": [{"name": "dog", "name": "cat"}], "objects": []}'
    assert faults(lines(tmp_path, line)) == [("E291", ":1")]
    line = '{"image": "a", "objects": [{"name": "dog", "name": "cat"}]}'
    assert faults(lines(tmp_path, line)) == [("E291", ":1 $.objects[0]")]
    path = coco(tmp_path, {})
    whole = path.read_text()
    path.write_text(whole.replace('"image_id": 9', '"image_id": 8, "image_id": 9'))
    assert faults(path) == [("E291", "$.annotations[0]")]
    for again in ('"images": []', '"annotations": [{"id": 0}]', '"x": 1, "x": 1'):
        path.write_text(whole.removesuffix("}") + f", {again}}}")
        assert faults(path) == [("E291", "$")]
    path.write_text(json.dumps([{"image_id": 1, "objects": []}]).replace("[]}", '[], "objects": []}'))
    assert faults(path) == [("E291", "$[0] (byte 1)")]
