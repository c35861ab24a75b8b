"""Concepts guessed by the embedded classifier: equal to what ConSE looks at, marked, and without boxes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from crossgauge.annotations import parse_predicted, predicted_annotations
from crossgauge.concepts.imagenet import imagenet_classes
from crossgauge.concepts.wordnet import WordNet
from crossgauge.errors import InputError, UsageError
from crossgauge.media import load_image
from crossgauge.models._conse_image import ImageTower
from crossgauge.models._imagenet_classifier import ImageNetClassifier
from crossgauge.registry import load
from crossgauge.types import Item

EMOJI = Path(load("benchmarks", "emoji").open.__code__.co_filename).parent / "data" / "emoji" / "images"
PICTURES = [Item(path.stem, image=path) for path in sorted(EMOJI.glob("*.png"))[::60]]


@pytest.fixture(scope="module")
def classifier() -> ImageNetClassifier:
    return ImageNetClassifier(threads=2)


def test_each_picture_gets_its_likeliest_classes(classifier: ImageNetClassifier) -> None:
    found = predicted_annotations(
        [*PICTURES, Item("a", text="no picture")], classifier, k=3, hierarchy=WordNet()
    )
    assert set(found.scenes) == {item.id for item in PICTURES}
    for scene in found.scenes.values():
        assert scene.predicted
        assert len(scene.concepts) == len(scene.things) == 3
        assert all(thing.box is None and thing.count == 1 for thing in scene.things)
        assert all(thing.concept in WordNet() for thing in scene.things)
    assert "efficientnet-lite0@" in found.facts["predicted by"]


def test_probabilities_are_of_all_classes_in_the_order_of_conse(
    classifier: ImageNetClassifier,
) -> None:
    tower = ImageTower(classifier._network)
    for item, guesses in zip(PICTURES, classifier.likeliest(PICTURES, 1000), strict=True):
        assert item.image is not None
        pixels = tower.square(load_image(item.image, item=item.id))
        best = tower.classes(pixels, 10)
        assert [name for name, _ in guesses[:10]] == [
            imagenet_classes()[n].concept for n in best.numbers.tolist()
        ]
        shares = np.array([share for _, share in guesses])
        assert shares.sum() == pytest.approx(1)
        assert (np.diff(shares) <= 0).all()
        assert shares[:10] / shares[:10].sum() == pytest.approx(best.shares)


def test_a_guess_does_not_depend_on_the_others(classifier: ImageNetClassifier) -> None:
    together = classifier.likeliest(PICTURES, 5)
    assert together == [
        guess for item in PICTURES for guess in ImageNetClassifier(threads=1).likeliest([item], 5)
    ]


def test_a_class_that_the_hierarchy_does_not_know_is_no_concept(classifier: ImageNetClassifier) -> None:
    class Empty(WordNet):
        def __contains__(self, concept: object) -> bool:
            return False

    found = predicted_annotations(PICTURES[:1], classifier, k=2, hierarchy=Empty())
    assert [thing.concept for thing in found.scenes[PICTURES[0].id].things] == [None, None]


def test_all_pictures_that_cannot_be_decoded_are_named(
    tmp_path: Path, classifier: ImageNetClassifier
) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    items = [Item(name, image=tmp_path / f"{name}.png") for name in "abc"]
    with pytest.raises(InputError) as refused:
        predicted_annotations(items, classifier, k=1, hierarchy=WordNet())
    assert len(refused.value.faults) == 2


@pytest.mark.parametrize(
    "text", ["predicted", "predicted:", "predicted:0", "predicted:101", "predicted:x", "predicted:-1"]
)
def test_a_number_of_classes_that_cannot_be_stops(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_predicted(text)
    assert refused.value.faults[0].code == "E299"
