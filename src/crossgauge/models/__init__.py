"""Model adapters: one file each; see :mod:`crossgauge.registry`.

A file holds ``MODEL``, a callable from the text after the colon (``random:64`` → ``"64"``, ``conse`` → None)
to a :class:`crossgauge.types.Encoder`, and ``DESCRIPTION``, the line that ``crossgauge list models`` shows.
"""

from __future__ import annotations

import sys

from crossgauge import registry
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Encoder

_PARTS = sorted(name for name in vars(Encoder) if not name.startswith("_"))


def load_model(spec: str) -> Encoder:
    """The encoder that ``name`` or ``name:argument`` names.

    Raises UsageError: E110 (no such name), E412 (an argument it cannot use), E413 (a plug-in made something
    that is no encoder).

    >>> load_model("random:8").name
    'random:8'
    """
    name, colon, argument = spec.partition(":")
    encoder = registry.load("models", name)(argument if colon else None)
    if not isinstance(encoder, Encoder):
        lacking = [part for part in _PARTS if not hasattr(encoder, part)]
        found = f"a {type(encoder).__name__} without {', '.join(lacking)}"
        raise UsageError(Fault("E413", f"model {spec!r}", found, "an Encoder (crossgauge.types.Encoder)"))
    return encoder


def describe(name: str) -> str:
    """One line about a model: the ``DESCRIPTION`` of its module, else the first line of its docstring.

    >>> describe("random")
    'random vectors, a function of the content: the floor'
    """
    model = registry.load("models", name)
    module = sys.modules.get(getattr(model, "__module__", ""))
    described = getattr(module, "DESCRIPTION", None) or model.__doc__ or ""
    return str(described).strip().partition("\n")[0]
