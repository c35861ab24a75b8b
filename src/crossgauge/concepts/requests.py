"""Pairs from what a caller gives: truths, what was retrieved for each, queries; checked while they stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.concepts.pairs import Pair
from crossgauge.concepts.settings import ConceptSettings
from crossgauge.concepts.similarity import SimilarityTable
from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.scenes import Scene

Retrieved: TypeAlias = Scene | Sequence[Scene] | None
_END = object()


def as_hierarchy(given: Hierarchy | Mapping[tuple[str, str], float]) -> Hierarchy:
    """A hierarchy as it is, or a table of similarities as one. Raises UsageError (E281) for anything else."""
    if isinstance(given, Mapping):
        return SimilarityTable(given)
    if not isinstance(given, Hierarchy):
        found = f"a {type(given).__name__}"
        raise UsageError(
            Fault("E281", "hierarchy", found, "WordNet(), another Hierarchy or {(a, b): similarity}")
        )
    return given


def pairs_by_query(
    truth: Iterable[Scene],
    retrieved: Iterable[Retrieved],
    queries: Iterable[str] | None,
    settings: ConceptSettings,
) -> Iterator[tuple[Pair, ...]]:
    """The pairs of each query, lazily, in order; a query that was not answered has one with nothing.

    With ``pairs="failures"`` a picture that is the truth itself is left out, as is a query without others.
    Raises InputError for sides of different lengths (E280) and what is no scene or query (E281).
    """
    sides: dict[str, Iterable[object]] = {"truth": truth, "retrieved": retrieved}
    if queries is not None:
        sides["queries"] = queries
    for at, row in enumerate(zip_longest(*sides.values(), fillvalue=_END)):
        ended = [name for name, value in zip(sides, row, strict=True) if value is _END]
        if ended:
            going = next(name for name in sides if name not in ended)
            found = f"{', '.join(ended)} end{'s' * (len(ended) == 1)} after {at}, {going} does not"
            raise InputError(Fault("E280", going, found, "one of each a query", "align them"))
        yield _pairs(at, row[0], row[1], row[2] if queries is not None else None, settings)


def _pairs(
    at: int, truth: object, retrieved: object, query: object, settings: ConceptSettings
) -> tuple[Pair, ...]:
    if query is None and type(truth) is Scene and type(retrieved) is Scene:  # nearly always
        kept_all = settings.pairs == "all" or retrieved.image != truth.image
        return (Pair(truth, retrieved),) if kept_all else ()
    several = () if retrieved is None else (retrieved,) if isinstance(retrieved, Scene) else retrieved
    faults = []
    if not isinstance(truth, Scene):
        faults.append(Fault("E281", f"truth[{at}]", f"a {type(truth).__name__}", "a Scene"))
    if not isinstance(several, Sequence) or not all(isinstance(one, Scene) for one in several):
        found = f"a {type(retrieved).__name__}"
        faults.append(Fault("E281", f"retrieved[{at}]", found, "a Scene, several, or None: no answer"))
    if not (query is None or isinstance(query, str)):
        faults.append(Fault("E281", f"queries[{at}]", f"a {type(query).__name__}", "text"))
    if faults or not isinstance(truth, Scene) or not isinstance(several, Sequence):
        raise InputError(faults)
    asked = query if isinstance(query, str) else None
    if not several:
        return (Pair(truth, None, asked),)
    kept = (one for one in several if settings.pairs == "all" or one.image != truth.image)
    return tuple(Pair(truth, one, asked) for one in kept)
