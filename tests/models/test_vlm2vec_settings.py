"""What a vision-language embedder says of itself, what pins it, and how it runs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import UsageError
from crossgauge.models import describe, load_model
from crossgauge.models._vlm2vec import encoder as encoders
from crossgauge.models._vlm2vec.encoder import Vlm2Vec
from crossgauge.models._vlm2vec.placeholder import placeholder_of
from crossgauge.runtime import Runtime
from crossgauge.types import Item
from tests.models import pictures
from tests.models.make_captioners import changed
from tests.models.make_vlm2vec import Tiny, make_qwen2_vl, make_smolvlm

WORDS = [Item(text, text=text) for text in ("a", "a bee", "a red apple", "two", "猫")]


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make_qwen2_vl(tmp_path_factory.mktemp("checkpoint") / "qwen")


@pytest.fixture
def copy(qwen: Tiny, tmp_path: Path) -> Tiny:
    return qwen._replace(folder=Path(shutil.copytree(qwen.folder, tmp_path / "copy")))


def opened(tiny: Tiny, settings: str = "", **runtime: Any) -> Vlm2Vec:
    found = load_model(f"vlm2vec:{tiny.folder}{settings}", Runtime(**runtime))
    assert isinstance(found, Vlm2Vec)
    return found


def vectors(encoder: Vlm2Vec, items: list[Item]) -> Any:
    return encoder.encode([encoder.prepare(item) for item in items], role="query")


def test_making_one_reads_no_weights(copy: Tiny) -> None:
    (copy.folder / "model.safetensors").write_bytes(b"")
    encoder = opened(copy)
    assert encoder.dimensions == 32
    assert encoder.prepare(WORDS[0]).query.length == 1


def test_what_it_says_of_itself(qwen: Tiny) -> None:
    from transformers import Qwen2VLForConditionalGeneration

    encoder = opened(qwen)
    whole = Qwen2VLForConditionalGeneration.from_pretrained(qwen.folder)
    assert encoder.parameters() == sum(weights.numel() for weights in whole.parameters())
    assert (encoder.joint, encoder.modalities, encoder.similarity) == (True, {"text", "image"}, "cosine")
    assert encoder.name == f"vlm2vec:{qwen.folder}"
    assert encoder.preprocessing == (
        "Qwen2VLImageProcessor (torchvision); pictures as <|vision_start|><|image_pad|><|vision_end|>, "
        "cut at 700 tokens, padded on the right; last hidden state"
    )
    assert "chat template, cut at 9 tokens" in opened(qwen, "#template=chat,max_length=9").preprocessing
    assert describe("vlm2vec").startswith("a large vision-language model")


def test_the_head_that_writes_is_not_kept(qwen: Tiny) -> None:
    encoder = opened(qwen)
    states = encoder._states
    model = next(
        cell.cell_contents for cell in states.__closure__ or () if hasattr(cell.cell_contents, "parameters")
    )
    assert type(model).__name__ == "Qwen2VLModel"
    assert not any("lm_head" in name for name, _ in model.named_parameters())
    assert not model.training


def test_the_revision_pins_settings_format_and_files(qwen: Tiny, copy: Tiny) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("", {}), ("#pool=mean", {}), ("#pool=eos", {}), ("#template=chat", {}), ("#query=x", {}),
        ("#corpus=x", {}), ("#max_length=20", {}), ("#max_pixels=999", {}), ("#padding=left", {}),
        ("#placeholder=x", {}), ("#backend=pil", {}), ("", {"dtype": "bf16"}),
    ]  # fmt: skip
    revisions = {opened(qwen, settings, **runtime).revision for settings, runtime in asked}
    assert len(revisions) == len(asked)
    assert opened(qwen).revision == opened(qwen, "#padding=right", compile=True, device="cpu").revision
    assert opened(copy).revision == opened(qwen).revision
    changed(copy.folder, "config.json", image_token_id=7)
    assert opened(copy).revision != opened(qwen).revision


@pytest.mark.parametrize(("saved", "name"), [("bfloat16", "bf16"), ("float16", "fp16"), ("float32", "fp32")])
def test_the_format_is_the_checkpoints_own(copy: Tiny, saved: str, name: str) -> None:
    changed(copy.folder, "config.json", dtype=saved)
    encoder = opened(copy)
    assert encoder.dtype == name
    assert opened(copy, dtype="fp32").dtype == "fp32"
    rows, exact = (vectors(one, WORDS) for one in (encoder, opened(copy, dtype="fp32")))
    assert rows.dtype == np.float32
    near = {"fp32": 1e-6, "fp16": 0.02, "bf16": 0.1}[name]
    assert np.linalg.norm(rows - exact) < near * np.linalg.norm(exact)
    assert opened(copy, dtype="fp32").revision != encoder.revision or name == "fp32"


REFUSED = ["pool=first", "padding=top", "template=plain", "backend=cv2", "max_length=7", "max_length=701"]


@pytest.mark.parametrize("setting", [*REFUSED, "normalize=1"])
def test_a_setting_that_is_none_is_refused(qwen: Tiny, setting: str) -> None:
    with pytest.raises(UsageError, match=f"E412 .*{setting}"):
        opened(qwen, f"#{setting}")


def test_a_placeholder_beside_a_chat_template_has_no_effect(qwen: Tiny) -> None:
    with pytest.raises(
        UsageError, match=r"E412 .* placeholder with template=chat, which has its own: no effect"
    ):
        opened(qwen, "#placeholder=x,template=chat")


def test_memory_that_runs_out_halves_the_batch(qwen: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder, wanted = opened(qwen), vectors(opened(qwen), WORDS)
    ask, sizes = encoder._states, []

    def small(inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return ask(inputs)

    monkeypatch.setitem(encoder.__dict__, "_states", small)
    np.testing.assert_allclose(vectors(encoder, WORDS), wanted, rtol=1e-4, atol=1e-5)
    assert sizes == [5, 2, 2, 1]
    assert encoder.told() == ["out of memory with 5 items at once; now 2"]


def test_compiled_models_give_the_same(qwen: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    compiled: list[str] = []
    asked = torch.compile

    def eagerly(call: Callable[..., Any]) -> Any:
        compiled.append(call.__name__)
        return asked(call, backend="eager")

    monkeypatch.setattr(torch, "compile", eagerly)
    rows = [vectors(opened(qwen, compile=compile_it), WORDS) for compile_it in (False, True)]
    assert compiled == ["states"]
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-4, atol=1e-5)


def test_a_template_with_todays_date_is_another_model_tomorrow(
    copy: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = copy.folder / "chat_template.jinja"
    plain = opened(copy, "#template=chat")
    assert plain.told() == []
    file.write_text('{{ strftime_now("%d %b %Y") }}' + file.read_text())
    today = opened(copy, "#template=chat")
    told = today.told()
    assert [line.partition(" ")[0] for line in told] == ["W640"]
    assert today.told() == []
    assert opened(copy).told() == [], "a raw prompt has no template"
    real = encoders.datetime

    class Tomorrow:
        @staticmethod
        def now() -> Any:
            from datetime import timedelta

            return real.now() + timedelta(days=1)

    monkeypatch.setattr(encoders, "datetime", Tomorrow)
    assert opened(copy, "#template=chat").revision != today.revision
    assert opened(copy).revision == opened(copy).revision


def test_pillow_resizes_where_it_is_asked_to(tmp_path: Path) -> None:
    tiny = make_smolvlm(tmp_path / "model")
    item = Item("p", image=pictures.of_every_kind(tmp_path)["rgb.png"])
    both = [opened(tiny, settings) for settings in ("", "#backend=pil")]
    assert [re.search(r"\((\w+)\)", one.preprocessing)[1] for one in both] == ["torchvision", "pil"]  # type: ignore[index]
    first, second = (vectors(one, [item]) for one in both)
    assert not np.array_equal(first, second)


def test_loading_says_nothing(qwen: Tiny, capfd: pytest.CaptureFixture[str]) -> None:
    encoder = opened(qwen, "#max_length=20")
    vectors(encoder, [*WORDS, Item("long", text="long " * 500)])
    assert re.sub(r"\s", "", "".join(capfd.readouterr())) == ""


class Processor(SimpleNamespace):
    """As much of a processor as says what stands for a picture."""

    def apply_chat_template(self, turns: Any, **_: Any) -> str:
        if self.breaks:
            raise ValueError("no such content")
        parts = turns[0]["content"]
        said = "".join(part.get("text", self.shown) for part in parts)
        return f"<bos>{'' if parts[0]['type'] == 'image' else ' '}{said}<eot>"


@pytest.mark.parametrize(
    ("image_token", "shown", "template", "breaks", "wanted"),
    [
        ("<pad>", "<start><pad><end>", "x", False, "<start><pad><end>"),
        ("<pad>", "<start>", "x", False, "<pad>"),
        (None, "<start>", "x", False, "<start>"),
        ("<pad>", "<start><pad><end>\n", "x", False, "<start><pad><end>"),
        ("<pad>", "<start><pad><end>", "", False, "<pad>"),
        ("<pad>", "<start><pad><end>", "x", True, "<pad>"),
        (None, "no mark", "x", False, None),
        (None, "<start>", None, False, None),
    ],
)
def test_what_stands_for_a_picture(
    image_token: str | None, shown: str, template: str | None, breaks: bool, wanted: str | None
) -> None:
    marks = dict(enumerate(["<bos>", "<eot>", "<pad>", "<start>", "<end>", "\n"]))
    tokenizer = SimpleNamespace(added_tokens_decoder=marks, chat_template=None)
    processor = Processor(
        tokenizer=tokenizer, chat_template=template, shown=shown, breaks=breaks, image_token=image_token
    )
    assert placeholder_of(processor) == wanted
