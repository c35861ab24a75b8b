"""``caption:KIND:…``: models that write; one file ``_caption_KIND.py`` each, with ``MODEL`` and ``USAGE``."""

from __future__ import annotations

from crossgauge.models._family import member
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Captioner

DESCRIPTION = "captions: labels, nearest:TRAIN, transformers:ID, openai:MODEL@BASE_URL; see the how-to"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Captioner:
    """Make the captioner of ``KIND`` or ``KIND:argument``.

    Raises UsageError (E412) for a kind that there is not, and what that kind raises.

    >>> model("labels:3").name
    'caption:labels:3'
    """
    made: Captioner = member("caption", argument, runtime)
    return made


MODEL = model
