"""Boxes that cannot be: without an area, beyond their picture, or twice around one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from crossgauge.concepts.suspects.finding import Suspect
from crossgauge.scenes import Box, Scene
from crossgauge.types import Floats

SLACK = 1.0  # pixels beyond an edge that are rounding
SAME = 0.9  # intersection over union above which two boxes are one


def boxes(scene: Scene) -> Iterator[Suspect]:
    """Suspicious boxes of one picture; edges of pictures of unknown size are not looked at, but for 0."""
    for number, thing in enumerate(scene.things):
        if thing.box is None:
            continue
        if thing.box.width <= 0 or thing.box.height <= 0:
            evidence = f"{_size(thing.box)} pixels"
            yield Suspect.of(scene, number, "no-area", 1.0, evidence)
        else:
            yield from _beyond(scene, number, thing.box)
    yield from _doubled(scene)


def _beyond(scene: Scene, number: int, box: Box) -> Iterator[Suspect]:
    picture = f"a picture of {scene.width or '?'} × {scene.height or '?'}"
    width, height = scene.width or np.inf, scene.height or np.inf
    outside = 1.0 - _inside(box.x, box.width, width) * _inside(box.y, box.height, height)
    if box.width > width + SLACK or box.height > height + SLACK:
        evidence = f"{_size(box)} pixels in {picture}"
        yield Suspect.of(scene, number, "larger-than-picture", outside, evidence)
    elif _leaves(box.x, box.width, width) or _leaves(box.y, box.height, height):
        corner = f"from ({box.x:g}, {box.y:g}) to ({box.x + box.width:g}, {box.y + box.height:g})"
        evidence = f"{corner} in {picture}: {100 * outside:.1f} % of the box lies outside"
        yield Suspect.of(scene, number, "outside", outside, evidence)


def _leaves(start: float, length: float, end: float) -> bool:
    return start < -SLACK or start + length > end + SLACK


def _inside(start: float, length: float, end: float) -> float:
    """The share of a side that lies in the picture."""
    return max(0.0, min(start + length, end) - max(start, 0.0)) / length


def _doubled(scene: Scene) -> Iterator[Suspect]:
    """Each thing whose box an earlier thing of the same concept (or, without one, of the same name) has."""
    kinds: dict[tuple[bool, str], list[int]] = {}
    for number, thing in enumerate(scene.things):
        if thing.box is not None and thing.box.width > 0 and thing.box.height > 0:
            known = thing.concept is not None
            kinds.setdefault((known, thing.concept or thing.name.casefold()), []).append(number)
    for numbers in kinds.values():
        if len(numbers) == 1:
            continue
        found = [(number, box) for number in numbers if (box := scene.things[number].box) is not None]
        overlaps = np.triu(overlap([box for _, box in found]), 1)
        for column in np.flatnonzero((overlaps > SAME).any(axis=0)).tolist():
            row = int(overlaps[:, column].argmax())
            share = float(overlaps[row, column])
            first = found[row][0] + 1
            evidence = (
                f"covers object {first}, {scene.things[first - 1].name!r:.60}, by {100 * share:.1f} % (IoU)"
            )
            yield Suspect.of(scene, found[column][0], "doubled", share, evidence)


def overlap(found: Sequence[Box]) -> Floats:
    """Intersection over union of all pairs of boxes, (B, B), 0 to 1.

    >>> overlap([Box(0, 0, 2, 2), Box(0, 0, 2, 1)]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    sides = np.array([(box.x, box.y, box.width, box.height) for box in found], dtype=np.float64).reshape(
        -1, 4
    )
    low, high = sides[:, :2], sides[:, :2] + sides[:, 2:]
    common = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    shared = np.clip(common, 0.0, None).prod(axis=2)
    area = sides[:, 2:].prod(axis=1)
    shares: Floats = shared / (area[:, None] + area[None] - shared)
    return shares


def _size(box: Box) -> str:
    return f"{box.width:g} × {box.height:g}"
