"""What is wrong with a record is said in the words of the format, and hides nothing else that is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crossgauge.annotations import parse_predicted, read_annotations
from crossgauge.cli.audit_annotations import audit_annotations
from crossgauge.concepts.suspects import review
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.report import suspects as written
from crossgauge.scenes import Scene

WORDNET = WordNet()


def refused(folder: Path, *said: Any, name: str = "a.jsonl") -> list[Fault]:
    path = folder / name
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in said) + "\n")
    with pytest.raises(InputError) as error:
        read_annotations(path, hierarchy=WORDNET)
    return [
        Fault(one.code, one.place.removeprefix(f"{path}"), one.found, one.wanted, one.fix)
        for one in error.value.faults
    ]


def objects(*things: Any, **other: Any) -> dict[str, Any]:
    return {"image": "a", "objects": list(things), **other}


KEYS = "keys: synset, name, box, count"


@pytest.mark.parametrize(
    ("thing", "path", "found", "wanted", "fix"),
    [
        ({"name": "x", "bbox": [1]}, ".bbox", "the key 'bbox'", KEYS, "did you mean box?"),
        ({"name": "x", "area": 3}, ".area", "the key 'area'", KEYS, "drop it"),
        ({"name": "x", "count": "3"}, ".count", "'3', a text", "a whole number", "mend it there"),
        ({"name": "x", "count": 1.5}, ".count", "1.5, a number", "a whole number", "mend it there"),
        ({"name": "x", "count": True}, ".count", "true or false", "a whole number", "mend it there"),
        ({"name": "x", "box": [1]}, ".box", "a list of 1", "a list of 4", "mend it there"),
        ({"name": "x", "box": [1, "2", 3, 4]}, ".box[1]", "'2', a text", "a number", "mend it there"),
        ({"name": ["x"]}, ".name", "a list", "a text or null", "mend it there"),
        (3, "", "3, a whole number", "an object {…}", "mend it there"),
    ],
)
def test_each_part_is_named(
    tmp_path: Path, *, thing: Any, path: str, found: str, wanted: str, fix: str
) -> None:
    assert refused(tmp_path, objects(thing)) == [Fault("E291", f":1 $.objects[0]{path}", found, wanted, fix)]


def test_no_word_of_a_library_is_left(tmp_path: Path) -> None:
    odd: list[Any] = [None, True, 3, 1.5, "x", [], {}]
    keys = ("synset", "name", "box", "count", "other")
    things = [*odd, *({key: value} for key in keys for value in odd)]
    records = [objects(*things), *({"image": value} for value in odd), *odd, objects(width="x", height=[])]
    for fault in refused(tmp_path, *records):
        for part in (fault.found, fault.wanted, fault.fix):
            assert not {"`", "Expected", "Object", "this format"} & {
                word for word in ("`", "Expected", "Object", "this format") if word in part
            }, fault


def test_a_record_without_a_key_says_which_it_has(tmp_path: Path) -> None:
    (fault,) = refused(tmp_path, {"image": "a"})
    assert (fault.found, fault.wanted) == ("no 'objects'", "keys: image, objects, width, height")


def test_nothing_is_hidden_by_another_part_of_the_record(tmp_path: Path) -> None:
    things = [
        {"name": "a", "count": 0},
        {"name": "b", "count": "3", "box": [0, 0, -1, 1], "cuont": 2},
        {"name": "c", "count": 3, "box": [0, 0, 1, 1]},
        {"synset": 3},
        {},
        {"name": "d", "box": [0, float("nan"), 1, 1], "count": -1},
    ]
    found = refused(tmp_path, objects(*things, width="wide", height=-1))
    assert sorted((fault.place.partition("$")[2], fault.code) for fault in found) == [
        ("", "E292"),
        (".objects[0]", "E292"),
        (".objects[1]", "E292"),
        (".objects[1].count", "E291"),
        (".objects[1].cuont", "E291"),
        (".objects[2]", "E292"),
        (".objects[3].synset", "E291"),
        (".objects[4]", "E291"),
        (".objects[5]", "E292"),
        (".objects[5].box[1]", "E291"),
        (".width", "E291"),
    ]


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ('{"image": "a", "objects": [{"synset": "dog', " $.objects[0].synset", "it ends here, unfinished"),
        (
            '{"image": "a", "objects": [{"name": "x"}, {"count": 3',
            " $.objects[1].count",
            "it ends here, unfinished",
        ),
        (
            '{"image": "a", "objects": [], }',
            " $",
            "'}' where JSON has property name enclosed in double quotes",
        ),
        ('{"image": "a" "objects": []}', " $.image", "'\"objects\": []}' where JSON has ',' delimiter"),
        ('{"image": "a", "objects": []} x', "", "'x' where JSON has its end"),
    ],
)
def test_a_line_that_is_cut_off_says_where(tmp_path: Path, text: str, path: str, found: str) -> None:
    (fault,) = refused(tmp_path, objects({"name": "x"}) | {"image": "b"}, text)
    assert (fault.code, fault.found) == ("E291", found)
    assert fault.place.rstrip(" $") == f":2{path}".rstrip(" $")


@pytest.mark.parametrize(
    ("text", "name"), [("[]", "a.json"), ('{"images": [], "annotations": [], "categories": []}', "b.json")]
)
def test_a_file_without_a_picture_says_so(tmp_path: Path, text: str, name: str) -> None:
    (fault,) = refused(tmp_path, text, name=name)
    assert (fault.code, fault.found) == ("E290", "0 pictures")
    asked = ["--annotations", str(tmp_path / name)]
    assert "suspicious" not in CliRunner().invoke(audit_annotations, asked).output


def test_blank_space_is_called_so(tmp_path: Path) -> None:
    (fault,) = refused(tmp_path, "", " ")
    assert fault.found == "nothing but blank space"


@pytest.mark.parametrize("scenes", [[], [Scene("a", ())]])
def test_where_nothing_was_looked_at_nothing_is_said_to_look_well(scenes: list[Scene]) -> None:
    said = written.text(review(scenes, hierarchy=WORDNET), shown=3)
    assert "nothing looks suspicious" not in said
    assert "no object to look at" in said


@pytest.mark.parametrize(
    ("asked", "found"),
    [("predicted:0", "0 classes"), ("predicted:many", "'many'"), ("predicted", "no number")],
)
def test_predicted_says_what_it_was_given(asked: str, found: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_predicted(asked)
    assert [fault.found for fault in error.value.faults] == [found]
