"""What the boxes of a pair say must be what the lists beside them say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossgauge.concept_study import PairView
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.studies import study_pairs

Shown = dict[str, list[tuple[str, bool]]]  # picture → its objects, with or without a box
DOGS: Shown = {
    "right": [("dog", True), ("dog", True), ("park", True), ("tree", True)],
    "found": [("dog", True), ("park", False), ("cat", True)],
}


def viewed(folder: Path, shown: Shown, text: str = "", **settings: object) -> PairView:
    lines = [
        {"image": image, "objects": [
            {"synset": f"{name}.n.01", **({"box": [9 * at, 0, 4, 4]} if boxed else {})}
            for at, (name, boxed) in enumerate(objects)
        ]}
        for image, objects in shown.items()
    ]  # fmt: skip
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "pairs.csv").write_text(f"query_id,truth,retrieved,text\nq,right,found,{text}\n")
    chosen = ConceptSettings(**settings)  # type: ignore[arg-type]
    study = study_pairs(folder / "pairs.csv", concepts=str(folder / "a.jsonl"), settings=chosen)
    (pair,) = study.cells[0].examples
    return pair


def states(found: PairView, *, right: bool = True) -> list[tuple[str, str]]:
    scene = found.truth if right else found.retrieved
    return [] if scene is None else sorted((box.concept.partition(".")[0], box.state) for box in scene.boxes)


@pytest.mark.parametrize("synsets", ["first", "all"])
def test_a_box_without_partner_of_a_shared_concept_is_not_the_only_one(tmp_path: Path, synsets: str) -> None:
    found = viewed(tmp_path, DOGS, synsets=synsets)
    assert found.common == ("dog.n.01", "park.n.01")
    assert states(found) == [
        ("dog", "matched"), ("dog", "unpaired"), ("park", "unpaired"), ("tree", "only"),
    ]  # fmt: skip
    assert states(found, right=False) == [("cat", "only"), ("dog", "matched")]


def test_what_is_not_judged_may_still_be_shared(tmp_path: Path) -> None:
    found = viewed(tmp_path, DOGS, "a tree", variant="informed")
    assert found.common == ()
    assert states(found) == [
        ("dog", "unpaired"), ("dog", "unpaired"), ("park", "unpaired"), ("tree", "only"),
    ]  # fmt: skip
    assert states(found, right=False) == [("cat", "only"), ("dog", "unpaired")]


def test_without_anything_in_common_every_box_is_the_only_one(tmp_path: Path) -> None:
    found = viewed(tmp_path, {"right": [("dog", True)], "found": [("cat", True)]})
    assert (states(found), states(found, right=False)) == ([("dog", "only")], [("cat", "only")])
