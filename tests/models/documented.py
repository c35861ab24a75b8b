"""The calls that the transformers library documents for each family, by hand, all items in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tests.models.make_transformers import Made

if TYPE_CHECKING:
    from PIL.Image import Image

Rows = npt.NDArray[np.float32]
PADDED: dict[str, dict[str, Any]] = {
    "siglip": {"padding": "max_length", "truncation": True},
    "siglip2": {"padding": "max_length", "max_length": 64, "truncation": True},
    "align": {"padding": "max_length", "max_length": 64, "truncation": True},
    "altclip": {
        "padding": True,
        "max_length": 78,
        "truncation": True,
    },  # 80 places, two of them before the first
}
PLAIN = {"padding": True, "truncation": True}


def loaded(made: Made) -> tuple[Any, Any]:
    """Model and processor, as a model card loads them."""
    import transformers

    model = getattr(transformers, made.model).from_pretrained(made.folder)
    return model.eval(), getattr(transformers, made.processor).from_pretrained(made.folder)


def texts_of(name: str, made: Made, texts: Sequence[str]) -> Rows:
    import torch

    model, processor = loaded(made)
    inputs = processor(text=list(texts), return_tensors="pt", **PADDED.get(name, PLAIN))
    with torch.no_grad():
        if name == "blip":
            pixels = torch.zeros(1, 3, 32, 32)
            states = model(**inputs, pixel_values=pixels, use_itm_head=False).question_embeds
            return rows(model.text_proj(states[:, 0, :]))
        if name == "blip-2":
            pixels = torch.zeros(1, 3, 32, 32)
            return rows(model(**inputs, pixel_values=pixels, use_image_text_matching_head=False).text_embeds)
        return rows(model.get_text_features(**inputs))


def pictures_of(name: str, made: Made, pictures: Sequence[Image]) -> Rows:
    import torch

    model, processor = loaded(made)
    inputs = processor(images=list(pictures), return_tensors="pt")
    ids = {"input_ids": torch.tensor([[2, 6, 3]]), "attention_mask": torch.ones(1, 3, dtype=torch.long)}
    with torch.no_grad():
        if name == "blip":
            states = model(**inputs, **ids, use_itm_head=False).last_hidden_state
            return rows(model.vision_proj(states[:, 0, :]))
        if name == "blip-2":
            vectors = model(**inputs, **ids, use_image_text_matching_head=False).image_embeds
            return rows(vectors.mean(dim=1))
        return rows(model.get_image_features(**inputs))


def rows(output: Any) -> Rows:
    found: Rows = getattr(output, "pooler_output", output).numpy()
    return found


def unit(vectors: Rows) -> npt.NDArray[np.float64]:
    exact = vectors.astype(np.float64)
    found: npt.NDArray[np.float64] = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return found
