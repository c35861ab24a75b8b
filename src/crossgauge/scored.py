"""From ranks of somebody's own vectors, scores or runs to a Result and a run folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge import __version__
from crossgauge.benchmark import ANY_LANGUAGE, PLAIN
from crossgauge.errors import SHOWN, Fault, UsageError
from crossgauge.measures import measure, parse
from crossgauge.per_query import write_table
from crossgauge.readers import Relevance
from crossgauge.result import SCHEMA, CellResult, Result
from crossgauge.rows import positives, score_rows, score_warnings
from crossgauge.runs import RunFolder
from crossgauge.types import Item, OnNonfinite, Qrels, Ranks, Score, Split

DIRECTIONS = {"q2c": "query→corpus", "c2q": "corpus→query"}


@dataclass(frozen=True, slots=True)
class Job:
    """What is scored, apart from the ranks themselves: all that the Result and the run folder say."""

    kind: str  # "embeddings", "matrix" or "run"
    query_ids: tuple[str, ...]
    corpus_ids: tuple[str, ...]
    relevance: Relevance
    measures: tuple[str, ...]
    similarity: str
    on_nonfinite: OnNonfinite
    model: str
    revision: str
    options: Mapping[str, str]
    findings: tuple[Fault, ...]

    @property
    def data(self) -> str:
        """A fingerprint of the question (ids and relevance), not of the system's answer."""
        digest = hashlib.sha256()
        for ids in (self.query_ids, self.corpus_ids):
            digest.update(len(ids).to_bytes(8, "little"))
            for one in ids:
                raw = one.encode("utf-8", "surrogatepass")
                digest.update(len(raw).to_bytes(8, "little") + raw)
        qrels = self.relevance.qrels
        for array, kind in ((qrels.start, "<i8"), (qrels.items, "<i8"), (qrels.gains, "<f8")):
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        return f"sha256:{digest.hexdigest()}"

    @property
    def fields(self) -> dict[str, str]:
        """What stands in every signature beside the sizes."""
        extra = {} if self.on_nonfinite == "error" else {"nonfinite": self.on_nonfinite}
        return {
            "similarity": self.similarity,
            "relevance": self.relevance.how,
            **extra,
            "model": f"{self.model}@{self.revision}",
        }

    def relevant(self, direction: str) -> Qrels:
        """The judgements, seen from the side that asks."""
        qrels = self.relevance.qrels
        return qrels if direction == "q2c" else qrels.transposed(len(self.corpus_ids))

    def split(self, direction: str) -> Split:
        """Who asks and what is searched, by id only."""
        queries = tuple(Item(name) for name in self.query_ids)
        corpus = tuple(Item(name) for name in self.corpus_ids)
        first, second = (queries, corpus) if direction == "q2c" else (corpus, queries)
        return Split(first, second, self.relevant(direction))


@dataclass(frozen=True, slots=True)
class Asked:
    """Measures and directions that exist."""

    measures: tuple[str, ...]
    directions: tuple[str, ...]


def asked_for(measures: Sequence[str] | str, directions: Sequence[str] | str) -> Asked:
    """Raise one UsageError for all names that do not exist, before any work is done."""
    asked = Asked(_names(measures), _names(directions))
    faults: list[Fault] = []
    for name in asked.measures:
        try:
            parse(name)
        except UsageError as error:
            faults += error.faults
    odd = [name for name in asked.directions if name not in DIRECTIONS]
    if odd or not asked.directions:
        found = f"{', '.join(map(repr, odd))}: no such direction" if odd else "no direction"
        faults.append(Fault("E233", "directions", found, " or ".join(DIRECTIONS), "leave it out for both"))
    if faults:
        raise UsageError(faults)
    return asked


def _names(given: Sequence[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@dataclass(frozen=True, slots=True)
class Scored:
    """One direction, finished."""

    cell: CellResult
    split: Split
    ranks: Ranks
    scores: Mapping[str, Score]

    def write_table(self, path: Path) -> None:
        """Write one row a query."""
        write_table(path, self.split, self.ranks, self.scores)


def scored(job: Job, direction: str, ranks: Ranks) -> Scored:
    """Measure one direction and describe it."""
    scores = measure(ranks, job.measures)
    split = job.split(direction)
    gallery = len(split.corpus)
    cell = CellResult(
        task=direction,
        title=DIRECTIONS[direction],
        language=ANY_LANGUAGE,
        prompt=PLAIN.name,
        template=PLAIN.template,
        queries=len(split.queries),
        gallery=gallery,
        positives=positives(split.qrels),
        scores=score_rows(
            scores, f"{job.kind}/{direction}", gallery=gallery, data=job.data, fields=job.fields
        ),
        warnings=tuple(score_warnings(scores, _named(_unanswered(split, ranks)))),
    )
    return Scored(cell, split, ranks, scores)


def finished(job: Job, directions: Sequence[Scored], *, out: Path | None, about: Mapping[str, Any]) -> Result:
    """The Result of all directions, written to a run folder where one is asked for."""
    result = Result(
        schema=SCHEMA,
        version=__version__,
        benchmark=job.kind,
        benchmark_version="1",
        model=job.model,
        model_revision=job.revision,
        data=job.data,
        options={**job.options, "similarity": job.similarity, "relevance": job.relevance.how},
        partial=(),
        cells=tuple(one.cell for one in directions),
        means=(),
        published=(),
        audit=tuple(str(finding) for finding in job.findings),
    )
    if out is not None:
        _write(job, directions, result, folder=RunFolder(out), about=about)
    return result


def _write(
    job: Job, directions: Sequence[Scored], result: Result, *, folder: RunFolder, about: Mapping[str, Any]
) -> None:
    experiment = {
        "version": __version__,
        "benchmark": job.kind,
        "data": job.data,
        "model": job.model,
        "model revision": job.revision,
        "measures": list(job.measures),
        "similarity": job.similarity,
        "relevance": job.relevance.how,
        "on nonfinite": job.on_nonfinite,
        "cells": [one.cell.key for one in directions],
    }
    with closing(folder):
        folder.open(experiment, about)
        for one in directions:
            if folder.finished(one.cell.key) != one.cell:
                folder.write_cell(one.cell, one.write_table)
        folder.write_scores(result)
        folder.status("complete", cells=len(directions), done=len(directions))


def _unanswered(split: Split, ranks: Ranks) -> list[str]:
    """The queries that count as missing: those with a relevant item that got no answer."""
    if ranks.answered is None:
        return []
    return [split.queries[row].id for row in np.flatnonzero(~ranks.answered & (np.diff(ranks.start) > 0))]


def _named(missing: Sequence[str]) -> str:
    """The first unanswered queries by name, to end a sentence with."""
    more = " …" if len(missing) > SHOWN else ""
    return f": {', '.join(missing[:SHOWN])}{more}" if missing else ""
