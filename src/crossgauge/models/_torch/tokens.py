"""What a tokenizer does to texts that a reader of the numbers must know: cut-off ends, unknown pieces."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from crossgauge.coverage import Coverage


def unknown_id(tokenizer: Any) -> int | None:
    """The id of what a vocabulary does not have; None where it lacks nothing.

    A vocabulary of bytes knows everything, and gives the name of the unknown to another mark.
    """
    marks = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}
    unknown = tokenizer.unk_token_id
    return None if unknown is None or unknown in marks else int(unknown)


def coverage_of(tokenizer: Any, texts: Sequence[str]) -> Coverage:
    """How many pieces texts are, uncut and without the tokenizer's own marks, and how many are unknown."""
    found = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"] if texts else []
    unknown = unknown_id(tokenizer)
    lost = 0 if unknown is None else sum(list(ids).count(unknown) for ids in found)
    return Coverage(sum(map(len, found)), lost)


class TokenCounts:
    """Counts texts cut at the context length and pieces that the vocabulary does not have.

    >>> counts = TokenCounts(77)
    >>> counts.add(pieces=90, unknown=0); counts.add(pieces=4, unknown=2)
    >>> counts.told()
    ['1 of 2 texts cut at 77 tokens', '2.1 % of the pieces of 2 texts are unknown to the tokenizer']
    """

    def __init__(self, context: int) -> None:
        self.context = context
        self._lock = Lock()
        self._reset()

    def add(self, *, pieces: int, unknown: int, special: int = 0) -> None:
        """One text: how many pieces it has before it is cut, and how many of them are unknown.

        ``special``: those that the tokenizer adds to every text; they fill the context and are in no share.
        """
        with self._lock:
            self._texts += 1
            self._cut += pieces > self.context
            self._pieces += pieces - special
            self._unknown += unknown

    def told(self) -> Sequence[str]:
        """A line for each thing worth knowing since the last call."""
        with self._lock:
            said = []
            if self._cut:
                said.append(f"{self._cut} of {self._texts} texts cut at {self.context} tokens")
            if self._unknown:
                share = 100 * self._unknown / self._pieces
                some = f"{share:.1f} %" if share >= 0.05 else "less than 0.1 %"  # noqa: PLR2004  (shown as 0.0)
                said.append(f"{some} of the pieces of {self._texts} texts are unknown to the tokenizer")
            self._reset()
        return said

    def _reset(self) -> None:
        self._texts = self._cut = self._pieces = self._unknown = 0
