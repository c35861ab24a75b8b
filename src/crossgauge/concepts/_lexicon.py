"""WordNet 3.0's words and senses as arrays, read from the table that scripts/build_wordnet.py makes.

Synsets are rows, in the order of parts of speech (n, v, a and s, r) and of their offsets. A token is a word
of a synset.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crossgauge.concepts._integers import unpacked
from crossgauge.types import Ints

DATA = Path(__file__).with_name("data")
POS = "nvasr"  # a synset's own part of speech by its number; s: an adjective beside the head of its group
_Bytes = npt.NDArray[np.uint8]
_ADJECTIVES = "as"
_NAME = re.compile(r"(.+)\.([nvasr])\.([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Which words each synset has, and which synsets each word."""

    forms: list[str]  # all words as written, sorted without regard to case
    word: Ints  # (T,) the form of each token
    sense: _Bytes  # (T,) the number of this synset among the word's, 1 the most frequent
    first: Ints  # (n + 1,) where a synset's tokens begin
    pos: _Bytes  # (n,) places in POS
    offset: Ints  # (n,) of its line in Princeton's file of its part of speech
    heads: Mapping[int, int]  # satellite adjective → head of its group
    antonyms: tuple[Ints, Ints]  # (A,) tokens, sorted, and their opposites
    lemmas: list[str]  # the same in lower case
    by_form: tuple[Ints, Ints]  # tokens in the order of forms, and where each form's begin
    node: Ints  # (T,) the synset of each token
    irregular: str  # the lists of exceptions

    def name(self, node: int) -> str:
        """The synset's first word, part of speech and number of sense: ``dog.n.01``."""
        token = int(self.first[node])
        return f"{self.forms[self.word[token]].lower()}.{POS[self.pos[node]]}.{self.sense[token]:02d}"

    def named(self, name: str) -> int | None:
        """The synset with that word, part of speech and sense, be it the synset's first word or another.

        An ``a`` stands for satellites too.
        """
        matched = _NAME.fullmatch(name)
        if matched is None:
            return None
        lemma, pos, sense = matched.groups()
        for token in self.tokens(lemma, pos):
            if self.sense[token] == int(sense):
                node = self.synset(token)
                return node if pos != "s" or POS[self.pos[node]] == "s" else None
        return None

    def tokens(self, lemma: str, pos: str) -> list[int]:
        """The tokens of a lower-case lemma, most frequent sense first."""
        low = bisect_left(self.lemmas, lemma)
        if low == len(self.lemmas) or self.lemmas[low] != lemma:
            return []
        high = bisect_right(self.lemmas, lemma, low)
        order, begin = self.by_form
        found: list[int] = order[begin[low] : begin[high]].tolist()
        wanted = _places(pos)
        senses = [(self.sense[token], token) for token in found if self.pos[self.node[token]] in wanted]
        return [token for _, token in sorted(senses)]

    def synset(self, token: int) -> int:
        """The synset that a token belongs to."""
        return int(self.node[token])

    def written(self, token: int) -> str:
        """A token as people write it."""
        form: str = self.forms[self.word[token]]
        return form.replace("_", " ")

    def opposites(self, token: int) -> Iterator[int]:
        """The tokens that are direct antonyms of one."""
        tokens, opposite = self.antonyms
        for at in range(*np.searchsorted(tokens, [token, token + 1])):
            yield int(opposite[at])

    def exceptions(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Irregular forms and what they come from, by part of speech (n, v, a, r)."""
        lists = zip("nvar", self.irregular.split("\n\n"), strict=True)  # a form and its base forms a line
        lines = {pos: map(str.split, one.split("\n")) for pos, one in lists}
        return {pos: {form: tuple(bases) for form, *bases in each} for pos, each in lines.items()}

    def at_offset(self, pos: str, offset: int) -> int | None:
        """The synset whose line begins there in Princeton's file of that part of speech."""
        rows = np.flatnonzero((self.offset == offset) & np.isin(self.pos, _places(pos)))
        return int(rows[0]) if len(rows) else None


@dataclass(frozen=True, slots=True)
class Above:
    """Hypernyms, of classes and of instances alike."""

    first: Ints  # (n + 1,)
    parents: Ints
    deepest: tuple[int, ...]  # the longest way up, by part of speech


@cache
def wordnet_table() -> tuple[Lexicon, Above]:
    """The table that comes with the package, read once."""
    with (DATA / "wordnet-3.0.npz").open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return _lexicon(arrays), _above(arrays)


def _lexicon(arrays: Mapping[str, _Bytes]) -> Lexicon:
    text, word, pos = _text(arrays["forms"]), unpacked(arrays["word"]), arrays["pos"]
    forms = text.split("\n")
    tokens = np.cumsum(unpacked(arrays["antonym"]))
    satellites = np.flatnonzero(pos == POS.index("s"))
    order = np.argsort(word, kind="stable")
    begin = np.searchsorted(word[order], np.arange(len(forms) + 1))
    return Lexicon(
        forms=forms,
        word=word,
        sense=arrays["sense"],
        first=_begin(arrays["words"]),
        pos=pos,
        offset=np.cumsum(unpacked(arrays["offset"])),
        heads=dict(zip(satellites.tolist(), (satellites - unpacked(arrays["head"])).tolist(), strict=True)),
        antonyms=(tokens, tokens + unpacked(arrays["opposite"])),
        lemmas=text.lower().split("\n"),
        by_form=(order, begin),
        node=np.repeat(np.arange(len(pos)), arrays["words"]),
        irregular=_text(arrays["exceptions"]),
    )


def _above(arrays: Mapping[str, _Bytes]) -> Above:
    counts = arrays["parents"]
    children = np.repeat(np.arange(len(counts)), counts)
    deepest = tuple(arrays["deepest"].tolist())
    return Above(_begin(counts), children - unpacked(arrays["above"]), deepest)


def _begin(counts: _Bytes) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _text(characters: _Bytes) -> str:
    return characters.tobytes().decode("ascii")


def _places(pos: str) -> list[int]:
    """The numbers of a part of speech; adjectives are filed together."""
    wanted = _ADJECTIVES if pos in _ADJECTIVES else pos
    return [number for number, one in enumerate(POS) if one in wanted]
