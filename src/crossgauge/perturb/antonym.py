"""antonym: every adjective that WordNet gives an opposite becomes that opposite.

Only direct antonyms of the very word count: ``large`` has one, ``huge`` (merely similar to it) has none, and
``larger`` is another word. Of several, one is drawn. A word is taken for an adjective where it stands as one
(see :mod:`crossgauge.perturb.english`) and has no more than twice as many senses as a noun (``home``,
``front`` have more); words in -ing and function words (``on``, ``like``, ``many``) never are. One in a fixed
name stays (``hot dog``), unless the opposite makes a name too (``old man``, ``young man``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.english import FUNCTION, adjective_at, in_fixed_name, senses, wordnet
from crossgauge.perturb.intervention import Changed, Colors, Intervention
from crossgauge.perturb.words import Change, Word, like, with_articles

_ONE_WORD = re.compile(r"[a-z]+")
_NOUNS = 2  # senses as a noun for each as an adjective: green has 8 and 5, young 9 and 5, home 9 and 3
NOTHING = "no adjective with an antonym"


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Changed:  # noqa: ARG001  (one signature)
    """Replace every adjective with an antonym."""
    changes = []
    for at, word in enumerate(words):
        if not word.plain or not opposites(word.lower) or not adjective_at(words, at):
            continue
        options = [one for one in opposites(word.lower) if not in_fixed_name(words, at, other=one)]
        if options:
            changes.append(Change(word.start, word.text, like(drawing.pick(options, word.start), word.text)))
    return with_articles(words, changes) if changes else NOTHING


@lru_cache(maxsize=1 << 14)
def opposites(word: str) -> tuple[str, ...]:
    """The one-word antonyms of a lower-case adjective; none for a word that is likely to be none.

    >>> opposites("large"), opposites("green"), opposites("huge"), opposites("on")
    (('small',), ('ripe',), (), ())
    """
    nouns, adjectives = (len(senses(word, pos)) for pos in "na")
    if word in FUNCTION or word.endswith("ing") or nouns > _NOUNS * adjectives:
        return ()
    return tuple(one for one in wordnet().antonyms(word, "a") if _ONE_WORD.fullmatch(one))


INTERVENTIONS = (
    Intervention(
        name="antonym",
        description="every adjective with a direct antonym in WordNet becomes that antonym",
        intent="changes the meaning: what was described is now described as the opposite",
        change=change,
    ),
)
