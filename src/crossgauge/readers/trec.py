"""TREC files out: runs whose ranks survive float32, and judgements."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.readers.pairs import Judgements, Run, codes
from crossgauge.types import Floats, Ints, TopK

UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]|^$")

Target = str | os.PathLike[str] | TextIO


def run_of(top: TopK, query_ids: Sequence[str], corpus_ids: Sequence[str]) -> Run:
    """The run of the best candidates that a ranking kept; padding is left out."""
    held = top.items >= 0
    queries, _ = np.nonzero(held)
    items, scores = top.items[held], top.scores[held]
    return Run(
        "ranking",
        "row",
        tuple(query_ids[int(row)] for row in queries),
        tuple(corpus_ids[int(row)] for row in items),
        np.asarray(scores, dtype=np.float64),
        np.arange(1, len(items) + 1, dtype=np.int64),
        (),
    )


def write_run(target: Target, run: Run, *, tag: str = "crossgauge") -> None:
    """Write ``query Q0 item rank score tag``, best first within each query, queries in order of appearance.

    The score written is not the system's: it is the number of distinct scores from the worst up (1, 2, …),
    equal where scores were equal. trec_eval and its kin keep scores as float32, in which two different
    float64 may tie and then be ordered by id; small whole numbers are exact there, so ranks and ties survive.

    Raises InputError (E232) for every id that TREC's white space would split, and for such a tag.
    """
    faults = [*_unwritable(run.place, (*run.queries, *run.items, tag)), *_not_finite(run)]
    if faults:
        raise InputError(faults)
    query = codes(list(run.queries))
    order = np.lexsort((-run.scores, query))
    levels = _levels(query[order], run.scores[order])
    ranks = _positions(query[order])
    with _writing(target) as out:
        for row, rank, level in zip(order.tolist(), ranks.tolist(), levels.tolist(), strict=True):
            out.write(f"{run.queries[row]} Q0 {run.items[row]} {rank} {level} {tag}\n")


def write_qrels(target: Target, qrels: Judgements) -> None:
    """Write ``query 0 item judgement`` in the order given; raises InputError (E232) for ids with blanks."""
    faults = _unwritable(qrels.place, (*qrels.queries, *qrels.items))
    if faults:
        raise InputError(faults)
    with _writing(target) as out:
        for query, item, gain in zip(qrels.queries, qrels.items, qrels.gains.tolist(), strict=True):
            out.write(f"{query} 0 {item} {int(gain) if gain == int(gain) else repr(gain)}\n")


def _levels(query: Ints, scores: Floats) -> Ints:
    """Number the distinct scores of each query, 1 the worst; rows are sorted by query and falling score."""
    level = np.ones(len(scores), dtype=np.int64)
    for row in range(len(scores) - 2, -1, -1):
        if query[row] == query[row + 1]:
            level[row] = level[row + 1] + (scores[row] != scores[row + 1])
    return level


def _positions(query: Ints) -> Ints:
    """1, 2, … within each run of equal queries."""
    fresh = np.ones(len(query), dtype=np.bool_)
    fresh[1:] = query[1:] != query[:-1]
    at = np.arange(len(query), dtype=np.int64)
    return at - np.maximum.accumulate(np.where(fresh, at, 0)) + 1


def _unwritable(place: str, names: Sequence[str]) -> list[Fault]:
    odd = dict.fromkeys(name for name in names if UNWRITABLE.search(name))
    return [
        Fault(
            "E232",
            place,
            f"the id {name!r}",
            "no blanks (TREC separates by them) and no control characters",
            "export JSON, or rename the item",
        )
        for name in odd
    ]


def _not_finite(run: Run) -> list[Fault]:
    odd = np.flatnonzero(~np.isfinite(run.scores))
    return [Fault("E225", run.at(int(row)), f"the score {run.scores[row]}", "a finite number") for row in odd]


@contextlib.contextmanager
def _writing(target: Target) -> Iterator[TextIO]:
    if isinstance(target, str | os.PathLike):
        with Path(target).open("w", encoding="utf-8", newline="\n") as handle:
            yield handle
    else:
        yield target
