"""The encoder behind ``transformers:``: it prepares items, batches them, and asks the family."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._torch.checkpoint import TOKENIZERS, Checkpoint, open_checkpoint
from crossgauge.models._torch.compiled import compiled
from crossgauge.models._torch.device import placed, torch_dtype
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.frames import Sampling, mean_of_frames, pictures_of, sampling_of
from crossgauge.models._torch.model import TorchModel
from crossgauge.models._torch.named import Named, choice, read_name, whole
from crossgauge.models._transformers.dual import Family, OwnCode
from crossgauge.models._transformers.families import FAMILIES, family_of
from crossgauge.models._transformers.loading import load_tokenizer
from crossgauge.models._transformers.pictures import Pictures, Pixels
from crossgauge.models._transformers.texts import Shape, Texts, Tokens
from crossgauge.models._transformers.x_clip import as_clip
from crossgauge.runtime import Runtime
from crossgauge.types import Item, Modality, Role, Similarity
from crossgauge.video import POLICY as VIDEO_POLICY

USAGE = "transformers:ID_OR_PATH[@REVISION][#frames=N|Nfps,context=N,backend=auto|torchvision|pil]"
SETTINGS = {"frames": "", "context": "", "backend": "auto"}
_OWN = {key: values[0] for family in FAMILIES.values() for key, values in family.settings.items()}
_TORCHVISION = ("torchvision",) if importlib.util.find_spec("torchvision") else ()
_PROCESSORS = ("preprocessor_config.json", "processor_config.json")


class Prepared(NamedTuple):
    """An item ready to be encoded: the ids of its text, or the tensors of what it shows."""

    tokens: Tokens | None
    pixels: Pixels | None


class TransformersEncoder(TorchModel):
    """A dual encoder of the transformers library, or one tower of it.

    A modality whose processor the checkpoint lacks is not taken, so a tower without one works. ``frames=N``
    lets a model of pictures take videos: the mean of the unit vectors of N frames (``Nfps``: of N a second).
    Texts are cut at ``context`` tokens. ``backend`` says which library resizes pictures (auto: the library's
    own choice).
    """

    similarity: Similarity = "cosine"

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, named: Named) -> None:
        self._family = family_of(checkpoint)
        self._config = self._family.read_config(checkpoint)
        place = checkpoint.place
        self._frames = _frames(named, place, self._family.native_frames(self._config))
        self.lacks = _lacking(checkpoint, self._family)
        self.modalities = _modalities(checkpoint, self._family, frames=self._frames, lacks=self.lacks)
        own = {key: choice(named, key, place, values) for key, values in self._family.settings.items()}
        _refuse_settings(named, place, self._family)
        code = isinstance(self._family, OwnCode)
        backend = choice(named, "backend", place, ("auto", "torchvision", "pil"))
        shows = self.modalities & {"image", "video"}
        self._pictures = Pictures(checkpoint, backend=backend, code=code) if shows else None
        if self._pictures is not None:
            backend = self._pictures.backend
            self.packages = (*self.packages, "torchvision") if backend == "torchvision" else self.packages
        video = {}
        if "video" in self.modalities:
            self.packages = (*self.packages, "av")
            video = {"video": str(VIDEO_POLICY)}
        shape = _shape(named, place, self._family, self._family.positions(self._config))
        self._texts = Texts(lambda: load_tokenizer(checkpoint, code=code), shape)
        pinned = {**named.settings, **own, **video, **self._family.pins(self._config), "backend": backend}
        super().__init__(f"transformers:{named.shown}", checkpoint, runtime, pinned)
        checkpoint.safe_weights()
        self._noted = False

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None where its configuration does not say."""
        return self._family.dimension(self._config)

    @property
    def preprocessing(self) -> str:
        """How pictures and texts are read, in one line."""
        parts = [self._pictures.described] if self._pictures else []
        if self._frames:
            parts.append(str(self._frames))
        if "text" in self.modalities:
            parts.append(self._texts.described)
        return "; ".join(parts)

    def prepare(self, item: Item) -> Prepared:
        """Token ids, or the image processor's tensors; raises InputError for what cannot be read.

        A text and a picture in one item are two inputs to it (E401).
        """
        if len(item.modalities) != 1:
            found = f"it holds {'+'.join(sorted(item.modalities)) or 'nothing'}"
            raise InputError(Fault("E401", f"item {item.id}", found, "one thing: its towers read one each"))
        if item.text is not None:
            refuse_half_characters(item)
            return Prepared(self._texts.tokens(item.text), None)
        assert self._pictures is not None  # noqa: S101  (modalities said so)
        pictures = pictures_of(item, frames=self._frames)
        pixels = self._pictures.pixels(pictures, item=item.id)
        return Prepared(None, as_clip(pixels) if self._native else pixels)

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> npt.NDArray[np.float32]:  # noqa: ARG002
        """One row an item, (len(prepared), D), as the library gives it; ``role`` changes nothing."""
        texts = [one.tokens for one in prepared if one.tokens is not None]
        shown = [one.pixels for one in prepared if one.pixels is not None]
        of_texts = iter(self._of_texts(texts) if texts else ())
        of_shown = iter(self._of_shown(shown) if shown else ())
        return np.stack([next(of_texts if one.tokens is not None else of_shown) for one in prepared])

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, and how many of them the tokenizer does not know."""
        return self._texts.coverage(texts)

    def told(self) -> Sequence[str]:
        """Smaller batches, texts cut, pieces unknown since the last call; once, what a family leaves out."""
        notes = [] if self._noted else [note.format(**self.settings) for note in self._family.notes]
        self._noted = True
        return [*notes, *super().told(), *self._texts.told()]

    @property
    def _native(self) -> bool:
        return self._family.native_frames(self._config) is not None

    def _of_texts(self, texts: Sequence[Tokens]) -> npt.NDArray[np.float32]:
        ask = self._calls[0]
        return self.halving.run(texts, lambda some: self._asked(ask, self._texts.batch(some)))

    def _of_shown(self, shown: Sequence[Pixels]) -> npt.NDArray[np.float32]:
        """Pictures one by one, so that a batch of videos can be halved inside one."""
        counts = [len(next(iter(pixels.values()))) for pixels in shown]
        single = [
            {key: value[at : at + 1] for key, value in pixels.items()}
            for pixels, count in zip(shown, counts, strict=True)
            for at in range(count)
        ]
        ask = self._calls[1]
        rows = self.halving.run(single, lambda some: self._asked(ask, _stacked(some)))
        return mean_of_frames(rows, counts)

    def _asked(self, ask: Callable[[Any], Any], inputs: Mapping[str, Any]) -> npt.NDArray[np.float32]:
        import torch

        kind = torch_dtype(self.dtype)
        with torch.inference_mode():
            there = {
                key: value.to(device=self.device, dtype=kind if value.is_floating_point() else None)
                for key, value in inputs.items()
            }
            rows: npt.NDArray[np.float32] = ask(there).float().cpu().numpy()
        return rows

    @cached_property
    def _calls(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """What answers texts, and what answers pictures; loads the weights."""
        family, settings = self._family, self.settings
        made = family.load(self.checkpoint, self._config, dtype=torch_dtype(self.dtype))
        loaded = placed(made, self.device, self.place)

        def text(inputs: Any) -> Any:
            return family.text(loaded, inputs, settings)

        def picture(inputs: Any) -> Any:
            return family.picture(loaded, inputs, settings)

        if self.runtime.compile:
            return compiled(text, self.place), compiled(picture, self.place)
        return text, picture


def make(argument: str | None, runtime: Runtime) -> TransformersEncoder:
    """The encoder that an argument names; see :func:`crossgauge.models.transformers.model`."""
    place = f"model transformers:{argument or ''}"
    named = read_name(argument, place, defaults=SETTINGS | _OWN, usage=USAGE)
    need(place, "torch", "torch", "transformers", *_TORCHVISION)
    return TransformersEncoder(open_checkpoint(named, place, runtime), runtime, named)


def _stacked(some: Sequence[Pixels]) -> dict[str, Any]:
    import torch

    return {key: torch.cat([one[key] for one in some]) for key in some[0]}


def _frames(named: Named, place: str, native: int | None) -> Sampling | None:
    """How many frames a video is sampled at; None: it takes none."""
    asked = sampling_of(named, place)
    if native is not None and asked not in {None, Sampling(native)}:
        found = f"the setting frames={named.settings['frames']}"
        raise UsageError(Fault("E412", place, found, f"frames={native}, as it was trained, or nothing"))
    return asked if native is None else Sampling(native)


def _lacking(checkpoint: Checkpoint, family: Family) -> dict[Modality, str]:
    """Why the checkpoint cannot do what its family can: files that are not there."""
    here = {file.name for file in checkpoint.path.iterdir()}
    shown = "" if here.intersection(_PROCESSORS) else f"no image processor: none of {', '.join(_PROCESSORS)}"
    found: dict[Modality, str] = {"text": checkpoint.lacks_tokenizer, "image": shown, "video": shown}
    return {one: why for one, why in found.items() if why and one in family.modalities}


def _modalities(
    checkpoint: Checkpoint, family: Family, *, frames: Sampling | None, lacks: Mapping[Modality, str]
) -> frozenset[Modality]:
    """What the family takes and the checkpoint has a processor for. Raises InputError (E621) for nothing."""
    able: set[Modality] = set(family.modalities) - set(lacks)
    if "image" in able and frames:
        able.add("video")
    if not able:
        found = "neither a tokenizer nor an image processor that it could use"
        raise InputError(
            Fault("E621", checkpoint.place, found, f"one of: {', '.join(TOKENIZERS + _PROCESSORS)}")
        )
    return frozenset(able)


def _refuse_settings(named: Named, place: str, family: Family) -> None:
    """Raise UsageError (E412) for a setting that this family does not have."""
    known = {*SETTINGS, *family.settings} - (
        {"frames", "backend"} if family.modalities == {"text"} else set()
    )
    if strange := set(named.given) - known:
        found = f"the setting {', '.join(sorted(strange))}, which {family.title} does not have"
        raise UsageError(Fault("E412", place, found, f"one of: {', '.join(sorted(known))}"))


def _shape(named: Named, place: str, family: Family, positions: int | None) -> Shape:
    """How texts are laid out. Raises UsageError (E412) for a context that the tower has no places for."""
    most = positions or 10**6
    asked = whole(named, "context", place, least=2, most=most) if named.settings["context"] else None
    return Shape(family.padding, [most, family.context or most], asked, family.without)
