"""Where the names of boxes stand: each at a corner of its box, none upon another."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# A name measured in rem, as concepts.css writes it (.tag): a little more than it takes
_HEIGHT = 1.05
_SIGN, _NARROW, _WIDE = 1.5, 0.42, 0.75  # the sign with all margins; a letter; a letter as wide as it is high
_WIDEST = 0.6  # share of the picture
# Pictures are drawn at most so large (concepts_pair.html.j2), and narrower on a telephone: where a small
# picture keeps names apart, a larger one does too
_ROOM, _TALLEST = 20.0, 22.0
_EDGE = 1e-9  # share of a picture
_RIGHT = 0.6  # names of boxes that begin farther right hang on their right end


class Area(NamedTuple):
    """A box as shares of its picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        """Whether both have more than an edge in common, but for rounding."""
        across = self.left < other.right - _EDGE and other.left < self.right - _EDGE
        return across and self.top < other.bottom - _EDGE and other.top < self.bottom - _EDGE


@dataclass(frozen=True, slots=True)
class Label:
    """A place for a name, in percent of the picture: from its left (or right) side, and from above."""

    side: str
    across: float
    top: float


def labels(names: Sequence[str], boxes: Sequence[Area], proportion: float) -> list[Label | None]:
    """A place for each name; None for an empty one, and where every place beside its box is taken.

    Names are placed in order. One that would hide an earlier name moves to the other upper corner of its box,
    or down or up along an edge, no farther than needed. ``proportion``: the picture's width over its height.

    >>> box = Area(0.1, 0.2, 0.5, 0.6)
    >>> [round(one.top, 1) for one in labels(["dog", "cat"], [box, box], 2.0) if one]
    [20.0, 20.0]
    """
    width = min(_ROOM, _TALLEST * proportion)
    tall = min(_HEIGHT * proportion / width, 1.0)
    placed: list[Area] = []
    found: list[Label | None] = []
    for name, box in zip(names, boxes, strict=True):
        free = _free(box, min(_width(name) / width, _WIDEST), tall, placed) if name else None
        found.append(None if free is None else _label(*free))
        placed += [] if free is None else [free[1]]
    return found


def _label(side: str, place: Area) -> Label:
    return Label(side, 100 * (place.left if side == "left" else 1 - place.right), 100 * place.top)


def _free(box: Area, wide: float, tall: float, placed: Sequence[Area]) -> tuple[str, Area] | None:
    """The place nearest to the upper edge of the box that no other name has, rather below than above."""
    lowest = 1.0 - tall
    start = min(box.top, lowest)
    steps = range(-int(start / tall), int((lowest - start) / tall) + 1)
    nearest = sorted(steps, key=lambda step: (abs(step), step < 0))
    for top in (start + tall * step for step in nearest):
        for side, left in _sides(box, wide):
            place = Area(left, top, left + wide, top + tall)
            if not any(map(place.meets, placed)):
                return side, place
    return None


def _sides(box: Area, wide: float) -> Sequence[tuple[str, float]]:
    """Where a name may begin, at the left or the right edge of its box, without leaving the picture."""
    sides = [("left", box.left), ("right", box.right - wide)]
    usual = sides if box.left <= _RIGHT else sides[::-1]
    inside = [one for one in usual if one[1] >= 0 and one[1] + wide <= 1]
    return inside or usual[:1]


def _width(name: str) -> float:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in name)
    return _SIGN + wide * _WIDE + (len(name) - wide) * _NARROW
