"""Pairs of a truth and what was retrieved for it, from a table or from a run's per-query table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crossgauge.concepts.suspects import Retrieval
from crossgauge.errors import Fault, InputError
from crossgauge.ratings.called import WAYS, names_of
from crossgauge.ratings.reading import COLUMNS, Ratings, as_number, find_columns, label
from crossgauge.ratings.stored import file_of, is_per_query
from crossgauge.readers.parquet import opened
from crossgauge.scenes import Annotations
from crossgauge.tables import Row, read_table

PAIR_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "truth": ("truth", "gold", "relevant", "target"),
    "retrieved": ("retrieved", "image", "image_id", "image-id", "item"),
    "query": COLUMNS["query"],
    "similarity": ("similarity",),
    "rank": ("rank", "truth_rank"),  # the second is none that a concept study takes for places
}
_NUMBERS = ("similarity", "rank")
_OF_A_RUN = {
    "query_id": "query",
    "relevant": "truth",
    "top_id": "retrieved",
    "top_score": "similarity",
    "rank": "rank",
}


def read_pairs(path: Path, *, cell: str | None = None) -> tuple[Retrieval, ...]:
    """The pairs of a table, or of a run.

    Arguments:
        path: a table (CSV, TSV, JSON lines, Parquet) with the columns truth, retrieved and perhaps query,
            similarity (higher is nearer) and rank or truth_rank (of the truth); or a run folder, a cell, a
            ``per_query.parquet``: the first right item and the first retrieved one, with its score.
        cell: which cell of a run with several.

    Raises InputError with all faults: E190 (columns), E191 (no picture), E192 (no number), E196 (no table);
    UsageError (E196) when a cell must be chosen.
    """
    file = file_of(path, cell)
    if is_per_query(file):
        return tuple(_of_a_run(file))
    table = read_table(file, name=str(file))
    columns, lacking = find_columns(table, PAIR_COLUMNS, optional=("query", *_NUMBERS))
    faults = [*(fault for fault in table.faults if not fault.is_warning), *lacking]
    read = [_retrieval(row, columns, faults) for row in table.rows] if not faults else []
    if faults:
        raise InputError(faults)
    return tuple(one for one in read if one is not None)


def rated(retrievals: Iterable[Retrieval], ratings: Ratings) -> tuple[Retrieval, ...]:
    """The same pairs with the mean rating of the retrieved picture, where it was rated for their query.

    Raters may call the picture by its id or by its file. Raises InputError (E198) where no pair was rated.
    """
    means = {(pair.query, pair.image): pair.mean for pair in ratings.pairs}
    found = tuple(replace(one, rating=_mean(one, means)) for one in retrievals)
    if all(one.rating is None for one in found):
        said = f"none of {len(found)} pairs was rated"
        fix = "queries and retrieved pictures must be named as in the ratings"
        raise InputError(Fault("E198", ratings.place, said, "ratings of these pairs", fix))
    return found


def _mean(one: Retrieval, means: Mapping[tuple[str, str], float]) -> float | None:
    named = ((one.query, name) for name in names_of(one.retrieved))
    return next((means[key] for key in named if key in means), None)


def as_annotated(retrievals: Sequence[Retrieval], annotations: Annotations) -> tuple[Retrieval, ...]:
    """The same pairs with their pictures called as the annotations call them; what these lack stays as it is.

    Pictures are found by their id, their file's name, or, where captions stand for pictures, by the id of the
    caption's picture: in the one way that finds most, so that no number means two pictures.
    """
    items = list(dict.fromkeys(name for one in retrievals for name in (one.truth, one.retrieved)))
    best: Mapping[str, str] = {}
    for way in WAYS:
        names = {item: name for item in items if (name := way(item)) is not None}
        called = annotations.called(names.values())
        found = {item: called[name] for item, name in names.items() if name in called}
        best = found if len(found) > len(best) else best
    return tuple(
        replace(one, truth=best.get(one.truth, one.truth), retrieved=best.get(one.retrieved, one.retrieved))
        for one in retrievals
    )


def need_annotations(retrievals: Sequence[Retrieval], images: Container[str], *, place: str) -> None:
    """Raise InputError (E199) where no pair has both its pictures among the annotated ones."""
    if any(one.truth in images and one.retrieved in images for one in retrievals):
        return
    first = (
        f", the first is {retrievals[0].truth!r:.40} and {retrievals[0].retrieved!r:.40}"
        if retrievals
        else ""
    )
    said = f"none of {len(retrievals)} pairs{first}"
    fix = "pictures must be named as in the annotations"
    raise InputError(Fault("E199", place, said, "pairs of annotated pictures", fix))


def _of_a_run(file: Path) -> Iterator[Retrieval]:
    """The first right item and the first retrieved one of each query that has both."""
    with opened(file) as parquet:
        lacking = sorted(_OF_A_RUN.keys() - set(parquet.schema_arrow.names))
        if lacking:
            found, wanted = f"no {', '.join(lacking)}", "the table of a ranking"
            raise InputError(Fault("E190", str(file), found, wanted, "captions have no retrieved pictures"))
        listed = parquet.read(columns=list(_OF_A_RUN)).to_pylist()
    for row in listed:
        first = {role: _first(row[name]) for name, role in _OF_A_RUN.items()}
        if first["truth"] is not None and first["retrieved"] is not None:
            numbers = {role: as_number(first[role]) for role in _NUMBERS}
            yield Retrieval(first["truth"], first["retrieved"], str(first["query"]), **numbers)


def _first(value: Any) -> Any:
    """The first of a list (what came first, the first that is right); None of an empty one."""
    return (value or [None])[0] if isinstance(value, list) else value


def _retrieval(row: Row, columns: Mapping[str, str], faults: list[Fault]) -> Retrieval | None:
    told = {role: row.values.get(column) for role, column in columns.items()}
    names = {role: label(told.get(role)) for role in ("truth", "retrieved")}
    before = len(faults)
    faults += [
        Fault("E191", row.place, f"no {role} picture", "its id", "name it, or drop the row")
        for role, name in names.items()
        if name is None
    ]
    numbers = {role: _number(told.get(role), role, row.place, faults) for role in _NUMBERS}
    if len(faults) > before:
        return None
    return Retrieval(str(names["truth"]), str(names["retrieved"]), label(told.get("query")) or "", **numbers)


def _number(value: Any, role: str, place: str, faults: list[Fault]) -> float | None:
    number = as_number(value)
    undefined = value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124  (NaN)
    if number is None and not undefined and not (isinstance(value, str) and not value.strip()):
        found = f"the {role} {value!r:.40}"
        faults.append(Fault("E192", place, found, "a finite number, or nothing", "write plain decimals"))
    return number
