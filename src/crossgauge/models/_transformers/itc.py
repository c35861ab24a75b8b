"""BLIP and BLIP-2 trained for retrieval: the projected features of their contrastive (ITC) head.

The library computes a score of a pair, ``forward`` without the matching head; these are the two sides of it.
BLIP's score is the cosine of the two vectors. BLIP-2's is the largest cosine between a text and the vectors
that a picture has, one for each query token (32): no single vector has those scores, so ``queries`` says
which one stands for the picture, ``mean`` of the unit vectors or the ``first``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossgauge.models._transformers.dual import Family, positions


def hidden(config: Any) -> int:
    """The dimension of both projections."""
    return int(config.image_text_hidden_size)


@dataclass(frozen=True)
class Blip(Family):
    """``BlipForImageTextRetrieval`` with ``use_itm_head=False``."""

    def text(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """The projection of the first token."""
        states = model.text_encoder(**inputs).last_hidden_state
        return model.text_proj(states[:, 0, :])

    def picture(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """The projection of the class token."""
        states = model.vision_model(**inputs).last_hidden_state
        return model.vision_proj(states[:, 0, :])


@dataclass(frozen=True)
class Blip2(Family):
    """``Blip2ForImageTextRetrieval`` with ``use_image_text_matching_head=False``."""

    def positions(self, config: Any) -> int | None:
        """The Q-Former reads the text."""
        return positions(config.qformer_config)

    def text(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """The projection of the first token."""
        embedded = model.embeddings(input_ids=inputs["input_ids"])
        states = model.qformer(query_embeds=embedded, query_length=0, attention_mask=inputs["attention_mask"],
                               return_dict=True).last_hidden_state  # fmt: skip
        return model.text_projection(states[:, 0, :].to(model.text_projection.weight.dtype))

    def picture(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:
        """The mean of the unit vectors of the query tokens, or the first's."""
        import torch

        shown = model.vision_model(**inputs).last_hidden_state.to(model.query_tokens.dtype)
        seen = torch.ones(shown.shape[:-1], dtype=torch.long, device=shown.device)
        tokens = model.query_tokens.expand(shown.shape[0], -1, -1)
        states = model.qformer(query_embeds=tokens, encoder_hidden_states=shown, encoder_attention_mask=seen,
                               return_dict=True).last_hidden_state  # fmt: skip
        vectors = model.vision_projection(states.to(model.vision_projection.weight.dtype))
        if settings["queries"] == "first":
            return vectors[:, 0, :]
        return torch.nn.functional.normalize(vectors.float(), dim=-1).mean(dim=1)
