"""The named colours of Matplotlib's two tables, and how far apart two of them are.

Distance is Euclidean over red, green and blue from 0 to 255 each, so black and white are 441.7 apart. The
default threshold, 150, is where most shades of one colour are still near one another ("dark X", "light X" and
the like to X: 35 of 45 pairs of CSS4, 174 of 203 of XKCD), while each of the eleven basic colours of English
keeps at least 69 of the 148 names of CSS4 farther away than that.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

TABLES = ("css4", "xkcd")
FARTHEST = math.dist((0, 0, 0), (255, 255, 255))


@dataclass(frozen=True, slots=True)
class Color:
    """A name as people write it, with its red, green and blue from 0 to 255."""

    name: str
    rgb: tuple[int, int, int]

    def distance(self, other: Color) -> float:
        """Euclidean, 0 to 441.7.

        >>> Color("red", (255, 0, 0)).distance(Color("tomato", (255, 99, 71))).__round__(1)
        121.8
        """
        return math.dist(self.rgb, other.rgb)


@dataclass(frozen=True, slots=True, eq=False)
class ColorTable:
    """The colours of one table by name; ``skyblue`` is ``sky blue``, and ``gray`` is ``grey``."""

    colors: tuple[Color, ...]
    by_name: dict[str, Color]
    by_key: dict[str, Color]  # without spaces; of two names that differ in these alone, either
    longest: int  # words of its longest name

    def find(self, name: str) -> Color | None:
        """The colour of a name in lower case, if it is one.

        >>> color_table("css4").find("sky blue").name, color_table("xkcd").find("gray").rgb
        ('sky blue', (146, 149, 145))
        """
        return self.by_name.get(name.replace("gray", "grey")) or self.by_key.get(_key(name))

    def far_from(self, color: Color, threshold: float) -> tuple[Color, ...]:
        """The colours farther away than the threshold, in the order of the table, each under one name.

        Names that are no plain words (``grey/blue``, ``robin's egg``) are left out.
        """
        found = {
            (_key(other.name), other.rgb): other
            for other in self.colors
            if color.distance(other) > threshold and other.name.replace(" ", "").isalpha()
        }
        return tuple(found.values())


@lru_cache(maxsize=len(TABLES))
def color_table(name: str) -> ColorTable:
    """One of :data:`TABLES`."""
    text = (resources.files("crossgauge.perturb") / "colors" / f"{name}.csv").read_text(encoding="utf-8")
    colors = tuple(
        Color(row["name"], (int(row["red"]), int(row["green"]), int(row["blue"])))
        for row in csv.DictReader(text.splitlines())
    )
    return ColorTable(
        colors,
        by_name={color.name.replace("gray", "grey"): color for color in colors},
        by_key={_key(color.name): color for color in colors},
        longest=max(len(color.name.split()) for color in colors),
    )


def _key(name: str) -> str:
    return name.replace(" ", "").replace("gray", "grey")
