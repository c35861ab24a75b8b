"""What callers hand over instead of files: paths, arrays and dicts, each becoming what a reader returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers.arrays import as_vectors
from crossgauge.readers.ids import RowNumbers, checked_ids, read_ids
from crossgauge.readers.nested import nested_rows
from crossgauge.readers.pairs import Judgements, Run
from crossgauge.readers.qrels import judgements_of, read_qrels
from crossgauge.readers.run import read_run, run_from
from crossgauge.readers.vectors import read_vectors
from crossgauge.types import Embeddings, Qrels

AnyPath: TypeAlias = str | os.PathLike[str]
AnyVectors: TypeAlias = Embeddings | npt.ArrayLike | AnyPath
AnyIds: TypeAlias = Sequence[str] | AnyPath
AnyQrels: TypeAlias = Judgements | Mapping[str, Mapping[str, float] | Sequence[str]] | AnyPath
AnyRun: TypeAlias = Run | Mapping[str, Mapping[str, float]] | AnyPath


def together(*readers: Callable[[], Any]) -> tuple[Any, ...]:
    """What each of these returns; when some refuse, the faults of all of them in one InputError."""
    found: list[Any] = []
    faults: list[Fault] = []
    for read in readers:
        try:
            found.append(read())
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return tuple(found)


def embeddings_of(given: AnyVectors, name: str) -> Embeddings:
    """Vectors with ids from Embeddings, a file, or a bare array (ids are then row numbers).

    >>> embeddings_of([[1.0, 0.0], [0.0, 1.0]], "queries").ids
    ('0', '1')

    Raises UsageError (E252) for what is no vectors; InputError: E215 (ids and vectors differ in number),
    E216, E217, E218, E220, E222.
    """
    if isinstance(given, str | os.PathLike):
        return read_vectors(given)
    if isinstance(given, Embeddings):
        return _checked(given, name)
    if not (isinstance(given, list | tuple) or hasattr(given, "__array__")):
        raise _refused(given, name, "Embeddings, an array (N, D), or the path of a file of vectors")
    vectors = as_vectors(_array(given, name), name)
    return Embeddings(RowNumbers.of(len(vectors)), vectors)


def ids_of(given: AnyIds, name: str) -> tuple[str, ...]:
    """Ids from a sequence of text or from a file; raises InputError: E216, E220, E222, E210."""
    if isinstance(given, RowNumbers):
        return given
    if isinstance(given, str | os.PathLike):
        return read_ids(given)
    if not isinstance(given, Sequence | np.ndarray):
        raise _refused(given, name, "a sequence of text, or the path of a file of ids")
    return checked_ids([str(one) if isinstance(one, np.str_) else one for one in given], name, unit="entry")


def judgements_from(given: AnyQrels) -> Judgements:
    """Judgements from a file or ``{"query": {"item": 1}}`` (or ``{"query": ["item"]}``).

    >>> judgements_from({"q": {"d": 1}}).items
    ('d',)

    Raises UsageError (E252) for what is neither; InputError as ``read_qrels`` does.
    """
    if isinstance(given, Judgements):
        return given
    if isinstance(given, Mapping):
        return judgements_of(nested_rows(given, "qrels", lists=True))
    if isinstance(given, str | os.PathLike):
        return read_qrels(given)
    raise _refused(given, "qrels", '{"query": {"item": 1}}, Judgements, or the path of a file of them')


def qrels_of(given: AnyQrels | Qrels | None) -> Judgements | Qrels | None:
    """The same for what may also be rows already, or nothing."""
    return given if given is None or isinstance(given, Qrels) else judgements_from(given)


def run_given(given: AnyRun) -> Run:
    """A run from a file or ``{"query": {"item": 0.5}}``.

    >>> run_given({"q": {"d": 0.5}}).scores.tolist()
    [0.5]

    Raises UsageError (E252) for what is neither; InputError as ``read_run`` does.
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, Mapping):
        return run_from(nested_rows(given, "run", lists=False))
    if isinstance(given, str | os.PathLike):
        return read_run(given)
    raise _refused(given, "run", '{"query": {"item": 0.5}}, a Run, or the path of one')


def _checked(given: Embeddings, name: str) -> Embeddings:
    ids = ids_of(given.ids, name)
    if np.ndim(given.vectors) and len(ids) != len(given.vectors):
        found = f"{len(given.vectors)} vectors, {len(ids)} ids"
        raise InputError(Fault("E215", name, found, "one id for each row", "write both in one order"))
    return given


def _array(given: Any, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:
        fix = "is one row shorter than the others?"
        raise InputError(Fault("E217", name, str(error), "lists of one length", fix)) from error


def _refused(given: object, name: str, wanted: str) -> UsageError:
    found = f"{type(given).__name__}: {given!r:.60}"
    return UsageError(Fault("E252", name, found, wanted, "see the documentation of this function"))
