"""A language that a tokenizer does not know is told beside its numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossgauge
from crossgauge.coverage import ASKED, Coverage, Covering, uncovered
from crossgauge.models import load_model
from crossgauge.types import Item
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_open_clip import make_clip as make_open_clip_model
from tests.models.make_sentence import make_bert
from tests.models.make_transformers import make_chinese_clip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> object:
    made = make_chinese_clip(tmp_path_factory.mktemp("model"))  # its vocabulary has none of Hindi's letters
    return load_model(f"transformers:{made.folder}")


def test_hindi_is_told_and_english_is_not(encoder: object) -> None:
    result = crossgauge.evaluate("emoji", encoder, languages=["en", "hi"], tasks=["t2i"], limit=12)
    warnings = {cell.language: " ".join(cell.warnings) for cell in result.cells}
    assert "W680" in warnings["hi"]
    assert "the tokenizer does not cover hi" in warnings["hi"]
    assert "W680" not in warnings["en"]


def make_open_clip(folder: Path) -> str:
    return f"open-clip:{make_open_clip_model(folder).name}"


def make_exported(folder: Path) -> str:
    make_towers(folder / "onnx", make_dual(folder / "dual"))
    return f"onnx:{folder / 'onnx'}"


def make_sentence(folder: Path) -> str:
    return f"sentence-transformers:{make_bert(folder)}"


def make_both(folder: Path) -> str:
    made = make_chinese_clip(folder).folder
    return f"pair:image=transformers:{made};text=transformers:{made}"


@pytest.mark.parametrize("make", [make_open_clip, make_exported, make_sentence, make_both])
def test_each_family_says_how_its_tokenizer_cuts(make: Callable[[Path], str], tmp_path: Path) -> None:
    encoder: Any = load_model(make(tmp_path / "model"))
    assert isinstance(encoder, Covering)
    encoder.encode([encoder.prepare(Item("a", text="a bee"))], role="query")  # weights, where it needs them
    one, two = encoder.coverage(["a bee"]), encoder.coverage(["a bee", "a bee"])
    assert one is not None
    assert 2 <= one.pieces <= 5
    assert (one.unknown, two.pieces) == (0, 2 * one.pieces)
    strange = encoder.coverage(["\N{CHEROKEE LETTER A}\N{CHEROKEE LETTER GE}"])
    assert strange.unknown or strange.pieces > 1.5 * 2


class Byte:
    """A model whose tokenizer cuts every text into the bytes of its characters, and knows some of them."""

    name = "byte"

    def __init__(self, unknown: str = "") -> None:
        self.unknown = unknown
        self.asked: list[str] = []

    def coverage(self, texts: list[str]) -> Coverage:
        self.asked += texts
        pieces = sum(len(text.encode()) for text in texts)
        return Coverage(pieces, sum(text.count(letter) for text in texts for letter in self.unknown))


def told(model: object, *items: Item) -> list[str]:
    return list(uncovered(model, items, "hi"))  # type: ignore[arg-type]


def test_bytes_for_characters_are_a_hint() -> None:
    """Three bytes a letter of Devanagari, one a letter of English."""
    (said,) = told(Byte(), Item("a", text="मधुमक्खी"))
    assert said.startswith("W681 model byte: the tokenizer hardly covers hi: 3.0 pieces a character")
    assert told(Byte(), Item("a", text="a bee")) == []


def test_a_tenth_of_unknown_pieces_is_not_yet_told() -> None:
    nine_of_ten, eight_of_ten = Item("a", text="aaaaaaaaax"), Item("a", text="aaaaaaaaxx")
    assert told(Byte(unknown="x"), nine_of_ten) == []
    (said,) = told(Byte(unknown="x"), eight_of_ten)
    assert said.startswith("W680 model byte: the tokenizer does not cover hi: 20 % of the pieces")


def test_every_phrasing_counts_and_each_text_once() -> None:
    model = Byte()
    told(model, Item("a", text="b", ensemble=("c", "b")), Item("d", text="b"), Item("e"))
    assert model.asked == ["b", "c"]


def test_no_more_texts_are_looked_at_than_tell() -> None:
    model = Byte()
    told(model, *(Item(str(n), text=f"{n:06}") for n in range(2 * ASKED + 1)))
    assert len(model.asked) <= ASKED
    assert model.asked[-1] > f"{2 * ASKED - 3:06}", "spread over all of them"


def test_who_cannot_say_is_not_asked() -> None:
    assert not isinstance(load_model("random:8"), Covering)
    assert told(load_model("random:8"), Item("a", text="मधुमक्खी")) == []
