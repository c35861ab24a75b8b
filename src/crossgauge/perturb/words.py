"""The words of a text, and how a replacement takes their place: case, number and article follow."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MARKS = (  # they belong to the letter before
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f"
)
_WORD = re.compile(rf"\w[\w{_MARKS}]*(?:[-'’‐‑.@:/\\&+#]\w[\w{_MARKS}]*)*")
_PLAIN = re.compile(r"[A-Za-z]+")
_POSSESSIVE = ("'s", "’s", "'S", "’S")
_NAMING = "@#/\\$%&_"  # before a word they make it a name of something: @large, #red

_SAID_AN = re.compile(r"hour|honest|hono|heir")  # a silent h
_SAID_A = re.compile(r"eu|ew|one$|once|one-|u(?:s[aeiu]|biq|k|ni(?:[cfqtv]|on|s[^h])|ra|te|to)")

_IRREGULAR = {
    "cactus": "cacti", "calf": "calves", "child": "children", "deer": "deer", "elf": "elves",
    "fish": "fish", "foot": "feet", "goose": "geese", "half": "halves", "hoof": "hooves",
    "knife": "knives", "leaf": "leaves", "life": "lives", "loaf": "loaves", "louse": "lice",
    "moose": "moose", "mouse": "mice", "ox": "oxen", "person": "people", "salmon": "salmon",
    "scarf": "scarves", "sheep": "sheep", "shelf": "shelves",
    "squid": "squid", "swine": "swine", "thief": "thieves",
    "tooth": "teeth", "trout": "trout", "wife": "wives", "wolf": "wolves",
    "bison": "bison", "cod": "cod", "elk": "elk", "series": "series", "shrimp": "shrimp",
    "species": "species", "tuna": "tuna",
}  # fmt: skip
UNCHANGED = frozenset(one for one, many in _IRREGULAR.items() if one == many)  # one sheep, two sheep
_NO_MEN = frozenset({"human", "german", "roman", "talisman", "ottoman", "caiman", "shaman"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place; hyphens, apostrophes and dots inside a word do not divide it."""

    text: str
    start: int  # characters before it
    gap: str  # what stands between it and the word before (or the beginning)
    plain: bool  # letters from a to z alone, and no name such as #red

    @property
    def end(self) -> int:
        """Characters up to its end."""
        return self.start + len(self.text)

    @property
    def lower(self) -> str:
        """As a dictionary has it."""
        return self.text.lower()

    @property
    def owner(self) -> str:
        """Without the ending of a possessive: ``boy`` of "boy's"; that of "boys'" is in the gap behind it."""
        return self.text[:-2] if self.text.endswith(_POSSESSIVE) else self.text


@dataclass(frozen=True, slots=True)
class Change:
    """One replacement; ``position`` counts characters (code points) of the text before any change."""

    position: int
    old: str
    new: str


def words_of(text: str) -> tuple[Word, ...]:
    """Every word of a text, in order.

    >>> [word.text for word in words_of("A white-haired man's red bus.")]
    ['A', 'white-haired', "man's", 'red', 'bus']
    """
    found, end = [], 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        plain = bool(_PLAIN.fullmatch(match[0])) and not gap.endswith(tuple(_NAMING))
        found.append(Word(match[0], match.start(), gap, plain))
        end = match.end()
    return tuple(found)


def applied(text: str, changes: Iterable[Change]) -> str:
    """The text with its changes made; they must not overlap.

    >>> applied("a big dog", [Change(2, "big", "tiny")])
    'a tiny dog'
    """
    parts, end = [], 0
    for change in sorted(changes, key=lambda change: change.position):
        parts += [text[end : change.position], change.new]
        end = change.position + len(change.old)
    return "".join([*parts, text[end:]])


def like(new: str, old: str) -> str:
    """A replacement in the case of what it replaces; anything but Title and CAPITALS counts as lower case.

    >>> like("small", "Large"), like("small", "LARGE"), like("sky blue", "Dark Red"), like("red", "Sky blue")
    ('Small', 'SMALL', 'Sky Blue', 'Red')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    parts = old.split()
    if len(parts) > 1 and all(part[0].isupper() for part in parts):
        return " ".join(part[:1].upper() + part[1:] for part in new.split(" "))
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def article(word: str) -> str:
    """The indefinite article before a word, by its sound as far as spelling tells.

    >>> [article(word) for word in ("apple", "unripe", "unique", "hour", "house", "one")]
    ['an', 'an', 'a', 'an', 'a', 'a']
    """
    said = word.lower()
    if _SAID_AN.match(said):
        return "an"
    return "an" if said[:1] in tuple("aeiou") and not _SAID_A.match(said) else "a"


def with_articles(words: Sequence[Word], changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes, and those of an ``a`` or ``an`` before a replaced word that it no longer fits."""
    starts = {change.position: change for change in changes}
    articles = []
    for before, word in itertools.pairwise(words):
        change = starts.get(word.start)
        if change is None or before.lower not in {"a", "an"} or not word.gap.isspace():
            continue
        wanted = article(change.new)
        if wanted != before.lower and before.start not in starts:
            shouted = change.new.isupper() and before.text.isupper()
            new = wanted.upper() if shouted else like(wanted, before.text.title())
            articles.append(Change(before.start, before.text, new if before.text[0].isupper() else wanted))
    return tuple(sorted([*changes, *articles], key=lambda change: change.position))


def plural(noun: str) -> str:
    """The plural of an English noun in lower case; for the last word of several.

    >>> [plural(noun) for noun in ("dog", "fox", "puppy", "fireman", "sheep", "human")]
    ['dogs', 'foxes', 'puppies', 'firemen', 'sheep', 'humans']
    """
    head, _, last = noun.rpartition(" ")
    return f"{head} {_plural(last)}".strip()


def _plural(noun: str) -> str:
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("man") and noun not in _NO_MEN:
        return noun[:-3] + "men"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return noun[:-1] + "ies"
    return noun + "s"
