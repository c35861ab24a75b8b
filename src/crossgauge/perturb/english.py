"""Words of English: what WordNet says they may mean, and which are function words or fixed names."""

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
FUNCTION = frozenset(f"{_DETERMINERS} {_PREPOSITIONS} {_OTHERS}".split())


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


def begun_name(words: Sequence[Word], at: int, upto: int | None = None, *, other: str = "") -> str:
    """The entry of WordNet that the words and the next one are: ``hot dog``; empty for none.

    With ``other``, only where putting that in their place gives no entry: an old man may become a young man.
    """
    last = at if upto is None else upto
    if last + 1 >= len(words) or not words[last + 1].gap.isspace():
        return ""
    own, following = " ".join(word.text for word in words[at : last + 1]), words[last + 1].owner
    cased = f"{other.capitalize() if own[0].isupper() else other} {following}"
    known = _entry(f"{own} {following}") and not (other and _entry(cased))
    return f"{own} {following}" if known else ""


def _entry(name: str) -> bool:
    """Whether a name is an entry; in small letters, not one of capitals alone: Big Blue is no big blue."""
    found = [word for sense in entries(name.lower()) for word in wordnet().words(sense)]
    own = [word for word in found if word.lower() == name.lower()]
    return bool(found) and (name[0].isupper() or not own or any(word[0].islower() for word in own))


def ended_name(words: Sequence[Word], at: int, *, above: str = "") -> str:
    """The entry that the word before and this one are, below a concept where one is told; empty for none."""
    if at == 0 or not words[at].gap.isspace():
        return ""
    found = entries(f"{words[at - 1].lower} {words[at].lower}")
    known = any(not above or above in ancestors(sense) for sense in found)
    return f"{words[at - 1].text} {words[at].text}" if known else ""


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
