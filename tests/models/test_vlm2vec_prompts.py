"""What reaches the model: prompts to the letter, the words of a role in front, and never half a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossgauge.errors import InputError, UsageError
from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.models._vlm2vec.batches import Inputs
from crossgauge.models._vlm2vec.encoder import Vlm2Vec
from crossgauge.types import Item
from tests.models import pictures
from tests.models.make_vlm2vec import QWEN_PICTURE, Tiny, make_llava_onevision, make_qwen2_vl, make_smolvlm

PAD = "<|image_pad|>"


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make_qwen2_vl(tmp_path_factory.mktemp("checkpoint") / "qwen")


@pytest.fixture(scope="module")
def smolvlm(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make_smolvlm(tmp_path_factory.mktemp("checkpoint") / "smolvlm")


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pictures.of_every_kind(tmp_path_factory.mktemp("pictures"))["rgb.png"]


def opened(tiny: Tiny, settings: str = "") -> Vlm2Vec:
    found = load_model(f"vlm2vec:{tiny.folder}{settings}")
    assert isinstance(found, Vlm2Vec)
    return found


def read(encoder: Vlm2Vec, inputs: Inputs, pad: str = PAD) -> str:
    """The ids as text, a picture's own tokens as one."""
    text = str(encoder._reader.processor.tokenizer.decode(inputs.tensors["input_ids"][0]))
    while pad + pad in text:
        text = text.replace(pad + pad, pad)
    return text


def said(encoder: Vlm2Vec, text: str | None, picture: Path | None) -> str:
    return read(encoder, encoder.prepare(Item("a", text=text, image=picture)).query)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Find it", f"{QWEN_PICTURE}\nFind it"),
        ("Find it.", f"{QWEN_PICTURE}\nFind it."),
        ("Find it.\n", f"{QWEN_PICTURE}\nFind it.\n"),
        ("  two  blanks ", f"{QWEN_PICTURE}\n  two  blanks "),
        ("<|image_1|>\nFind it", f"{QWEN_PICTURE}\nFind it"),
        ("<|image_1|> Find it", f"{QWEN_PICTURE} Find it"),
        ("Is <|image_1|> red?", f"Is {QWEN_PICTURE} red?"),
        ("<|image_1|> or <|image_1|>", f"{QWEN_PICTURE} or {QWEN_PICTURE}"),
        ("Où est l'été ? 猫はどこ", f"{QWEN_PICTURE}\nOù est l'été ? 猫はどこ"),
        (None, QWEN_PICTURE),
    ],
)
def test_a_prompt_reaches_the_model_to_the_letter(
    qwen: Tiny, picture: Path, text: str | None, wanted: str
) -> None:
    assert said(opened(qwen), text, picture) == wanted


@pytest.mark.parametrize("text", ["A bee", "A bee.", "A bee.\n", "\n", " A  bee "])
def test_a_text_reaches_the_model_to_the_letter(qwen: Tiny, text: str) -> None:
    assert said(opened(qwen), text, None) == text


def test_a_picture_has_its_own_tokens_between_its_marks(qwen: Tiny, picture: Path) -> None:
    encoder = opened(qwen)
    inputs = encoder.prepare(Item("a", text="x", image=picture)).query
    count = int(inputs.tensors["image_grid_thw"].prod()) // 4
    text = encoder._reader.processor.tokenizer.decode(inputs.tensors["input_ids"][0])
    assert count > 1
    assert text == f"<|vision_start|>{PAD * count}<|vision_end|>\nx"
    assert (inputs.pieces, inputs.special) == (count + 4, count + 2)


def test_what_stands_for_a_picture_can_be_named(qwen: Tiny, picture: Path) -> None:
    """The scripts of VLM2Vec give Qwen2-VL no marks around it."""
    encoder = opened(qwen, "#placeholder=%3C%7Cimage_pad%7C%3E")
    assert said(encoder, "Find it", picture) == f"{PAD}\nFind it"
    assert encoder.revision != opened(qwen).revision


def test_words_in_front_for_a_role(qwen: Tiny, picture: Path) -> None:
    encoder = opened(qwen, "#query=Find%3A%20,corpus=This%2C%20")
    assert encoder.uses_role
    both = encoder.prepare(Item("a", text="a bee", image=picture))
    assert [read(encoder, one) for one in both] == [
        f"{QWEN_PICTURE}\nFind: a bee", f"{QWEN_PICTURE}\nThis, a bee",
    ]  # fmt: skip
    lone = encoder.prepare(Item("a", image=picture))
    assert [read(encoder, one) for one in lone] == [f"{QWEN_PICTURE}\nFind: ", f"{QWEN_PICTURE}\nThis, "]
    text, plain = encoder.prepare(Item("a", text="a bee")), opened(qwen)
    for role, words in (("query", "Find: a bee"), ("corpus", "This, a bee")):
        row = encoder.encode([text], role="query" if role == "query" else "corpus")
        wanted = plain.encode([plain.prepare(Item("a", text=words))], role="query")
        np.testing.assert_array_equal(row, wanted)
    assert not plain.uses_role
    assert not opened(qwen, "#query=x,corpus=x").uses_role


def test_both_roles_share_what_is_the_same(qwen: Tiny, picture: Path) -> None:
    both = opened(qwen).prepare(Item("a", image=picture))
    assert both.query is both.corpus


def test_chat_template_has_words_and_pictures_in_their_order(qwen: Tiny, picture: Path) -> None:
    encoder = opened(qwen, "#template=chat")
    turn = "<|user|>\n{}<|end|>\n<|assistant|>\n"
    assert said(encoder, "Find it.", picture) == turn.format(f"{QWEN_PICTURE}Find it.")
    assert said(encoder, "Is <|image_1|> red?", picture) == turn.format(f"Is {QWEN_PICTURE} red?")
    assert said(encoder, "A bee", None) == turn.format("A bee")
    assert said(encoder, None, picture) == turn.format(QWEN_PICTURE)


@pytest.mark.parametrize(
    ("text", "shows", "found"),
    [
        ("Is <|image_1|> red?", False, r"<\|image_1\|>, and it holds no picture"),
        ("<|image_1|> and <|image_2|>", True, r"<\|image_2\|>, and it holds one picture"),
        ("an <|image_pad|>", True, r"<\|image_pad\|>, which stands for a picture"),
        ("an <|image_pad|>", False, r"<\|image_pad\|>, which stands for a picture"),
    ],
)
def test_a_mark_without_a_picture_is_refused(
    qwen: Tiny, picture: Path, text: str, shows: bool, found: str
) -> None:
    with pytest.raises(InputError, match=f"E643 item a: its text has {found}"):
        opened(qwen).prepare(Item("a", text=text, image=picture if shows else None))


def test_a_long_text_is_cut_as_the_library_cuts_it(qwen: Tiny) -> None:
    encoder, words = opened(qwen, "#max_length=20"), "a red apple beside a green pear"
    items = [Item(text, text=text) for text in (words, words[:20], words[:21], "short")]
    rows = [encoder.prepare(item) for item in items]
    tokenizer = opened(qwen)._reader.processor.tokenizer
    wanted = tokenizer(words, truncation=True, max_length=20)["input_ids"]
    assert rows[0].query.tensors["input_ids"][0].tolist() == wanted
    vectors = encoder.encode(rows, role="query")
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-5, atol=1e-5)
    assert encoder.told() == ["2 of 4 texts cut at 20 tokens"]
    assert encoder.told() == []


@pytest.mark.parametrize("make", [make_qwen2_vl, make_llava_onevision, make_smolvlm])
def test_a_picture_is_never_cut(make: object, tmp_path: Path, picture: Path) -> None:
    tiny = make(tmp_path / "model")  # type: ignore[operator]
    whole = opened(tiny).prepare(Item("a", text="word " * 50, image=picture)).query
    bare = opened(tiny).prepare(Item("a", image=picture)).query
    pad = opened(tiny)._reader.processor.image_token_id
    most = bare.length + 9
    cut = opened(tiny, f"#max_length={most}").prepare(Item("a", text="word " * 50, image=picture)).query
    assert whole.length > most == cut.length
    counts = [int((one.tensors["input_ids"] == pad).sum()) for one in (whole, bare, cut)]
    assert counts[0] == counts[1] == counts[2] > 1
    tokenizer = opened(tiny)._reader.processor.tokenizer
    assert tokenizer.decode(cut.tensors["input_ids"][0]).endswith("\nword wor")
    for key, value in whole.tensors.items():
        if value.shape != whole.tensors["input_ids"].shape:
            assert (cut.tensors[key] == value).all(), key


def test_the_last_words_are_cut_first_and_characters_stay_whole(qwen: Tiny, picture: Path) -> None:
    whole = opened(qwen).prepare(Item("a", text="ab<|image_1|>猫猫", image=picture)).query.length
    for fewer, wanted in ((1, "猫"), (3, "猫"), (4, ""), (6, "")):
        encoder = opened(qwen, f"#max_length={whole - fewer}")
        assert said(encoder, "ab<|image_1|>猫猫", picture) == f"ab{QWEN_PICTURE}{wanted}"
    assert said(opened(qwen, f"#max_length={whole - 7}"), "ab<|image_1|>猫猫", picture) == f"a{QWEN_PICTURE}"


def test_in_a_chat_template_the_words_are_cut_and_not_the_turn(qwen: Tiny) -> None:
    bare = opened(qwen, "#template=chat").prepare(Item("a", text="")).query.length
    encoder = opened(qwen, f"#template=chat,max_length={bare + 3}")
    assert said(encoder, "a bee on a flower", None) == "<|user|>\na b<|end|>\n<|assistant|>\n"


def test_the_end_mark_counts_and_is_not_cut(qwen: Tiny) -> None:
    assert said(opened(qwen, "#pool=eos,max_length=8"), "a red apple", None) == "a red a<|end|>"


def test_a_picture_too_long_by_itself_is_told(qwen: Tiny, picture: Path) -> None:
    tokens = opened(qwen).prepare(Item("a", image=picture)).query.length
    assert tokens > 8
    with pytest.raises(
        InputError, match=f"E645 item a: {tokens} tokens without any of its words; wanted at most 8"
    ):
        opened(qwen, "#max_length=8").prepare(Item("a", text="a bee", image=picture))


def test_smaller_pictures(qwen: Tiny, smolvlm: Tiny, picture: Path) -> None:
    def tokens(tiny: Tiny, settings: str = "") -> int:
        return opened(tiny, settings).prepare(Item("a", image=picture)).query.length

    def documented(tiny: Tiny, size: dict[str, int]) -> int:
        from transformers import AutoProcessor

        processor = AutoProcessor.from_pretrained(tiny.folder)
        shown = [load_image(picture, item="")]
        made = processor(
            text=tiny.placeholder, images=shown, images_kwargs={"size": size}, return_tensors="pt"
        )
        return int(made["input_ids"].shape[1])

    small = {"shortest_edge": 256, "longest_edge": 1024}
    assert tokens(qwen, "#max_pixels=1024") == documented(qwen, small) < tokens(qwen)
    tiniest = {"shortest_edge": 256, "longest_edge": 256}
    assert tokens(qwen, "#max_pixels=256") == documented(qwen, tiniest) < tokens(qwen, "#max_pixels=1024")
    assert tokens(smolvlm, "#image_side=28") == documented(smolvlm, {"longest_edge": 28})
    assert tokens(smolvlm, "#image_side=28") < tokens(smolvlm)
    assert opened(qwen, "#max_pixels=1024").revision != opened(qwen).revision
    for tiny, setting, wanted in (
        (qwen, "image_side=28", "max_pixels=N"), (smolvlm, "max_pixels=99", "image_side=N"),
        (qwen, "max_pixels=0", "a whole number from 1"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=f"E412 .* the setting {setting}; wanted {wanted}"):
            opened(tiny, f"#{setting}")


def test_a_model_of_one_size_has_no_such_setting(tmp_path: Path) -> None:
    tiny = make_llava_onevision(tmp_path / "model")
    with pytest.raises(
        UsageError, match=r"E412 .* max_pixels=99; wanted none of max_pixels, image_side: it takes one"
    ):
        opened(tiny, "#max_pixels=99")
