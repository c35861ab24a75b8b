"""From ids to rows: judgements meet the queries and the corpus they speak of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crossgauge.errors import SHOWN, Fault, InputError
from crossgauge.readers.pairs import Judgements, Run
from crossgauge.types import Floats, Ints, Qrels

_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("blanks around them", str.strip),
    ("upper and lower case", str.casefold),
    ("zeros in front", lambda name: name.strip().lstrip("0") or "0"),
    ("the file extension", lambda name: name.rpartition(".")[0] or name),
    ("the folder in front", lambda name: name.rpartition("/")[2]),
)


def resolve(qrels: Judgements, query_ids: Sequence[str], corpus_ids: Sequence[str]) -> Qrels:
    """The judgements as rows of queries and corpus; only those above zero make an item relevant.

    Queries without a relevant item stay: their measures are undefined, and counted as such. Raises InputError
    (E214) listing the ids that are not among the given ones, with what they may have meant.

    >>> judged = Judgements("q", "line", ("b",), ("x",), np.array([1.0]), np.array([1]), ())
    >>> resolve(judged, ["a", "b"], ["x", "y"]).start.tolist()
    [0, 0, 1]
    """
    queries, corpus = _rows(query_ids), _rows(corpus_ids)
    faults = [
        *_unknown(qrels, qrels.queries, queries, what="query", other=corpus),
        *_unknown(qrels, qrels.items, corpus, what="corpus", other=queries),
    ]
    if faults:
        raise InputError(faults)
    query = np.array([queries[name] for name in qrels.queries], dtype=np.int64)
    item = np.array([corpus[name] for name in qrels.items], dtype=np.int64)
    relevant = qrels.gains > 0
    return _sorted(query[relevant], item[relevant], qrels.gains[relevant], len(query_ids))


def _rows(ids: Sequence[str]) -> dict[str, int]:
    return {name: row for row, name in enumerate(ids)}


def _sorted(query: Ints, item: Ints, gains: Floats, queries: int) -> Qrels:
    order = np.lexsort((item, query))
    start = np.zeros(queries + 1, dtype=np.int64)
    np.cumsum(np.bincount(query, minlength=queries), out=start[1:])
    return Qrels(start, item[order], gains[order])


def _unknown(
    read: Judgements | Run,
    names: Sequence[str],
    known: Mapping[str, int],
    *,
    what: str,
    other: Mapping[str, int],
) -> list[Fault]:
    first_rows: dict[str, int] = {}
    for row, name in enumerate(names):
        if name not in known:
            first_rows.setdefault(name, row)
    if not first_rows:
        return []
    unknown = list(first_rows)
    listed = ", ".join(map(repr, unknown[:SHOWN])) + (" …" if len(unknown) > SHOWN else "")
    found = f"{len(unknown)} of {len(set(names))} {what} ids are not among the {len(known)} given: {listed}"
    wanted = f"ids such as {', '.join(map(repr, list(known)[:3]))}"
    return [Fault("E214", read.at(first_rows[unknown[0]]), found, wanted, _hint(unknown, known, other))]


def _hint(unknown: Sequence[str], known: Mapping[str, int], other: Mapping[str, int]) -> str:
    """What all unknown ids have in common that would make them known."""
    if all(name in other for name in unknown):
        return "these are ids of the other side: are queries and corpus swapped?"
    for what, change in _CHANGES:
        changed = {change(name) for name in known}
        if all(change(name) in changed for name in unknown):
            return f"did you mean the same ids but for {what}? write them alike"
    prefix = _prefix(unknown, known)
    if prefix is not None:
        return prefix
    return "write the ids as they are in the vectors' id list"


def _prefix(unknown: Sequence[str], known: Mapping[str, int]) -> str | None:
    """A prefix that all unknown ids have too much, or too little."""
    name = unknown[0]
    for length in range(1, len(name)):
        if name[length:] in known and all(
            one.startswith(name[:length]) and one[length:] in known for one in unknown
        ):
            return f"did you mean them without {name[:length]!r} in front?"
    for longer in known:
        if longer.endswith(name) and all(longer.removesuffix(name) + one in known for one in unknown):
            return f"did you mean them with {longer.removesuffix(name)!r} in front?"
    return None


@dataclass(frozen=True, slots=True, eq=False)
class RunLists:
    """A run as lists of corpus rows and scores, one a query; None where the run has no line for it."""

    items: tuple[Ints | None, ...]
    scores: tuple[Floats | None, ...]
    findings: tuple[Fault, ...]


def lists_of(run: Run, query_ids: Sequence[str], corpus_ids: Sequence[str]) -> RunLists:
    """The lists of a run for these queries; those of other queries are left out and said (W224).

    Raises InputError (E214) for items that are not in the corpus.
    """
    queries, corpus = _rows(query_ids), _rows(corpus_ids)
    faults = _unknown(run, run.items, corpus, what="corpus", other=queries)
    if faults:
        raise InputError(faults)
    query = np.array([queries.get(name, -1) for name in run.queries], dtype=np.int64)
    item = np.array([corpus[name] for name in run.items], dtype=np.int64)
    order = np.argsort(query, kind="stable")
    bounds = np.searchsorted(query[order], np.arange(len(query_ids) + 1))
    parts = [order[begin:end] for begin, end in pairwise(bounds.tolist())]
    return RunLists(
        tuple(item[part] if len(part) else None for part in parts),
        tuple(run.scores[part] if len(part) else None for part in parts),
        _unjudged(run, queries),
    )


def _unjudged(run: Run, queries: Mapping[str, int]) -> tuple[Fault, ...]:
    others = list(dict.fromkeys(name for name in run.queries if name not in queries))
    if not others:
        return ()
    listed = ", ".join(map(repr, others[:SHOWN])) + (" …" if len(others) > SHOWN else "")
    return (Fault("W224", run.place, f"{len(others)} queries without judgements are left out: {listed}"),)
