"""Suspicious annotations: what is named, with which reason and suggestion, and in which order."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from crossgauge.annotations import read_annotations
from crossgauge.cli import main
from crossgauge.concepts.custom import read_hierarchy
from crossgauge.concepts.scores import concept_scores
from crossgauge.concepts.suspects import REASONS, Retrieval, Review, Suspect, review
from crossgauge.concepts.suspects.boxes import overlap
from crossgauge.concepts.wordnet import WordNet
from crossgauge.report import suspects as written
from crossgauge.scenes import Box, Scene, Thing

DATA = Path(__file__).parents[1] / "data" / "vg_objects_sample.json"
WORDNET = WordNet()
# the truth of the worked example of Lymperaiou et al., COLING 2022: branch.n.01 is a part of a firm
EXAMPLE = ["trunk", "hill", "tree", "sky", "field", "branch", "head", "leg", "leaf", "zebra", "mane"]


def scene(image: str, *names: str, size: int | None = 100, sense: str = "01") -> Scene:
    return Scene(image, tuple(Thing(name, f"{name}.n.{sense}") for name in names), size, size)


def boxed(*boxes: Box, size: int | None = 100, concepts: Sequence[str | None] = ()) -> Scene:
    given = list(concepts) or ["dog.n.01"] * len(boxes)
    return Scene("1", tuple(Thing("dog", c, b) for c, b in zip(given, boxes, strict=True)), size, size)


def found(*scenes: Scene, retrievals: Sequence[Retrieval] = ()) -> Review:
    return review(scenes, hierarchy=WORDNET, retrievals=retrievals)


def reasons(*scenes: Scene) -> list[tuple[str, int | None]]:
    return [(one.reason, one.object) for one in found(*scenes).suspects]


@pytest.mark.parametrize(
    ("box", "reason", "severity"),
    [
        (Box(10, 10, 0, 5), "no-area", 1.0),
        (Box(10, 10, -3, 5), "no-area", 1.0),
        (Box(90, 10, 20, 10), "outside", 0.5),
        (Box(-5, 0, 10, 10), "outside", 0.5),
        (Box(200, 200, 10, 10), "outside", 1.0),
        (Box(0, 0, 200, 100), "larger-than-picture", 0.5),
    ],
)
def test_a_box_that_cannot_be_is_named(box: Box, reason: str, severity: float) -> None:
    suspects = found(boxed(box)).suspects
    assert [(one.reason, one.object, one.box) for one in suspects] == [(reason, 1, box)]
    assert suspects[0].severity == pytest.approx(severity)


@pytest.mark.parametrize("box", [Box(0, 0, 100, 100), Box(-1, 0, 101, 101), Box(99, 99, 2, 2)])
def test_a_pixel_of_rounding_is_no_reason(box: Box) -> None:
    assert reasons(boxed(box)) == []


def test_a_picture_of_unknown_size_has_only_two_edges() -> None:
    review_ = found(boxed(Box(500, 500, 9, 9), size=None))
    assert review_.suspects == ()
    assert "1 picture of unknown size" in review_.facts["edges not checked"]
    assert reasons(boxed(Box(-9, 500, 18, 9), size=None)) == [("outside", 1)]


def test_two_boxes_of_one_object_are_named_once_at_the_later() -> None:
    near, far = Box(10, 10, 50, 50), Box(10, 10, 50, 51)
    suspects = found(boxed(near, far, Box(70, 70, 5, 5))).suspects
    assert [(one.reason, one.object) for one in suspects] == [("doubled", 2)]
    assert suspects[0].severity == pytest.approx(50 / 51)
    assert suspects[0].evidence == "covers object 1, 'dog', by 98.0 % (IoU)"
    assert reasons(boxed(near, near, near)) == [("doubled", 2), ("doubled", 3)]


def test_boxes_of_other_concepts_or_with_less_in_common_are_not_doubled() -> None:
    near = Box(10, 10, 50, 50)
    assert reasons(boxed(near, near, concepts=["dog.n.01", "cat.n.01"])) == []
    assert reasons(boxed(near, Box(10, 10, 50, 45))) == []  # IoU is 0.9, not above it
    assert overlap([near, Box(100, 100, 1, 1)]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_name_that_means_a_concept_is_suggested() -> None:
    things = (
        Thing("Lamp posts", None),
        Thing("qwrtz", None),
        Thing("dog", "dog.n.01"),
        Thing("cat", "x.n.99"),
    )
    suspects = found(Scene("1", things, 9, 9)).suspects
    assert [(one.reason, one.object, one.suggestion) for one in suspects] == [
        ("unknown-concept", 4, "cat.n.01"), ("unresolved", 1, "lamppost.n.01"),
    ]  # fmt: skip


def test_a_sense_that_is_wrong_everywhere_is_named_once() -> None:
    forests = [
        scene(str(n), "tree", "leaf", "trunk", "branch", *more)
        for n, more in enumerate([["sky"], ["hill"], []])
    ]
    suspects = found(*forests).suspects
    assert [(one.reason, one.concept, one.suggestion) for one in suspects] == [
        ("better-sense", "branch.n.01", "branch.n.02")
    ]
    assert suspects[0].evidence.startswith("in 3 of 3 pictures branch.n.02 is nearer to the rest")
    assert suspects[0].object == 4


@pytest.mark.parametrize("usual", [2, 4, 12])
def test_a_sense_that_is_odd_in_one_picture_is_named_there(usual: int) -> None:
    farms = [scene(f"{n:02}", "mouse", "cat", "dog", "rat") for n in range(usual)]
    desk = scene("desk", "keyboard", "mouse", "computer")
    assert odd(*farms, desk) == [("desk", 2, "mouse.n.04")]
    assert odd(*farms[:1], desk) == []  # one picture more shows no habit
    (one,) = (one for one in found(*farms, desk).suspects if one.reason == "odd-sense")
    assert f"in {usual} other pictures mouse.n.01 fits 1.5 times as well, and best" in one.evidence
    assert 0 < one.severity < 1


def forests(*senses: str) -> list[Scene]:
    """Pictures of trees, with the branch of a firm (01) or of a tree (02)."""
    rest = tuple(Thing(name, f"{name}.n.01") for name in ("tree", "leaf", "trunk", "grass"))
    return [
        Scene(str(n), (*rest, Thing("branch", f"branch.n.{sense}")), 640, 480)
        for n, sense in enumerate(senses)
    ]


def odd(*scenes: Scene) -> list[tuple[str, int | None, str]]:
    return [
        (one.image, one.object, one.suggestion)
        for one in found(*scenes).suspects
        if one.reason == "odd-sense"
    ]


@pytest.mark.parametrize("others", [2, 7, 29])
def test_a_sense_unlike_that_of_other_pictures_is_named(others: int) -> None:
    pictures = forests("01", *["02"] * others)
    assert odd(*pictures) == [("0", 5, "branch.n.02")]
    assert f"{others} other pictures show branch.n.02" in found(*pictures).suspects[0].evidence


def test_nothing_unrelated_changes_what_is_odd() -> None:
    wanted = [("0", 5, "branch.n.02")]
    pictures = forests("01", *["02"] * 29)
    more = {3: "dog.n.01", 5: "depository_financial_institution.n.01", 6: "mouse.n.04", 8: "walk.v.01"}
    mixed = [
        Scene(one.image, (*one.things, Thing("more", more[n])), 640, 480) if n in more else one
        for n, one in enumerate(pictures)
    ]
    unlike = [scene(f"x{n}", *names) for n, names in enumerate([("dog", "cat"), ("sky", "sea", "idea")] * 20)]
    for scenes in (mixed, [*pictures, *unlike], [*mixed, *unlike], pictures[:3]):
        assert odd(*scenes) == wanted


@pytest.mark.parametrize("firms", range(1, 10))
def test_two_habits_of_a_data_set_make_no_difference(firms: int) -> None:
    """However many of both there are, the firm's branch among trees is named, and only that."""
    named = [image for image, _, _ in odd(*forests(*["01"] * firms, *["02"] * (12 - firms)))]
    assert sorted(named, key=int) == [str(n) for n in range(firms)]


@pytest.mark.parametrize("desks", range(1, 12))
def test_what_is_no_exception_is_not_named_for_it(desks: int) -> None:
    farms = [scene(f"farm{n}", "mouse", "cat", "dog", "rat") for n in range(13 - desks)]
    offices = [scene(f"desk{n}", "keyboard", "mouse", "computer") for n in range(desks)]
    wanted = {one.image for one in offices} if 10 * len(farms) >= 8 * 12 else set()
    assert {image for image, _, _ in odd(*farms, *offices)} == wanted
    shown = [Scene(f"known{n}", (Thing("mouse", "mouse.n.04"),)) for n in range(2)]
    assert {image for image, _, _ in odd(*farms, *offices, *shown)} == {one.image for one in offices}


def test_the_worked_example_names_the_firm_s_branch_when_asked_of_two_pictures() -> None:
    suspects = found(scene("1", *EXAMPLE), scene("2", *EXAMPLE)).suspects
    assert [(one.reason, one.concept, one.suggestion) for one in suspects] == [
        ("better-sense", "branch.n.01", "branch.n.02")
    ]


def test_one_picture_shows_no_habit() -> None:
    assert reasons(scene("1", "tree", "leaf", "branch")) == []


def test_a_hierarchy_without_senses_says_so(tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("child,parent\ndog,animal\ncat,animal\n", encoding="utf-8")
    scenes = [Scene("1", (Thing("dogs", None), Thing("cat", "cat")), 9, 9)]
    made = review(scenes, hierarchy=read_hierarchy(table))
    assert [(one.reason, one.suggestion) for one in made.suspects] == [("unresolved", "dog")]
    assert "one meaning each" in made.facts["senses not checked"]


NAMES = tuple(f"x{n}" for n in range(20))


def pairs(judge: str, best: float) -> tuple[list[Scene], list[Retrieval]]:
    """Twenty pairs that a judge orders as CA does, but for the first and the last, which contradict."""
    truths = [Scene(f"t{n:02}", tuple(Thing(name, name) for name in NAMES), 9, 9) for n in range(20)]
    shown = [Scene(f"r{n:02}", truths[n].things[: n + 1], 9, 9) for n in range(20)]
    step = best / 1000  # in the direction of the judge
    worth = [best, *(n * step for n in range(1, 19)), -best]
    made = [
        Retrieval(f"t{n:02}", f"r{n:02}", f"q{n}", **{judge: value})  # type: ignore[arg-type]
        for n, value in enumerate(worth)
    ]
    return [*truths, *shown], made


def contradicting(scenes: Sequence[Scene], made: Sequence[Retrieval]) -> list[tuple[str, str, str]]:
    wanted = {"far-but-similar", "far-but-well-rated", "near-but-badly-rated"}
    suspects = review(scenes, hierarchy=WORDNET, retrievals=made).suspects
    return [(one.reason, one.image, one.other) for one in suspects if one.reason in wanted]


def test_pairs_that_contradict_are_named() -> None:
    scenes, made = pairs("rating", 9.0)
    assert contradicting(scenes, made) == [
        ("near-but-badly-rated", "t19", "r19"), ("far-but-well-rated", "t00", "r00"),
    ]  # fmt: skip
    scenes, made = pairs("similarity", 9.0)
    assert contradicting(scenes, made) == [("far-but-similar", "t00", "r00")]
    scenes, made = pairs("rank", -9.0)  # a low rank is near
    assert contradicting(scenes, made) == [("far-but-similar", "t00", "r00")]


def test_pairs_that_agree_or_are_few_or_do_not_differ_are_not_named() -> None:
    scenes, made = pairs("rating", 9.0)
    assert contradicting(scenes, made[:9]) == []
    assert contradicting(scenes, made[1:19]) == []
    assert contradicting(scenes, [Retrieval(one.truth, one.retrieved, rating=5.0) for one in made]) == []
    same = [Retrieval(one.truth, one.truth, rating=one.rating) for one in made]
    assert contradicting(scenes, same) == []
    assert contradicting([], made) == []


def test_the_concepts_in_common_are_those_of_the_measure() -> None:
    scenes, made = pairs("similarity", 9.0)
    by_id = {one.image: one for one in scenes}
    one = review(scenes, hierarchy=WORDNET, retrievals=made).suspects
    shown = next(s for s in one if s.reason == "far-but-similar")
    scores = concept_scores([by_id["t00"]], [by_id["r00"]], hierarchy={("x1", "x2"): 0.5})
    assert shown.evidence.startswith(f"CA {scores['ca'].value:.3f}, similarity 9")
    assert shown.severity == pytest.approx((1 - scores["ca"].value) * 19 / 20)


def test_the_list_is_the_same_whatever_the_order_of_pictures() -> None:
    things = (Thing("lamp post", None), Thing("x", "nothing.n.77"), Thing("tree", "tree.n.01"))
    scenes = [boxed(Box(90, 10, 20, 10), Box(0, 0, 0, 0)), *(Scene(str(n), things) for n in (10, 9, 2))]
    first, second = found(*scenes), found(*reversed(scenes))
    assert first.suspects == second.suspects
    assert [one.severity for one in first.suspects] == sorted(
        (s.severity for s in first.suspects), reverse=True
    )
    assert [one.image for one in first.suspects if one.reason == "unresolved"] == ["2", "9", "10"]


def test_every_reason_is_explained_and_counted() -> None:
    counts = found(boxed(Box(0, 0, 0, 1))).counts
    assert list(counts) == list(REASONS)
    assert counts["no-area"] == 1


def test_the_sample_of_visual_genome() -> None:
    annotations = read_annotations(DATA, hierarchy=WORDNET)
    suspects = review(annotations.scenes.values(), hierarchy=WORDNET).suspects
    assert [(one.reason, one.image, one.name, one.suggestion) for one in suspects] == [
        ("better-sense", "2", "sign", "signboard.n.01"),
        ("unresolved", "1", "lamp post", "lamppost.n.01"),
        ("unresolved", "2", "street light", "streetlight.n.01"),
        ("unresolved", "2", "street light", "streetlight.n.01"),
    ]


def test_the_list_is_harmless_in_a_spreadsheet() -> None:
    suspect = Suspect(0.5, "unresolved", "=1+1", "evil\x1b[31m", 1, "@name")
    line = next(csv.DictReader(io.StringIO(written.table(Review((suspect,), {})))))
    assert (line["image"], line["name"], line["severity"]) == ("'=1+1", "'@name", "0.5")
    assert "\x1b" not in line["evidence"]
    assert "\x1b" not in written.text(Review((suspect,), {}), shown=5)


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    return int(done.value.code or 0)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "list.csv"
    assert call("audit-annotations", "--annotations", DATA, "-o", out, "--show", 1) == 0
    shown = capsys.readouterr().out
    assert "3  unresolved: no concept, although the name means one" in shown
    assert "… and 3 more" in shown
    lines = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [line["suggestion"] for line in lines] == ["signboard.n.01", "lamppost.n.01"] + [
        "streetlight.n.01"
    ] * 2
    assert call("audit-annotations", "--annotations", DATA, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["suspects"]) == 4
    assert document["reasons"]["unresolved"]["count"] == 3


def test_the_command_takes_pairs_and_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenes, made = pairs("rating", 9.0)
    table = tmp_path / "own.csv"
    table.write_text("child,parent\n" + "".join(f"{name},thing\n" for name in NAMES), encoding="utf-8")
    objects = tmp_path / "objects.jsonl"
    listed = [(one.image, [{"synset": thing.concept} for thing in one.things]) for one in scenes]
    lines = [json.dumps({"image": image, "objects": things}) + "\n" for image, things in listed]
    objects.write_text("".join(lines), encoding="utf-8")
    rows = [f"{one.query},{one.truth},{one.retrieved}\n" for one in made]
    (tmp_path / "pairs.csv").write_text("query,truth,retrieved\n" + "".join(rows), encoding="utf-8")
    rated = [f"{one.query},{one.retrieved},ann,{5 + (one.rating or 0) / 2}\n" for one in made]
    (tmp_path / "study.csv").write_text("query,image,rater,score\n" + "".join(rated), encoding="utf-8")
    command = ["audit-annotations", "--annotations", objects, "--hierarchy", table, "--json"]
    assert call(*command, "--pairs", tmp_path / "pairs.csv", "--ratings", tmp_path / "study.csv") == 0
    document = json.loads(capsys.readouterr().out)
    assert [(one["reason"], one["other"]) for one in document["suspects"]] == [
        ("near-but-badly-rated", "r19"), ("far-but-well-rated", "r00"),
    ]  # fmt: skip
    assert call(*command, "--ratings", tmp_path / "study.csv") == 2
    (tmp_path / "pairs.csv").write_text("truth,retrieved,rank\na,b,x\n,b,1\n", encoding="utf-8")
    assert call(*command, "--pairs", tmp_path / "pairs.csv") == 3
    said = capsys.readouterr().err
    assert "E192" in said
    assert "E191" in said


def test_every_unknown_synset_and_every_verb_is_listed_with_what_the_name_means(tmp_path: Path) -> None:
    objects = [
        [{"name": "zebra", "synset": "zebbra.n.01"}, {"name": "fire hydrant", "synset": "dog.v.01"}],
        [{"name": "zebra", "synset": "zebbra.n.01"}, {"synset": "quickly.r.01"}, {"name": "cat"}],
    ]
    path = tmp_path / "objects.jsonl"
    path.write_text("".join(json.dumps({"image": str(at), "objects": one}) + "\n" for at, one in
                            enumerate(objects, start=1)))  # fmt: skip
    read = read_annotations(path, hierarchy=WORDNET)
    listed = [
        (one.reason, one.image, one.object, one.concept, one.suggestion)
        for one in review(read.scenes.values(), hierarchy=WORDNET).suspects
    ]
    assert listed == [
        ("unknown-concept", "1", 1, "zebbra.n.01", "zebra.n.01"),
        ("unknown-concept", "2", 1, "zebbra.n.01", "zebra.n.01"),
        ("no-noun", "1", 2, "chase.v.01", "fireplug.n.01"),
        ("no-noun", "2", 2, "quickly.r.01", ""),
        ("unresolved", "2", 3, "", "cat.n.01"),
    ]


def test_each_unknown_synset_of_an_object_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    thing = {"x": 1, "y": 1, "w": 9, "h": 9, "names": ["dog"], "synsets": ["dog.n.01", "dogg.n.01", "y.n.09"]}
    path.write_text(json.dumps([{"image_id": 1, "objects": [thing]}]))
    read = read_annotations(path, hierarchy=WORDNET)
    suspects = review(read.scenes.values(), hierarchy=WORDNET).suspects
    assert [(one.reason, one.concept) for one in suspects] == [
        ("unknown-concept", "dogg.n.01"),
        ("unknown-concept", "y.n.09"),
    ]
