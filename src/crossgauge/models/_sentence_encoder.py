"""The encoder behind ``sentence-transformers:``: it prepares items, batches them, and asks the library."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage
from crossgauge.errors import Fault, InputError
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._noted import noted
from crossgauge.models._sentence_config import SentenceConfig
from crossgauge.models._sentence_loading import load, need_release
from crossgauge.models._sentence_tokens import count_pieces, coverage_of, tokenizer_of
from crossgauge.models._torch.checkpoint import open_checkpoint
from crossgauge.models._torch.compiled import compiling
from crossgauge.models._torch.device import torch_dtype
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.frames import mean_of_frames, pictures_of, sampling_of
from crossgauge.models._torch.model import TorchModel
from crossgauge.models._torch.named import Named, read_name, whole
from crossgauge.models._torch.tokens import TokenCounts
from crossgauge.runtime import Runtime
from crossgauge.types import Item, Modality, Role, Similarity

USAGE = (
    "sentence-transformers:ID_OR_PATH[@REVISION]"
    "[#prompt_query=…,prompt_corpus=…,frames=N|Nfps,truncate_dim=N]"
)
SETTINGS = {"prompt_query": "", "prompt_corpus": "", "frames": "", "truncate_dim": ""}
TASKS: Mapping[Role, str] = {"query": "query", "corpus": "document"}  # the library's words
OWNER = "sentence-transformers"  # of names without one, as in the library

Rows = npt.NDArray[np.float32]


class Prepared(NamedTuple):
    """An item ready to be encoded: its text, what it shows (several frames of a video), or both."""

    text: str | None
    shown: Sequence[Any]  # pictures, or the tensors of each where the library needs no more


class SentenceEncoder(TorchModel):
    """Vectors of ``encode_query`` and ``encode_document``, with their prompts or the user's."""

    packages: Sequence[str] = ("torch", "sentence-transformers", "transformers", "tokenizers", "pillow")
    lazy_weights = False  # pictures are prepared by the modules that hold them

    def __init__(self, config: SentenceConfig, runtime: Runtime, named: Named) -> None:
        checkpoint = config.checkpoint
        super().__init__(f"sentence-transformers:{named.shown}", checkpoint, runtime, named.given)
        self._config = config
        self.similarity: Similarity = config.similarity
        self._frames = sampling_of(named, self.place)
        self._cut = _count(named, "truncate_dim", self.place)
        self.modalities: frozenset[Modality] = config.modalities
        self._allow_videos()
        self.joint = config.joint
        self._given: Mapping[Role, str] = {
            role: named.given[f"prompt_{role}"] for role in TASKS if f"prompt_{role}" in named.given
        }
        self._prompts = {
            role: self._given.get(role, config.prompts.get(task, "")) for role, task in TASKS.items()
        }
        self.uses_role = len(set(self._prompts.values())) > 1 or config.by_role
        config.runs_code()
        config.safe_weights()
        self._notes = _notes(config, self._given)
        self._loading, self._loaded = Lock(), None
        self._counts: dict[int, TokenCounts] = {}

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None where its configuration does not say."""
        found = self._config.dimensions
        return found if found is None or self._cut is None else min(found, self._cut)

    @property
    def preprocessing(self) -> str:
        """How items are read, in one line."""
        cut = next((part.config["max_seq_length"] for part in self._config.inputs
                    if part.config.get("max_seq_length")), None)  # fmt: skip
        said = [self._config.described, f"texts cut at {cut} tokens" if cut else ""]
        said += [f"{role} prompt {text!r}" for role, text in self._prompts.items() if text]
        said += [str(self._frames)] if self._frames else []
        return "; ".join(filter(None, said))

    def prepare(self, item: Item) -> Prepared:
        """Texts as they are, pictures decoded; raises InputError for what cannot be read.

        E401 for a text and a picture in one item, where they are two inputs to it.
        """
        if not item.modalities or (len(item.modalities) > 1 and not self.joint):
            found = f"it holds {'+'.join(sorted(item.modalities)) or 'nothing'}"
            raise InputError(Fault("E401", f"item {item.id}", found, "one thing: it reads one each"))
        refuse_half_characters(item)
        shown: Sequence[Any] = pictures_of(item, frames=self._frames)
        if shown and item.text is None and self._tensors_alone():
            shown = [self._model.preprocess([{"image": picture}]) for picture in shown]
        return Prepared(item.text, shown)

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> Rows:
        """One row an item, (len(prepared), D), as the library gives it for that role."""
        kinds = {
            number: (one.text is not None, bool(one.shown), isinstance(next(iter(one.shown), None), Mapping))
            for number, one in enumerate(prepared)
        }
        rows: dict[int, Any] = {}
        with compiling(self.place) if self.runtime.compile else nullcontext():
            for kind in dict.fromkeys(kinds.values()):
                places = [number for number, other in kinds.items() if other == kind]
                found = self._alike([prepared[number] for number in places], role)
                rows.update(zip(places, found, strict=True))
        return np.stack([rows[number] for number in range(len(prepared))])

    def coverage(self, texts: Sequence[str]) -> Coverage | None:
        """How many pieces these texts are, and how many are unknown; None where no tokenizer of it says."""
        return coverage_of(self._tokenizer, texts)

    @cached_property
    def _tokenizer(self) -> Any:
        """The one that reads queries, alone: vectors from the cache need no weights."""
        return tokenizer_of(self._config)

    def told(self) -> Sequence[str]:
        """Once, what the library adds or leaves out; smaller batches and texts cut since the last call."""
        notes, self._notes = self._notes, []
        counted = [line for counts in self._counts.values() for line in counts.told()]
        return [*notes, *super().told(), *counted]

    def _alike(self, some: Sequence[Prepared], role: Role) -> Rows:
        """Rows of items that hold the same: texts, pictures, or both."""
        texts = [one.text for one in some if one.text is not None]
        count_pieces(self._model, [self._prompts[role] + text for text in texts], TASKS[role], self._counts)
        if some[0].text is None:
            frames = [picture for one in some for picture in one.shown]
            made = isinstance(frames[0], Mapping)
            ask = self._forward if made else self._asker(role, "image")
            return mean_of_frames(self.halving.run(frames, ask), [len(one.shown) for one in some])
        if not some[0].shown:
            return self.halving.run(texts, self._asker(role, "text"))
        pairs = [(one.text, picture) for one in some for picture in one.shown]
        rows = self.halving.run(pairs, self._asker(role, "text", "image"))
        return mean_of_frames(rows, [len(one.shown) for one in some])

    def _asker(self, role: Role, *keys: str) -> Callable[[Sequence[Any]], Rows]:
        """The library's call for a role; a text is named as one, since it reads the addresses of pictures."""
        model = self._model
        call = model.encode_query if role == "query" else model.encode_document
        prompt = {"prompt": self._given[role]} if role in self._given else {}
        bare = keys == ("text",) and set(model.modalities) <= {"text"}

        def ask(some: Sequence[Any]) -> Rows:
            values = [one if len(keys) > 1 else (one,) for one in some]
            named = [dict(zip(keys, one, strict=True)) for one in values]
            found = call(
                list(some) if bare else named, batch_size=len(some), show_progress_bar=False,
                convert_to_numpy=True, **prompt,
            )  # fmt: skip
            return np.asarray(found, dtype=np.float32)

        return ask

    def _forward(self, some: Sequence[Mapping[str, Any]]) -> Rows:
        """Vectors of pictures whose tensors were made in threads: those of one shape at once."""
        import torch

        keys = [key for key, value in some[0].items() if torch.is_tensor(value)]
        if len(some) > 1 and len({_shape(one, keys) for one in some}) > 1:
            return np.concatenate([self._forward([one]) for one in some])
        kind = torch_dtype(self.dtype)
        joined = {key: torch.cat([one[key] for one in some]) for key in keys}
        there = {
            key: value.to(device=self.device, dtype=kind if value.is_floating_point() else None)
            for key, value in joined.items()
        }
        with torch.inference_mode():
            found = self._model({**some[0], **there})["sentence_embedding"]
            rows: Rows = found[:, : self._model.truncate_dim].float().cpu().numpy()
        return rows

    def _tensors_alone(self) -> bool:
        """Whether pictures become tensors without a tokenizer, which threads cannot share."""
        first = self._model[0]
        plain = type(first).__name__ in {"Transformer", "CLIPModel"} and "message" not in first.modalities
        return plain and importlib.util.find_spec("torchvision") is not None

    def _allow_videos(self) -> None:
        if self._frames is None:
            return
        if "image" not in self.modalities:
            found = "the setting frames, for a model that takes no pictures"
            raise InputError(Fault("E412", self.place, found, "none"))
        need(self.place, "video", "av")
        self.modalities |= {"video"}
        self.packages = (*self.packages, "av")

    @property
    def _model(self) -> Any:
        """The library's model; loads the weights, once, whichever thread comes first."""
        with self._loading:
            if self._loaded is None:
                made = load(self._config, device=self.device, dtype=torch_dtype(self.dtype))
                _check(self._config, made, self.place)
                made.truncate_dim = self._cut or made.truncate_dim
                if self.runtime.compile:
                    made.compile()
                self._loaded = made
        return self._loaded


def _count(named: Named, key: str, place: str) -> int | None:
    return whole(named, key, place, least=1) if named.settings[key] else None


def _shape(features: Mapping[str, Any], keys: Sequence[str]) -> tuple[Any, ...]:
    """What must agree for tensors to be joined along their first axis."""
    return tuple((key, tuple(features[key].shape[1:]) if key in features else None) for key in keys)


def _check(config: SentenceConfig, made: Any, place: str) -> None:
    """The library knows a model better than its configuration does; what was promised must be there."""
    calls = getattr(made[0], "modality_config", {})
    absent = {one for one, how in calls.items() if not hasattr(made[0].model, how["method"])}
    lacking = sorted(one for one in config.modalities if one in absent or not made.supports(one))
    if lacking:
        found = f"the library loads it as a model that takes no {' and no '.join(lacking)}"
        raise InputError(Fault("E636", place, found, "a modules.json that says what it is"))


def _notes(config: SentenceConfig, given: Mapping[Role, str]) -> list[str]:
    notes = []
    if config.plain and config.reads == {"text"}:
        said = "no modules.json: the library takes the mean of the last states, which nobody trained"
        notes.append(noted("W631", said, wanted="a checkpoint of sentence-transformers"))
    unused = sorted(config.prompts.keys() & {"passage", "corpus"})
    if unused and "corpus" not in given and not config.prompts.get("document"):
        text = config.prompts[unused[-1]]
        said = f"its prompt {text!r} is called {unused[-1]!r}, which encode_document does not use"
        fix = f"#prompt_corpus={quote(text, safe=':')}"
        notes.append(noted("W632", said, wanted="'document'", fix=fix))
    return notes


def make(argument: str | None, runtime: Runtime) -> SentenceEncoder:
    """The encoder that an argument names; see :func:`crossgauge.models.sentence_transformers.model`."""
    place = f"model sentence-transformers:{argument or ''}"
    named = read_name(argument, place, defaults=SETTINGS, usage=USAGE)
    need(place, "torch", "torch", "transformers", "sentence_transformers")
    need_release(place)
    owned = "/" in named.id or named.id.startswith((".", "~")) or Path(named.id).is_dir()
    checkpoint = open_checkpoint(named if owned else named._replace(id=f"{OWNER}/{named.id}"), place, runtime)
    return SentenceEncoder(SentenceConfig(checkpoint), runtime, named)
