"""Hidden states by the calls that the transformers library documents, one item at a time, nothing padded."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.media import load_image
from crossgauge.types import Item
from tests.models.make_vlm2vec import Tiny

Row = npt.NDArray[np.float32]


class Documented:
    """The whole model with its head, as a model card loads it."""

    def __init__(self, tiny: Tiny) -> None:
        import transformers

        self.tiny = tiny
        self.model = getattr(transformers, tiny.model).from_pretrained(tiny.folder).eval()
        self.processor = transformers.AutoProcessor.from_pretrained(tiny.folder)

    def prompt(self, item: Item) -> str:
        """The picture on a line of its own, then the words."""
        if item.image is None:
            return item.text or ""
        return f"{self.tiny.placeholder}\n{item.text}" if item.text else self.tiny.placeholder

    def inputs(self, item: Item) -> dict[str, Any]:
        if item.image is not None:
            picture = load_image(item.image, item="")
            return dict(self.processor(text=self.prompt(item), images=[picture], return_tensors="pt"))
        if self.tiny.model.startswith("PaliGemma"):  # as its processor lays out a text behind its picture
            found = dict(self.processor.tokenizer(f"<bos>{item.text}\n", return_tensors="pt"))
            return found | {"token_type_ids": found["input_ids"] * 0}
        return dict(self.processor(text=self.prompt(item), return_tensors="pt"))

    def chat(self, item: Item) -> dict[str, Any]:
        shown = [] if item.image is None else [{"type": "image", "image": load_image(item.image, item="")}]
        said = [] if item.text is None else [{"type": "text", "text": item.text}]
        return dict(self.processor.apply_chat_template(
            [{"role": "user", "content": [*shown, *said]}], add_generation_prompt=True, tokenize=True,
            return_dict=True, return_tensors="pt",
        ))  # fmt: skip

    def states(self, inputs: dict[str, Any]) -> Row:
        """Those of the last layer, (L, D)."""
        import torch

        known = {key: value for key, value in inputs.items() if key != "labels"}
        with torch.no_grad():
            found: Row = self.model(**known, output_hidden_states=True).hidden_states[-1][0].numpy()
        return found

    def row(self, item: Item) -> Row:
        """The state at the last token."""
        last: Row = self.states(self.inputs(item))[-1]
        return last
