"""Counts what a model of sentence-transformers cuts off and does not know; the library does it in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crossgauge.coverage import Coverage
from crossgauge.models._sentence_config import SentenceConfig
from crossgauge.models._sentence_modules import TOWERS
from crossgauge.models._torch.tokens import TokenCounts, unknown_id
from crossgauge.models._transformers.loading import load_tokenizer

_READING = ("query", "text")  # the routes by which a router reads a query
_ENDLESS = 10**6  # what modules that know no limit say is larger


def count_pieces(model: Any, texts: Sequence[str], task: str, counts: dict[int, TokenCounts]) -> None:
    """Add texts, prompts included, to the counts of the context length that holds for the task."""
    first = _input(model, task)
    tokenizer = getattr(first, "tokenizer", None)
    if not texts or tokenizer is None:
        return
    context = _context(first, task)
    counted = counts.setdefault(context, TokenCounts(context))
    unknown, special, ids = _pieces(tokenizer, texts)
    for pieces in ids:
        lost = 0 if unknown is None else pieces.count(unknown)
        counted.add(pieces=len(pieces), unknown=lost, special=special)


def tokenizer_of(config: SentenceConfig) -> Any:
    """The tokenizer that reads queries, without the model; None where no file of one is known."""
    routes = {part.route: part.folder for part in reversed(config.inputs)}
    folder = next((routes[name] for name in ("", *_READING) if name in routes), config.checkpoint.path)
    here = replace(config.checkpoint, path=folder)
    kinds = {part.kind for part in config.inputs if part.folder == folder}
    if here.lacks_tokenizer:
        return None
    if kinds == {"StaticEmbedding"}:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(folder / "tokenizer.json"))
    return load_tokenizer(here, code=config.runs_code()) if config.plain or kinds <= TOWERS else None


def coverage_of(tokenizer: Any, texts: Sequence[str]) -> Coverage | None:
    """How a tokenizer cuts texts; None where it is one that does not say, or none."""
    if not hasattr(tokenizer, "num_special_tokens_to_add"):
        return None
    unknown, special, ids = _pieces(tokenizer, texts)
    lost = 0 if unknown is None else sum(pieces.count(unknown) for pieces in ids)
    return Coverage(sum(len(pieces) - special for pieces in ids), lost)


def _input(model: Any, task: str) -> Any:
    """The module that reads a text; None for a router that decides by more than the names of its routes."""
    first = model[0]
    routes = getattr(first, "sub_modules", None)
    if routes is None:
        return first
    name = next((name for name in (task, "text") if name in routes), None)
    return None if name is None else routes[name][0]


def _context(first: Any, task: str) -> int:
    own = getattr(first, "query_length" if task == "query" else "document_length", None)
    found = own or getattr(first, "max_seq_length", None) or _ENDLESS
    return int(min(found, _ENDLESS))


def _pieces(tokenizer: Any, texts: Sequence[str]) -> tuple[int | None, int, list[list[int]]]:
    """The unknown piece, how many marks every text gets, and the pieces of each text."""
    if not hasattr(tokenizer, "num_special_tokens_to_add"):
        return None, 0, []
    if hasattr(tokenizer, "encode_batch"):  # of the tokenizers library: static embeddings, which add no marks
        found = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return tokenizer.token_to_id("[UNK]"), 0, [list(one.ids) for one in found]
    ids = tokenizer(list(texts), verbose=False)["input_ids"]
    return unknown_id(tokenizer), int(tokenizer.num_special_tokens_to_add()), ids
