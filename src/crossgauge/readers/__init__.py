"""Readers: one file a format, strict, never running what they read; every fault of a file at once."""

from __future__ import annotations

from crossgauge.readers.ids import read_ids
from crossgauge.readers.pairs import Judgements, Run
from crossgauge.readers.qrels import read_qrels
from crossgauge.readers.relevance import Relevance, relevance_of
from crossgauge.readers.resolve import RunLists, lists_of, resolve
from crossgauge.readers.run import read_run
from crossgauge.readers.strict_json import parse_json, read_json
from crossgauge.readers.trec import run_of, write_qrels, write_run
from crossgauge.readers.vectors import has_row_numbers, read_vectors

__all__ = [
    "Judgements",
    "Relevance",
    "Run",
    "RunLists",
    "has_row_numbers",
    "lists_of",
    "parse_json",
    "read_ids",
    "read_json",
    "read_qrels",
    "read_run",
    "read_vectors",
    "relevance_of",
    "resolve",
    "run_of",
    "write_qrels",
    "write_run",
]
