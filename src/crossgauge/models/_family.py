"""Models whose name has two parts before the argument: ``caption:labels``, ``embed:http``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

from crossgauge.errors import Fault, UsageError
from crossgauge.runtime import DEFAULT, Runtime


def member(family: str, argument: str | None, runtime: Runtime = DEFAULT) -> Any:
    """The model that ``KIND`` or ``KIND:rest`` names; raises UsageError (E412) with the kinds there are."""
    kind, colon, rest = (argument or "").partition(":")
    known = kinds(family)
    if kind not in known:
        modules = [_module(family, one) for one in known]
        usage = " | ".join(f"{family}:{module.USAGE}" for module in modules)
        found = f"the kind {kind!r}" if kind else "no kind"
        raise UsageError(Fault("E412", f"model {family}", found, usage))
    make, given = _module(family, kind).MODEL, rest if colon else None
    if "runtime" in inspect.signature(make).parameters:
        return make(given, runtime=runtime)
    if runtime != DEFAULT:
        found = "a device, a number format or trust: it has no such choice"
        raise UsageError(Fault("E611", f"model {family}:{kind}", found, "none of them"))
    return make(given)


@cache
def kinds(family: str) -> tuple[str, ...]:
    """The kinds of a family, sorted: its files.

    >>> kinds("embed")
    ('http',)
    """
    package = importlib.import_module("crossgauge.models")
    prefix = f"_{family}_"
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(name[len(prefix) :].replace("_", "-") for name in names if name.startswith(prefix)))


def _module(family: str, kind: str) -> Any:
    return importlib.import_module(f"crossgauge.models._{family}_{kind.replace('-', '_')}")
