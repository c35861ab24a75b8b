"""Arguments as somebody gave them: arrays that hold what they say, names that fit, options that exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.positives import as_array, described
from crossgauge.ranking.vectors import SHORT, Ids, name_of
from crossgauge.types import Floats, OnNonfinite, Similarity

Array: TypeAlias = npt.NDArray[Any]

EXACT = 1 << 53  # float64 holds every whole number up to here
LONG = 8  # bytes of float64 and of the integers that it may not hold


def matrices(**sides: object) -> list[Array]:
    """Each side as an array of rows, by name; shapes and types are still to be looked at.

    Raises InputError with what is wrong on all sides: E440 for what makes no array or would be rounded,
    E449 for a side without a row.
    """
    read = {name: as_array(given) for name, given in sides.items()}
    faults = [fault for name, found in read.items() if (fault := _matrix_fault(name, found)) is not None]
    if faults:
        raise InputError(faults)
    return [found for found in read.values() if not isinstance(found, str)]


def score_lists(scores: Sequence[object], *, ids: Ids) -> list[Floats]:
    """One list of scores a query, None for none; raises InputError (E448) naming every query that is odd."""
    read = [_scores(one, name_of("query", q, ids)) for q, one in enumerate(scores)]
    faults = [one for one in read if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    return [one for one in read if not isinstance(one, Fault)]


def check_names(**names: tuple[Ids, int]) -> None:
    """Raise InputError (E142) for ids that are not one a row."""
    faults = []
    for argument, (ids, rows) in names.items():
        if ids is None:
            continue
        if isinstance(ids, str) or not hasattr(ids, "__len__") or not hasattr(ids, "__getitem__"):
            faults.append(Fault("E142", argument, described(ids), "a list of ids, one a row"))
        elif len(ids) != rows:
            faults.append(Fault("E142", argument, f"{len(ids)} ids for {rows} rows", "one id a row"))
    if faults:
        raise InputError(faults)


def check_options(
    *,
    on_nonfinite: object,
    top: object,
    similarity: object = "dot",
    memory: object = 1,
    threads: object = None,
    corpus_size: object = 1,
    until: object = None,
) -> None:
    """Raise UsageError (E140) with every option whose value does not exist."""
    checks = [
        (similarity in get_args(Similarity), f"similarity {similarity!r}", "cosine, dot or l2"),
        (on_nonfinite in get_args(OnNonfinite), f"on_nonfinite {on_nonfinite!r}", "error or miss"),
        (_from(0, top), f"top {top!r}", "0 or more"),
        (
            _from(1, memory) or (isinstance(memory, float) and memory > 0),
            f"memory {memory!r}",
            "a number of bytes",
        ),
        (threads is None or _from(1, threads), f"threads {threads!r}", "1 or more, or None"),
        (until is None or _from(1, until), f"until {until!r}", "a place from 1, or None"),
        (_from(1, corpus_size), f"corpus_size {corpus_size!r}", "how many items there are, from 1"),
    ]
    faults = [Fault("E140", "rank", found, wanted) for fine, found, wanted in checks if not fine]
    if faults:
        raise UsageError(faults)


def _from(least: int, value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def _matrix_fault(name: str, found: Array | str) -> Fault | None:
    if isinstance(found, str):
        wanted = "a matrix of numbers, one row an item, all rows of one length"
        fix = (
            "x.filled(np.nan)" if "masked" in found else "np.stack(rows), or x.detach().float().cpu().numpy()"
        )
        return Fault("E440", name, found, wanted, fix)
    if not len(found):
        return Fault("E449", name, "no row: nothing to rank", "at least one row")
    large = _too_large(found)
    if large is not None:
        wanted = "at most 2**53, which float64 holds exactly"
        return Fault("E440", name, f"the integer {large}", wanted, "subtract what all have in common")
    return None


def _too_large(array: Array) -> int | None:
    """The integer farthest from 0, if float64 cannot hold all of its size."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < LONG or not array.size:
        return None
    extreme = max(int(array.max()), int(array.min()), key=abs)
    return extreme if abs(extreme) > EXACT else None


def _scores(given: object, place: str) -> Floats | Fault:
    if given is None:
        return np.zeros(0)
    array = as_array(given)
    if isinstance(array, str):
        return Fault("E448", place, array, "a list of scores, or None")
    short = array.dtype.name.startswith(SHORT) or array.dtype.kind in "iufb"
    if array.size and (array.ndim != 1 or not short or array.dtype.itemsize > LONG):
        return Fault("E448", place, f"scores of shape {array.shape}, {array.dtype}", "a list of numbers")
    large = _too_large(array)
    if large is not None:
        return Fault("E448", place, f"the integer {large}", "at most 2**53, which float64 holds exactly")
    scores: Floats = array.reshape(-1).astype(np.float64)
    return scores
