"""antonym: every adjective that WordNet gives an opposite becomes that opposite.

Only direct antonyms of the very word count: ``large`` has one, ``huge`` (merely similar to it) has none, and
``larger`` is another word. Of several, one is drawn. A word is taken for an adjective where it stands as one
(see :mod:`crossgauge.perturb.place`) and has no more than twice as many senses as a noun (``home``,
``front`` have more); words in -ing and function words (``on``, ``like``, ``many``) never are. One in a fixed
name stays (``hot dog``, ``Big Ben``), unless the opposite makes a name too (``old man``, ``young man``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import FUNCTION, begun_name, senses, wordnet
from crossgauge.perturb.intervention import FIXED_NAME, Colors, Found, Intervention, Left
from crossgauge.perturb.names import proper_name
from crossgauge.perturb.place import adjective_at
from crossgauge.perturb.words import Change, Word, like, with_articles

_ONE_WORD = re.compile(r"[a-z]+")
_NOUNS = 2  # senses as a noun for each as an adjective: green has 8 and 5, young 9 and 5, home 9 and 3
NOTHING = "no adjective with an antonym"


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:  # noqa: ARG001  (one signature)
    """Replace every adjective with an antonym; of the others, say why not."""
    changes, left = [], []
    for at, word in enumerate(words):
        if not word.plain or word.lower in FUNCTION or not senses(word.lower, "a"):
            continue
        found = _options(words, at)
        if isinstance(found, Left):
            left.append(found)
        else:
            changes.append(Change(word.start, word.text, like(drawing.pick(found, word.start), word.text)))
    return Found(with_articles(words, changes), tuple(left), NOTHING)


def _options(words: Sequence[Word], at: int) -> list[str] | Left:
    word = words[at]
    known = opposites(word.lower)
    if not known:
        kind = "mostly a noun" if _mostly_noun(word.lower) else "no antonym"
        return Left(word.start, word.text, kind, minor=True)
    if not adjective_at(words, at):
        return Left(word.start, word.text, "not surely an adjective here", minor=True)
    proper = proper_name(words, at, at)
    options = [one for one in known if not proper and not begun_name(words, at, other=one)]
    return options or Left(word.start, word.text, FIXED_NAME, proper or begun_name(words, at))


@lru_cache(maxsize=1 << 14)
def opposites(word: str) -> tuple[str, ...]:
    """The one-word antonyms of a lower-case adjective; none for a word that is likely to be none.

    >>> opposites("large"), opposites("green"), opposites("huge"), opposites("on")
    (('small',), ('ripe',), (), ())
    """
    if word in FUNCTION or word.endswith("ing") or _mostly_noun(word):
        return ()
    return tuple(one for one in wordnet().antonyms(word, "a") if _ONE_WORD.fullmatch(one))


def _mostly_noun(word: str) -> bool:
    nouns, adjectives = (len(senses(word, pos)) for pos in "na")
    return nouns > _NOUNS * adjectives


INTERVENTIONS = (
    Intervention(
        name="antonym",
        description="every adjective with a direct antonym in WordNet becomes that antonym",
        intent="changes the meaning: what was described is now described as the opposite",
        change=change,
    ),
)
