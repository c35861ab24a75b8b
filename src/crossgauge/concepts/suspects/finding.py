"""One annotation that somebody should look at again: where it is, why, and how strange it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from crossgauge.scenes import Box, Scene

REASONS = {  # code → what it means, for the list of reasons
    "no-area": "the box has no width or no height, or less",
    "larger-than-picture": "the box is wider or higher than its picture",
    "outside": "a part of the box, or all of it, lies outside its picture",
    "doubled": "two boxes of one concept lie on one another: one object, counted twice",
    "unknown-concept": "the concept is none of the hierarchy",
    "no-noun": "the concept is a verb, an adjective or an adverb: no thing that a box can hold",
    "unresolved": "no concept, although the name means one",
    "odd-sense": "another sense of the word is nearer to all else in the picture, as other pictures confirm",
    "better-sense": "in nearly all pictures that show it another sense of the word is nearer to the rest",
    "far-but-similar": "few concepts in common, although the model finds the pictures alike",
    "far-but-well-rated": "few concepts in common, although people find that the picture answers the query",
    "near-but-badly-rated": "many concepts in common, although people find that the picture answers badly",
}
_DIGITS = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspicious annotation. It is for review: nothing here proves that it is wrong."""

    severity: float  # 0 to 1; how far beyond the usual, within its reason; the list is sorted by it
    reason: str  # of REASONS
    image: str
    evidence: str  # in words, with the numbers
    object: int | None = None  # which of the picture's things, from 1; None: the picture as a whole
    name: str = ""
    concept: str = ""
    suggestion: str = ""  # a concept that may be meant
    box: Box | None = None
    other: str = ""  # the other picture of a pair
    query: str = ""

    @classmethod
    def of(
        cls,
        scene: Scene,
        number: int,
        reason: str,
        severity: float,
        evidence: str,
        *,
        suggestion: str = "",
        concept: str | None = None,
    ) -> Suspect:
        """One of the things of a picture, by its place from 0; ``concept`` if another than its first."""
        thing = scene.things[number]
        return cls(
            severity, reason, scene.image, evidence, number + 1, thing.name,
            thing.concept or "" if concept is None else concept, suggestion,
            thing.box,
        )  # fmt: skip


def ranked(found: Iterable[Suspect]) -> tuple[Suspect, ...]:
    """The most severe first; equal ones by picture (numbers in its id as numbers), object, reason, pair.

    >>> ranked([Suspect(0.5, "outside", "10", ""), Suspect(0.5, "outside", "9", "")])[0].image
    '9'
    """
    return tuple(
        sorted(
            found,
            key=lambda one: (
                -round(one.severity, 9), _natural(one.image), one.object or 0, one.reason, one.other,
                one.query, one.evidence,
            ),
        )
    )  # fmt: skip


def _natural(image: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = [part for part in _DIGITS.split(image) if part]
    return [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part) for part in parts
    ], image
