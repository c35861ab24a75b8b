"""size: words of size become words of the other size, by the two lists of Lymperaiou et al. (COLING 2022).

The lists are the paper's and hold no other forms, so ``larger`` and ``biggest`` stay: a comparison has no
word of the lists for an opposite. A name stays (``Big Ben``, ``little finger``; see
:mod:`crossgauge.perturb.names`), and so does a quantity (``a little bit of``, ``a little water``, ``a little
tired``). Otherwise the place of a word in its sentence is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import FUNCTION, ancestors, senses
from crossgauge.perturb.intervention import FIXED_NAME, Colors, Found, Intervention, Left
from crossgauge.perturb.names import fixed_name
from crossgauge.perturb.words import Change, Word, like, with_articles

LARGE = ("large", "big", "enormous", "huge")
SMALL = ("small", "little", "minor", "tiny")
NOTHING = "no word of size"
QUANTITY = "a quantity, no size"
_OTHER = dict.fromkeys(LARGE, SMALL) | dict.fromkeys(SMALL, LARGE)
_BITS = frozenset({"bit", "bits"})
_AMOUNTS = frozenset({"amount", "amounts", "quantity", "quantities", "number", "numbers"})  # of something
_MEASURED = frozenset({"more", "less", "of", "else", "by", "to"})  # behind "little"
_THINGS = frozenset({"and", "or", "but", "one", "ones"})  # behind "a little" where it is a size
_DEGREES = frozenset({"very", "too", "so", "as", "how"})
_MASS = frozenset("bread food fun help light rain salt snow space sugar sunlight time traffic".split())  # noqa: SIM905


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:  # noqa: ARG001  (one signature)
    """Replace every word of a list by one of the other list."""
    changes, left = [], []
    for at, word in enumerate(words):
        if not word.plain or word.lower not in _OTHER:
            continue
        name, amount = fixed_name(words, at, at), _quantity(words, at)
        if name:
            left.append(Left(word.start, word.text, FIXED_NAME, name))
        elif amount:
            left.append(Left(word.start, word.text, QUANTITY, amount))
        else:
            new = like(drawing.pick(_OTHER[word.lower], word.start), word.text)
            changes.append(Change(word.start, word.text, new))
    return Found(with_articles(words, changes), tuple(left), NOTHING)


def _quantity(words: Sequence[Word], at: int) -> str:
    """The phrase in which a word tells how much or how many there is; empty where it tells a size."""
    after = [word.lower for word in _near(words, at)]
    phrase = " ".join(word.text for word in words[max(0, at - 1) : at + 1 + min(1, len(after))])
    if after[:1] and (after[0] in _BITS or (after[0] in _AMOUNTS and after[1:2] == ["of"])):
        return phrase
    if words[at].lower != "little":
        return ""
    before = [word.lower for word in words[max(0, at - 2) : at]]
    if before[-1:] == ["a"]:
        listed = at + 1 < len(words) and words[at + 1].gap.strip() == ","  # "a little, brown dog"
        return phrase if (_no_thing(words, at + 1) if after else not listed) else ""
    if before == ["little", "by"] or (after[:1] and (after[0] in _MEASURED or _mass(after[0]))):
        return phrase
    degree = before[-1:] and before[-1] in _DEGREES and before[0] not in {"a", "the"}
    return phrase if degree and after and after[0] not in FUNCTION else ""


def _near(words: Sequence[Word], at: int) -> Sequence[Word]:
    """Up to two words behind one, with nothing but space between."""
    last = at
    while last < min(at + 2, len(words) - 1) and words[last + 1].gap.isspace():
        last += 1
    return words[at + 1 : last + 1]


def _no_thing(words: Sequence[Word], at: int) -> bool:
    """Whether a word behind "a little" is none that has a size: of, more, water, tired (at an end)."""
    word = words[at].lower
    if word in _THINGS:
        return False
    if word in FUNCTION or _mass(word):
        return True
    last = at + 1 == len(words) or words[at + 1].gap.strip() != "" or words[at + 1].lower in FUNCTION
    return last and not senses(word, "n") and bool(senses(word, "a") or senses(word, "r"))


def _mass(word: str) -> bool:
    """Whether a noun is one of what is measured, not counted."""
    return word in _MASS or any("substance.n.01" in ancestors(one) for one in senses(word, "n")[:1])


INTERVENTIONS = (
    Intervention(
        name="size",
        description=f"{', '.join(LARGE)} become one of {', '.join(SMALL)}, and the other way round",
        intent="changes the meaning: large things are now called small, and small ones large",
        change=change,
    ),
)
