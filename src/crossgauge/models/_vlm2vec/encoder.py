"""The encoder behind ``vlm2vec:``: it words items, batches them, and pools the last layer's states."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from crossgauge.coverage import Coverage
from crossgauge.media import load_image
from crossgauge.models._characters import refuse_half_characters
from crossgauge.models._noted import noted
from crossgauge.models._torch.checkpoint import Checkpoint, open_checkpoint
from crossgauge.models._torch.compiled import compiled
from crossgauge.models._torch.device import own_dtype, placed, torch_dtype
from crossgauge.models._torch.extras import need
from crossgauge.models._torch.model import TorchModel
from crossgauge.models._torch.named import Named, choice, read_name
from crossgauge.models._torch.tokens import TokenCounts
from crossgauge.models._transformers.loading import load_config, load_weights
from crossgauge.models._vlm2vec import reader, resolution
from crossgauge.models._vlm2vec.adapter import base_of, left_out, load_merged, refuse_code
from crossgauge.models._vlm2vec.batches import Inputs, batch_of, together
from crossgauge.models._vlm2vec.families import Family, Side, family_of
from crossgauge.models._vlm2vec.pooling import Pool, pooled
from crossgauge.models._vlm2vec.prompts import marked
from crossgauge.models._vlm2vec.reader import Reader
from crossgauge.runtime import Runtime
from crossgauge.types import Item, Modality, Role, Similarity

USAGE = "vlm2vec:ID_OR_PATH[@REVISION][#KEY=VALUE,…]"
SETTINGS = {
    "pool": "last", "query": "", "corpus": "", "padding": "auto", **reader.SETTINGS, **resolution.SETTINGS,
}  # fmt: skip
_TORCHVISION = ("torchvision",) if importlib.util.find_spec("torchvision") else ()
_DATED = noted(
    "W640", "its chat template writes today's date: another day, other vectors", fix="compare runs of one day"
)
Rows = npt.NDArray[np.float32]


class Prepared(NamedTuple):
    """An item ready to be encoded, worded for either role: the same object where both words are the same."""

    query: Inputs
    corpus: Inputs


class Vlm2Vec(TorchModel):
    """A vision-language model whose vector of an item is a hidden state of its last layer.

    Pictures, texts and both in one are one input each. An empty text of no token has no state: its row is
    NaN, which is told.
    """

    similarity: Similarity = "cosine"
    joint = True
    on_gpu = None  # one picture is hundreds of tokens to it
    modalities: frozenset[Modality] = frozenset({"text", "image"})

    def __init__(
        self, checkpoint: Checkpoint, runtime: Runtime, named: Named, *, adapter: Checkpoint | None = None
    ) -> None:
        place = checkpoint.place
        self._adapter = adapter
        self._family: Family = family_of(checkpoint)
        if adapter is not None:
            refuse_code(adapter, self._family)
        self._config = load_config(checkpoint, code=self._family.code)
        self._pool = cast("Pool", choice(named, "pool", place, ("last", "mean", "eos")))
        padding = choice(named, "padding", place, ("auto", "left", "right"))
        self._side: Side = self._family.padding if padding == "auto" else cast("Side", padding)
        self._prefixes: Mapping[Role, str] = {
            "query": named.settings["query"],
            "corpus": named.settings["corpus"],
        }
        self.uses_role = named.settings["query"] != named.settings["corpus"]
        places = getattr(self._config.get_text_config(), "max_position_embeddings", None)
        self._reader = Reader(checkpoint, self._family, named, places=places, ends=self._pool == "eos")
        if self._reader.backend == "torchvision":
            self.packages = (*self.packages, "torchvision")
        self.auto_dtype = own_dtype(checkpoint.config)
        pinned = {**named.settings, "backend": self._reader.backend, "padding": self._side}
        self._notes = list(left_out(checkpoint)) if adapter is None else []
        if "strftime_now" in self._reader.template:
            pinned["date"] = datetime.now().astimezone().date().isoformat()  # another day, another revision
            self._notes.append(_DATED)
        if adapter is not None:
            self.packages = (*self.packages, "peft")
            pinned["adapter"] = adapter.revision
        super().__init__(f"vlm2vec:{named.shown}", checkpoint, runtime, pinned)
        checkpoint.safe_weights()
        self._counts = TokenCounts(self._reader.context)
        self._empty = 0

    @property
    def dimensions(self) -> int | None:
        """The width of the model's hidden states; None where its configuration does not say."""
        found = getattr(self._config.get_text_config(), "hidden_size", None)
        return None if found is None else int(found)

    @property
    def preprocessing(self) -> str:
        """How items are read and pooled, in one line."""
        return f"{self._reader.described}, padded on the {self._side}; {self._pool} hidden state"

    def prepare(self, item: Item) -> Prepared:
        """The processor's tensors; raises InputError for what cannot be read or does not fit."""
        refuse_half_characters(item)
        picture = None if item.image is None else load_image(item.image, item=item.id)
        made: dict[str, Inputs] = {}
        for prefix in self._prefixes.values():
            if prefix not in made:
                prompt = marked(item.text, prefix, shows=picture is not None, item=item.id)
                made[prefix] = self._reader.read(prompt, picture, item=item.id)
        return Prepared(*(made[self._prefixes[role]] for role in ("query", "corpus")))

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> Rows:
        """One row an item, (len(prepared), D), as the model gives it: not of length one."""
        rows = [one.query if role == "query" else one.corpus for one in prepared]
        for one in rows:
            self._counts.add(pieces=one.pieces, unknown=one.unknown, special=one.special)
        held = [at for at, one in enumerate(rows) if one.length]
        self._empty += len(rows) - len(held)
        found: dict[int, Rows] = {}
        for places in together([rows[at] for at in held], padded=self._family.batched):
            some = [held[place] for place in places]
            vectors = self.halving.run([rows[at] for at in some], self._vectors)
            found.update(zip(some, vectors, strict=True))
        width = len(next(iter(found.values()))) if found else self.dimensions or 1
        nothing = np.full(width, np.nan, dtype=np.float32)
        return np.stack([found.get(at, nothing) for at in range(len(rows))])

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, and how many of them the tokenizer does not know."""
        return self._reader.coverage(texts)

    def told(self) -> Sequence[str]:
        """Smaller batches, texts cut, pieces unknown, texts of no token since the last call."""
        said = [*super().told(), *self._counts.told()]
        if self._empty:
            found = f"{self._empty:,} texts of no token: they have no vector"
            fix = "#pool=eos or #template=chat gives them tokens"
            said.append(noted("W641", found, fix=fix))
            self._empty = 0
        notes, self._notes = self._notes, []
        return [*notes, *said]

    def _vectors(self, rows: Sequence[Inputs]) -> Rows:
        import torch

        kind = torch_dtype(self.dtype)
        with torch.inference_mode():
            there = {
                key: value.to(device=self.device, dtype=kind if value.is_floating_point() else None)
                for key, value in batch_of(rows, side=self._side, pad=self._reader.pad).items()
            }
            states = self._states(there)
            vectors: Rows = pooled(states, there["attention_mask"], self._pool).cpu().numpy()
        return vectors

    @cached_property
    def _states(self) -> Callable[[Mapping[str, Any]], Any]:
        """The last layer's hidden states of a batch, (n, L, D); loads the weights."""
        dtype, family = torch_dtype(self.dtype), self._family
        if self._adapter is not None:
            model = load_merged(self._adapter, self.checkpoint, family, dtype=dtype)
        else:
            model = load_weights(
                self.checkpoint, family.model_class, dtype=dtype, unused=family.unused, code=family.code
            )
        model = placed(model, self.device, self.place)
        asks = {"use_cache": False, "return_dict": True} | (
            {"output_hidden_states": True} if family.code else {}
        )

        def states(inputs: Mapping[str, Any]) -> Any:
            output = model(**inputs, **asks)
            found = getattr(output, "last_hidden_state", None)
            return output.hidden_states[-1] if found is None else found

        return compiled(states, self.place) if self.runtime.compile else states


def make(argument: str | None, runtime: Runtime) -> Vlm2Vec:
    """The encoder that an argument names; see :func:`crossgauge.models.vlm2vec.model`."""
    place = f"model vlm2vec:{argument or ''}"
    named = read_name(argument, place, defaults=SETTINGS, usage=USAGE)
    need(place, "torch", "torch", "transformers", *_TORCHVISION)
    opened = open_checkpoint(named, place, runtime)
    base = base_of(opened, runtime)
    if base is None:
        return Vlm2Vec(opened, runtime, named)
    return Vlm2Vec(base, runtime, named, adapter=opened)
