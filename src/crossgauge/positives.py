"""Relevance as somebody says it, read strictly: a row number is a whole number, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError

Array: TypeAlias = npt.NDArray[Any]
Found: TypeAlias = "Array | str"  # an array, or what was given instead of one

CODE = "E445"
ROWS = "row numbers of the corpus, whole and from 0"
MASK = "use np.flatnonzero(mask)"
MATRIX = 2  # axes
MOST = 2**63 - 1  # of int64
FEW = 4  # entries of a list that are shown


def gather(
    relevant: object, gains: object = None, *, ids: Sequence[str] | None = None, size: int | None = None
) -> tuple[Array, Array, Array]:
    """Judgements end to end: start (Q + 1,), corpus rows (R,) ascending within a query, gains (R,) above 0.

    Raises InputError (E445) with everything that is wrong, each fault naming its query.

    >>> [part.tolist() for part in gather([{2: 3, 0: 1, 1: 0}, [1]])]
    [[0, 2, 3], [0, 2, 1], [1.0, 3.0, 1.0]]
    """
    said = one_a_query(relevant)
    weighing = [None] * len(said) if gains is None else one_a_query(gains, "gains")
    if len(weighing) != len(said):
        found = f"{len(said)} lists of rows, {len(weighing)} of gains"
        raise InputError(Fault(CODE, "gains", found, "one list of gains for each list of rows"))
    if _is_mask(relevant, size):
        raise InputError(Fault(CODE, "relevance", "a 0-1 matrix of queries × corpus", ROWS, MASK))
    faults: list[Fault] = []
    rows, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
    lengths = np.zeros(len(said), dtype=np.int64)
    for q, (one, own) in enumerate(zip(said, weighing, strict=True)):
        read = _read(one, own, name(q, ids))
        if isinstance(read, Fault):
            faults.append(read)
            continue
        lengths[q] = len(read[0])
        rows.append(read[0])
        weights.append(read[1])
    query = np.repeat(np.arange(len(said)), lengths)
    joined, weight = np.concatenate(rows), np.concatenate(weights)
    order = np.lexsort((joined, query))
    query, joined, weight = query[order], joined[order], weight[order]
    faults += [*_outside(query, joined, size, ids), *_twice(query, joined, ids)]
    if faults:
        raise InputError(faults)
    kept = weight > 0  # the others are judged not relevant, as in files of judgements
    start = np.zeros(len(said) + 1, dtype=np.int64)
    np.cumsum(np.bincount(query[kept], minlength=len(said)), out=start[1:])
    return start, joined[kept], weight[kept]


def one_a_query(given: Any, place: str = "relevance", *, code: str = CODE, queries: int | None = None) -> Any:
    """What was given, if it is a list with an entry a query; raises InputError where it is no such thing.

    >>> one_a_query([0, 1, 2])
    Traceback (most recent call last):
    crossgauge.errors.InputError: E445 relevance: a flat list; wanted one list a query; fix: [[0], [1], [2]]
    """
    found = _no_list(given)
    if found is not None:
        fix = "[relevant[query] for query in queries]" if isinstance(given, Mapping) else ""
        raise InputError(Fault(code, place, found, "one list a query", fix))
    if len(given) and all(map(_is_scalar, given)):
        raise InputError(Fault(code, place, "a flat list", "one list a query", _nested(given, queries)))
    return given


def row_numbers(given: object, place: str, *, code: str = CODE) -> Array | Fault:
    """One list of row numbers, (n,) of int64 in the order given, or why it is none; negative ones stay.

    >>> print(row_numbers(np.array([True, False]), "query row 0"))
    E445 query row 0: a mask of bool; wanted row numbers; fix: use np.flatnonzero(mask)
    """
    if _is_plain(given, {int}):
        return np.array(given, dtype=np.int64)
    array = as_array(given)
    if isinstance(array, str):
        return Fault(code, place, array, "a list of row numbers", "[] where there is none")
    if array.ndim == 1 and not array.size:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "b" or (array.dtype.kind == "i" and _holds_bools(given)):
        return Fault(code, place, "a mask of bool", "row numbers", MASK)
    odd = _no_rows(array)
    return array.astype(np.int64) if odd is None else Fault(code, place, odd, ROWS)


def as_array(given: object) -> Found:
    """Anything that is an array or a list of things, as an array; else what it is, in words.

    >>> as_array("ab"), as_array(None)
    ('a str', 'None')
    """
    if isinstance(given, np.ma.MaskedArray):
        return "a masked array"
    if given is None or isinstance(given, str | bytes | Mapping):
        return described(given)
    if isinstance(given, set | frozenset):
        given = list(given)
    if isinstance(given, list | tuple) and any(isinstance(one, np.ma.MaskedArray) for one in given):
        return "a list with masked values"
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:  # ragged, on a device, in a graph
        return f"{described(given)} that makes no array ({str(error).partition('.')[0]})"
    return array if array.ndim else described(given)


def described(given: object) -> str:
    """What something is, in two words.

    >>> described({}), described(7)
    ('a dict', '7, an int')
    """
    if given is None:
        return "None"
    kind = type(given).__name__
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{given!r}, {article} {kind}" if isinstance(given, int | float) else f"{article} {kind}"


def name(query: int, ids: Sequence[str] | None) -> str:
    """How a fault names a query."""
    return f"query row {query}" if ids is None else f"query row {query} ({ids[query]!r})"


def _no_list(given: Any) -> str | None:
    if isinstance(given, np.ma.MaskedArray):
        return "a masked array"
    if given is None or isinstance(given, str | bytes | Mapping | set | frozenset):
        return described(given)
    try:
        len(given), iter(given)
    except TypeError:
        return described(given)
    return None


def _is_scalar(one: object) -> bool:
    return isinstance(one, int | float | str | np.generic)


def _is_plain(given: object, kinds: set[type]) -> bool:
    """Whether this is a list of such numbers and within int64: the usual case, seen at once."""
    if not isinstance(given, list) or not given or not kinds.issuperset(map(type, given)):
        return False
    return bool(max(given) <= MOST and min(given) >= -MOST)


def _no_rows(array: Array) -> str | None:
    """Why an array is no list of whole numbers, if it is none."""
    if array.ndim != 1:
        return f"an array of shape {array.shape}"
    if array.dtype.kind not in "iu":
        odd = [one for one in array.tolist() if type(one) is not int]
        return f"{odd[0]!r}, a {type(odd[0]).__name__}" if odd else "a row number beyond 2**63"
    if int(array.max()) > MOST:
        return f"row {array.max()}"
    return None


def _nested(flat: Sequence[Any], queries: int | None) -> str:
    """What somebody who gave a flat list meant to write."""
    texts = [repr(one.item() if isinstance(one, np.generic) else one) for one in flat[:FEW]]
    more = ", …" if len(flat) > FEW else ""
    if queries == 1:
        return f"[[{', '.join(texts)}{more}]]"
    return f"[{', '.join(f'[{text}]' for text in texts)}{more}]"


def _is_mask(relevant: Any, size: int | None) -> bool:
    """Whether this is a matrix with a column a corpus row, of zeros and ones."""
    if not isinstance(relevant, np.ndarray) or relevant.ndim != MATRIX or relevant.dtype.kind not in "iu":
        return False
    wide = relevant.shape[1] > 1 and relevant.shape[1] == size
    return wide and bool(((relevant == 0) | (relevant == 1)).all())


def _holds_bools(given: Any) -> bool:
    if isinstance(given, np.ndarray):
        return False
    return any(issubclass(kind, bool | np.bool_) for kind in set(map(type, given)))


def _read(one: object, own: object, place: str) -> tuple[Array, Array] | Fault:
    """The rows of one query and their gains."""
    graded = isinstance(one, Mapping)
    if graded and own is not None:
        return Fault(CODE, place, "a mapping from rows to gains, and gains beside it", "one of them")
    rows = row_numbers(list(one) if isinstance(one, Mapping) else one, place)
    if isinstance(rows, Fault):
        return rows
    if isinstance(one, Mapping):
        own = list(one.values())
    if own is None:
        return rows, np.ones(len(rows))
    if isinstance(one, set | frozenset):
        return Fault(CODE, place, "gains beside a set, which has no order", "a list, or row → gain")
    weights = _gains(own, place)
    if not isinstance(weights, Fault) and len(weights) != len(rows):
        return Fault(CODE, place, f"{len(rows)} rows, {len(weights)} gains", "one gain a row")
    return weights if isinstance(weights, Fault) else (rows, weights)


def _gains(own: object, place: str) -> Array | Fault:
    array = np.array(own, dtype=np.float64) if _is_plain(own, {int, float}) else as_array(own)
    if isinstance(array, str) or array.ndim != 1 or (array.size and array.dtype.kind not in "iufb"):
        odd = array if isinstance(array, str) else f"{array.tolist()[:FEW]}"
        return Fault(CODE, place, f"gains: {odd}", "a number for each row")
    gains = array.astype(np.float64)
    finite = np.isfinite(gains)
    if finite.all():
        return gains
    wanted = "a finite number; 0 or less: judged, and not relevant"
    return Fault(CODE, place, f"gain {gains[~finite][0]}", wanted, "leave out what was not judged")


def _outside(query: Array, rows: Array, size: int | None, ids: Sequence[str] | None) -> Iterable[Fault]:
    wanted = "0 or more" if size is None else f"0 to {size - 1}"
    bad = (rows < 0) | (False if size is None else rows >= size)
    for at in np.flatnonzero(bad):
        yield Fault(CODE, name(int(query[at]), ids), f"relevant row {rows[at]}", wanted)


def _twice(query: Array, rows: Array, ids: Sequence[str] | None) -> Iterable[Fault]:
    """One fault for each row that stands twice in the list of a query; a list of 0 and 1 may be a mask."""
    again = np.flatnonzero((np.diff(rows) == 0) & (np.diff(query) == 0))
    for q, row in dict.fromkeys(zip(query[again].tolist(), rows[again].tolist(), strict=True)):
        first, last = np.searchsorted(query, [q, q + 1])
        fix = MASK if rows[first] >= 0 and rows[last - 1] <= 1 else ""  # rows ascend
        yield Fault(CODE, name(q, ids), f"corpus row {row} stands twice", "each row once", fix)
