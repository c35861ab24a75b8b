"""``caption:labels``: the names of the likeliest ImageNet classes, as a caption: a floor that runs anywhere.

The names are English whatever the language asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version

from crossgauge.errors import Fault, UsageError
from crossgauge.media import POLICY, content_digest, load_image
from crossgauge.models._conse import CLASSES, DATA, RUNTIMES, cores
from crossgauge.models._conse_image import ImageTower, Network, Pixels, present
from crossgauge.types import Captioner, Item, Modality

USAGE = "labels[:HOW_MANY]"
DEFAULT = 2
MOST = 10
ADAPTER = 1  # raise it when this file changes a caption


class Labels:
    """EfficientNet-Lite0 names what it sees: ``zebra, hartebeest``; each picture is looked at alone."""

    joint = False
    modalities: frozenset[Modality] = frozenset({"image"})
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, count: int, *, threads: int | None = None) -> None:
        self.name = f"caption:labels:{count}"
        self._count = count
        self._threads = threads or cores()
        self._network = Network(DATA / "efficientnet_lite0.onnx", side=224)
        self._tower = ImageTower(self._network)

    @cached_property
    def revision(self) -> str:
        """A digest of weights, class names, decode policy and the libraries that calculate."""
        parts = [str(ADAPTER), str(POLICY), str(self._count)]
        parts += [content_digest(present(path)) for path in (self._network.path, CLASSES)]
        parts += [f"{name} {version(name)}" for name in RUNTIMES]
        return f"{ADAPTER}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"

    def prepare(self, item: Item) -> Pixels:
        """The picture decoded and scaled; raises InputError (E160 to E166) when it cannot be."""
        return self._tower.square(load_image(item.image, item=item.id))  # type: ignore[arg-type]  # E168 for None

    def caption(self, prepared: Sequence[Pixels], *, language: str | None) -> list[str]:  # noqa: ARG002
        """The names of the likeliest classes, best first; English whatever ``language`` says."""
        present(self._network.path)
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._names, prepared))

    def _names(self, pixels: Pixels) -> str:
        best = self._tower.classes(pixels, self._count).numbers
        return ", ".join(self._classes[number] for number in best.tolist())

    @cached_property
    def _classes(self) -> list[str]:
        return [name for _, name in json.loads(present(CLASSES).read_bytes())]


def model(argument: str | None = None) -> Captioner:
    """Make the captioner of ``labels`` or ``labels:HOW_MANY``; raises UsageError (E412).

    >>> model().name, model().languages
    ('caption:labels:2', frozenset({'en'}))
    """
    said = argument if argument is not None else str(DEFAULT)
    count = int(said) if said.isascii() and said.isdigit() else 0
    if not 0 < count <= MOST:
        found = f"the argument {argument!r}"
        raise UsageError(Fault("E412", "model caption:labels", found, f"a number of labels up to {MOST}"))
    return Labels(count)


MODEL = model
