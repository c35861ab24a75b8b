"""Texts to the padded ids that an open_clip model reads, by its own tokenizer, cut and counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from crossgauge.coverage import Coverage
from crossgauge.errors import Fault, InputError
from crossgauge.models._open_clip_source import Source
from crossgauge.models._torch.quiet import quiet
from crossgauge.models._torch.tokens import TokenCounts

CONTEXT = 77  # the library's, where a configuration does not say
CLIPS = 3  # marks that the mode "clips" adds


class Texts:
    """A tokenizer that threads may share: padding and truncation are states of a fast tokenizer.

    Every text is padded to the context length, so no vector depends on the others of its batch.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.context = int(source.text.get("context_length") or CONTEXT)
        self.counts = TokenCounts(self.context)
        self._lock = Lock()

    @cached_property
    def tokenizer(self) -> Any:
        """Loaded when first used; raises InputError (E632) where it cannot be."""
        from open_clip import tokenizer as library

        source, options = self._source, dict(self._source.text.get("tokenizer_kwargs") or {})
        try:
            if source.tokenizer is None:
                return library.SimpleTokenizer(context_length=self.context, **options)
            mode = source.text.get("tokenizer_mode")
            with quiet():
                return library.HFTokenizer(
                    str(source.tokenizer), context_length=self.context, tokenizer_mode=mode, **options
                )
        except Exception as error:
            found = (
                f"its tokenizer cannot be loaded: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
            )
            fix = "a folder with its tokenizer's files, or see --debug"
            place = source.checkpoint.place
            raise InputError(
                Fault("E632", place, found, "a tokenizer that the library loads", fix)
            ) from error

    @property
    def described(self) -> str:
        """How texts are read, in a few words."""
        kind = "CLIP's byte pairs" if self._source.tokenizer is None else "a tokenizer of its own"
        return f"{kind}, padded to and cut at {self.context} tokens"

    def tokens(self, text: str) -> Any:
        """The ids of one text, a tensor (context,)."""
        with self._lock:
            pieces, unknown, special = self._count(text)
            self.counts.add(pieces=pieces, unknown=unknown, special=special)
            return self.tokenizer([text])[0]

    def coverage(self, texts: Sequence[str]) -> Coverage:
        """How many pieces these texts are, uncut, and how many of them the vocabulary does not have."""
        with self._lock:
            counted = [self._count(text) for text in texts]
        pieces = sum(pieces - special for pieces, _, special in counted)
        return Coverage(pieces, sum(unknown for _, unknown, _ in counted))

    def _count(self, text: str) -> tuple[int, int, int]:
        """How many pieces, how many of them unknown, how many are marks that every text gets."""
        if self._source.tokenizer is None:
            return len(self.tokenizer.encode(text)) + 2, 0, 2  # bytes: nothing is unknown
        clips = self._source.text.get("tokenizer_mode") == "clips"
        inner = self.tokenizer.tokenizer
        ids = inner(self.tokenizer.clean_fn(text), add_special_tokens=not clips, verbose=False)["input_ids"]
        marks = (inner.bos_token_id, inner.eos_token_id, inner.pad_token_id)
        unknown = None if inner.unk_token_id in marks else inner.unk_token_id
        special = CLIPS if clips else int(inner.num_special_tokens_to_add())
        return len(ids) + (CLIPS if clips else 0), ids.count(unknown) if unknown is not None else 0, special
