"""Relevance and candidates as asked for, checked against the sizes, as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crossgauge.errors import Fault, InputError
from crossgauge.positives import gather, one_a_query, row_numbers
from crossgauge.ranking.vectors import Ids, name_of
from crossgauge.types import Bools, Floats, Ints, Qrels, Relevant


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """One list of corpus rows a query, end to end: query ``q`` has ``rows[start[q]:start[q + 1]]``."""

    start: Ints  # (Q + 1,)
    rows: Ints  # (P,)

    @classmethod
    def of(cls, lists: Sequence[Ints]) -> Lists:
        """Join one array a query."""
        start = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum([len(rows) for rows in lists], out=start[1:])
        joined = [np.asarray(rows, dtype=np.int64) for rows in lists]
        return cls(start, np.concatenate(joined) if joined else np.zeros(0, dtype=np.int64))

    @property
    def query(self) -> Ints:
        """The query of each entry, (P,)."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judgements that have a rank to find (both sides usable), with the score of each."""

    index: Ints  # (L,) its place in the Qrels
    start: Ints  # (Q + 1,) query q has judgements start[q]:start[q + 1] of these
    query: Ints  # (L,)
    item: Ints  # (L,) corpus row
    score: Floats  # (L,) as defined

    @classmethod
    def of(cls, qrels: Qrels, live: Bools) -> Judged:
        """Those judgements of ``qrels`` that are ``live``; scores are still to be filled in."""
        index = np.flatnonzero(live)
        query = qrels.query[index]
        start = np.zeros(len(qrels) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query, minlength=len(qrels)), out=start[1:])
        return cls(index, start, query, qrels.items[index], np.zeros(len(index)))


def read_relevance(relevant: Qrels | Relevant | None, *, queries: int, corpus: int, ids: Ids = None) -> Qrels:
    """The judgements; None: query ``i`` has the one relevant item ``i``. Raises InputError (E445)."""
    if relevant is None:
        if queries != corpus:
            found = f"{queries} queries, {corpus} corpus rows, and no relevance given"
            raise InputError(
                Fault("E445", "relevance", found, "as many rows on both sides", "pass relevant=…")
            )
        return Qrels.diagonal(queries)
    said = relevant if isinstance(relevant, Qrels) else one_a_query(relevant, queries=queries)
    if len(said) != queries:
        found = f"judgements for {len(said)} queries, {queries} query vectors"
        raise InputError(Fault("E445", "relevance", found, "one list a query (it may be empty)"))
    if isinstance(relevant, Qrels):
        _check(relevant, corpus=corpus, ids=ids)
        return relevant
    return Qrels(*gather(relevant, ids=ids, size=corpus))


def _check(qrels: Qrels, *, corpus: int, ids: Ids) -> None:
    """Raise InputError (E445) for judgements that somebody built by hand and that do not fit."""
    faults = _range_faults("E445", "relevant", qrels.query, qrels.items, size=corpus, ids=ids)
    falling = (np.diff(qrels.items) <= 0) & (np.diff(qrels.query) == 0)
    faults += [
        Fault(
            "E445",
            name_of("query", int(qrels.query[at]), ids),
            f"corpus row {qrels.items[at + 1]} out of order or twice",
            "ascending, distinct rows",
            "build it with Qrels.of",
        )
        for at in np.flatnonzero(falling)
    ]
    faults += [
        Fault(
            "E445", name_of("query", int(qrels.query[at]), ids), f"gain {qrels.gains[at]}", "a number above 0"
        )
        for at in np.flatnonzero(~((qrels.gains > 0) & np.isfinite(qrels.gains)))
    ]
    if faults:
        raise InputError(faults)


def read_candidates(
    candidates: Sequence[Ints] | None, qrels: Qrels, *, corpus: int, ids: Ids = None
) -> Lists | None:
    """The corpus rows that compete for each query, ascending, or None for all of them.

    Raises InputError: E446 for rows out of range or twice, E447 for a relevant item that does not compete.
    """
    if candidates is None:
        return None
    if len(one_a_query(candidates, "candidates", code="E446")) != len(qrels):
        found = f"candidates for {len(candidates)} queries, {len(qrels)} queries"
        raise InputError(Fault("E446", "candidates", found, "one list a query"))
    lists = Lists.of(read_lists(candidates, code="E446", ids=ids))
    query = lists.query
    faults = _range_faults("E446", "candidate", query, lists.rows, size=corpus, ids=ids)
    if faults:
        raise InputError(faults)
    key = np.sort(query * corpus + lists.rows)  # queries stay in place, rows ascend within each
    faults = [
        Fault(
            "E446",
            name_of("query", int(at // corpus), ids),
            f"candidate row {at % corpus} stands twice",
            "each once",
        )
        for at in key[1:][np.diff(key) == 0]
    ]
    wanted = qrels.query * corpus + qrels.items
    for at in wanted[~member_of(key, wanted)]:
        found = f"relevant corpus row {at % corpus} is not among its candidates"
        faults.append(
            Fault("E447", name_of("query", int(at // corpus), ids), found, "every relevant item competes")
        )
    if faults:
        raise InputError(faults)
    return Lists(lists.start, key % max(corpus, 1))


def read_lists(lists: Sequence[object], *, code: str, ids: Ids) -> list[Ints]:
    """One list of row numbers a query; raises InputError naming every query that has something else."""
    read = [row_numbers(one, name_of("query", q, ids), code=code) for q, one in enumerate(lists)]
    faults = [one for one in read if isinstance(one, Fault)]
    if faults:
        raise InputError(faults)
    return [one for one in read if not isinstance(one, Fault)]


def member_of(ascending: Ints, wanted: Ints) -> Bools:
    """Which of ``wanted`` stand in the sorted array ``ascending``."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    found: Bools = ascending[at] == wanted
    return found


def _range_faults(code: str, what: str, query: Ints, rows: Ints, *, size: int, ids: Ids) -> list[Fault]:
    outside = np.flatnonzero((rows < 0) | (rows >= size))
    return [
        Fault(code, name_of("query", int(query[at]), ids), f"{what} row {rows[at]}", f"0 to {size - 1}")
        for at in outside
    ]
