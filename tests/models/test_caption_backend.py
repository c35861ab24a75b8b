"""The processor of a chat model: what was asked for resizes, the template is where it was kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgauge.media import load_image
from crossgauge.models import load_model
from crossgauge.models._prompt import PROMPT, worded
from crossgauge.types import Item
from tests.models import pictures
from tests.models.make_captioners import changed
from tests.models.make_vlm2vec import (
    Tiny,
    make_llava,
    make_llava_onevision,
    make_phi4_multimodal,
    make_qwen2_5_vl,
    make_qwen2_vl,
    make_qwen3_vl,
    make_smolvlm,
)

FAMILIES: dict[str, Callable[[Path], Tiny]] = {
    "qwen2-vl": make_qwen2_vl, "qwen2.5-vl": make_qwen2_5_vl, "qwen3-vl": make_qwen3_vl,
    "llava-onevision": make_llava_onevision, "smolvlm": make_smolvlm,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_pixels_are_the_documented_call_s_of_that_backend(name: str, tmp_path: Path) -> None:
    import torch
    import transformers

    folder = FAMILIES[name](tmp_path / "model").folder
    file = pictures.of_every_kind(tmp_path)["large.webp"]
    seen = {}
    for backend in ("pil", "torchvision"):
        model: Any = load_model(f"caption:transformers:{folder}#max_new_tokens=4,backend={backend}")
        assert f"({backend})" in model.preprocessing
        prepared = model.prepare(Item("a", image=file))
        processor: Any = transformers.AutoProcessor.from_pretrained(folder)
        processor.image_processor = transformers.AutoImageProcessor.from_pretrained(folder, backend=backend)
        content = [
            {"type": "image", "image": load_image(file, item="a")},
            {"type": "text", "text": worded(PROMPT, "de")},
        ]
        wanted = processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=True,
            return_dict=True, return_tensors="pt",
        )  # fmt: skip
        given = model._writer.inputs([prepared], "de")
        assert {key: value.shape for key, value in given.items()} == {
            key: value.shape for key, value in wanted.items()
        }
        assert all(torch.equal(given[key], wanted[key]) for key in given)
        seen[backend] = given["pixel_values"]
        assert isinstance(model.caption([prepared], language="de")[0], str)
    assert not torch.equal(seen["pil"], seen["torchvision"]), "or the test could not tell them apart"


def test_a_chat_template_may_be_the_tokenizer_s(tmp_path: Path) -> None:
    folder = make_llava(tmp_path / "model").folder
    file = pictures.of_every_kind(tmp_path)["rgb.png"]
    before = answers(folder, file)
    template = folder / "chat_template.jinja"
    changed(folder, "tokenizer_config.json", chat_template=template.read_text())
    template.unlink()
    assert "chat_template" not in json.loads((folder / "processor_config.json").read_text())
    assert answers(folder, file) == before


def answers(folder: Path, file: Path) -> tuple[Any, Any]:
    """A caption, and a vector of the same prompt."""
    writer: Any = load_model(f"caption:transformers:{folder}#max_new_tokens=4")
    reader: Any = load_model(f"vlm2vec:{folder}#template=chat")
    item = Item("a", image=file)
    row = reader.encode([reader.prepare(item)], role="query")
    return writer.caption([writer.prepare(item)], language="de"), row.tolist()


def test_a_chat_model_that_the_library_lists_as_one_of_texts(tmp_path: Path) -> None:
    """Phi-4-multimodal: pictures alone, pictures together and a text, as the library's own call has them."""
    import torch
    import transformers

    folder = make_phi4_multimodal(tmp_path / "model").folder
    files = pictures.of_every_kind(tmp_path)
    items = [Item(name, image=files[name]) for name in ("rgb.png", "large.webp")] + [Item("t", text="a bee")]
    model: Any = load_model(f"caption:transformers:{folder}#max_new_tokens=4")
    whole = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    processor: Any = transformers.AutoProcessor.from_pretrained(folder)
    wanted = []
    for item in items:
        content: list[dict[str, Any]] = [{"type": "text", "text": worded(PROMPT, "de") + "\na bee"}]
        if item.image is not None:
            shown = {"type": "image", "image": load_image(item.image, item=item.id)}
            content = [shown, {"type": "text", "text": worded(PROMPT, "de")}]
        inputs = processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=True,
            return_dict=True, return_tensors="pt", chat_template=processor.tokenizer.chat_template,
        )  # fmt: skip
        with torch.no_grad():
            out = whole.generate(**inputs, max_new_tokens=4, do_sample=False)
        new = out[0, inputs["input_ids"].shape[1] :]
        wanted.append(processor.tokenizer.decode(new, skip_special_tokens=True).strip())
    prepared = [model.prepare(item) for item in items]
    assert model.caption(prepared, language="de") == wanted
    assert [model.caption([one], language="de")[0] for one in prepared] == wanted
