"""A scene that comes again is not taken apart again, and nobody can tell from the numbers."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import numpy as np
import pytest

from crossgauge.concepts import shelf as module
from crossgauge.concepts.scores import ConceptScores, concept_scores
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.shelf import Shelf
from crossgauge.concepts.sides import Vocabulary
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.errors import InputError
from crossgauge.scenes import Box, Scene, Thing
from tests.unit.test_concept_batches import NEAR, many, same


def shelf() -> Shelf:
    return Shelf(Vocabulary(SimilarityTable({})), ConceptSettings())


def scene(image: str, *names: str) -> Scene:
    return Scene(image, tuple(Thing(name, name) for name in names))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many scenes are taken apart, each time that some are."""
    taken: list[int] = []
    take = Shelf._take

    def counting(shelf: Shelf, scenes: Sequence[Scene]) -> None:
        taken.append(len(scenes))
        take(shelf, scenes)

    monkeypatch.setattr(Shelf, "_take", counting)
    return taken


def test_a_scene_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = counted(monkeypatch)
    truths, others = many(30)
    concept_scores(truths * 4, others * 4, hierarchy=NEAR, resamples=2, batch=40)
    assert sum(taken) == 60


def test_equal_scenes_are_still_two(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = counted(monkeypatch)
    one, other = scene("a", "dog"), scene("a", "dog")
    assert one == other
    assert shelf().numbers([one, other, one]).tolist() == [0, 1, 0]
    assert taken == [2]


def repeated(truths: list[Scene], others: list[Scene], batch: int) -> ConceptScores:
    return concept_scores(truths * 3, others * 3, hierarchy=NEAR, resamples=2, batch=batch)


@pytest.mark.parametrize(("name", "most"), [("SCENES", 3), ("ROWS", 20)])
def test_a_full_shelf_is_emptied(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    truths, others = many(40)
    whole = repeated(truths, others, 4096)
    monkeypatch.setattr(module, name, most)
    taken = counted(monkeypatch)
    assert same(whole, repeated(truths, others, 5))
    assert sum(taken) > 80


def test_no_scene_is_kept_alive_and_none_is_taken_for_one_that_was() -> None:
    kept = shelf()
    for names in (["dog"], ["cat", "cow"], ["owl", "bee", "ant"]) * 5:  # new scenes at the ids of dead ones
        one = scene("a", *names)
        number = int(kept.numbers([one])[0])
        shown = kept.shown
        assert shown.first[number + 1] - shown.first[number] == len(names)
        gone = weakref.ref(one)
        del one
        gc.collect()
        assert gone() is None


def test_what_cannot_be_leaves_nothing_behind() -> None:
    kept = shelf()
    good, bad = scene("a", "dog"), Scene("b", (Thing("dog", "dog", Box(0, 0, -1, 2)),))
    with pytest.raises(InputError, match="E287 b: "):
        kept.numbers([good, bad])
    with pytest.raises(InputError, match="E287 b: "):
        kept.numbers([bad])
    assert kept.numbers([good]).tolist() == [0]


def test_blanks_are_no_names() -> None:
    things = (Thing("dog", None), Thing(" ", None), Thing("", "dog"), Thing("cat", None))
    left, right = Scene("a", things), scene("b", "dog", "\t", "cow")
    settings = ConceptSettings(pairs="all")
    totals = concept_scores([left], [right], hierarchy={}, settings=settings, resamples=2).totals
    assert (totals.common_names, totals.exclusive_names) == (1, 2)


def test_faults_of_both_sides_are_told_at_once() -> None:
    bad = [Scene(name, (Thing("dog", "dog", Box(0, 0, np.nan, 2)),)) for name in "ab"]
    with pytest.raises(InputError) as caught:
        concept_scores([bad[0]], [bad[1]], hierarchy={}, resamples=2)
    assert [fault.place for fault in caught.value.faults] == ["a", "b"]


def test_what_takes_hours_to_match_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    box = Box(0, 0, 1, 1)
    crowd = Scene("crowd", tuple(Thing("dog", "dog", box) for _ in range(4)))
    names = scene("names", "a", "b", "c", "d")
    counted = Scene("counted", (Thing("dog", "dog", count=4), *scene("x", "cat", "owl").things))
    with pytest.raises(InputError) as caught:
        shelf().numbers([crowd, counted, names])
    assert [(fault.code, fault.place, fault.found) for fault in caught.value.faults] == [
        ("E311", "names", "4 different concepts"), ("E311", "crowd", "4 boxes of dog"),
    ]  # fmt: skip
    assert len(shelf().numbers([counted])) == 1
