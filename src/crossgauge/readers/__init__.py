"""Readers: one file a format, strict, never running what they read; every fault of a file at once."""

from __future__ import annotations

from crossgauge.readers.given import (
    AnyIds,
    AnyQrels,
    AnyRun,
    AnyVectors,
    embeddings_of,
    ids_of,
    judgements_from,
    qrels_of,
    run_given,
    together,
)
from crossgauge.readers.ids import RowNumbers, read_ids
from crossgauge.readers.pairs import Judgements, Run
from crossgauge.readers.qrels import read_qrels
from crossgauge.readers.relevance import Relevance, relevance_of
from crossgauge.readers.resolve import RunLists, lists_of, resolve
from crossgauge.readers.run import read_run
from crossgauge.readers.strict_json import parse_json, read_json
from crossgauge.readers.trec import run_of, write_qrels, write_run
from crossgauge.readers.vectors import has_row_numbers, read_vectors

__all__ = [
    "AnyIds",
    "AnyQrels",
    "AnyRun",
    "AnyVectors",
    "Judgements",
    "Relevance",
    "RowNumbers",
    "Run",
    "RunLists",
    "embeddings_of",
    "has_row_numbers",
    "ids_of",
    "judgements_from",
    "lists_of",
    "parse_json",
    "qrels_of",
    "read_ids",
    "read_json",
    "read_qrels",
    "read_run",
    "read_vectors",
    "relevance_of",
    "resolve",
    "run_given",
    "run_of",
    "together",
    "write_qrels",
    "write_run",
]
