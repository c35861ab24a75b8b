"""From a name to a benchmark, model or measure: one file here, or one entry point elsewhere.

Benchmarks and models are found by file name (``benchmarks/egmm.py`` holds ``BENCHMARK``,
``models/conse_lite2.py`` holds ``MODEL`` and is called ``conse-lite2``), so adding one is adding a
file, or a folder where its readers need several; names that begin with ``_`` are helpers. Measures
are the decorated functions of ``measures/``. Other packages use the entry-point groups
``crossgauge.benchmarks``, ``.models`` and ``.measures``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from crossgauge.errors import Fault, UsageError

Kind = Literal["benchmarks", "models", "measures"]


def names(kind: Kind) -> tuple[str, ...]:
    """Every registered name of a kind, sorted, from this package and from installed plug-ins.

    >>> "emoji" in names("benchmarks")
    True
    """
    return tuple(sorted({*_built_in(kind), *_plugged_in(kind)}))


def load(kind: Kind, name: str) -> Any:
    """The object registered under a name; what is built in cannot be shadowed by a plug-in.

    Raises UsageError (E110) with the nearest names when there is none.
    """
    built_in = _built_in(kind)
    if name in built_in:
        return built_in[name]()
    plugged_in = _plugged_in(kind)
    if name in plugged_in:
        return plugged_in[name].load()
    raise UsageError(_unknown(kind, name))


def _built_in(kind: Kind) -> dict[str, Any]:
    """Name → a call that loads it; nothing heavy is imported before that call."""
    package = importlib.import_module(f"crossgauge.{kind}")
    if kind == "measures":
        return {name: (lambda family=family: family) for name, family in package.FAMILIES.items()}
    attribute = kind[:-1].upper()

    def loader(module: str) -> Any:
        return lambda: getattr(importlib.import_module(f"{package.__name__}.{module}"), attribute)

    modules = [m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")]
    return {module.replace("_", "-"): loader(module) for module in modules}


def _plugged_in(kind: Kind) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"crossgauge.{kind}")}


def _unknown(kind: Kind, name: str) -> Fault:
    known = names(kind)
    folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.split("@", maxsplit=1)[0].casefold(), folded, n=3, cutoff=0.5)
    guess = f"did you mean {', '.join(folded[n] for n in near)}?" if near else f"crossgauge list {kind}"
    return Fault("E110", f"{kind[:-1]} {name!r}", "no such name", f"one of: {', '.join(known)}", guess)
