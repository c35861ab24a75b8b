"""Visual Genome's files: what each oddity of an object becomes, and what stops with which places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgauge.annotations import Choice, read_annotations
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.scenes import Annotations, Box, Scene

REAL = Path(__file__).parents[1] / "data" / "vg_objects_sample.json"
WORDNET = WordNet()


def thing(number: int = 1, **said: Any) -> dict[str, Any]:
    """An object as the files have it, with other fields where said (None: without)."""
    whole = {"object_id": number, "x": 1, "y": 2, "w": 30, "h": 40, "names": ["zebra"],
             "synsets": ["zebra.n.01"], "merged_object_ids": []} | said  # fmt: skip
    return {key: value for key, value in whole.items() if value is not None}


def written(folder: Path, *pictures: Any, listed: str = "objects", sizes: Any = None) -> Path:
    """A file of pictures 1, 2 … with these lists of objects, and image_data.json where sizes are given."""
    path = folder / f"{listed}.json"
    lines = [{"image_id": at, listed: things} for at, things in enumerate(pictures, start=1)]
    path.write_text(json.dumps(lines))
    if sizes is not None:
        (folder / "image_data.json").write_text(json.dumps(sizes))
    return path


def read(path: Path, **choice: Any) -> Annotations:
    return read_annotations(path, hierarchy=WORDNET, choice=Choice(**choice))


def scene(folder: Path, *things: Any, sizes: Any = None, **choice: Any) -> tuple[Scene, list[Fault]]:
    """The scene of one picture with these objects, and the findings."""
    found = read(written(folder, list(things), sizes=sizes), **choice)
    return found.scenes["1"], list(found.findings)


def faults(path: Path, **choice: Any) -> list[tuple[str, str]]:
    """Code and place (without the file) of everything that stops."""
    with pytest.raises(InputError) as refused:
        read(path, **choice)
    return [(fault.code, fault.place.removeprefix(str(path)).strip()) for fault in refused.value.faults]


def codes(findings: list[Fault]) -> list[str]:
    return [fault.code for fault in findings]


def test_the_real_sample(tmp_path: Path) -> None:
    found = read(REAL)
    assert [len(found.scenes[image].things) for image in ("1", "2")] == [31, 25]
    assert found.hierarchy == "wordnet-3.0"
    assert found.facts["with a concept"] == "52 of 56 (92.9 %)"
    assert found.facts["picture sizes"] == "0 known (no image_data.json)"
    first = found.scenes["1"].things[0]
    assert (first.name, first.concept, first.box) == ("trees", "tree.n.01", Box(0, 0, 799, 557))
    assert found.scenes["1"].counts["tree.n.01"] == 2
    assert codes(list(found.findings)) == ["W290"]
    assert found.findings[0].found.startswith("4 objects have no concept")
    resolved = read(REAL, names="resolve")
    assert resolved.facts["resolved by name"] == "3 of 56 (5.4 %)"
    assert [t.concept for t in resolved.scenes["1"].things if t.name == "lamp post"] == ["lamppost.n.01"]


@pytest.mark.parametrize("listed", ["objects", "attributes"])
def test_the_lists_have_two_names_and_objects_one_or_several(tmp_path: Path, listed: str) -> None:
    things = [thing(1), thing(2, names=None, name="zebras", attributes=["big"])]
    found = read(written(tmp_path, things, listed=listed)).scenes["1"]
    assert [one.name for one in found.things] == ["zebra", "zebras"]


def test_scene_graphs_and_older_ids(tmp_path: Path) -> None:
    old = {"id": 7, "objects": [thing(object_id=None, id=3)], "relationships": [{"predicate": "on"}]}
    path = tmp_path / "anything.txt"
    path.write_text(json.dumps([old]))
    assert read(path).scenes["7"].counts == {"zebra.n.01": 1}


def test_several_synsets_the_first_counts_and_the_others_are_kept(tmp_path: Path) -> None:
    found, odd = scene(tmp_path, thing(synsets=["dog.n.01", "zebra.n.01", "dog.n.01"]))
    assert (found.things[0].concept, found.things[0].also) == ("dog.n.01", ("zebra.n.01",))
    assert codes(odd) == ["W291"]
    assert "1 object has several" in odd[0].found


def test_no_synset_means_no_concept_unless_names_are_resolved(tmp_path: Path) -> None:
    bare = [
        thing(1, synsets=[]),
        thing(2, synsets=None, names=["xyzzy", "zebras"]),
        thing(3, synsets=[], names=[]),
    ]
    found, odd = scene(tmp_path, *bare)
    assert [one.concept for one in found.things] == [None, None, None]
    assert codes(odd) == ["W290"]
    assert odd[0].found.startswith("3 objects")
    found, odd = scene(tmp_path, *bare, names="resolve")
    assert [one.concept for one in found.things] == ["zebra.n.01", "zebra.n.01", None]
    assert odd[0].found.startswith("1 object has no")


def test_an_unknown_synset_is_unresolved_or_an_error(tmp_path: Path) -> None:
    strange = [thing(1, synsets=["zebra.n.99"]), thing(2, synsets=["nowhere.n.99", "dog.n.01"])]
    found, odd = scene(tmp_path, *strange)
    assert [(one.concept, one.also) for one in found.things] == [(None, ()), (None, ("dog.n.01",))]
    assert codes(odd) == ["W290", "W291", "W294"]
    path = written(tmp_path, strange, [thing(3, synsets=["nobody.n.99"])])
    assert [code for code, _ in faults(path, unknown="error")] == ["E294"] * 3
    assert "objects[1]" in faults(path, unknown="error")[1][1]


def test_another_name_of_a_synset_is_that_synset(tmp_path: Path) -> None:
    found, odd = scene(tmp_path, thing(synsets=["domestic_dog.n.01"]))
    assert (found.things[0].concept, odd) == ("dog.n.01", [])


def test_synsets_that_are_no_nouns_are_kept_and_counted(tmp_path: Path) -> None:
    found, odd = scene(tmp_path, thing(1, synsets=["along.r.01"]), thing(2, synsets=["run.v.01"]))
    assert [one.concept for one in found.things] == ["along.r.01", "run.v.01"]
    assert codes(odd) == ["W295"]
    assert odd[0].found.startswith("2 objects")


def test_merged_and_doubled_objects_count_once(tmp_path: Path) -> None:
    merged = [thing(1), thing(2, merged_object_ids=[1, 99]), thing(3, merged_object_ids=[4]),
              thing(4, merged_object_ids=[3]), thing(2), thing(5, merged_object_ids=[5])]  # fmt: skip
    found, odd = scene(tmp_path, *merged)
    assert len(found.things) == 3, "2 stands for 1, 3 for 4, and 5 for itself"
    assert [(fault.code, fault.found.split()[0]) for fault in odd] == [("W296", "2"), ("W296", "1")]


def test_objects_without_a_box_are_counted(tmp_path: Path) -> None:
    found, odd = scene(tmp_path, thing(1), thing(2, x=None, y=None, w=None, h=None))
    assert found.counts == {"zebra.n.01": 2}
    assert len(found.boxes("zebra.n.01")) == 1
    assert [(fault.code, fault.found.split(",")[0]) for fault in odd] == [("W293", "1 object has no box")]


def test_boxes_beyond_the_picture_are_kept_or_cut(tmp_path: Path) -> None:
    sizes = [{"image_id": 1, "width": 20, "height": 10, "coco_id": None}]
    corners = ((-5, 0, 10, 10), (15, 5, 10, 10), (0, 0, 20, 10), (30, 2, 5, 5))
    beyond = [thing(at, x=x, y=y, w=w, h=h) for at, (x, y, w, h) in enumerate(corners)]
    found, odd = scene(tmp_path, *beyond, sizes=sizes)
    assert found.boxes("zebra.n.01")[0] == Box(-5, 0, 10, 10)
    assert (found.width, found.height) == (20, 10)
    assert [(fault.code, fault.found.split()[0]) for fault in odd] == [("W292", "3")]
    found, odd = scene(tmp_path, *beyond, sizes=sizes, boxes="clip")
    assert found.boxes("zebra.n.01") == (
        Box(0, 0, 5, 10),
        Box(15, 5, 5, 5),
        Box(0, 0, 20, 10),
        Box(20, 2, 0, 5),
    )
    assert [(fault.code, fault.found.split()[0]) for fault in odd] == [("W292", "3"), ("W293", "1")]


def test_boxes_without_an_area_are_kept(tmp_path: Path) -> None:
    found, odd = scene(tmp_path, thing(1, w=0), thing(2))
    assert [box.area for box in found.boxes("zebra.n.01")] == [0, 1200]
    assert [(fault.code, fault.found.split()[0]) for fault in odd] == [("W293", "1")]


def test_boxes_that_cannot_be_stop_with_the_path_of_each(tmp_path: Path) -> None:
    path = written(tmp_path, [thing(1, w=-3), thing(2, h=None)], [thing(3), thing(4, x=None, y=None, w=None)])
    assert [(code, place.split(" (")[0]) for code, place in faults(path)] == [
        ("E292", "$[0].objects[0]"),
        ("E292", "$[0].objects[1]"),
        ("E292", "$[1].objects[1]"),
    ]


def test_wrong_types_and_numbers_json_does_not_have_stop_all_at_once(tmp_path: Path) -> None:
    lines = [
        '{"image_id": 1, "objects": [{"x": "1"}, {"w": NaN, "h": -Infinity}, {"names": [3]}, {"w": 1e999}]}',
        '{"image_id": 2, "objects": {}}',
        '{"image_id": [3], "objects": [{"synsets": "zebra.n.01"}]}',
        '{"objects": []}',
    ]
    path = tmp_path / "objects.json"
    path.write_text(f"[{', '.join(lines)}]")
    assert [(code, place.split(" (")[0]) for code, place in faults(path)] == [
        ("E291", "$[0].objects[1].w"),
        ("E291", "$[0].objects[1].h"),
        ("E291", "$[0].objects[3].w"),
        ("E291", "$[0].objects[0].x"),
        ("E291", "$[0].objects[2].names[0]"),
        ("E291", "$[1].objects"),
        ("E291", "$[2].objects[0].synsets"),
        ("E291", "$[2].image_id"),
        ("E291", "$[3]"),
    ]


def test_a_picture_twice_stops_and_names_both(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    path.write_text(json.dumps([{"image_id": 1, "objects": []}, {"image_id": "1", "objects": []}]))
    with pytest.raises(InputError) as refused:
        read(path)
    (fault,) = refused.value.faults
    assert (fault.code, "$[1]" in fault.place, "$[0]" in fault.found) == ("E293", True, True)


def test_a_file_that_is_cut_off_stops_with_what_came_before(tmp_path: Path) -> None:
    path = written(tmp_path, [thing(1, w=-1)], [thing(2)])
    path.write_bytes(path.read_bytes()[:-20])
    assert [code for code, _ in faults(path)] == ["E292", "E290"]


def test_faults_of_sizes_are_told_with_those_of_objects(tmp_path: Path) -> None:
    sizes = [{"image_id": 1, "width": "wide"}, {"image_id": 2, "width": 0, "height": 5}, {"image_id": 2}, {}]
    path = written(tmp_path, [thing(1, w=-1)], [], sizes=sizes)
    with pytest.raises(InputError) as refused:
        read(path)
    assert [fault.code for fault in refused.value.faults] == ["E291", "E293", "E291", "E292", "E292"]


def test_only_pictures_asked_for_are_kept(tmp_path: Path) -> None:
    found = read(written(tmp_path, [thing(1)], [thing(2), thing(3, w=-1)]), images=frozenset({"1"}))
    assert list(found.scenes) == ["1"]
    assert found.facts["objects"] == "1, 1 with a box"


def test_a_choice_that_does_not_exist_stops() -> None:
    with pytest.raises(UsageError) as refused:
        Choice(names="guess", boxes="drop")  # type: ignore[arg-type]
    assert [(fault.code, fault.place) for fault in refused.value.faults] == [
        ("E296", "names"),
        ("E296", "boxes"),
    ]
