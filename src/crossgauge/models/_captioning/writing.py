"""What a kind of captioner must be able to do; the captioner itself batches, generates and decodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from crossgauge.models._torch.frames import Sampling, sampling_of
from crossgauge.models._torch.named import Named
from crossgauge.types import Item, Modality

if TYPE_CHECKING:
    from PIL.Image import Image

SETTINGS = {"prompt": "", "frames": "", "backend": "auto"}  # "" is what the kind does by itself


class Prepared(NamedTuple):
    """An item read, for a model that has yet to be asked."""

    id: str
    text: str | None
    pictures: Sequence[Image]  # as they are; () where ``pixels`` hold them
    pixels: Mapping[str, Any]  # tensors of one item; {} where the whole processor makes them

    @property
    def shows(self) -> bool:
        """Whether there is anything to see: a model asks such items apart."""
        return bool(self.pictures or self.pixels)


class Writer(Protocol):
    """One kind of checkpoint: which calls its library documents for it."""

    modalities: frozenset[Modality]
    joint: bool
    own_generation: bool  # whether the library applies generation_config.json to it
    pins: Mapping[str, str]  # what changes texts besides checkpoint and settings
    notes: Sequence[str]

    @property
    def described(self) -> str:
        """How items are read, in one line."""
        ...

    @property
    def tokenizer(self) -> Any:
        """The one that it reads and writes by."""
        ...

    def prepare(self, item: Item) -> Prepared:
        """Read an item, in a worker thread. Raises InputError."""
        ...

    def load(self, dtype: Any) -> Any:
        """The model with its weights, in eval mode."""
        ...

    def generator(self, model: Any) -> Any:
        """The part of the model whose ``generation_config`` counts."""
        ...

    def inputs(self, some: Sequence[Prepared], language: str | None) -> dict[str, Any]:
        """Tensors for ``generate``. Raises ValueError for an item that the processor does not take."""
        ...

    def begins(self, inputs: Mapping[str, Any]) -> int:
        """How many tokens of what ``generate`` returns were put in, not written."""
        ...

    def decoded(self, ids: Any) -> str:
        """Ids as text, without marks."""
        ...


def frames_of(named: Named, place: str, native: int | None) -> Sampling | None:
    """How many frames a video is sampled at; None: it takes no videos. Raises UsageError (E412)."""
    from crossgauge.errors import Fault, UsageError

    asked = sampling_of(named, place)
    if native is not None and asked not in {None, Sampling(native)}:
        found = f"the setting frames={named.settings['frames']}"
        raise UsageError(Fault("E412", place, found, f"frames={native}, as it was trained, or nothing"))
    return asked if native is None else Sampling(native)
