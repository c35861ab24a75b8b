"""Score what somebody already has: vectors, a matrix of scores, or a saved run. No model, no torch."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.ranking import rank, rank_lists, rank_matrix
from crossgauge.readers import (
    AnyIds,
    AnyQrels,
    AnyRun,
    AnyVectors,
    Judgements,
    Relevance,
    RowNumbers,
    Run,
    embeddings_of,
    ids_of,
    judgements_from,
    lists_of,
    qrels_of,
    relevance_of,
    run_given,
    together,
)
from crossgauge.result import Result
from crossgauge.scored import DIRECTIONS, Job, asked_for, finished, scored
from crossgauge.types import Embeddings, OnNonfinite, Qrels, Ranks, Similarity
from crossgauge.vector_audit import audit_vectors

DEFAULT = ("hit@1", "hit@5", "hit@10", "mrr", "medr")
_HASHED = 1 << 12  # rows hashed at once
_SAME_IDS = "W152"  # of the audit: no news where equal ids pair the sides


def score_embeddings(
    queries: AnyVectors,
    corpus: AnyVectors,
    *,
    qrels: AnyQrels | Qrels | None = None,
    similarity: Similarity = "cosine",
    measures: Sequence[str] | str = DEFAULT,
    directions: Sequence[str] | str = tuple(DIRECTIONS),
    on_nonfinite: OnNonfinite = "error",
    memory: int = 1 << 30,
    model: str = "vectors",
    names: tuple[str, str] = ("queries", "corpus"),
    out: str | os.PathLike[str] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Rank the corpus for each query, and the queries for each corpus item, and measure both.

    Arguments:
        queries, corpus: vectors of as many dimensions, with ids (see ``read_vectors``); or the path of a
            file, or a bare array (N, D), whose ids are its row numbers.
        qrels: who is relevant to whom: rows, a file, or ``{"query": {"item": 1}}``. None: equal ids match
            where both sides have the same ones, else row ``i`` matches row ``i`` where the counts are equal;
            the result says which was assumed.
        similarity: ``cosine``, ``dot`` or ``l2``; higher is always nearer.
        measures: names such as ``hit@1``, ``recall@10``, ``ndcg@10``, ``mrr``, ``medr``.
        directions: ``q2c`` (query→corpus) and ``c2q`` (corpus→query, the judgements transposed).
        on_nonfinite: ``error`` refuses NaN, infinities and (cosine) norm 0; ``miss`` counts them as misses.
        memory: bytes that ranking may use beyond its inputs.
        model: what to call the system; its revision is a hash of the vectors.
        names: what to call the two sides in messages, e.g. their files.
        out: a run folder to write (scores and one table of queries a direction); None writes nothing.
        about: facts for its ``run.json`` that change no number.

    Raises InputError with all faults found: E150 (dimensions differ), E214, E229, E231, E442 to E444;
    UsageError for an unknown measure, direction or similarity.

    >>> same = Embeddings(("a", "b"), np.eye(2, dtype=np.float32))
    >>> [row.value for row in score_embeddings(same, same, measures=["hit@1"]).cells[0].scores]
    [1.0]
    """
    asked = asked_for(measures, directions)
    left, right, judged = together(
        lambda: embeddings_of(queries, names[0]),
        lambda: embeddings_of(corpus, names[1]),
        lambda: qrels_of(qrels),
    )
    facts, findings, relevance = _looked_at(left, right, judged, names)
    job = Job(
        kind="embeddings", query_ids=left.ids, corpus_ids=right.ids, relevance=relevance,
        measures=asked.measures, similarity=similarity, on_nonfinite=on_nonfinite, model=model,
        revision=_digest(left.vectors, right.vectors), options=facts, findings=findings,
    )  # fmt: skip

    def ranked(direction: str) -> Ranks:
        first, second = (left, right) if direction == "q2c" else (right, left)
        return rank(
            first.vectors, second.vectors, job.relevant(direction), similarity=similarity, memory=memory,
            on_nonfinite=on_nonfinite, query_ids=first.ids, corpus_ids=second.ids,
        )  # fmt: skip

    done = [scored(job, direction, ranked(direction)) for direction in asked.directions]
    return finished(job, done, out=None if out is None else Path(out), about=about or {})


def score_matrix(
    scores: npt.ArrayLike,
    *,
    query_ids: AnyIds | None = None,
    corpus_ids: AnyIds | None = None,
    qrels: AnyQrels | Qrels | None = None,
    measures: Sequence[str] | str = DEFAULT,
    directions: Sequence[str] | str = tuple(DIRECTIONS),
    on_nonfinite: OnNonfinite = "error",
    model: str = "matrix",
    names: tuple[str, str] = ("queries", "corpus"),
    out: str | os.PathLike[str] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Measure a matrix of scores, (queries, corpus), higher is nearer; the rest as in score_embeddings.

    Ids are row and column numbers where none are given. Scores are compared in the precision supplied.

    Raises InputError: E230 (ids and matrix differ in size), E214, E229, E231, E440, E442.

    >>> result = score_matrix([[.9, .1, .2], [.5, .5, .5], [.1, .2, .8]], measures=["hit@1"])
    >>> round(result.cells[0].scores[0].value, 4)
    0.7778
    """
    asked = asked_for(measures, directions)
    matrix = np.asarray(scores)
    (rows, columns), judged = together(
        lambda: _matrix_ids(matrix, query_ids, corpus_ids, names), lambda: qrels_of(qrels)
    )
    relevance = relevance_of(rows, columns, judged, names=names)
    job = Job(
        kind="matrix", query_ids=rows, corpus_ids=columns, relevance=relevance, measures=asked.measures,
        similarity="given", on_nonfinite=on_nonfinite, model=model, revision=_digest(matrix),
        options={"scores": f"{len(rows)} × {len(columns)} {matrix.dtype}"}, findings=relevance.findings,
    )  # fmt: skip

    def ranked(direction: str) -> Ranks:
        seen, ids = (matrix, rows) if direction == "q2c" else (matrix.T, columns)
        return rank_matrix(seen, job.relevant(direction), on_nonfinite=on_nonfinite, query_ids=ids)

    done = [scored(job, direction, ranked(direction)) for direction in asked.directions]
    return finished(job, done, out=None if out is None else Path(out), about=about or {})


def score_run(
    run: AnyRun,
    qrels: AnyQrels,
    *,
    query_ids: AnyIds | None = None,
    corpus_ids: AnyIds | None = None,
    measures: Sequence[str] | str = DEFAULT,
    model: str = "run",
    out: str | os.PathLike[str] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Result:
    """Measure saved rankings; what a query does not list is not retrieved, a query without a line is a miss.

    Arguments:
        run: see ``readers.read_run``; or a file, or ``{"query": {"item": 0.5}}``.
        qrels: the judgements, a file, or ``{"query": {"item": 1}}``; the queries judged are the denominator.
        query_ids: the declared queries, where they are more than those judged.
        corpus_ids: the declared corpus. None: the items that the run or the judgements name; chance and
            sizes then count only these (W225).
        measures, model, out, about: as in score_embeddings.

    Raises InputError: E214 (ids outside the declared ones), E231, E251 (no query of the run is judged).

    >>> score_run({"q": {"a": 0.9, "b": 0.1}}, {"q": {"a": 1}}, measures=["hit@1"]).cells[0].scores[0].value
    1.0
    """
    asked = asked_for(measures, ("q2c",))
    read, judged, rows, columns = together(
        lambda: run_given(run),
        lambda: judgements_from(qrels),
        lambda: query_ids if query_ids is None else ids_of(query_ids, "query ids"),
        lambda: corpus_ids if corpus_ids is None else ids_of(corpus_ids, "corpus ids"),
    )
    _some_judged(read, judged)
    queries = tuple(dict.fromkeys(judged.queries)) if rows is None else rows
    corpus = tuple(sorted({*judged.items, *read.items})) if columns is None else columns
    relevance, lists = together(
        lambda: relevance_of(queries, corpus, judged), lambda: lists_of(read, queries, corpus)
    )
    findings = (*relevance.findings, *read.findings, *lists.findings, *_open_corpus(corpus, columns, read))
    job = Job(
        kind="run", query_ids=queries, corpus_ids=corpus, relevance=relevance, measures=asked.measures,
        similarity="given", on_nonfinite="error", model=model, revision=_run_digest(read),
        options={"run": f"{len(read.items)} scores"}, findings=findings,
    )  # fmt: skip
    ranking = rank_lists(
        lists.items, lists.scores, relevance.qrels, corpus_size=len(corpus), query_ids=queries
    )
    done = [scored(job, "q2c", ranking)]
    return finished(job, done, out=None if out is None else Path(out), about=about or {})


def _looked_at(
    queries: Embeddings, corpus: Embeddings, qrels: Judgements | Qrels | None, names: tuple[str, str]
) -> tuple[dict[str, str], tuple[Fault, ...], Relevance]:
    """Look at both sides and their relevance; what does not fit in either is raised together."""
    left, right = names if names[0] != names[1] else (f"{names[0]} (queries)", f"{names[1]} (corpus)")
    audit = audit_vectors(queries, corpus, names=(left, right))
    faults = [fault for fault in audit.faults if fault.code == "E150"]
    try:
        relevance = relevance_of(queries.ids, corpus.ids, qrels, names=(left, right))
    except InputError as error:
        raise InputError([*faults, *error.faults]) from None
    if faults:
        raise InputError(faults)
    facts = {side: f"{audit.facts[name]}, norms {audit.facts[f'{name} norms']}"
             for side, name in (("queries", left), ("corpus", right))}  # fmt: skip
    odd = [fault for fault in audit.faults if fault.is_warning]
    if relevance.how != "qrels":
        odd = [fault for fault in odd if fault.code != _SAME_IDS]
    return facts, (*relevance.findings, *odd), relevance


def _matrix_ids(
    matrix: npt.NDArray[Any],
    query_ids: AnyIds | None,
    corpus_ids: AnyIds | None,
    names: tuple[str, str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if matrix.ndim != 2:  # noqa: PLR2004  (rows and columns)
        raise InputError(
            Fault("E230", "matrix", f"{matrix.ndim} dimensions", "2: queries × corpus", "reshape it")
        )
    sides: list[tuple[str, ...]] = []
    faults = []
    for name, ids, size in zip(names, (query_ids, corpus_ids), matrix.shape, strict=True):
        sides.append(RowNumbers.of(size) if ids is None else ids_of(ids, name))
        if len(sides[-1]) != size:
            found = f"{len(sides[-1])} ids, the matrix is {matrix.shape[0]} × {matrix.shape[1]}"
            faults.append(Fault("E230", name, found, f"{size} ids", "is it transposed? rows are queries"))
    if faults:
        raise InputError(faults)
    return sides[0], sides[1]


def _some_judged(run: Run, qrels: Judgements) -> None:
    """Raise InputError (E251) where no query of a run is judged: every number would be of misses alone."""
    asked, judged = dict.fromkeys(run.queries), dict.fromkeys(qrels.queries)
    if not asked.keys() & judged.keys():
        found = f"none of the {len(asked)} queries of the run is judged: {_few(asked)}"
        wanted = f"queries of {qrels.place} such as {_few(judged)}"
        fix = "are run and judgements of the same data, their ids written alike?"
        raise InputError(Fault("E251", run.place, found, wanted, fix))


def _few(names: Iterable[str]) -> str:
    return ", ".join(map(repr, islice(names, 3)))


def _open_corpus(corpus: Sequence[str], given: Sequence[str] | None, run: Run) -> tuple[Fault, ...]:
    """Without a declared corpus its size is a lower bound, and so chance is too high."""
    if given is not None:
        return ()
    found = f"the corpus is not declared: {len(corpus)} items named by run and judgements stand for it"
    return (Fault("W225", run.place, found, "", "pass --corpus-ids for true sizes and chance"),)


def _digest(*arrays: npt.NDArray[Any]) -> str:
    """A short hash of numbers and shapes, whatever their byte order or layout in memory."""
    digest = hashlib.sha256()
    for array in arrays:
        little = array.dtype.newbyteorder("<")
        digest.update(f"{array.shape} {little.str}".encode())
        for begin in range(0, len(array), _HASHED):
            digest.update(np.ascontiguousarray(array[begin : begin + _HASHED], dtype=little).tobytes())
    return f"sha256:{digest.hexdigest()[:12]}"


def _run_digest(run: Run) -> str:
    """A short hash of what the run says, whatever the order of its lines."""
    rows = sorted(zip(run.queries, run.items, run.scores.tolist(), strict=True))
    return f"sha256:{hashlib.sha256(repr(rows).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
