"""What an intervention is: a named rule that changes words of an English text, or says why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.words import Change, Word

THRESHOLD = 150.0  # see the colour tables
TABLE = "css4"
FIXED_NAME = "part of a fixed name"


@dataclass(frozen=True, slots=True)
class Colors:
    """How colours are replaced, and which of them the data's queries mention."""

    table: str = TABLE
    threshold: float = THRESHOLD
    mentioned: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Left:
    """A word that a rule looked at and left as it is."""

    position: int  # characters before it
    word: str
    kind: str  # why, in words that queries are counted by: "part of a fixed name"
    name: str = ""  # of which: "White House"
    minor: bool = False  # where it says no more than the intervention's own "nothing found"

    @property
    def why(self) -> str:
        """``part of a fixed name: White House``."""
        return f"{self.kind}: {self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule makes of a text: what it replaces, what it leaves and why.

    >>> Found((), (Left(4, "White", FIXED_NAME, "White House"),), "no colour name").skipped
    'part of a fixed name: White House'
    """

    changes: tuple[Change, ...]
    left: tuple[Left, ...] = ()
    nothing: str = ""  # why nothing is replaced, where no word that was left says it

    @property
    def skipped(self) -> str:
        """Why nothing is replaced; empty where something is."""
        return self._told(lambda left: left.why)

    @property
    def reason(self) -> str:
        """The same without names, so that queries can be counted by it."""
        return self._told(lambda left: left.kind)

    def _told(self, said: Callable[[Left], str]) -> str:
        if self.changes:
            return ""
        return "; ".join(dict.fromkeys(said(one) for one in self.left if not one.minor)) or self.nothing


@dataclass(frozen=True, slots=True)
class Intervention:
    """A rule with its name; ``change`` sees the words, draws by the seed, and returns what it replaces."""

    name: str
    description: str  # what is replaced by what
    intent: str  # what this does to the meaning
    change: Callable[[Sequence[Word], Drawing, Colors], Found]
    colored: bool = False  # whether the choice of colours changes what it does
    surveyed: bool = False  # whether it must know the colours of all queries first
