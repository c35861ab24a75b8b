"""size: words of size become words of the other size, by the two lists of Lymperaiou et al. (COLING 2022).

The lists are the paper's and hold no other forms, so ``larger`` and ``biggest`` stay: a comparison has no
word of the lists for an opposite. The place of a word in its sentence is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.intervention import Changed, Colors, Intervention
from crossgauge.perturb.words import Change, Word, like, with_articles

LARGE = ("large", "big", "enormous", "huge")
SMALL = ("small", "little", "minor", "tiny")
NOTHING = "no word of size"
_OTHER = dict.fromkeys(LARGE, SMALL) | dict.fromkeys(SMALL, LARGE)


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Changed:  # noqa: ARG001  (one signature)
    """Replace every word of a list by one of the other list."""
    changes = [
        Change(word.start, word.text, like(drawing.pick(_OTHER[word.lower], word.start), word.text))
        for word in words
        if word.plain and word.lower in _OTHER
    ]
    return with_articles(words, changes) if changes else NOTHING


INTERVENTIONS = (
    Intervention(
        name="size",
        description=f"{', '.join(LARGE)} become one of {', '.join(SMALL)}, and the other way round",
        intent="changes the meaning: large things are now called small, and small ones large",
        change=change,
    ),
)
