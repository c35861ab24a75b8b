"""Names that are no descriptions: the White House is not painted, and Big Ben is not large.

Capital letters tell most of them, WordNet's own capitals those in headlines, and a short list the rest. That
WordNet has an entry ("black cat", "big cat") says nothing about a cat in a picture.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.perturb.english import FUNCTION, entries, wordnet
from crossgauge.perturb.words import Word

FIXED = frozenset({
    "black hole", "black magic", "black market", "blue chip", "green thumb", "red herring", "red tape",
    "white lie", "white noise",
    "big bang", "big deal", "big shot", "big toe", "big top", "large intestine", "little finger",
    "little toe", "minor league", "small intestine", "small talk",
})  # fmt: skip
_NEAR = 20  # words on either side that tell a headline
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "miss", "sir", "lady"})


def fixed_name(words: Sequence[Word], first: int, last: int) -> str:
    """The name that words ``first`` to ``last`` belong to with a neighbour, as it is written; empty for none.

    >>> from crossgauge.perturb.words import words_of
    >>> [fixed_name(words_of(text), 1, 1) for text in ("the White House", "the white house", "a black hole")]
    ['White House', '', 'black hole']
    """
    return _listed(words, first, last) or proper_name(words, first, last)


def proper_name(words: Sequence[Word], first: int, last: int) -> str:
    """The capitalised name alone.

    Two capitals in a row make a name where the text also has words in small letters; in a headline, where
    every word has a capital, only what WordNet writes so. Capitals throughout (WHITE) are no name.
    """
    if not all(_titled(word) for word in words[first : last + 1]):
        return ""
    if first and words[first - 1].lower in _TITLES and words[first].gap.strip() in {"", "."}:
        return _written(words, first - 1, last)
    pairs = [
        (start, end)
        for start, end, other in ((first, last + 1, last + 1), (first - 1, last, first - 1))
        if 0 <= other < len(words) and words[max(other, first)].gap.isspace() and _titled(words[other])
    ]
    for start, end in pairs:
        if not _headline(words[max(0, start - _NEAR) : end + _NEAR]) or _capitalised(
            _written(words, start, end)
        ):
            return _written(words, start, end)
    return ""


def _listed(words: Sequence[Word], first: int, last: int) -> str:
    if last + 1 >= len(words) or not words[last + 1].gap.isspace():
        return ""
    written = _written(words, first, last + 1)
    return written if {written.lower(), written.lower().removesuffix("s")} & FIXED else ""


def _titled(word: Word) -> bool:
    said = word.owner
    plain = word.plain or (said.isascii() and said.isalpha() and said != word.text)
    return plain and said[0].isupper() and not said.isupper() and said.lower() not in FUNCTION


def _headline(words: Sequence[Word]) -> bool:
    """Whether no word but function words begins with a small letter."""
    return not any(word.text[0].islower() and word.lower not in FUNCTION for word in words)


def _capitalised(name: str) -> bool:
    return any(name in wordnet().words(sense) for sense in entries(name))


def _written(words: Sequence[Word], first: int, last: int) -> str:
    """As it stands, without the ending of a possessive: the White House of "the White House's lawn"."""
    return " ".join([*(word.text for word in words[first:last]), words[last].owner])
