"""``conse``: the default model, embedded: no download, no torch."""

from __future__ import annotations

from crossgauge.models._conse import DATA, Conse, no_argument
from crossgauge.models._conse_image import Network
from crossgauge.types import Encoder

DESCRIPTION = (
    "ConSE: EfficientNet-Lite0 and the multilingual Universal Sentence Encoder; embedded, 16 languages"
)


def model(argument: str | None = None, *, threads: int | None = None) -> Encoder:
    """Make the encoder; ``threads`` is how many pictures or texts it works on at once (None: one a core).

    Raises UsageError (E412): it takes no argument. Raises EnvironmentFault (E414) when used without its data.

    >>> sorted(model().modalities)
    ['image', 'text']
    """
    no_argument("conse", argument)
    return Conse("conse", Network(DATA / "efficientnet_lite0.onnx", side=224), threads=threads)


MODEL = model
