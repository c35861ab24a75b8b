"""object-swap: one thing becomes another of its kind, a sister under its direct hypernym in WordNet.

A thing is a word that is mostly a noun and whose first sense is something made, an animal, a plant or food;
that is no part of a fixed name and has no noun behind it (the *wine* in "wine glass"). People stay who they
are: what WordNet puts beside a woman is no word that anybody would search for. One of the things is drawn,
and a sister of it: a word of its own whose first sense lies beside the old one, that neither means the same,
more or less than another noun of the query. Sisters are as WordNet has them, some of them rare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import (
    FUNCTION,
    ancestors,
    ends_fixed_name,
    in_fixed_name,
    noun_like,
    senses,
    wordnet,
)
from crossgauge.perturb.intervention import Changed, Colors, Intervention
from crossgauge.perturb.words import Change, Word, like, plural, with_articles

NOTHING = "no thing with a sister"
_THINGS = frozenset({"artifact.n.01", "animal.n.01", "plant.n.02", "food.n.01", "food.n.02", "fruit.n.01"})
_UNFIT = frozenset({"bordello", "brothel", "whorehouse"})
_WORD = re.compile(r"[a-z]{2,}")
_AFTER_ALL = -1  # where the thing is drawn, apart from every word's own place


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Changed:  # noqa: ARG001  (one signature)
    """Replace one thing by a sister, in the same number."""
    named = frozenset(sense for word in words if word.plain for sense in senses(word.lower, "n")[:1])
    found = [(word, sisters) for at, word in enumerate(words) if (sisters := _sisters_at(words, at, named))]
    if not found:
        return NOTHING
    word, sisters = drawing.pick(found, _AFTER_ALL)
    new = like(drawing.pick(sisters, word.start), word.text)
    return with_articles(words, [Change(word.start, word.text, new)])


def _sisters_at(words: Sequence[Word], at: int, named: frozenset[str]) -> list[str]:
    word = words[at]
    if not word.plain or not noun_like(word.lower) or in_fixed_name(words, at) or ends_fixed_name(words, at):
        return []
    if at + 1 < len(words) and words[at + 1].gap.isspace() and _may_be_noun(words[at + 1].lower):
        return []
    concept = senses(word.lower, "n")[0]
    singular = word.lower in wordnet().words(concept)
    related = named | {above for one in named for above in ancestors(one)}
    fit = [
        name
        for name, sense in _sisters(concept)
        if sense not in related and not named & (ancestors(sense) - ancestors(concept))
    ]
    if singular:
        return fit
    if not _plural_of(word, concept):
        return []
    return [many for name in fit if _is_plural(many := plural(name), name)]


def _may_be_noun(word: str) -> bool:
    """Whether the word before may describe it: ``glass`` in ``wine glass``, not ``runs`` in ``dog runs``."""
    if word in FUNCTION or word.endswith("ing"):
        return False
    nouns, verbs = (len(senses(word, pos)) for pos in "nv")
    return nouns > 0 and 2 * nouns >= verbs


def _plural_of(word: Word, concept: str) -> bool:
    return any(plural(name) == word.lower for name in wordnet().words(concept))


def _is_plural(many: str, name: str) -> bool:
    """Whether WordNet reads it as that word too."""
    return senses(many, "n")[:1] == senses(name, "n")[:1]


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
