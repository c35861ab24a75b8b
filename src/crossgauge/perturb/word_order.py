"""word-order: the words change places, punctuation stays."""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.intervention import Colors, Found, Intervention
from crossgauge.perturb.words import Change, Word

NOTHING = "fewer than two different words"


def change(words: Sequence[Word], drawing: Drawing, colors: Colors) -> Found:  # noqa: ARG001  (one signature)
    """Shuffle the words; as they are written, and never into the text that was there."""
    texts = [word.text for word in words]
    if len(set(texts)) < 2:  # noqa: PLR2004  (two words that differ)
        return Found((), nothing=NOTHING)
    shuffled = [texts[at] for at in drawing.order(len(texts))]
    while shuffled == texts:  # ends: turning round once more brings another word to some place
        shuffled = shuffled[1:] + shuffled[:1]
    changes = (
        Change(word.start, word.text, new)
        for word, new in zip(words, shuffled, strict=True)
        if word.text != new
    )
    return Found(tuple(changes))


INTERVENTIONS = (
    Intervention(
        name="word-order",
        description="the words of the query are shuffled",
        intent="breaks the sentence and keeps its words: what only their order said is lost",
        change=change,
    ),
)
