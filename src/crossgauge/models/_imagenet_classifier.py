"""The embedded image tower as what it was trained to be: a classifier of the 1,000 ImageNet classes.

It implements :class:`crossgauge.annotations.predicted.Classifier`, for concepts of pictures nobody annotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from crossgauge.concepts.imagenet import imagenet_classes
from crossgauge.errors import Fault, InputError
from crossgauge.media import POLICY, content_digest, load_image
from crossgauge.models._conse import DATA, cores
from crossgauge.models._conse_image import ImageTower, Network, present
from crossgauge.types import Item

Guesses = list[tuple[str, float]]


class ImageNetClassifier:
    """EfficientNet-Lite0, one picture at a time: no guess depends on the other pictures or on threads."""

    def __init__(self, *, threads: int | None = None) -> None:
        self._network = Network(DATA / "efficientnet_lite0.onnx", side=224)
        self._tower = ImageTower(self._network)
        self._threads = threads or cores()

    @cached_property
    def name(self) -> str:
        """Network, digest of its weights, and how pictures are decoded.

        >>> ImageNetClassifier().name.partition("@")[0]
        'efficientnet-lite0'
        """
        return f"efficientnet-lite0@{content_digest(present(self._network.path))[:12]}-{POLICY}"

    def likeliest(self, items: Sequence[Item], k: int) -> list[Guesses]:
        """For each picture its ``k`` likeliest classes as WordNet 3.0 synsets, best first.

        With the probability of each among all 1,000. Raises InputError (E160 to E166) with all pictures that
        cannot be decoded; EnvironmentFault (E414) without the model's file.
        """
        present(self._network.path)
        with ThreadPoolExecutor(self._threads) as pool:
            found = list(pool.map(lambda item: self._guess(item, k), items))
        faults = [fault for one in found if isinstance(one, InputError) for fault in one.faults]
        if faults:
            raise InputError(faults)
        return [one for one in found if not isinstance(one, InputError)]

    def _guess(self, item: Item, k: int) -> Guesses | InputError:
        if item.image is None:
            return InputError(Fault("E401", f"item {item.id}", "no picture", "a picture", "leave it out"))
        try:
            pixels = self._tower.square(load_image(item.image, item=item.id))
        except InputError as error:
            return error
        classes, names = self._tower.probabilities(pixels, k), imagenet_classes()
        numbers = zip(classes.numbers.tolist(), classes.shares.tolist(), strict=True)
        return [(names[number].concept, share) for number, share in numbers]
