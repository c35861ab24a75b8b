"""``python:MODULE:ATTRIBUTE[:ARGUMENT]``: a class, a factory or an object of your own, from your own code."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from crossgauge.errors import CrossgaugeError, Fault, UsageError

DESCRIPTION = "a model of your own: python:MODULE:ATTRIBUTE, a class, a factory or an object in a module"
WANTED = "python:MODULE:ATTRIBUTE"
_FIX = "see the traceback with --debug"


def model(argument: str | None = None) -> Any:
    """Import ``MODULE`` and make the model that ``ATTRIBUTE`` stands for.

    The folder where the command runs is searched last, so a file of yours never stands for an installed
    package. A class or function is called, with the text after a further colon if there is one. This runs
    your code: name only modules that you trust.

    Raises UsageError: E412 (not of that form), E416 (no such module or attribute, or it raised).

    >>> model("fractions:Fraction:0.5")
    Fraction(1, 2)
    """
    module_name, _, rest = (argument or "").partition(":")
    attribute, colon, given = rest.partition(":")
    if not module_name or not attribute:
        raise UsageError(Fault("E412", "model python", f"the argument {argument!r}", WANTED))
    place = f"model python:{module_name}:{attribute}"
    found = _attribute(_module(module_name, place), attribute, place)
    if not colon and (not callable(found) or (hasattr(found, "prepare") and not isinstance(found, type))):
        return found
    try:
        return found(given) if colon else found()
    except CrossgaugeError:
        raise
    except Exception as error:
        said = f"{attribute}() raised {type(error).__name__}: {error}"
        raise UsageError(Fault("E416", place, said, "a model", _FIX)) from error


def _module(name: str, place: str) -> Any:
    here = os.getcwd()  # noqa: PTH109  (sys.path holds texts)
    if here not in sys.path:
        sys.path.append(here)  # and stays: the module may import its neighbours later
    try:
        return importlib.import_module(name)
    except Exception as error:
        said = f"importing it raised {type(error).__name__}: {error}"
        fix = f"is it in {here}, or installed? {_FIX}"
        raise UsageError(Fault("E416", place, said, "a module that can be imported", fix)) from error


def _attribute(module: Any, name: str, place: str) -> Any:
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            where = getattr(module, "__file__", None) or "a built-in module"
            said = f"{module.__name__} has no {name}; it is {where}"
            raise UsageError(Fault("E416", place, said, WANTED))
        found = getattr(found, part)
    return found


MODEL = model
