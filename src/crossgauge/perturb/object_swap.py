"""object-swap: one thing becomes another of its kind, a sister under its direct hypernym in WordNet.

A thing is a word that is mostly a noun and whose first sense is something made, an animal, a plant or food;
that is no part of a fixed name and has no noun behind it (the *wine* in "wine glass"). People stay who they
are: what WordNet puts beside a woman is no word that anybody would search for. One of the things is drawn,
and a sister of it: a word of its own whose first sense lies beside the old one, that neither means the same,
more or less than another noun of the query. Sisters are as WordNet has them, some of them rare.

The number stays: many dogs become many wolves, "a pair of scissors" becomes "a pair of razors". A thing whose
number nothing tells ("the sheep") stays, and a sister without a form of that number is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import FUNCTION, ancestors, begun_name, ended_name, noun_like, senses, wordnet
from crossgauge.perturb.intervention import FIXED_NAME, Colors, Found, Intervention, Left
from crossgauge.perturb.names import proper_name
from crossgauge.perturb.number import counted, in_number, number_at
from crossgauge.perturb.place import adjective_at
from crossgauge.perturb.words import Change, Word, like, plural, with_articles

NOTHING = "no thing with a sister"
NO_NUMBER = "number unknown"
NO_FORM = "no sister in the same number"
_THINGS = frozenset({"artifact.n.01", "animal.n.01", "plant.n.02", "food.n.01", "food.n.02", "fruit.n.01"})
_UNFIT = frozenset({"bordello", "brothel", "whorehouse"})
_WORD = re.compile(r"[a-z]{2,}")
_AFTER_ALL = -1  # where the thing is drawn, apart from every word's own place


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:  # noqa: ARG001  (one signature)
    """Replace one thing by a sister, in the same number; of things that cannot be, say why."""
    named = frozenset(sense for word in words if word.plain for sense in senses(word.lower, "n")[:1])
    found, left = [], []
    for at, word in enumerate(words):
        options = _options(words, at, named)
        if isinstance(options, Left):
            left.append(options)
        elif options:
            found.append((word, options))
    if not found:
        return Found((), tuple(left), NOTHING)
    word, options = drawing.pick(found, _AFTER_ALL)
    new = like(drawing.pick(options, word.start), word.text)
    return Found(with_articles(words, [Change(word.start, word.text, new)]), tuple(left))


def _options(words: Sequence[Word], at: int, named: frozenset[str]) -> list[str] | Left:
    """What may take the place of a word; none for what is no thing, or has no sister."""
    word = words[at]
    if not word.plain or _owns(words, at) or not noun_like(word.lower) or _adjective(words, at):
        return []
    sisters = _fit(word, named)
    name = begun_name(words, at) or ended_name(words, at) or proper_name(words, at, at)
    if name:
        return Left(word.start, word.text, FIXED_NAME, name) if sisters else []
    if not sisters or _before_noun(words, at):
        return []
    number = number_at(words, at)
    if number is None:
        return Left(word.start, word.text, NO_NUMBER, word.text)
    numeral = counted(words, at)
    forms = [form for name in sisters if (form := in_number(name, number, numeral=numeral))]
    return forms or Left(word.start, word.text, NO_FORM, word.text)


def _fit(word: Word, named: frozenset[str]) -> list[str]:
    """The sisters of a thing, as WordNet lists them, that are not meant by another noun of the text."""
    concept = senses(word.lower, "n")[0]
    names = wordnet().words(concept)
    if word.lower not in {*names, *map(plural, names)}:
        return []
    related = named | {above for one in named for above in ancestors(one)}
    return [
        name
        for name, sense in _sisters(concept)
        if sense not in related and not named & (ancestors(sense) - ancestors(concept))
    ]


def _owns(words: Sequence[Word], at: int) -> bool:
    """Whether it ends in the bare apostrophe of a plural possessive: "dogs' bowls"."""
    behind = words[at + 1].gap if at + 1 < len(words) else ""
    return words[at].lower.endswith("s") and re.match("['\u2019]\\s", behind) is not None


def _adjective(words: Sequence[Word], at: int) -> bool:
    """Whether it tells what another is like: the young, which can be an animal, in "young boy's bike"."""
    return (
        at + 1 < len(words)
        and words[at + 1].gap.isspace()
        and bool(senses(words[at].lower, "a"))
        and adjective_at(words, at)
    )


def _before_noun(words: Sequence[Word], at: int) -> bool:
    return at + 1 < len(words) and words[at + 1].gap.isspace() and _may_be_noun(words[at + 1].owner.lower())


def _may_be_noun(word: str) -> bool:
    """Whether the word before may describe it: ``glass`` in ``wine glass``, not ``runs`` in ``dog runs``."""
    if word in FUNCTION or word.endswith("ing"):
        return False
    nouns, verbs = (len(senses(word, pos)) for pos in "nv")
    return nouns > 0 and 2 * nouns >= verbs


@lru_cache(maxsize=1 << 14)
def _sisters(concept: str) -> tuple[tuple[str, str], ...]:
    """Words beside a concept with the sense they stand for, each its first."""
    if not _THINGS & ancestors(concept):
        return ()
    tree = wordnet()
    beside = dict.fromkeys(one for parent in tree.parents(concept) for one in tree.hyponyms(parent))
    return tuple(
        (name, one)
        for one in beside
        if one != concept
        for name in tree.words(one)[:1]
        if _WORD.fullmatch(name) and name not in _UNFIT
        if noun_like(name) and senses(name, "n")[:1] == (one,)
    )


INTERVENTIONS = (
    Intervention(
        name="object-swap",
        description="one thing becomes another with the same direct hypernym in WordNet",
        intent="changes the meaning: another thing of the same kind is asked for",
        change=change,
    ),
)
