"""Vectors without a direction: an error, or counted as misses and told once to each listener."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from crossgauge.errors import SHOWN, Fault, InputError
from crossgauge.progress import Progress
from crossgauge.types import Bools, OnNonfinite, Vectors

FOUND = "not finite, or zero"
_TOLD: WeakKeyDictionary[Progress, set[tuple[str, str]]] = WeakKeyDictionary()  # (model, item id)


def usable(vectors: Vectors) -> Bools:
    """Which rows are finite and not zero: those that have a direction, (N,).

    >>> usable(np.array([[1, 0], [0, 0], [np.nan, 1]], np.float32)).tolist()
    [True, False, False]
    """
    return np.asarray(np.isfinite(vectors).all(axis=1) & (vectors != 0).any(axis=1))


def refuse(model: str, items: Sequence[str], on_nonfinite: OnNonfinite) -> None:
    """Raise InputError (E408) for items without a direction, unless they may be misses."""
    if items and on_nonfinite == "error":
        fix = "mend the encoding, or --on-nonfinite miss counts it as a miss"
        raise InputError(
            Fault("E408", f"model {model}, item {item}", f"its vector is {FOUND}", "a direction", fix)
            for item in items
        )


def tell(model: str, items: Sequence[str], progress: Progress) -> None:
    """Note the misses (W410) in one line: those that this listener has not been told of yet."""
    try:
        told = _TOLD.setdefault(progress, set())
    except TypeError:  # a listener that can be neither hashed nor referred to weakly
        told = set()
    new = [item for item in dict.fromkeys(items) if (model, item) not in told]
    told.update((model, item) for item in new)
    if new:
        more = f", … and {len(new) - SHOWN} more" if len(new) > SHOWN else ""
        count = "1 vector" if len(new) == 1 else f"{len(new)} vectors"
        found = f"{count} {FOUND}, counted as misses: {', '.join(new[:SHOWN])}{more}"
        progress.note(str(Fault("W410", f"model {model}", found)))
