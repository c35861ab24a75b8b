"""One or many: which number a noun of a text has, and which words can stand for it in that number.

English tells by the form (dog, dogs) and, where the form is the same (sheep), by what stands before it: "a",
"two", "a pair of". Where neither tells, or they contradict one another, the number is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from crossgauge.perturb.english import FUNCTION, senses, wordnet
from crossgauge.perturb.place import COORDINATING, may_describe
from crossgauge.perturb.words import UNCHANGED, Word, plural

Number: TypeAlias = Literal["one", "many"]

_REACH = 9  # words back to a numeral or an article
_ONE = frozenset("a an one this each every another either neither".split())  # noqa: SIM905
_NUMERALS = frozenset({
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen",
    "hundred", "thousand",
})  # fmt: skip
_MANY = _NUMERALS | frozenset("several many few both these those".split())  # noqa: SIM905
_GROUPS = frozenset(
    "pair pairs couple couples dozens hundreds herd herds flock flocks group groups bunch".split()  # noqa: SIM905
)
_SINGULAR_S = ("ss", "us", "is", "as", "lens")  # bus, tennis, canvas: one, for all their s
_PAIRS = frozenset({"pajamas", "pyjamas"})  # plural in spite of that
_UNCOUNTED = frozenset({
    "cattle", "clothing", "cutlery", "equipment", "furniture", "jewellery", "jewelry", "kine", "livestock",
    "luggage", "machinery", "poultry", "vermin",
})  # fmt: skip
_UNCOUNTED_ENDS = ("wear", "ware", "clothing")


def number_at(words: Sequence[Word], at: int) -> Number | None:
    """The number of a noun in a text; None where it is unknown.

    >>> from crossgauge.perturb.words import words_of
    >>> [number_at(words_of(text), 1) for text in ("two sheep", "the sheep", "two dog", "my scissors")]
    ['many', None, None, 'many']
    """
    form, told = _form(words[at].lower), _told(words, at)
    if form is None or told is None:
        return form or told
    return form if form == told else None


def counted(words: Sequence[Word], at: int) -> bool:
    """Whether a numeral stands before a noun: "two trousers" is no English, "two skirts" is."""
    before = _determiner(words, at)
    return before is not None and (words[before].lower in _NUMERALS or words[before].text.isdecimal())


def in_number(name: str, number: Number, *, numeral: bool = False) -> str:
    """A noun of WordNet in a number, behind a numeral if need be; empty where there is no such form.

    >>> [in_number(name, "many") for name in ("dog", "sheep", "weeds", "furniture")]
    ['dogs', 'sheep', 'weeds', '']
    >>> [in_number(name, "one") for name in ("dog", "sheep", "weeds", "furniture")]
    ['dog', 'sheep', '', '']
    """
    if name in _UNCOUNTED or name.endswith(_UNCOUNTED_ENDS):
        return ""
    if plural_only(name):
        return name if number == "many" and not numeral else ""
    if number == "one":
        return name
    form = name if _same(name) else plural(name)
    return form if senses(form, "n")[:1] == senses(name, "n")[:1] else ""  # WordNet reads it so too


def plural_only(noun: str) -> bool:
    """Whether a noun of WordNet is a plural as it stands: scissors, jeans, weeds (of mourning).

    >>> [plural_only(noun) for noun in ("scissors", "bus", "lens", "dress", "series")]
    [True, False, False, False, False]
    """
    if noun in _PAIRS:
        return True
    return noun.endswith("s") and not noun.endswith(_SINGULAR_S) and not _same(noun)


def _form(word: str) -> Number | None:
    bases = wordnet().base_forms(word, "n")
    if _same(word) or word in _UNCOUNTED:
        return None
    if plural_only(word) or word not in bases or any(base != word and plural(base) == word for base in bases):
        return "many"
    return "one"


def _same(noun: str) -> bool:
    """Whether the plural is the same word."""
    return noun in UNCHANGED or (noun.endswith(("craft", "fish")) and noun != "craft")


def _told(words: Sequence[Word], at: int) -> Number | None:
    """The number that the word before tells, adjectives aside."""
    before = _determiner(words, at)
    if before is None:
        return None
    word = words[before].lower
    if word == "of":
        return "many" if before and words[before - 1].lower in _GROUPS else None
    if word.isdecimal():
        return "one" if word == "1" else "many"
    if word in _ONE:
        return "one"
    return "many" if word in _MANY else None


def _determiner(words: Sequence[Word], at: int) -> int | None:
    """The word before a noun and its adjectives ("two big black and white sheep"), if any."""
    for back in range(at - 1, max(at - _REACH, -1), -1):
        word = words[back].lower
        if words[back + 1].gap.strip() not in {"", ","}:
            return None
        if word.isdecimal() or not (may_describe(word) or word in COORDINATING or "-" in word):
            return back if word.isdecimal() or word in FUNCTION else None
    return None
