"""What the tables of every format are made of: columns, lines, and what stands where they meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crossgauge.report import wording
from crossgauge.result import CellResult, ScoreRow
from crossgauge.types import Unit

Kind = Literal["cell", "profile", "absent", "macro", "micro", "published"]


@dataclass(frozen=True, slots=True)
class Column:
    """One measure, with unit and direction."""

    measure: str
    title: str
    unit: Unit
    higher_is_better: bool

    @property
    def heading(self) -> str:
        """``R@1 % ↑``."""
        return wording.heading(self.title, self.unit, higher_is_better=self.higher_is_better)


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in one place of a table."""

    value: str
    spread: str = ""  # "± 1.2": one standard deviation over draws
    interval: str = ""
    bounds: str = ""  # from the worst to the best outcome of ties, when they differ in print
    notes: tuple[int, ...] = ()  # numbers of the notes below the table
    best: bool = False
    row: ScoreRow | None = None

    @property
    def text(self) -> str:
        """``50.0 ± 1.2``."""
        return f"{self.value} {self.spread}" if self.spread else self.value


EMPTY = Entry("")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table."""

    kind: Kind
    name: str  # the language, "macro mean", the official scorer, or the published system
    prompt: str
    system: str  # model@revision; of a published number: empty
    entries: dict[str, Entry]
    chance: str = ""
    n: str = ""
    gallery: str = ""  # what competes: the gallery, or the candidates of a query
    partial: bool = False
    source: str = ""  # where a published number stands
    cell: CellResult | None = None
    peers: tuple[str, ...] = ()  # only lines with equal peers compete
    languages: int = 0  # over how many a mean is taken
    notes: tuple[int, ...] = ()  # numbers of the notes on the whole line

    def entry(self, column: Column) -> Entry:
        """What stands under a column; nothing where the line has no such measure."""
        return self.entries.get(column.measure, EMPTY)

    @property
    def label(self) -> str:
        """Its name in its first place; an official scorer's says that it is one."""
        return f"official {self.name}" if self.kind == "profile" else self.name
