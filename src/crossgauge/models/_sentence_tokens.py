"""Counts what a model of sentence-transformers cuts off and does not know; the library does it in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crossgauge.coverage import Coverage
from crossgauge.models._torch.tokens import TokenCounts

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


def coverage_of(model: Any, texts: Sequence[str]) -> Coverage | None:
    """How the tokenizer that reads queries cuts texts; None where there is none that says."""
    tokenizer = getattr(_input(model, "query"), "tokenizer", None)
    if tokenizer is None:
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
    marks = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id)
    unknown = None if tokenizer.unk_token_id in marks else tokenizer.unk_token_id
    ids = tokenizer(list(texts), verbose=False)["input_ids"]
    return unknown, int(tokenizer.num_special_tokens_to_add()), ids
