"""The encoder behind ``open-clip:``: it prepares items, batches them, and asks the two towers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage
from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._open_clip_pictures import Pictures
from crossgauge.models._open_clip_source import FOLDER, Source, open_source
from crossgauge.models._open_clip_texts import Texts
from crossgauge.models._open_clip_weights import SAFE
from crossgauge.models._torch.checkpoint import numbers_in
from crossgauge.models._torch.compiled import compiled
from crossgauge.models._torch.device import placed, torch_dtype
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.frames import mean_of_frames, pictures_of, sampling_of
from crossgauge.models._torch.model import TorchModel
from crossgauge.models._torch.quiet import quiet
from crossgauge.runtime import Runtime
from crossgauge.types import Item, Modality, Role, Similarity

PRECISION = {"fp32": "fp32", "bf16": "pure_bf16", "fp16": "pure_fp16"}  # mixed ones fail in some towers
Rows = npt.NDArray[np.float32]


class Prepared(NamedTuple):
    """An item ready to be encoded."""

    tokens: Any  # (context,), or None
    pixels: Sequence[Any]  # (3, H, W) each: one of a picture, several of a video


class OpenClipEncoder(TorchModel):
    """``encode_image`` and ``encode_text`` of a model of the open_clip library, not normalised."""

    similarity: Similarity = "cosine"
    packages: Sequence[str] = ("torch", "torchvision", "open-clip-torch", "pillow", "ftfy")

    def __init__(self, source: Source, runtime: Runtime) -> None:
        named, place = source.named, source.checkpoint.place
        super().__init__(f"open-clip:{source.schema}{named.shown}", source.checkpoint, runtime,
                         {**named.settings, **(source.pins or {})})  # fmt: skip
        self._source = source
        self._frames = sampling_of(named, place)
        self.modalities: frozenset[Modality] = frozenset({"text", "image"})
        if self._frames:
            need(place, "video", "av")
            self.modalities |= {"video"}
            self.packages = (*self.packages, "av")
        if source.tokenizer or source.text.get("hf_model_name"):
            self.packages = (*self.packages, "transformers", "tokenizers")
        if "timm_model_name" in source.config["vision_cfg"]:
            need(place, "torch", "timm")
            self.packages = (*self.packages, "timm")
        self._pictures = Pictures(source)
        self._texts = Texts(source)
        self._notes = list(source.notes)

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        return int(self._source.config["embed_dim"])

    @property
    def preprocessing(self) -> str:
        """How pictures and texts are read, in one line."""
        frames = f"; {self._frames}" if self._frames else ""
        return f"{self._pictures.described}{frames}; {self._texts.described}"

    def parameters(self) -> int | None:
        """How many numbers its file of weights holds, by its header; None for a pickle.

        Raises InputError (E604) for a file that is damaged.
        """
        file = self._source.weights
        return numbers_in([file]) if file.suffix == SAFE else None

    def prepare(self, item: Item) -> Prepared:
        """Token ids, or the transform's tensors; raises InputError for what cannot be read (E401: both)."""
        if len(item.modalities) != 1:
            found = f"it holds {'+'.join(sorted(item.modalities)) or 'nothing'}"
            raise InputError(Fault("E401", f"item {item.id}", found, "one thing: its towers read one each"))
        if item.text is not None:
            refuse_half_characters(item)
            return Prepared(self._texts.tokens(item.text), ())
        shown = pictures_of(item, frames=self._frames)
        return Prepared(None, [self._pictures.pixels(picture, item=item.id) for picture in shown])

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> Rows:  # noqa: ARG002
        """One row an item, (len(prepared), D), as the library gives it; ``role`` changes nothing."""
        texts = [one.tokens for one in prepared if one.tokens is not None]
        shown = [one.pixels for one in prepared if one.tokens is None]
        ask_text, ask_picture = self._calls
        of_texts = iter(self.halving.run(texts, lambda some: self._asked(ask_text, some)) if texts else ())
        of_shown: Iterator[Rows] = iter(())
        if shown:
            frames = [pixels for some in shown for pixels in some]
            rows = self.halving.run(frames, lambda some: self._asked(ask_picture, some))
            of_shown = iter(mean_of_frames(rows, [len(some) for some in shown]))
        return np.stack([next(of_texts if one.tokens is not None else of_shown) for one in prepared])

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, and how many of them the tokenizer does not know."""
        return self._texts.coverage(texts)

    def told(self) -> Sequence[str]:
        """Once, what is wrong with the choice; smaller batches and texts cut since the last call."""
        notes, self._notes = self._notes, []
        return [*notes, *super().told(), *self._texts.counts.told()]

    def _asked(self, ask: Callable[[Any], Any], some: Sequence[Any]) -> Rows:
        import torch

        with torch.inference_mode():
            batch = torch.stack(list(some)).to(self.device)
            if batch.is_floating_point():
                batch = batch.to(torch_dtype(self.dtype))
            rows: Rows = ask(batch).float().cpu().numpy()
        return rows

    @cached_property
    def _calls(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """What answers texts, and what answers pictures; loads the weights."""
        loaded = placed(_loaded(self._source, PRECISION[self.dtype]), self.device, self.place).eval()

        def text(tokens: Any) -> Any:
            return loaded.encode_text(tokens, normalize=False)

        def picture(pixels: Any) -> Any:
            return loaded.encode_image(pixels, normalize=False)

        if self.runtime.compile:
            return compiled(text, self.place), compiled(picture, self.place)
        return text, picture


def make(argument: str | None, runtime: Runtime) -> OpenClipEncoder:
    """The encoder that an argument names; see :func:`crossgauge.models.open_clip.model`."""
    place = f"model open-clip:{argument or ''}"
    return OpenClipEncoder(open_source(argument, place, runtime), runtime)


def _loaded(source: Source, precision: str) -> Any:
    """The library's model with every weight of the file; raises InputError (E633) where they do not fit."""
    import open_clip

    name = f"{FOLDER}{source.checkpoint.path}" if source.schema else source.named.id.partition(",")[0]
    try:
        with _silent():
            model = open_clip.create_model(name, load_weights=False, precision=precision, output_dict=False,
                                           pretrained_hf=False, text_cfg=dict(source.text))  # fmt: skip
            open_clip.load_checkpoint(model, str(source.weights), strict=True, weights_only=True)
    except (CrossgaugeError, MemoryError):
        raise
    except Exception as error:
        if "out of memory" in str(error).lower():
            raise
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        found = f"{source.weights.name}: {type(error).__name__}: {' '.join(lines)[:300]}"
        fix = "the weights of this architecture, or see --debug"
        raise InputError(Fault("E633", source.checkpoint.place, found, "weights that fit", fix)) from error
    return model


@contextmanager
def _silent() -> Iterator[None]:
    """The library tells the root logger that a model without weights is random, before they are loaded."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with quiet():
            yield
    finally:
        logging.disable(before)
