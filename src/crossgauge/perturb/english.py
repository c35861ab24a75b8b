"""Which part a word plays in an English text, as far as WordNet and its neighbours tell.

There is no tagger: a word counts only where its place leaves little doubt, and is left alone elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from crossgauge.concepts.wordnet import WordNet
from crossgauge.perturb.words import Word

_DETERMINERS = """a an the this that these those my your his her its our their some any no every each either
neither both all half such what which whose many few several more most much less least fewer another other
same own only one two three four five six seven eight nine ten eleven twelve dozen hundred thousand first
second third last next"""
_PREPOSITIONS = """about above across after against along alongside amid among around as at atop before behind
below beneath beside besides between beyond by despite down during except for from in inside into like minus
near next of off on onto opposite out outside over past per plus round since than through throughout till
toward towards under underneath unlike until up upon versus via with within without to"""
_OTHERS = """and or but nor so yet if while when where because although though whether not there here then now
very too quite rather really almost also just even still ever never again away together apart well yes i you
he she it we they me him them us who whom someone something anyone anything everyone everything nobody nothing
himself herself itself themselves is are was were be been being am has have had having do does did doing can
could will would shall should may might must s t re ve ll d m"""
_LINK = "is are was were be been being am looks look looked seems seem seemed"
_DEGREE = "very too quite rather really so extremely fairly pretty"
_VERBAL = """i you he she it we they who to not let do does did can could will would shall should may might
must"""
FUNCTION = frozenset(f"{_DETERMINERS} {_PREPOSITIONS} {_OTHERS}".split())
_LEADING = frozenset(f"{_LINK} {_DEGREE}".split())  # before an adjective that ends a phrase
_BEFORE_VERBS = frozenset(_VERBAL.split())
_ENDS = tuple(".,;:!?)]}\"'”’…—–")
_COORDINATING = frozenset({"and", "or", "but"})


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """WordNet, read once."""
    return WordNet()


@lru_cache(maxsize=1 << 16)
def senses(word: str, pos: str) -> tuple[str, ...]:
    """What a lower-case word may mean as a noun, verb, adjective or adverb (n, v, a, r)."""
    return wordnet().senses(word, pos)


@lru_cache(maxsize=1 << 16)
def ancestors(concept: str) -> frozenset[str]:
    """A concept and everything above it."""
    found, wanted = {concept}, [concept]
    while wanted:
        above = [one for one in wordnet().parents(wanted.pop()) if one not in found]
        found.update(above)
        wanted += above
    return frozenset(found)


@lru_cache(maxsize=1 << 16)
def noun_like(word: str) -> bool:
    """Whether most of its senses are those of a noun.

    >>> noun_like("street"), noun_like("wears"), noun_like("the")
    (True, False, False)
    """
    if word in FUNCTION:
        return False
    nouns, *others = (len(senses(word, pos)) for pos in "nvar")
    return nouns > 0 and nouns >= max(others)


def adjective_at(words: Sequence[Word], at: int, upto: int | None = None) -> bool:
    """Whether words ``at`` to ``upto`` (itself, unless told) stand where an adjective stands.

    Before a noun or another adjective, and not behind a noun, a pronoun or ``to``; or at the end of a phrase
    behind a form of ``be``, ``look``, ``seem`` or a word of degree (``very``).
    """
    last = at if upto is None else upto
    return _attributive(words, at, last) or _predicative(words, at, last)


def _attributive(words: Sequence[Word], at: int, last: int) -> bool:
    if last + 1 >= len(words):
        return False
    following = words[last + 1]
    if not _describable(following.lower) or following.gap.strip() not in {"", ","}:
        return False
    if following.gap.strip() and not senses(following.lower, "a"):
        return False  # "white, dog": a list, not a description
    if at == 0 or words[at].gap.strip():
        return True
    before = words[at - 1].lower
    return before not in _BEFORE_VERBS and (not noun_like(before) or bool(senses(before, "a")))


def _describable(word: str) -> bool:
    return word not in FUNCTION and bool(senses(word, "n") or senses(word, "a"))


def _predicative(words: Sequence[Word], at: int, last: int) -> bool:
    if at == 0 or words[at].gap.strip() or words[at - 1].lower not in _LEADING:
        return False
    if last + 1 == len(words):
        return True
    following = words[last + 1]
    return following.gap.strip().startswith(_ENDS) or following.lower in _COORDINATING


def in_fixed_name(words: Sequence[Word], at: int, upto: int | None = None, *, other: str = "") -> bool:
    """Whether the words and the next one are an entry of WordNet: ``hot dog``, ``White House``.

    With ``other``, only where putting that in their place gives no entry: an old man may become a young man.
    """
    last = at if upto is None else upto
    if last + 1 >= len(words) or not words[last + 1].gap.isspace():
        return False
    own, following = " ".join(word.lower for word in words[at : last + 1]), words[last + 1].lower
    return bool(entries(f"{own} {following}")) and not (other and entries(f"{other} {following}"))


def ends_fixed_name(words: Sequence[Word], at: int, *, above: str = "") -> bool:
    """Whether the word before and this one are an entry, and below a concept where one is told."""
    if at == 0 or not words[at].gap.isspace():
        return False
    found = entries(f"{words[at - 1].lower} {words[at].lower}")
    return any(not above or above in ancestors(sense) for sense in found)


def entries(name: str) -> tuple[str, ...]:
    """What several words mean as one noun of WordNet; ``new man`` is none, for all that Newman is."""
    joined = _joined(name)
    return tuple(
        sense
        for sense in senses(name, "n")
        if any(
            (not word.isalpha() or word.islower()) and joined.startswith(_joined(word)[:-2])  # up to a plural
            for word in wordnet().words(sense)
        )
    )


def _joined(name: str) -> str:
    return name.lower().replace(" ", "").replace("-", "")
