"""What the made-up pictures show: two and two show shared things, in other numbers and sizes.

The first two are the paper's worked example (arXiv:2209.03723, Figure 2 and its numbers): of the right
picture's eleven concepts the other one shows three, and one of five zebras has no box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 320, 240
Box = tuple[int, int, int, int]  # x, y, width, height


@dataclass(frozen=True, slots=True)
class Thing:
    """Objects of one kind: their name, synset (empty: none), looks, and where they are.

    ``look`` is how it is drawn, with a detail: ``fill COLOUR``, ``emoji CODEPOINT``, ``zebra`` …; empty for
    what is part of another thing. A box that is not noted (``unboxed``) is drawn all the same.
    """

    name: str
    synset: str
    look: str
    boxes: Sequence[Box]
    unboxed: Sequence[Box] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture: its colour, its things from back to front, five captions of which the first asks."""

    colour: str
    things: Sequence[Thing]
    captions: Sequence[str]
    regions: Sequence[str]


_GREEN, _FIELD, _SKY, _SEA = "#8db35a", "#a9c46c", "#cfe6f5", "#3f8fc4"

SCENES: Sequence[Scene] = (
    Scene(
        _GREEN,
        (
            Thing("sky", "sky.n.01", f"fill {_SKY}", ((0, 0, 320, 92),)),
            Thing("hill", "hill.n.01", "hill #6f9457", ((150, 56, 170, 56),)),
            Thing("field", "field.n.01", f"fill {_FIELD}", ((104, 168, 200, 50),)),
            Thing("tree", "tree.n.01", "tree", ((4, 14, 108, 148),)),
            Thing("trunk", "trunk.n.01", "", ((51, 98, 14, 64),)),
            Thing("branch", "branch.n.01", "", ((62, 84, 34, 20),)),
            Thing("leaf", "leaf.n.01", "", ((16, 34, 16, 14),)),
            Thing(
                "zebras", "zebra.n.01", "zebra",
                ((120, 112, 76, 54), (222, 122, 80, 56), (60, 172, 84, 58), (180, 186, 50, 35)),
                ((286, 96, 26, 18),),
            ),
            Thing("mane", "mane.n.01", "", ((212, 187, 10, 10),)),
            Thing("head", "head.n.01", "", ((122, 174, 24, 20),)),
            Thing("leg", "leg.n.01", "", ((72, 204, 9, 26),)),
        ),
        (
            "A herd of zebras grazes on the open plain.",
            "Five zebras and a big tree with a hill behind them",
            "Zebras rest near the trunk of a leafy tree",
            "A tree on a meadow, zebras of different sizes around it",
            "Some striped animals below a hill",
        ),
        ("the leafy branch of a tree", "a zebra far away below the hill", "blue sky above the hill"),
    ),
    Scene(
        _SKY,
        (
            Thing("grassland", "grassland.n.01", f"fill {_GREEN}", ((0, 56, 320, 184),)),
            Thing("field", "field.n.01", f"fill {_FIELD}", ((60, 72, 230, 103),)),
            Thing(
                "zebras", "zebra.n.01", "zebra",
                (
                    (8, 62, 52, 36), (84, 58, 60, 42), (150, 72, 88, 64), (226, 100, 90, 66),
                    (6, 104, 92, 66), (96, 140, 100, 72), (204, 166, 104, 70),
                ),
            ),
            Thing(
                "manes", "mane.n.01", "",
                (
                    (210, 73, 15, 22), (287, 101, 16, 22), (68, 105, 16, 22), (164, 141, 18, 24),
                    (275, 167, 18, 23),
                ),
            ),
            Thing("grass", "grass.n.01", "grass", ((0, 204, 320, 36),)),
        ),
        (
            "Seven zebras walk through tall grass.",
            "A herd of zebras grazing on the open plain",
            "Many zebras in a wide grassy field",
            "A group of zebras out on the grassland",
            "Zebras stand close together in the grass",
        ),
        ("tall grass in front", "the mane of a zebra", "a field of dry grassland"),
    ),
    Scene(
        _SKY,
        (
            Thing("grass", "grass.n.01", f"fill {_GREEN}", ((0, 104, 320, 136),)),
            Thing("tree", "tree.n.01", "tree", ((236, 18, 78, 104),)),
            Thing("frisbee", "frisbee.n.01", "disc #d2372c", ((158, 60, 40, 14),)),
            Thing("dogs", "dog.n.01", "emoji 1f415",
                  ((24, 120, 64, 62), (122, 104, 64, 62), (206, 160, 64, 62))),
        ),
        (
            "Dogs play with a toy on the grass in a park.",
            "Three dogs chase a red frisbee",
            "A frisbee flies above three running dogs",
            "Three dogs in the way of a flying disc",
            "The red disc is too high for the dogs",
        ),
        ("a red frisbee in the air", "a dog with brown ears", "one tree at the edge"),
    ),
    Scene(
        _SKY,
        (
            Thing("grass", "grass.n.01", f"fill {_FIELD}", ((0, 150, 320, 90),)),
            Thing("trees", "tree.n.01", "tree", ((4, 40, 88, 124), (262, 84, 54, 76))),
            Thing("dog", "dog.n.01", "emoji 1f415", ((108, 106, 112, 108),)),
            Thing("ball", "ball.n.01", "emoji 1f3c0", ((236, 184, 36, 36),)),
        ),
        (
            "A spotted dog stands beside a ball.",
            "A dog plays with its toy on the grass in the park",
            "One large dog and an orange ball",
            "The dog waits for somebody to throw the ball",
            "Two trees and a dog on a lawn",
        ),
        ("an orange ball", "the tail of the dog", "two trees far apart"),
    ),
    Scene(
        _SKY,
        (
            Thing("street", "street.n.01", "fill #7d8187", ((0, 160, 320, 80),)),
            Thing("houses", "house.n.01", "emoji 1f3e0",
                  ((12, 76, 84, 84), (118, 76, 84, 84), (222, 76, 84, 84))),
            Thing("buses", "bus.n.01", "emoji 1f68c", ((30, 146, 72, 70), (196, 146, 72, 70))),
        ),
        (
            "Buses drive along a city street.",
            "Two buses pass three small houses",
            "Three houses in a row with two buses before them",
            "Two buses one behind the other",
            "A row of houses at the side of the road",
        ),
        ("the front of a bus", "the roof of a house", "a gray road without people"),
    ),
    Scene(
        _SKY,
        (
            Thing("street", "street.n.01", "fill #8b8f95", ((0, 176, 320, 64),)),
            Thing("church", "church.n.02", "emoji 26ea", ((196, 66, 112, 112),)),
            Thing("tram", "streetcar.n.01", "emoji 1f68a", ((146, 138, 60, 84),)),
            Thing("bus", "bus.n.01", "emoji 1f68c", ((14, 104, 112, 110),)),
            Thing("lamp post", "", "fill #3b4046", ((134, 84, 4, 118),)),
        ),
        (
            "A tram and a bus near a church.",
            "A large bus drives along the street of a city",
            "The church behind a tram stop",
            "Public transport in front of an old church",
            "A lamp post between a bus and a tram",
        ),
        ("a church with a cross", "the windows of a tram", "a thin lamp post"),
    ),
    Scene(
        _SKY,
        (
            Thing("sun", "sun.n.01", "emoji 2600-fe0f", ((250, 10, 56, 56),)),
            Thing("mountain", "mountain.n.01", "emoji 26f0-fe0f", ((8, 34, 128, 100),)),
            Thing("sea", "sea.n.01", f"fill {_SEA}", ((0, 128, 320, 112),)),
            Thing("sailboats", "sailboat.n.01", "emoji 26f5",
                  ((40, 116, 58, 58), (132, 104, 46, 46), (212, 150, 72, 72))),
        ),
        (
            "Sailboats on a calm blue sea.",
            "Three sailing boats below a mountain in the sun",
            "The sun shines on three boats with red sails",
            "A mountain rises behind three sailboats",
            "Boats sail past a mountain on a sunny day",
        ),
        ("a bright sun", "a gray mountain at the shore", "three red sails"),
    ),
    Scene(
        _SKY,
        (
            Thing("clouds", "cloud.n.01", "emoji 2601-fe0f", ((20, 12, 84, 56), (206, 24, 72, 48))),
            Thing("sea", "sea.n.01", "fill #35719b", ((0, 140, 320, 100),)),
            Thing("ship", "ship.n.01", "emoji 1f6a2", ((18, 72, 124, 108),)),
            Thing("sailboat", "sailboat.n.01", "emoji 26f5", ((188, 96, 112, 112),)),
        ),
        (
            "A ship and a sailboat meet under clouds.",
            "A sailboat on the calm blue sea",
            "A ship passes a sailing boat far from land",
            "Clouds above a big ship",
            "One sailboat beside a ship",
        ),
        ("a white cloud", "the bow of a ship", "dark water"),
    ),
)  # fmt: skip
