"""Odd things counted while annotations are read: one finding a kind, with its count and the first of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from crossgauge.errors import Fault

Place = Callable[[], str]  # where something stands; a call, because most places are never printed

_SAID: dict[str, tuple[str, str, str, str]] = {  # kind: code, what is odd of one, of several, what was done
    "no concept": (
        "W290",
        "object has no concept: no synset, or an unknown one",
        "objects have no concept: no synset, or an unknown one",
        "in no concept measure",
    ),
    "several": (
        "W291",
        "object has several synsets",
        "objects have several synsets",
        "the first counts, or with synsets=all each",
    ),
    "outside": (
        "W292",
        "box leaves its picture",
        "boxes leave their picture",
        "boxes=keep leaves them so, boxes=clip cuts them",
    ),
    "no box": (
        "W293",
        "object has no box",
        "objects have no box",
        "counted, but in no comparison of sizes",
    ),
    "no area": (
        "W293",
        "box has an area of zero",
        "boxes have an area of zero",
        "kept: any other size differs from it without limit",
    ),
    "unknown": (
        "W294",
        "object has a synset that is not in the hierarchy",
        "objects have a synset that is not in the hierarchy",
        "no concept; unknown=error stops, audit-annotations lists each",
    ),
    "other part": (
        "W295",
        "object has a synset that is no noun",
        "objects have a synset that is no noun",
        "kept, may have no nearness to nouns; audit-annotations lists each",
    ),
    "merged": (
        "W296",
        "object was merged into another of its picture",
        "objects were merged into another of their picture",
        "left out: it stands for both",
    ),
    "twice": (
        "W296",
        "object stands twice in its picture, by its id",
        "objects stand twice in one picture, by their id",
        "the first is kept",
    ),
    "crowd": (
        "W297",
        "region is a crowd (iscrowd)",
        "regions are crowds (iscrowd)",
        "each is one thing without a box: nobody counted them",
    ),
}


class Told:
    """Counts by kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._first: dict[str, tuple[str, str]] = {}

    def count(self, kind: str, place: Place, example: str = "") -> None:
        """One more of a kind."""
        self.counts[kind] += 1
        if kind not in self._first:
            self._first[kind] = place(), example

    def findings(self) -> tuple[Fault, ...]:
        """A warning for each kind that was met, placed at the first of them."""
        return tuple(self._finding(kind) for kind in _SAID if self.counts[kind])

    def _finding(self, kind: str) -> Fault:
        code, one, several, done = _SAID[kind]
        place, example = self._first[kind]
        shown = f", the first {example!r:.80}" if example else ""
        count = self.counts[kind]
        return Fault(code, place, f"{count} {one if count == 1 else several}{shown}", "", done)
