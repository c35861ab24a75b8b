"""Numbers of paired boxes, so that a row about sizes leads to one box in each picture."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from crossgauge.concept_study import PairView, SceneView

_NEAR = 1e-6  # relative; areas of rows and boxes are the same sums
_Places = dict[str, list[tuple[float, int]]]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The number of each row about sizes, 0 for none; and by the place of a box in its scene."""

    rows: tuple[int, ...]
    truth: Mapping[int, int]
    retrieved: Mapping[int, int]


def numbered(view: PairView, most: int, *, relative: bool) -> Numbered:
    """Numbers from 1 for the first ``most`` pairs of boxes of a pair of pictures.

    A row has the concept and the areas of its boxes; which boxes of one concept and one area it has does not
    matter. ``relative``: areas are shares of their pictures.
    """
    right, found = (_matched(scene, relative=relative) for scene in (view.truth, view.retrieved))
    rows: list[int] = []
    truth: dict[int, int] = {}
    retrieved: dict[int, int] = {}
    for one in view.sizes[:most]:
        left = _take(right[one.concept], one.truth_area)
        other = _take(found[one.concept], one.retrieved_area)
        if left is None or other is None:
            rows.append(0)
            continue
        truth[left] = retrieved[other] = len(truth) + 1
        rows.append(truth[left])
    return Numbered(tuple(rows), truth, retrieved)


def _matched(scene: SceneView | None, *, relative: bool) -> _Places:
    """Concept → areas and places of its paired boxes."""
    places: _Places = defaultdict(list)
    if scene is None:
        return places
    whole = float((scene.width or 0) * (scene.height or 0)) if relative else 1.0
    for place, box in enumerate(scene.boxes):
        if box.state == "matched" and whole:
            places[box.concept].append((box.width * box.height / whole, place))
    return places


def _take(places: list[tuple[float, int]], area: float) -> int | None:
    """The first place of that area, which is then taken."""
    for at, (there, place) in enumerate(places):
        if math.isclose(there, area, rel_tol=_NEAR, abs_tol=_NEAR):
            del places[at]
            return place
    return None
