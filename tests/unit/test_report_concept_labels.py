"""Names of boxes: near their boxes, inside the picture, and none upon another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from crossgauge.report.concepts_labels import Area, Label, labels

NAMES = ("dog", "fire hydrant", "\u7acb\u3066\u770b\u677f", "a" * 50)
HEIGHT = 22  # rem, of a picture as drawn at most


def area(name: str, label: Label, proportion: float) -> Area:
    """What a name takes of the picture, or a little less."""
    width = min(20, HEIGHT * proportion)
    wide = min((1.2 + 0.35 * len(name)) / width, 0.6)
    left = label.across / 100 if label.side == "left" else 1 - label.across / 100 - wide
    return Area(left, label.top / 100, left + wide, label.top / 100 + 1.0 * proportion / width)


@pytest.mark.parametrize("proportion", [0.3, 1.0, 4 / 3, 3.0])
def test_no_name_hides_another_or_leaves_the_picture(proportion: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        names = [str(name) for name in rng.choice(NAMES, 12)]
        corners = np.sort(rng.random((12, 2, 2)).round(1), axis=1)
        boxes = [Area(*map(float, (*low, *high))) for low, high in corners]
        found = zip(names, labels(names, boxes, proportion), strict=True)
        taken = [area(name, label, proportion) for name, label in found if label]
        assert taken
        assert not any(one.meets(other) for one, other in combinations(taken, 2))
        assert all(one.top >= 0 and one.bottom <= 1.0001 for one in taken)


def test_twelve_names_upon_each_other_are_all_shown() -> None:
    found = labels(["dog"] * 12, [Area(0.1, 0.5, 0.4, 0.9)] * 12, 1.0)
    assert len({(one.side, one.top) for one in found if one}) == 12


def test_a_taken_corner_leaves_the_other_one() -> None:
    """Nearer to its box than a place below it would be."""
    one, other = labels(["dog", "cat"], [Area(0.1, 0.5, 0.7, 0.9)] * 2, 1.0)
    assert one is not None
    assert other is not None
    assert (one.side, one.across, other.side) == ("left", pytest.approx(10), "right")
    assert other.across == pytest.approx(30)
    assert one.top == other.top == pytest.approx(50)


def test_where_no_place_is_left_a_name_is_left_out() -> None:
    found = labels(["dog"] * 9, [Area(0.1, 0.5, 0.4, 0.9)] * 9, 8.0)
    assert 0 < sum(one is not None for one in found) < 9
    assert labels(["", "dog"], [Area(0, 0, 1, 1)] * 2, 1.0)[0] is None
