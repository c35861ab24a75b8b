"""``open-clip:ARCH,PRETRAINED``, ``open-clip:hf-hub:OWNER/NAME``, ``open-clip:local-dir:PATH``."""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "a model of the open_clip library: ARCH,PRETRAINED, hf-hub:OWNER/NAME or local-dir:PATH"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of an architecture with weights, of a hub repository or of a folder.

    ``PRETRAINED`` is one of the library's tags, or a file. Only configuration files are read. The one setting
    is ``frames=N`` (videos, as the mean of N frames; ``Nfps``: of N a second); ``@REVISION`` pins what comes
    from the hub.

    Raises UsageError (E412, E605, E630, E631), InputError (E603, E604, E632) or EnvironmentFault (E600,
    E606, E607).
    """
    from crossgauge.models._open_clip_encoder import make

    return make(argument, runtime)


MODEL = model
