"""Captioners that run anywhere: labels, the nearest training picture, and code of one's own."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from crossgauge import evaluate, registry
from crossgauge.benchmark import PLAIN
from crossgauge.captioning import caption_items
from crossgauge.concepts.imagenet import imagenet_classes
from crossgauge.errors import InputError, UsageError
from crossgauge.models import load_model
from crossgauge.models._conse import CLASSES
from crossgauge.models._imagenet_classifier import ImageNetClassifier
from crossgauge.models.python import model as own_code
from crossgauge.types import Captioner, Encoder, Item
from tests.unit.test_embeddings import Noting

WRITERS = """
class Upper:
    name, revision, modalities, joint, languages = "upper", "1", frozenset({"text"}), False, None
    def __init__(self, word="!"): self.word = word
    def prepare(self, item): return item.text
    def caption(self, prepared, *, language): return [text.upper() + self.word for text in prepared]

def factory(): return Upper("?")
made = Upper("#")
class Nested: Inner = Upper
def broken(): raise ValueError("no weights")
number = 7
"""


@pytest.fixture
def emoji() -> tuple[Item, ...]:
    pictures: tuple[Item, ...] = registry.load("benchmarks", "emoji").open(None, {}).media()
    return pictures[:12]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    registry.load("benchmarks", "folder").sample(tmp_path / "pics")
    return tmp_path / "pics"


def test_labels_are_the_likeliest_classes_best_first(emoji: tuple[Item, ...]) -> None:
    model = load_model("caption:labels:3")
    found = caption_items(model, emoji, language="en")
    names = dict(json.loads(CLASSES.read_bytes()))
    by_concept = {one.concept: names[one.wnid] for one in imagenet_classes()}
    guesses = ImageNetClassifier().likeliest(emoji, 3)
    assert found == tuple(", ".join(by_concept[concept] for concept, _ in some) for some in guesses)
    assert len(set(found)) > 6


def test_labels_are_the_same_alone_and_in_a_batch(emoji: tuple[Item, ...]) -> None:
    model = load_model("caption:labels")
    prepared = [model.prepare(item) for item in emoji]
    assert model.caption(prepared, language="de") == [
        caption for one in prepared for caption in model.caption([one], language="en")
    ]


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("caption", "E412"), ("caption:", "E412"), ("caption:poem", "E412"), ("caption:labels:0", "E412"),
        ("caption:labels:11", "E412"), ("caption:labels:x", "E412"), ("caption:labels:", "E412"),
        ("caption:nearest", "E412"), ("caption:nearest:", "E412"), ("caption:nearest:no such folder", "E131"),
        ("caption:nearest:no-benchmark=x", "E110"), ("embed:", "E412"), ("embed:grpc:x", "E412"),
        ("python", "E412"), ("python:json", "E412"), ("python:json:", "E412"), ("python::x", "E412"),
        ("python:no_such_module_here:x", "E416"), ("python:json:no_such", "E416"),
        ("python:json:loads", "E416"), ("python:json:JSONDecoder", "E413"),
        ("python:json:__name__:x", "E416"),
    ],
)  # fmt: skip
def test_names_that_mean_no_model(spec: str, code: str) -> None:
    with pytest.raises((UsageError, InputError)) as caught:
        load_model(spec)
    assert caught.value.faults[0].code == code


def test_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(
        UsageError, match=r"labels\[:HOW_MANY\] \| caption:nearest:TRAIN.* \| caption:openai:MODEL"
    ):
        load_model("caption:poem")


def test_nearest_is_the_caption_of_the_nearest(folder: Path) -> None:
    """By hand: conse's vectors, the largest dot product, the first of the picture's captions."""
    model, conse = load_model(f"caption:nearest:{folder}"), load_model("conse")
    assert isinstance(conse, Encoder)
    train = registry.load("benchmarks", "folder").open(folder, {"split": "train"}).split("i2t", "de", PLAIN)
    test = registry.load("benchmarks", "folder").open(folder, {"split": "test"}).media()

    def vectors(items: tuple[Item, ...]) -> np.ndarray:
        return conse.encode([conse.prepare(item) for item in items], role="query").astype(np.float64)

    best = np.argmax(vectors(test) @ vectors(train.queries).T, axis=1)
    texts = [train.corpus[train.qrels.items[train.qrels.start[at]]].text for at in best]
    assert caption_items(model, test, language="de") == tuple(texts)
    assert set(texts) <= {"circle 4", "square 5"}
    assert model.languages == {"de", "en", "ja"}


def test_nearest_in_a_language_it_lacks_has_no_answer(folder: Path) -> None:
    model = load_model(f"caption:nearest:{folder}")
    items = registry.load("benchmarks", "folder").open(folder, {}).media()
    assert caption_items(model, items, language="tr") == (None,) * len(items)
    assert caption_items(model, items, language="en-GB") == caption_items(model, items, language="en")
    assert caption_items(model, items, language=None) == caption_items(model, items, language="de")


def test_nearest_takes_texts_without_a_language_for_any(tmp_path: Path, folder: Path) -> None:
    rows = [{"image": f"images/{name}.png", "text": name} for name in ("red circle", "blue square")]
    table = folder / "train.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model, told = load_model(f"caption:nearest:{table}"), Noting()
    items = [Item("x", image=folder / "images" / "red circle.png")]
    assert caption_items(model, items, language="sw", progress=told) == ("red circle",)
    assert model.languages is None
    assert any("W415" in note and "1 pictures are in TRAIN too" in note for note in told.notes)


def test_nearest_refuses_data_whose_splits_have_no_training(folder: Path) -> None:
    text = (folder / "metadata.jsonl").read_text().replace('"train"', '"dev"')
    (folder / "metadata.jsonl").write_text(text)
    with pytest.raises(UsageError, match="E130"):
        load_model(f"caption:nearest:{folder}")
    (folder / "metadata.jsonl").write_text('{"image": "images/red circle.png", "label": "a"}\n')
    with pytest.raises(InputError, match="E419"):
        load_model(f"caption:nearest:{folder}")


def test_nearest_depends_on_its_training_data(folder: Path, tmp_path: Path) -> None:
    before = load_model(f"caption:nearest:{folder}")
    assert load_model(f"caption:nearest:{folder}").revision == before.revision
    shutil.copytree(folder, tmp_path / "other")
    text = (folder / "metadata.jsonl").read_text().replace("circle 4", "circle four")
    (tmp_path / "other" / "metadata.jsonl").write_text(text)
    assert load_model(f"caption:nearest:{tmp_path / 'other'}").revision != before.revision


def test_nearest_reads_the_training_split_of_a_benchmark(tmp_path: Path) -> None:
    registry.load("benchmarks", "gem").sample(tmp_path / "GEM")
    result = evaluate("gem", f"caption:nearest:gem={tmp_path / 'GEM'}", tmp_path / "GEM")
    by_language = {cell.language: cell.scores[0] for cell in result.cells}
    assert by_language["en"].n_missing == 0
    assert by_language["en"].value > 0.2, "the training queries share words with the test's"
    assert by_language["de"].n_missing == by_language["de"].n


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "writers_of_mine.py").write_text(WRITERS)
    yield "writers_of_mine"
    sys.modules.pop("writers_of_mine", None)


@pytest.mark.parametrize(
    ("attribute", "written"),
    [("Upper", "BEE!"), ("factory", "BEE?"), ("made", "BEE#"), ("Nested.Inner", "BEE!"), ("Upper:+", "BEE+")],
)
def test_code_of_ones_own(module: str, attribute: str, written: str) -> None:
    model = load_model(f"python:{module}:{attribute}")
    assert isinstance(model, Captioner)
    assert caption_items(model, [Item("a", text="bee")], language="en") == (written,)


def test_code_of_ones_own_that_cannot_be_used(module: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"E416 .*broken\(\) raised ValueError: no weights"):
        load_model(f"python:{module}:broken")
    with pytest.raises(UsageError, match=r"E416 .*has no Uper; it is .*writers_of_mine.py"):
        load_model(f"python:{module}:Uper")
    with pytest.raises(UsageError, match="E413"):
        load_model(f"python:{module}:number")
    (tmp_path / "half_written.py").write_text("import no_such_dependency")
    with pytest.raises(UsageError, match=r"E416 .*ModuleNotFoundError: No module named 'no_such_dependency'"):
        load_model("python:half_written:Model")


def test_a_file_of_ones_own_never_stands_for_an_installed_package(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fractions.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.delitem(sys.modules, "fractions", raising=False)
    assert str(own_code("fractions:Fraction:0.5")) == "1/2"
