"""Scenes guessed by a classifier, for pictures that nobody annotated: the likeliest classes as concepts.

A guess is not an annotation: there are no boxes, every count is 1, and what is none of the classifier's
classes is never there. Scenes say that they are predicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from crossgauge.concepts.hierarchy import Hierarchy
from crossgauge.errors import Fault, UsageError
from crossgauge.scenes import Annotations, Scene, Thing
from crossgauge.types import Item

MOST = 100  # classes; beyond, they are noise
_ASKED = re.compile(r"predicted:([1-9][0-9]{0,3})")


class Classifier(Protocol):
    """What names the things in a picture."""

    @property
    def name(self) -> str:
        """With all that pins its guesses."""
        ...

    def likeliest(self, items: Sequence[Item], k: int) -> Sequence[Sequence[tuple[str, float]]]:
        """For each picture its ``k`` likeliest concepts (WordNet synsets), best first, with probabilities."""
        ...


def parse_predicted(text: str) -> int | None:
    """How many classes ``predicted:5`` asks for; None where a text asks for something else (a file).

    Raises UsageError (E299) for a number that cannot be.

    >>> parse_predicted("predicted:5"), parse_predicted("objects.json")
    (5, None)
    """
    if not text.startswith("predicted:") and text != "predicted":
        return None
    asked = _ASKED.fullmatch(text)
    if asked is None or int(asked[1]) > MOST:
        wanted, fix = f"a number of classes, 1 to {MOST}", "predicted:5"
        count = text.partition(":")[2]
        found = f"{int(count)} classes" if count.isdecimal() else f"{count!r:.40}" if count else "no number"
        raise UsageError(Fault("E299", f"{text!r:.60}", found, wanted, fix))
    return int(asked[1])


def predicted_annotations(
    items: Iterable[Item], classifier: Classifier, *, k: int, hierarchy: Hierarchy
) -> Annotations:
    """A scene for each picture, by the item's id, of its ``k`` likeliest concepts.

    A class that the hierarchy does not know has no concept. Items without a picture are passed over. Raises
    InputError (E160 to E166) with all pictures that cannot be decoded.
    """
    pictures = [item for item in items if item.image is not None]
    guesses = classifier.likeliest(pictures, k)
    scenes = {
        item.id: Scene(item.id, tuple(_thing(concept, hierarchy) for concept, _ in found), predicted=True)
        for item, found in zip(pictures, guesses, strict=True)
    }
    first = [found[0][1] for found in guesses if found]
    covered = [sum(share for _, share in found) for found in guesses]
    shares = f"{_mean(first):.3f} of the likeliest class, {_mean(covered):.3f} of all {k} together"
    facts = {
        "annotated pictures": f"{len(scenes)}, by a classifier, not by people",
        "predicted by": f"{classifier.name}, the {k} likeliest of its classes",
        "mean probability": shares,
    }
    return Annotations(scenes, hierarchy.name, facts)


def _thing(concept: str, hierarchy: Hierarchy) -> Thing:
    return Thing(concept.partition(".")[0].replace("_", " "), concept if concept in hierarchy else None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
