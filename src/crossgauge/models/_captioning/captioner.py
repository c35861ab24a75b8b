"""The captioner behind ``caption:transformers:``: it batches, generates, and decodes what was written."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from threading import Lock
from typing import Any

from crossgauge.coverage import Coverage
from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.models._captioning import generation, writing
from crossgauge.models._captioning.families import writer_of
from crossgauge.models._captioning.generation import Generation, read_generation
from crossgauge.models._captioning.writing import Prepared, Writer
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._noted import noted
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.compiled import compiled
from crossgauge.models._torch.device import own_dtype, placed, torch_dtype
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.model import TorchModel
from crossgauge.models._torch.named import Named, read_name
from crossgauge.models._torch.quiet import quiet
from crossgauge.models._torch.tokens import coverage_of
from crossgauge.runtime import Runtime
from crossgauge.types import Item

USAGE = "transformers:ID_OR_PATH[@REVISION][#KEY=VALUE,…]"
SETTINGS = {**generation.SETTINGS, **writing.SETTINGS}
_TORCHVISION = ("torchvision",) if importlib.util.find_spec("torchvision") else ()


class TransformersCaptioner(TorchModel):
    """A model of the transformers library that writes about pictures, videos, texts.

    Only what it wrote is kept, not the prompt; marks and blanks at the ends are dropped. Without sampling a
    text is a function of the item, in float32 whatever else is in the batch.
    """

    on_gpu = None  # the longest text of a batch keeps all waiting

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, named: Named) -> None:
        self._writer: Writer = writer_of(checkpoint, named)
        self._generation = read_generation(named, checkpoint, has_own=self._writer.own_generation)
        self.modalities = self._writer.modalities
        self.joint = self._writer.joint
        self.auto_dtype = own_dtype(checkpoint.config)
        if self._writer.pins["backend"] == "torchvision":
            self.packages = (*self.packages, "torchvision")
        if "video" in self.modalities:
            self.packages = (*self.packages, "av")
        pinned = {**named.settings, **self._writer.pins, "generation": self._generation.described}
        super().__init__(f"caption:transformers:{named.shown}", checkpoint, runtime, pinned)
        checkpoint.safe_weights()
        self._notes = [*self._writer.notes, f"generation: {self._generation.described}"]
        self._empty = self._cut = 0
        self._lock = Lock()

    @property
    def generation(self) -> Generation:
        """How texts are generated."""
        return self._generation

    @property
    def preprocessing(self) -> str:
        """How items are read, in one line."""
        return self._writer.described

    def prepare(self, item: Item) -> Prepared:
        """The item read; raises InputError for what cannot be."""
        refuse_half_characters(item)
        return self._writer.prepare(item)

    def caption(
        self, prepared: Sequence[Prepared], *, language: str | None
    ) -> Sequence[str | CrossgaugeError | None]:
        """A text each; None where it wrote nothing, an InputError (E653) where it takes no such item."""
        answers: dict[int, str | CrossgaugeError | None] = {}
        for rows in self._together(prepared):
            some = [prepared[row] for row in rows]
            said = self.halving.collect(some, lambda part: self._written(part, language))
            answers.update(zip(rows, said, strict=True))
        return [answers[row] for row in range(len(prepared))]

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, titles or captions, and how many it can neither read nor write."""
        return coverage_of(self._writer.tokenizer, texts)

    def told(self) -> Sequence[str]:
        """Once, how texts are generated; smaller batches, empty and cut texts since the last call."""
        notes, self._notes = self._notes, []
        with self._lock:
            counts = {"W650": (self._empty, "empty texts", "they count as missing"),
                      "W651": (self._cut, f"texts cut at {self._generation.max_new_tokens} tokens",
                               "more of them: #max_new_tokens=N")}  # fmt: skip
            self._empty = self._cut = 0
        counted = [noted(code, f"{count:,} {what}", fix=fix)
                   for code, (count, what, fix) in counts.items() if count]  # fmt: skip
        return [*notes, *super().told(), *counted]

    def _together(self, prepared: Sequence[Prepared]) -> Iterator[list[int]]:
        """Rows that are asked for at once: drawn texts alone, pictures apart from texts alone."""
        if self._generation.sampled:
            yield from ([row] for row in range(len(prepared)))
            return
        for shows in (True, False):
            rows = [row for row, one in enumerate(prepared) if one.shows == shows]
            if rows:
                yield rows

    def _written(
        self, some: Sequence[Prepared], language: str | None
    ) -> Sequence[str | CrossgaugeError | None]:
        """A text each; a batch that the processor refuses is halved until the refused item is alone."""
        try:
            with quiet():
                inputs = self._writer.inputs(some, language)
        except ValueError as error:
            if len(some) > 1:
                half = len(some) // 2
                return [*self._written(some[:half], language), *self._written(some[half:], language)]
            found = f"its processor does not take it: {str(error).splitlines()[0][:200]}"
            place = f"{self.place}, item {some[0].id}"
            return [InputError(Fault("E653", place, found, "an item that it takes", "leave the item out"))]
        return [self._text(row) for row in self._generated(inputs)]

    def _generated(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The new ids of each item."""
        import torch

        kind = torch_dtype(self.dtype)
        model = self._model
        with torch.inference_mode(), quiet(), self._seeded():
            there = {
                key: value.to(device=self.device, dtype=kind if value.is_floating_point() else None)
                for key, value in inputs.items()
            }
            ids = model.generate(**there)
        return list(ids[:, self._writer.begins(inputs) :].cpu())

    @contextmanager
    def _seeded(self) -> Iterator[None]:
        """The same draws for every item, and the program's own random numbers as before afterwards."""
        import torch

        seed = self._generation.seed
        devices = [self.device] if self.device.type == "cuda" else []
        with nullcontext() if seed is None else torch.random.fork_rng(devices):
            if seed is not None:
                torch.manual_seed(seed)
            yield

    def _text(self, ids: Any) -> str | None:
        end = self._ends
        text = self._writer.decoded(ids).strip()
        whole = bool(end) and bool(sum((ids == one).any() for one in end))
        with self._lock:
            self._empty += not text
            self._cut += not whole and len(ids) >= self._generation.max_new_tokens
        return text or None

    @cached_property
    def _ends(self) -> list[int]:
        """The marks that end a text."""
        found = self._writer.generator(self._model).generation_config.eos_token_id
        return [] if found is None else found if isinstance(found, list) else [found]

    @cached_property
    def _model(self) -> Any:
        """The weights, loaded when first used, with the settings that are told and no others."""
        model = placed(self._writer.load(torch_dtype(self.dtype)), self.device, self.place)
        writer = self._writer.generator(model)
        with quiet():
            writer.generation_config = self._generation.config(writer.generation_config)
        if self.runtime.compile:
            writer.forward = compiled(writer.forward, self.place)
        return model


def make(argument: str | None, runtime: Runtime) -> TransformersCaptioner:
    """The captioner that an argument names; see :func:`crossgauge.models._caption_transformers.model`."""
    place = f"model caption:transformers:{argument or ''}"
    named = read_name(argument, place, defaults=SETTINGS, usage=f"caption:{USAGE}")
    need(place, "torch", "torch", "transformers", *_TORCHVISION)
    return TransformersCaptioner(open_checkpoint(named, place, runtime), runtime, named)
