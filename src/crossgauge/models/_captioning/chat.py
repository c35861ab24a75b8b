"""Vision-language models that chat: one user turn of pictures and a prompt, in the checkpoint's template."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from crossgauge.errors import Fault, UsageError
from crossgauge.models._captioning.writing import Prepared, frames_of
from crossgauge.models._noted import noted
from crossgauge.models._prompt import PROMPT, worded
from crossgauge.models._torch.checkpoint import Checkpoint
from crossgauge.models._torch.frames import pictures_of
from crossgauge.models._torch.named import Named, choice
from crossgauge.models._transformers.loading import load_config, load_processor, load_weights
from crossgauge.models._transformers.pictures import Pictures
from crossgauge.types import Item, Modality

TEMPLATES = ("chat_template.jinja", "chat_template.json", "processor_config.json", "tokenizer_config.json")
UNUSED = r"(^|\.)pooler\.|position_ids$|inv_freq$"  # weights that change no text


class Chat:
    """Any model that the library loads for pictures and text to text, and that has a chat template.

    A title goes to the end of the prompt, on a line of its own, or where the prompt says ``{text}``. A video
    is as many pictures as ``frames`` says.
    """

    joint = True
    own_generation = True

    def __init__(
        self, checkpoint: Checkpoint, named: Named, *, model_class: str = "AutoModelForImageTextToText",
        code: bool = False,
    ) -> None:  # fmt: skip
        self.checkpoint = checkpoint
        self.config = load_config(checkpoint, code=code)
        self._class, self._code = model_class, code
        self._prompt = named.settings["prompt"] or PROMPT
        self._frames = frames_of(named, checkpoint.place, None)
        pictured: set[Modality] = {"text", "image"}
        self.modalities: frozenset[Modality] = frozenset(pictured | ({"video"} if self._frames else set()))
        self._backend = choice(named, "backend", checkpoint.place, ("auto", "torchvision", "pil"))
        self._pictures = Pictures(checkpoint, backend=self._backend, code=code)
        self.pins: Mapping[str, str] = {"backend": self._pictures.backend, "prompt": self._prompt}
        self.notes: Sequence[str] = _dated(_template(checkpoint))
        self._processor = self._loaded()

    @property
    def described(self) -> str:
        """The image processor, and how many frames stand for a video."""
        return self._pictures.described + (f"; {self._frames}" if self._frames else "")

    def prepare(self, item: Item) -> Prepared:
        """Pictures and title; raises InputError for what cannot be read."""
        return Prepared(item.id, item.text, pictures_of(item, frames=self._frames), {})

    def load(self, dtype: Any) -> Any:
        """The model with its weights; raises InputError: E603, E622."""
        return load_weights(self.checkpoint, self._class, dtype=dtype, unused=UNUSED, code=self._code)

    def generator(self, model: Any) -> Any:
        """The model itself."""
        return model

    def inputs(self, some: Sequence[Prepared], language: str | None) -> dict[str, Any]:
        """What the processor makes of the conversations, padded on the left: texts go on from their end.

        An item whose title holds a mark of the model is refused in a batch and asked alone, as letters.
        """
        marked = any(self._marks_in(one) for one in some)
        if marked and (len(some) > 1 or not self._reads_letters):
            raise ValueError(f"a title with a mark of this model, {self._marks_in(some[0])}")
        prompt = worded(self._prompt, language)
        turns = [[{"role": "user", "content": _content(one, prompt)}] for one in some]
        return dict(
            self._processor.apply_chat_template(
                turns, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
                **self._padding, **({"sanitize_control_tokens": True} if marked else {}),
            )
        )  # fmt: skip

    def begins(self, inputs: Mapping[str, Any]) -> int:
        """The prompt, where the model goes on from it; nothing, where an encoder read it."""
        return 0 if self.config.is_encoder_decoder else int(inputs["input_ids"].shape[1])

    def decoded(self, ids: Any) -> str:
        """As the checkpoint's tokenizer writes it."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))

    @property
    def tokenizer(self) -> Any:
        """The checkpoint's."""
        return self._processor.tokenizer

    def _loaded(self) -> Any:
        """At once: it is configuration, and what it lacks is to be known before any picture is read."""
        processor = load_processor(self.checkpoint, backend=self._backend, code=self._code)
        processor.tokenizer.padding_side = "left"
        if processor.tokenizer.pad_token is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token
        return processor

    def _marks_in(self, one: Prepared) -> str:
        """The marks (``<image>``, the end of a turn) that a title holds, which would be read as such."""
        return " ".join(mark for mark in self._marks if mark in (one.text or ""))

    @cached_property
    def _marks(self) -> list[str]:
        added = self.tokenizer.added_tokens_decoder.values()
        return [str(token) for token in added if not str(token).isspace()]

    @cached_property
    def _known(self) -> frozenset[str]:
        """The arguments of this release's template call."""
        return frozenset(inspect.signature(self._processor.apply_chat_template).parameters)

    @property
    def _reads_letters(self) -> bool:
        """Whether this release can read a mark in a title as the letters it is."""
        return "sanitize_control_tokens" in self._known

    @property
    def _padding(self) -> dict[str, Any]:
        padding = {"padding": True}
        return {"processor_kwargs": padding} if "processor_kwargs" in self._known else padding


def _content(one: Prepared, prompt: str) -> list[dict[str, Any]]:
    """The parts of the user's turn: pictures first, as model cards have it."""
    said = one.text or ""
    text = prompt.replace("{text}", said) if "{text}" in prompt else f"{prompt}\n{said}" if said else prompt
    return [
        *({"type": "image", "image": picture} for picture in one.pictures),
        {"type": "text", "text": text},
    ]


def _template(checkpoint: Checkpoint) -> str:
    """The chat template; raises UsageError (E651) where there is none."""
    for name in TEMPLATES:
        file = checkpoint.path / name
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            found = text if file.suffix == ".jinja" else _templates_in(text)
            if found:
                return found
    found = "no chat template, so no way to ask it that its makers defined"
    fix = "its instruction-tuned (chat) version"
    raise UsageError(Fault("E651", checkpoint.place, found, " or ".join(TEMPLATES[:2]), fix))


def _templates_in(text: str) -> str:
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    found = document.get("chat_template") if isinstance(document, dict) else None
    return found if isinstance(found, str) else json.dumps(found) if found else ""


def _dated(template: str) -> tuple[str, ...]:
    if "strftime_now" not in template:
        return ()
    found = "its chat template writes today's date: another day, other captions"
    return (noted("W652", found, fix="captions that are kept stay what they were"),)
