"""Dual encoders: a text tower and a picture tower into one space, each asked alone.

The library's documented calls are ``get_text_features`` and ``get_image_features``; releases differ in
whether they give the vectors or an output that holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crossgauge.errors import Fault, InputError
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._transformers.loading import load_config, load_weights
from crossgauge.models._transformers.texts import Padding
from crossgauge.types import Modality

OFFSET_POSITIONS = frozenset({"altclip_text_model", "xlm-roberta", "roberta"})


def projected(config: Any) -> int | None:
    """The dimension most families declare."""
    found = getattr(config, "projection_dim", None)
    return None if found is None else int(found)


def positions(config: Any) -> int | None:
    """How many tokens a text tower has places for; RoBERTa's begin to count after the padding index."""
    found = getattr(config, "max_position_embeddings", None)
    if found is None:
        return None
    offset = (config.pad_token_id or 0) + 1 if config.model_type in OFFSET_POSITIONS else 0
    return int(found) - offset


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is loaded and asked; other kinds override what they do otherwise."""

    title: str
    model_class: str  # of the transformers library
    padding: Padding = "longest"
    context: int | None = None  # where the family's own processor cuts earlier than the tower ends
    without: tuple[str, ...] = ()  # outputs of the tokenizer that the text tower does not take
    unused: str = r"(^|\.)pooler\."  # weights that change no vector, so a checkpoint may lack them
    dimension: Callable[[Any], int | None] = projected
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    notes: tuple[str, ...] = ()
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # its own, the default first

    def read_config(self, checkpoint: Checkpoint) -> Any:
        """What the other methods are given; only configuration files are read."""
        return load_config(checkpoint)

    def positions(self, config: Any) -> int | None:
        """How many tokens fit into the text tower; None where the configuration does not say."""
        return positions(getattr(config, "text_config", config))

    def native_frames(self, config: Any) -> int | None:  # noqa: ARG002
        """How many frames of a video the architecture takes; None where it takes pictures."""
        return None

    def pins(self, config: Any) -> Mapping[str, str]:  # noqa: ARG002
        """What changes vectors besides the checkpoint and the settings."""
        return {}

    def load(self, checkpoint: Checkpoint, config: Any, *, dtype: Any) -> Any:  # noqa: ARG002
        """The model with its weights, in eval mode, on the processor."""
        return load_weights(checkpoint, self.model_class, dtype=dtype, unused=self.unused)

    def text(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """Vectors of a batch of texts, a tensor (n, D)."""
        return pooled(model.get_text_features(**inputs))

    def picture(self, model: Any, inputs: Mapping[str, Any], settings: Mapping[str, str]) -> Any:  # noqa: ARG002
        """Vectors of a batch of pictures (of videos, where frames are native), a tensor (n, D)."""
        return pooled(model.get_image_features(**inputs))


@dataclass(frozen=True)
class OwnCode(Family):
    """A checkpoint that brings its own code, which the user trusts: the same two calls are asked for."""

    def read_config(self, checkpoint: Checkpoint) -> Any:
        """Runs the checkpoint's code: the user pinned it."""
        return load_config(checkpoint, code=True)

    def load(self, checkpoint: Checkpoint, config: Any, *, dtype: Any) -> Any:  # noqa: ARG002
        """Raises InputError (E623) where the code has no such calls."""
        model = load_weights(checkpoint, self.model_class, dtype=dtype, unused=self.unused, code=True)
        lacking = [name for name in ("get_text_features", "get_image_features") if not hasattr(model, name)]
        if lacking:
            found = f"its own code ({type(model).__name__}) has no {' and no '.join(lacking)}"
            fix = "wrap it: python:MODULE:ATTRIBUTE"
            raise InputError(Fault("E623", checkpoint.place, found, "both, as CLIP has them", fix))
        return model


def pooled(output: Any) -> Any:
    """The vectors themselves, or those that an output holds."""
    return getattr(output, "pooler_output", output)
