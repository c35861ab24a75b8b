"""A language that a tokenizer does not know is told beside its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossgauge
from crossgauge import registry
from crossgauge.coverage import ASKED, Coverage, Covering, uncovered
from crossgauge.models import load_model
from crossgauge.types import Item
from tests.models.make_captioners import make_blip, make_llava
from tests.models.make_onnx import make_dual, make_towers
from tests.models.make_open_clip import make_clip as make_open_clip_model
from tests.models.make_sentence import make_bert, make_router
from tests.models.make_sentence import make_static as make_static_model
from tests.models.make_transformers import make_chinese_clip
from tests.models.make_vlm2vec import make_paligemma, make_qwen2_vl


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


def make_static(folder: Path) -> str:
    return f"sentence-transformers:{make_static_model(folder)}"


def make_routes(folder: Path) -> str:
    return f"sentence-transformers:{make_router(folder)}"


def make_embedder(folder: Path) -> str:
    return f"vlm2vec:{make_qwen2_vl(folder).folder}"


def make_unigrams(folder: Path) -> str:
    return f"vlm2vec:{make_paligemma(folder).folder}"


def make_writer(folder: Path) -> str:
    return f"caption:transformers:{make_blip(folder).folder}"


def make_chat(folder: Path) -> str:
    return f"caption:transformers:{make_llava(folder).folder}"


FAMILIES = [make_open_clip, make_exported, make_sentence, make_static, make_routes, make_both, make_embedder,
            make_unigrams, make_writer, make_chat]  # fmt: skip


@pytest.mark.parametrize("make", FAMILIES)
def test_each_family_says_how_its_tokenizer_cuts(make: Callable[[Path], str], tmp_path: Path) -> None:
    """Before any weights are there: vectors and captions may all come from the cache."""
    spec = make(tmp_path / "model")
    for file in tmp_path.rglob("*.safetensors"):
        file.write_bytes(b"")
    encoder: Any = load_model(spec)
    assert isinstance(encoder, Covering)
    one, two = encoder.coverage(["a bee"]), encoder.coverage(["a bee", "a bee"])
    assert one is not None
    assert 2 <= one.pieces <= 5
    assert (one.unknown, two.pieces) == (0, 2 * one.pieces)
    strange = encoder.coverage(["\N{CHEROKEE LETTER A}\N{CHEROKEE LETTER GE}"])
    assert strange.unknown or strange.pieces > 1.5 * 2


def test_the_embedder_s_own_mark_is_no_text(tmp_path: Path) -> None:
    encoder: Any = load_model(make_embedder(tmp_path / "model"))
    assert encoder.coverage(["<|image_1|>a bee"]) == encoder.coverage(["a bee"])


def captioned(folder: Path, languages: str, tmp_path: Path) -> dict[str, str]:
    """The warnings of a captioner in English and Japanese, its card listing these languages."""
    (folder / "README.md").write_text(f"---\nlicense: mit\nlanguage: [{languages}]\n---\n")
    gem = registry.load("benchmarks", "gem")
    gem.sample(tmp_path / "GEM")
    spec = f"caption:transformers:{folder}#max_new_tokens=3"
    result = crossgauge.evaluate("gem", spec, tmp_path / "GEM", tasks=["IQ"], languages=["en", "ja"])
    return {cell.language: " ".join(cell.warnings) for cell in result.cells}


def test_what_a_captioner_cannot_write_is_told(tmp_path: Path) -> None:
    """Half of what people wrote in Japanese has no pieces in a vocabulary without kanji."""
    made = make_blip(tmp_path / "blip").folder
    tokenizer = json.loads((made / "tokenizer.json").read_text())
    pieces = [piece for piece in tokenizer["model"]["vocab"] if piece.isascii()]
    tokenizer["model"]["vocab"] = {piece: number for number, piece in enumerate(pieces)}
    (made / "tokenizer.json").write_text(json.dumps(tokenizer))
    told = captioned(made, "en, ja", tmp_path)
    assert "the tokenizer does not cover ja: " in told["ja"]
    assert "W680" not in told["en"]
    assert "W304" not in told["en"] + told["ja"]


def test_a_language_that_a_captioner_s_card_does_not_list_is_told(tmp_path: Path) -> None:
    told = captioned(make_llava(tmp_path / "llava").folder, "en", tmp_path)
    assert "W304" in told["ja"]
    assert "was not made for ja" in told["ja"]
    assert "W304" not in told["en"]


def test_a_card_that_says_multilingual_beside_one_language_lists_none(tmp_path: Path) -> None:
    folder = make_llava(tmp_path / "llava").folder
    spec = f"caption:transformers:{folder}"
    for languages, wanted in (("en, multilingual", None), ("multilingual", None), ("en", {"en"}),
                              ("en, de, multilingual", {"en", "de"})):  # fmt: skip
        (folder / "README.md").write_text(f"---\nlanguage: [{languages}]\n---\n")
        assert load_model(spec).languages == wanted, languages


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
