"""A TREC run file of one cell: ``qid Q0 docid rank score tag``, for trec_eval and its kin.

Such tools read the score as a 32-bit float, sort by it again and break ties by document id. So that they see
the order that was ranked here, a score that would tie with the one above it is lowered to the next 32-bit
float. That hides ties: what depends on them (expected ranks, their bounds) is right in ``scores.json`` and
not in what such a tool computes. Only the stored top of each list is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.report.queries import read_rows
from crossgauge.report.source import Source
from crossgauge.report.tables import system


def render(sources: Sequence[Source]) -> str:
    """The run file of the one cell of the one source.

    Raises UsageError (E324) when there are several, InputError (E325) when there is no per-query table, and
    InputError (E323) listing every id with a space in it: the format cannot hold them.
    """
    source = _the_one(sources)
    cell = source.result.cells[0]
    path = source.per_query(cell)
    if path is None:
        place, fix = f"{source.name}: {cell.key}", "give the run folder, not a copy of scores.json"
        raise InputError(Fault("E325", place, "no per-query table", "a run folder with it", fix))
    listed = _listed(path)
    _refuse_spaces(listed)
    tag = "_".join(system(source.result).split())
    return "".join(_lines(listed, tag))


def descending(scores: Sequence[float]) -> list[np.float32]:
    """The scores as 32-bit floats that fall strictly: each at most its own value.

    >>> [float(score) for score in descending([0.5, 0.5, 0.25])]
    [0.5, 0.4999999701976776, 0.25]
    """
    limit = np.finfo(np.float32).max
    falling: list[np.float32] = []
    with np.errstate(over="ignore"):  # running out of 32-bit floats is seen below
        for score in np.clip(np.nan_to_num(scores, nan=-np.inf), -limit, limit).astype(np.float32):
            top = np.nextafter(falling[-1], np.float32(-np.inf)) if falling else score
            falling.append(min(score, top))
    if any(a <= b for a, b in pairwise(falling)) or not np.isfinite(falling).all():
        return [np.float32(len(scores) - place) for place in range(len(scores))]  # no room left below
    return falling


def _the_one(sources: Sequence[Source]) -> Source:
    cells = [f"{source.name}: {cell.key}" for source in sources for cell in source.result.cells]
    if len(cells) != 1:
        raise UsageError(Fault("E324", "export --format trec", f"{len(cells)} cells: {', '.join(cells)}",
                               "one cell", "choose one with --cell"))  # fmt: skip
    return sources[0]


def _listed(path: Path) -> list[tuple[str, list[str], list[float]]]:
    names = ("query_id", "top_id", "top_score")
    return [(row["query_id"], row["top_id"], row["top_score"]) for row in read_rows(path, names)]


def _refuse_spaces(listed: Sequence[tuple[str, list[str], list[float]]]) -> None:
    ids = [("query", query) for query, _, _ in listed]
    ids += [("item", item) for _, items, _ in listed for item in items]
    faults = [
        Fault("E323", f"{role} id {name!r}", "white space, or nothing", "an id without spaces",
              "rename it in the data, or use --format csv or json")
        for role, name in dict.fromkeys(ids)
        if name.split() != [name]
    ]  # fmt: skip
    if faults:
        raise InputError(faults)


def _lines(listed: Sequence[tuple[str, list[str], list[float]]], tag: str) -> Iterator[str]:
    for query, items, scores in listed:
        for rank, (item, score) in enumerate(zip(items, descending(scores), strict=True), 1):
            yield f"{query} Q0 {item} {rank} {score:.9g} {tag}\n"
