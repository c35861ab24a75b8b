"""Captioners of pictures alone: BLIP, BLIP-2, GIT. A prompt, where there is one, begins the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.models._captioning.writing import Prepared, frames_of
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.frames import Sampling, pictures_of
from crossgauge.models._torch.named import Named, choice
from crossgauge.models._transformers.loading import load_config, load_tokenizer, load_weights
from crossgauge.models._transformers.pictures import Pictures
from crossgauge.types import Item, Modality

UNUSED = r"(^|\.)pooler\.|position_ids$"  # weights that change no text


class Pictured:
    """BLIP: a picture, and the first words of the text about it."""

    model_class = "BlipForConditionalGeneration"
    joint = False
    own_generation = False  # its text decoder generates, and has only what this file sets
    notes: Sequence[str] = ()

    def __init__(self, checkpoint: Checkpoint, named: Named) -> None:
        self.checkpoint = checkpoint
        self.config = load_config(checkpoint)
        self.prompt = named.settings["prompt"]
        self.frames = self._frames(named)
        self.modalities: frozenset[Modality] = frozenset({"video" if self.frames else "image"})
        asked = choice(named, "backend", checkpoint.place, ("auto", "torchvision", "pil"))
        self._pictures = Pictures(checkpoint, backend=asked, code=False)
        self.pins: Mapping[str, str] = {"backend": self._pictures.backend}

    @property
    def described(self) -> str:
        """The image processor, and how many frames stand for a video."""
        return self._pictures.described + (f"; {self.frames}" if self.frames else "")

    def prepare(self, item: Item) -> Prepared:
        """The image processor's tensors; raises InputError for what cannot be read."""
        pictures = pictures_of(item, frames=self.frames)
        pixels = self._pictures.pixels(pictures, item=item.id)["pixel_values"]
        return Prepared(item.id, None, (), {"pixel_values": pixels[None] if self.frames else pixels})

    def load(self, dtype: Any) -> Any:
        """The model with its weights; raises InputError: E603, E622."""
        return load_weights(self.checkpoint, self.model_class, dtype=dtype, unused=UNUSED)

    def generator(self, model: Any) -> Any:
        """The text decoder."""
        return model.text_decoder

    def inputs(self, some: Sequence[Prepared], language: str | None) -> dict[str, Any]:  # noqa: ARG002
        """Pictures, and the same beginning for each; the language is the checkpoint's own."""
        import torch

        ids = torch.tensor([self._ids] * len(some))
        pixels = torch.cat([one.pixels["pixel_values"] for one in some])
        return {"pixel_values": pixels, "input_ids": ids, "attention_mask": torch.ones_like(ids)}

    def begins(self, inputs: Mapping[str, Any]) -> int:
        """All but the mark at the end, which the model drops."""
        return int(inputs["input_ids"].shape[1]) - 1

    def decoded(self, ids: Any) -> str:
        """As the tokenizer writes it after the prompt: a first piece may go on with its last word."""
        begin = self._decode(self._ids)
        whole = self._decode([*self._ids, *ids.tolist()])
        return whole[len(begin) :] if whole.startswith(begin) else self._decode(ids.tolist())

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))

    def _frames(self, named: Named) -> Sampling | None:
        if named.settings["frames"]:
            found = f"the setting frames={named.settings['frames']}: it was made for single pictures"
            raise UsageError(Fault("E412", self.checkpoint.place, found, "a chat model, or GIT for videos"))
        return None

    @cached_property
    def tokenizer(self) -> Any:
        """The checkpoint's, loaded when first used."""
        return load_tokenizer(self.checkpoint)

    @cached_property
    def _ids(self) -> list[int]:
        """What the processor makes of the prompt: a mark at both ends; the model puts its own first."""
        if self.prompt:
            return list(self.tokenizer(self.prompt)["input_ids"])
        text = self.config.text_config
        return [text.bos_token_id, text.eos_token_id]


class Blip2(Pictured):
    """BLIP-2: as many image tokens as it has queries, then the prompt."""

    model_class = "Blip2ForConditionalGeneration"

    def generator(self, model: Any) -> Any:
        """The language model."""
        return model.language_model

    def begins(self, inputs: Mapping[str, Any]) -> int:
        """Everything, where the language model goes on from it; nothing, where an encoder read it."""
        answers = self.config.text_config.is_encoder_decoder
        return 0 if answers else int(inputs["input_ids"].shape[1])

    @cached_property
    def _ids(self) -> list[int]:
        """Raises InputError (E604) where no token of the configuration stands for the picture."""
        mark = self.config.image_token_index
        if mark is None:
            found = "a configuration without image_token_index"
            fix = "a newer revision of the checkpoint"
            raise InputError(Fault("E604", self.checkpoint.place, found, "one for the picture", fix))
        begin = [self.config.text_config.bos_token_id]
        text = list(self.tokenizer(self.prompt)["input_ids"]) if self.prompt else begin
        return [mark] * self.config.num_query_tokens + text


class Git(Pictured):
    """GIT, for pictures, or for videos where its configuration has embeddings for frames."""

    model_class = "GitForCausalLM"
    own_generation = True

    def generator(self, model: Any) -> Any:
        """The model itself."""
        return model

    def begins(self, inputs: Mapping[str, Any]) -> int:
        """Everything."""
        return int(inputs["input_ids"].shape[1])

    def _frames(self, named: Named) -> Sampling | None:
        native = self.config.num_image_with_embedding
        if native is None:
            return super()._frames(named)
        return frames_of(named, self.checkpoint.place, int(native))

    @cached_property
    def _ids(self) -> list[int]:
        """The mark at the beginning, then the prompt, without one at the end."""
        begin = [self.config.bos_token_id]
        return begin + (
            list(self.tokenizer(self.prompt, add_special_tokens=False)["input_ids"]) if self.prompt else []
        )
