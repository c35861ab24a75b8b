"""Texts to token ids, cut and counted, and to the padded batches that a model was trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Literal, TypeAlias

from crossgauge.coverage import Coverage
from crossgauge.models._torch.tokens import TokenCounts, coverage_of, unknown_id

Padding: TypeAlias = Literal["longest", "max_length"]
Tokens: TypeAlias = Mapping[str, list[int]]
_NO_LIMIT = 10**6  # what tokenizers that know no limit say is larger


@dataclass(frozen=True, slots=True)
class Shape:
    """How a family's texts are laid out: the padding it was trained with, and where they are cut."""

    padding: Padding
    limits: Sequence[int]  # whichever is least, the tokenizer's own included
    asked: int | None = None  # in place of them all
    without: Sequence[str] = ()  # outputs of the tokenizer that the model does not take


class Texts:
    """A tokenizer that threads may share.

    Truncation is a state of a fast tokenizer, not of a call, so one thread tokenises at a time; padding
    happens when a batch is made. What comes out is what one call with both would give.
    """

    def __init__(self, load: Callable[[], Any], shape: Shape) -> None:
        self._load = load
        self._shape = shape
        self._lock = Lock()

    @cached_property
    def tokenizer(self) -> Any:
        """Loaded when first used: a large vocabulary takes seconds."""
        return self._load()

    @cached_property
    def context(self) -> int:
        """At how many tokens, its own marks included, a text is cut."""
        if self._shape.asked is not None:
            return self._shape.asked
        own = int(min(_NO_LIMIT, self.tokenizer.model_max_length))
        return min([*self._shape.limits, own])

    @cached_property
    def described(self) -> str:
        """How texts are read, in a few words."""
        name = type(self.tokenizer).__name__
        return f"{name}, padded to {self._padded}, cut at {self.context} tokens"

    @cached_property
    def counts(self) -> TokenCounts:
        """What was cut, and what the vocabulary does not have."""
        return TokenCounts(self.context)

    def tokens(self, text: str) -> Tokens:
        """The ids of one text, cut at the context length, unpadded."""
        with self._lock:
            tokenizer = self.tokenizer
            found = tokenizer(text, verbose=False)
            ids = found["input_ids"]
            self.counts.add(pieces=len(ids), unknown=self._unknown(ids), special=self._special)
            if len(ids) > self.context:
                found = tokenizer(text, truncation=True, max_length=self.context)
        return {key: value for key, value in found.items() if key not in self._shape.without}

    def batch(self, texts: Sequence[Tokens]) -> dict[str, Any]:
        """Tensors of one batch, padded as the family is."""
        fixed = {"max_length": self.context} if self._shape.padding == "max_length" else {}
        rows = [dict(tokens) for tokens in texts]
        return dict(
            self.tokenizer.pad(rows, padding=self._shape.padding, return_tensors="pt", verbose=False, **fixed)
        )

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, uncut, and how many of them the vocabulary does not have."""
        with self._lock:
            return coverage_of(self.tokenizer, texts)

    def told(self) -> Sequence[str]:
        """What was cut or unknown since the last call; nothing before the first text."""
        return self.counts.told() if "counts" in self.__dict__ else []

    @property
    def _padded(self) -> str:
        return f"{self.context} tokens" if self._shape.padding == "max_length" else "the longest of a batch"

    @cached_property
    def _special(self) -> int:
        """How many marks of its own the tokenizer adds to a text."""
        return int(self.tokenizer.num_special_tokens_to_add())

    def _unknown(self, ids: Sequence[int]) -> int:
        """How many pieces are the unknown token."""
        unknown = unknown_id(self.tokenizer)
        return 0 if unknown is None else list(ids).count(unknown)
