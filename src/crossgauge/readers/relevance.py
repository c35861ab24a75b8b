"""Relevance, given or assumed (equal ids, row i ↔ row i): always said, refused where it would be a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.readers.ids import RowNumbers
from crossgauge.readers.pairs import Judgements
from crossgauge.readers.resolve import resolve
from crossgauge.types import Qrels

How = Literal["qrels", "same-id", "diagonal"]


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """Who is relevant to whom, how that is known, and what must be said about it."""

    qrels: Qrels
    how: How
    findings: tuple[Fault, ...]


def relevance_of(
    query_ids: Sequence[str],
    corpus_ids: Sequence[str],
    qrels: Judgements | Qrels | None = None,
    *,
    names: tuple[str, str] = ("queries", "corpus"),
) -> Relevance:
    """The given judgements as rows; without any, equal ids match, or else row ``i`` matches row ``i``.

    >>> relevance_of(["a", "b"], ["b", "a"]).qrels.items.tolist()
    [1, 0]
    >>> relevance_of(["t1", "t2"], ["i1", "i2"]).how
    'diagonal'

    Row numbers that stand for ids nobody gave match no id. Raises InputError: E214 (judgements of unknown
    ids), E229 (nothing given and nothing can be assumed), E231 (no query has a relevant item).
    """
    if qrels is None:
        return _assumed(query_ids, corpus_ids, names)
    rows = qrels if isinstance(qrels, Qrels) else resolve(qrels, query_ids, corpus_ids)
    if not len(rows.items):
        found = "no judgement above zero"
        place = qrels.place if isinstance(qrels, Judgements) else "qrels"
        raise InputError(
            Fault("E231", place, found, "a relevant item for a query", "is this the right file?")
        )
    return Relevance(rows, "qrels", qrels.findings if isinstance(qrels, Judgements) else ())


def _assumed(query_ids: Sequence[str], corpus_ids: Sequence[str], names: tuple[str, str]) -> Relevance:
    place, n = " and ".join(names), len(query_ids)
    implicit = isinstance(query_ids, RowNumbers) or isinstance(corpus_ids, RowNumbers)
    row = {name: at for at, name in enumerate(corpus_ids)}
    shared = 0 if implicit else sum(name in row for name in query_ids)  # a row number is nobody's id
    if n != len(corpus_ids):
        found = f"no relevance given, and the counts differ: {n} queries, {len(corpus_ids)} corpus items"
        raise InputError(Fault("E229", place, found, "as many items on both sides", "pass --qrels"))
    if 0 < shared < n:
        found = f"no relevance given, and only {shared} of {n} ids stand on both sides"
        raise InputError(Fault("E229", place, found, "the same ids, or ids that all differ", "pass --qrels"))
    numbers = [str(at) for at in range(n)]
    if shared == 0 or list(query_ids) == list(corpus_ids) == numbers:
        said = Fault("W213", place, "relevance assumed: row i ↔ row i", "", "pass --qrels to say otherwise")
        return Relevance(Qrels.diagonal(n), "diagonal", (said,))
    items = np.array([row[name] for name in query_ids], dtype=np.int64)
    order = "" if (items == np.arange(n)).all() else " (the rows stand in another order)"
    said = Fault("W214", place, f"relevance assumed: equal ids{order}", "", "pass --qrels to say otherwise")
    return Relevance(Qrels(np.arange(n + 1, dtype=np.int64), items, np.ones(n)), "same-id", (said,))
