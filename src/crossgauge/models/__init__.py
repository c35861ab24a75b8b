"""Model adapters: one file each; see :mod:`crossgauge.registry`.

A file holds ``MODEL``, a callable from the text after the colon (``random:64`` → ``"64"``, ``conse`` → None)
to a :class:`crossgauge.types.Encoder` or a :class:`crossgauge.types.Captioner`, and ``DESCRIPTION``, the line
that ``crossgauge list models`` shows. ``caption`` and ``embed`` are families: what follows their colon names
a file ``_caption_….py`` or ``_embed_….py``. A factory with the keyword ``runtime`` is told device, number
format and trust (:class:`crossgauge.runtime.Runtime`).
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import fields

from crossgauge import registry
from crossgauge.errors import Fault, UsageError
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Captioner, Encoder, Model, Reads

_READS = {name for name in vars(Reads) if not name.startswith("_")}
_PARTS = {
    "an Encoder": sorted(_READS | {name for name in vars(Encoder) if not name.startswith("_")}),
    "a Captioner": sorted(_READS | {"caption"}),
}


def load_model(spec: str, runtime: Runtime = DEFAULT) -> Model:
    """The model that ``name`` or ``name:argument`` names, to run as ``runtime`` says.

    Raises UsageError: E110 (no such name), E412 (an argument it cannot use), E413 (a plug-in made something
    that is no model), E611 (it has no choice of device, number format or trust, and one was made).

    >>> load_model("random:8").name
    'random:8'
    """
    name, colon, argument = spec.partition(":")
    make, given = registry.load("models", name), argument if colon else None
    if takes_runtime(make):
        return _checked(make(given, runtime=runtime), f"model {spec!r}")
    if runtime != DEFAULT:
        asked = ", ".join(f"--{field.name.replace('_', '-')}" for field in fields(Runtime)
                          if getattr(runtime, field.name) != getattr(DEFAULT, field.name))  # fmt: skip
        raise UsageError(Fault("E611", f"model {spec}", f"{asked}: it has no such choice", "none of them"))
    return _checked(make(given), f"model {spec!r}")


def takes_runtime(make: object) -> bool:
    """Whether a model's factory has the keyword ``runtime``: it runs on torch.

    >>> takes_runtime(load_model)
    True
    """
    return callable(make) and "runtime" in inspect.signature(make).parameters


def on_torch(spec: str) -> bool:
    """Whether the family of a named model has a choice of device and number format.

    >>> on_torch("random:8")
    False
    """
    return takes_runtime(registry.load("models", spec.partition(":")[0]))


def as_model(model: str | Model) -> Model:
    """The model itself, or the one that a name stands for; raises UsageError (E413) for anything else.

    >>> as_model("random:8").name
    'random:8'
    """
    return load_model(model) if isinstance(model, str) else _checked(model, "model")


def _checked(made: object, place: str) -> Model:
    if isinstance(made, Encoder | Captioner):
        return made
    meant = "a Captioner" if hasattr(made, "caption") and not hasattr(made, "encode") else "an Encoder"
    lacking = [part for part in _PARTS[meant] if not hasattr(made, part)]
    found = f"a {type(made).__name__} without {', '.join(lacking)}"
    raise UsageError(Fault("E413", place, found, "an Encoder or a Captioner (crossgauge.types)"))


def describe(name: str) -> str:
    """One line about a model: the ``DESCRIPTION`` of its module, else the first line of its docstring.

    >>> describe("random")
    'random vectors, a function of the content: the floor'
    """
    model = registry.load("models", name)
    module = sys.modules.get(getattr(model, "__module__", ""))
    described = getattr(module, "DESCRIPTION", None) or model.__doc__ or ""
    return str(described).strip().partition("\n")[0]
