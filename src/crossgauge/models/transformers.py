"""``transformers:ID_OR_PATH[@REVISION][#SETTINGS]``: dual encoders of the transformers library.

CLIP, MetaCLIP 2, SigLIP, SigLIP 2, Chinese-CLIP, AltCLIP, ALIGN, BLIP and BLIP-2 for retrieval, X-CLIP for
videos, and M-CLIP's text towers; the checkpoint's own configuration says which.
"""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "a dual encoder of the transformers library (CLIP, SigLIP, ALIGN, BLIP-2, X-CLIP …): ID_OR_PATH"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of a folder or of a model on the hub; only configuration files are read.

    Settings: ``frames=N`` (videos, as the mean of N frames; ``Nfps``: of N a second), ``context=N`` (cut
    texts at N tokens), ``backend=auto|torchvision|pil`` (what resizes pictures), ``queries=mean|first``
    (BLIP-2 only).

    Raises UsageError (E412, E601, E602, E605, E620), InputError (E604, E621) or EnvironmentFault (E600, E606,
    E607).
    """
    from crossgauge.models._transformers.encoder import make

    return make(argument, runtime)


MODEL = model
