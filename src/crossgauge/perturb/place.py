"""Where an adjective stands in an English text, as far as its neighbours tell.

There is no tagger: a word counts only where its place leaves little doubt, and is left alone elsewhere. All
adjectives of a list ("a large, a tall and a thin man", "the cup is big and old") are judged alike: by what
stands before the first and behind the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.perturb.english import FUNCTION, ancestors, noun_like, senses
from crossgauge.perturb.words import Word

_LINK = "is are was were be been being am looks look looked seems seem seemed"
_DEGREE = frozenset("very too quite rather really so extremely fairly pretty".split())  # noqa: SIM905
_VERBAL = """i you he she it we they who to not let do does did can could will would shall should may might
must"""
_LEADING = _DEGREE | frozenset(_LINK.split())  # before an adjective that ends a phrase
_BEFORE_VERBS = frozenset(_VERBAL.split())
_ENDS = tuple(".,;:!?)]}\"'”’…—–")
COORDINATING = frozenset({"and", "or", "but"})
_ARTICLES = {"a": "a", "an": "a", "the": "the"}
_LONGEST = 16  # adjectives of a list that are looked at
_SPOTS = frozenset({"left", "right", "dark", "open", "wild", "cold", "wet", "light"})  # nouns behind "the"


def adjective_at(words: Sequence[Word], at: int, upto: int | None = None) -> bool:
    """Whether words ``at`` to ``upto`` (itself, unless told) stand where an adjective stands.

    Before a noun or another adjective, and not behind a noun, a pronoun or ``to``; or at the end of a phrase
    behind a form of ``be``, ``look``, ``seem`` or a word of degree (``very``); or in a list of such words.

    >>> from crossgauge.perturb.words import words_of
    >>> words = words_of("a large and small dog")
    >>> adjective_at(words, 1), adjective_at(words, 3), adjective_at(words, 4)
    (True, True, False)
    """
    last = at if upto is None else upto
    return (_before_noun(words, last) and _free(words, at)) or (_ending(words, last) and _led(words, at))


def may_describe(word: str) -> bool:
    """Whether it is an adjective or a colour in WordNet, and no function word."""
    if word in FUNCTION:
        return False
    return bool(senses(word, "a")) or any("color.n.01" in ancestors(one) for one in senses(word, "n")[:2])


def _before_noun(words: Sequence[Word], last: int) -> bool:
    """Whether a noun or an adjective follows, or a list of adjectives before one."""
    for _ in range(_LONGEST):
        if last + 1 >= len(words):
            return False
        following = words[last + 1]
        gap, word = following.gap.strip(), following.owner.lower()
        if gap == "" and word not in FUNCTION and (senses(word, "n") or senses(word, "a") or "-" in word):
            return True
        if gap == "," and word not in FUNCTION and senses(word, "a"):  # "white, dog" is a list of things
            return True
        then = _next(words, last)
        if then is None:
            return False
        last = then
    return False


def _free(words: Sequence[Word], at: int) -> bool:
    """Whether what stands before leaves room for an adjective before a noun."""
    free = True
    for one in reversed(_list_up_to(words, at)):
        word = words[one - 1].lower if one and not words[one].gap.strip() else ""
        free = free and word not in _BEFORE_VERBS and (not noun_like(word) or bool(senses(word, "a")))
        if one != at and not free and not _verb_like(words[one].lower):
            free = True  # "a street light and small car": a list of things
    return free


def _verb_like(word: str) -> bool:
    """Rather a verb than a noun: ``clean`` in "people clean and dry dishes"."""
    return len(senses(word, "v")) > len(senses(word, "n"))


def _ending(words: Sequence[Word], last: int) -> bool:
    """Whether a phrase ends here, or goes on with "and"."""
    if last + 1 == len(words):
        return True
    following = words[last + 1]
    return following.gap.strip().startswith(_ENDS) or following.lower in COORDINATING


def _led(words: Sequence[Word], at: int) -> bool:
    """Whether a form of ``be`` or a word of degree stands before, or before the first of a list."""
    return any(
        one and not words[one].gap.strip() and words[one - 1].lower in _LEADING
        for one in _list_up_to(words, at)
    )


def _list_up_to(words: Sequence[Word], at: int) -> list[int]:
    """A word and the adjectives before it in its list, backwards."""
    found = [at]
    while len(found) < _LONGEST and (before := _previous(words, found[-1])) is not None:
        found.append(before)
    return found


def _next(words: Sequence[Word], last: int) -> int | None:
    """The next adjective of the list that a word belongs to; None behind its last."""
    at = last + 1
    joined = at < len(words) and words[at].gap.strip() == ","
    if at + 1 < len(words) and words[at].lower in COORDINATING and words[at].gap.strip() in {"", ","}:
        joined, at = words[at + 1].gap.isspace(), at + 1
    if not joined:
        return None
    article = _ARTICLES.get(words[at].lower)
    if article is not None:
        if _article(words, last) != article or (article == "the" and words[last].lower in _SPOTS):
            return None
        at += 1
    while at < len(words) and words[at].lower in _DEGREE:
        at += 1
    within = at < len(words) and (at == last + 1 or words[at].gap.isspace() or words[at].gap.strip() == ",")
    return at if within and may_describe(words[at].lower) else None


def _previous(words: Sequence[Word], at: int) -> int | None:
    """The adjective before in the list that a word belongs to; None before its first."""
    for back in range(at - 1, max(at - 5, -1), -1):  # "large, and a very small": up to four words apart
        if may_describe(words[back].lower) and words[back].lower not in _DEGREE:
            return back if _next(words, back) == at else None
    return None


def _article(words: Sequence[Word], at: int) -> str | None:
    """The article of the list that a word belongs to, or of the word itself."""
    for back in range(at - 1, max(at - 2 * _LONGEST, -1), -1):
        word = words[back].lower
        if not (may_describe(word) or word in _DEGREE | COORDINATING):
            return _ARTICLES.get(word)
    return None
