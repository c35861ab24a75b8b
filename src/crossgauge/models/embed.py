"""``embed:KIND:…``: vectors made elsewhere, when asked for; one file ``_embed_KIND.py`` each."""

from __future__ import annotations

from crossgauge.models._family import member
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Encoder

DESCRIPTION = "vectors of texts from an endpoint: http:[MODEL@]BASE_URL, OpenAI or TEI style"


def model(argument: str | None = None, *, runtime: Runtime = DEFAULT) -> Encoder:
    """Make the encoder of ``KIND:argument``.

    Raises UsageError (E412) for a kind that there is not, and what that kind raises.

    >>> model("http:bge@http://localhost:8080/v1").name
    'embed:http:bge@http://localhost:8080/v1'
    """
    made: Encoder = member("embed", argument, runtime)
    return made


MODEL = model
