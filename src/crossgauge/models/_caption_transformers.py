"""``caption:transformers:ID_OR_PATH[@REVISION][#SETTINGS]``: captioners of the transformers library.

BLIP, BLIP-2, GIT (pictures, or videos), and every chat model that the library loads for pictures and text
(Qwen-VL, SmolVLM, LLaVA, Gemma …); the checkpoint's own configuration says which.
"""

from __future__ import annotations

from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Captioner

USAGE = "transformers:ID_OR_PATH[@REVISION][#KEY=VALUE,…]"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Captioner:
    """Make the captioner of a folder or of a model on the hub; only configuration files are read.

    Settings: ``prompt`` (chat models: with ``{language}``, ``{in_language}``, ``{text}``; others: the first
    words of the text, which is not repeated in it), ``max_new_tokens``, ``num_beams``, ``do_sample`` with
    ``temperature`` and ``seed``, ``frames=N`` (chat models: videos as N pictures; ``Nfps``: N a second),
    ``backend=auto|torchvision|pil``.

    Raises UsageError (E412, E601, E602, E605, E650, E651), InputError (E604, E621) or EnvironmentFault (E600,
    E606, E607).
    """
    from crossgauge.models._captioning.captioner import make

    return make(argument, runtime)


MODEL = model
