"""Texts → token numbers. What was cut before is looked up: texts, and words where those may be cut singly.

A caption of ten words costs ten look-ups and some array work; only a word that is new goes through the
tokenizer's expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossgauge.rouge.token_ids import TokenIds
from crossgauge.types import Bools, Ints

Tokenizer = Callable[[str], list[str]]
Numbers = npt.NDArray[np.int32]

MANY = 1 << 17  # stretches remembered, some 30 MB
AT_ONCE = 1 << 12  # texts split at once: their words are objects, and should not fill memory
END = "\0"  # stands between texts as a word of its own
NO_TEXT = 0  # its number


@dataclass(frozen=True, slots=True, eq=False)
class Interned:
    """Texts as rows of distinct ones."""

    rows: Ints  # (len(texts),) the row of each text
    tokens: TokenIds  # of the distinct texts
    blank: Bools  # which distinct texts hold nothing: no token, or only the empty one


class Interning:
    """Equal texts become equal rows, equal tokens equal numbers.

    Arguments:
        tokens: the tokenizer of whole texts.
        word_tokens: where no token contains or depends on what is beyond white space, the tokens of what
            stands between; a text in which it finds none is given to ``tokens``.

    >>> found = Interning(str.split).intern(["a b", "b", "a b"])
    >>> found.rows.tolist(), found.tokens.ids.tolist()
    ([0, 1, 0], [0, 1, 1])
    """

    def __init__(self, tokens: Tokenizer, word_tokens: Tokenizer | None = None) -> None:
        self._tokens = tokens
        self._word_tokens = word_tokens
        self._cut = _Cut(tokens, word_tokens)

    def intern(self, texts: Sequence[str]) -> Interned:
        """Number the tokens of some texts; numbers hold within this call only."""
        if len(self._cut) > MANY:
            self._cut = _Cut(self._tokens, self._word_tokens)
        place: dict[str, int] = {}
        rows = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
        distinct = list(place)
        numbers, ends = self._numbers(distinct)
        tokens = self._cut.tokens(numbers, ends)
        blank: Bools = tokens.length == 0
        if self._word_tokens is not None and blank.any():  # these are cut whole: no word of theirs is a token
            for row in np.flatnonzero(blank):
                numbers[ends[row]] = self._cut[(distinct[row],)]
            tokens = self._cut.tokens(numbers, ends)
            blank = tokens.length == 0
        nothing = self._cut.number.get("")
        if nothing is not None:
            alone = np.flatnonzero(tokens.length == 1)
            blank[alone] = tokens.ids[tokens.start[alone]] == nothing
        return Interned(rows, tokens, blank)

    def _numbers(self, texts: list[str]) -> tuple[Numbers, Ints]:
        """The numbers of all stretches, and where each text's last one is."""
        if self._word_tokens is None:
            return self._cut.numbers([(text,) for text in texts]), np.arange(len(texts))
        parts = [self._words(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)]
        numbers = np.concatenate(parts or [np.zeros(0, np.int32)])
        return numbers, np.flatnonzero(numbers == NO_TEXT)

    def _words(self, texts: list[str]) -> Numbers:
        """The numbers of all words, with NO_TEXT after each text."""
        between = f" {END} "
        joined = between.join([*texts, ""])
        if joined.count(END) != len(texts):  # some text holds one, which separates like white space
            joined = between.join([*(text.replace(END, " ") for text in texts), ""])
        return self._cut.numbers(joined.split())


class _Cut(dict[str | tuple[str], int]):
    """Numbers of what was cut so far: words, and whole texts as tuples of themselves."""

    def __init__(self, tokens: Tokenizer, word_tokens: Tokenizer | None) -> None:
        super().__init__({END: NO_TEXT})
        self._tokens = tokens
        self._word_tokens = word_tokens or tokens
        self.number: dict[str, int] = {}  # of each token
        self._ids: list[int] = []
        self._start = [0, 0]

    def __missing__(self, stretch: str | tuple[str]) -> int:
        found = self[stretch] = len(self)
        tokens = self._word_tokens(stretch) if isinstance(stretch, str) else self._tokens(stretch[0])
        number = self.number
        self._ids += [number.setdefault(token, len(number)) for token in tokens]
        self._start.append(len(self._ids))
        return found

    def numbers(self, stretches: Sequence[str | tuple[str]]) -> Numbers:
        """The number of each, (len(stretches),)."""
        return np.fromiter(map(self.__getitem__, stretches), np.int32, len(stretches))

    def tokens(self, numbers: Numbers, ends: Ints) -> TokenIds:
        """The tokens of texts, each of which ends with one of the stretches."""
        start = np.array(self._start, dtype=np.int64)
        count = np.diff(start)[numbers]
        total = np.cumsum(count)
        place = np.arange(count.sum()) + np.repeat(start[numbers] - (total - count), count)
        return TokenIds(np.array(self._ids, dtype=np.int32)[place], np.concatenate([[0], total[ends]]))
