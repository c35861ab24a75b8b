"""``sentence-transformers:ID_OR_PATH[@REVISION][#SETTINGS]``: text and multimodal models of that library.

``sentence-transformers:image=A;text=B`` is short for a ``pair:`` of two of its models.
"""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "a text or multimodal model of sentence-transformers: ID_OR_PATH, or image=A;text=B for two"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of a folder or of a model on the hub; only configuration files are read.

    Settings: ``prompt_query`` and ``prompt_corpus`` (in place of those that it declares, percent-encoded),
    ``frames=N`` (videos, as the mean of N frames; ``Nfps``: of N a second), ``truncate_dim=N`` (the first N
    numbers of each vector).

    Raises UsageError (E412, E601, E602, E605, E636), InputError (E604, E636) or EnvironmentFault (E600, E606,
    E607).
    """
    if argument and argument.startswith(("image=", "text=", "video=")):
        from crossgauge.models import pair

        parts = (part.partition("=") for part in argument.split(";"))
        towers = [f"{key}=sentence-transformers:{name}" for key, _, name in parts]
        return pair.model(";".join(towers), runtime=runtime)
    from crossgauge.models._sentence_encoder import make

    return make(argument, runtime)


MODEL = model
