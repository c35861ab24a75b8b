"""What an intervention is: a named rule that changes words of an English text, or says why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from crossgauge.perturb.drawing import Drawing
from crossgauge.perturb.words import Change, Word

THRESHOLD = 150.0  # see the colour tables
TABLE = "css4"


@dataclass(frozen=True, slots=True)
class Colors:
    """How colours are replaced, and which of them the data's queries mention."""

    table: str = TABLE
    threshold: float = THRESHOLD
    mentioned: frozenset[str] = field(default_factory=frozenset)


Changed: TypeAlias = tuple[Change, ...] | str  # a str says why nothing was changed


@dataclass(frozen=True, slots=True)
class Intervention:
    """A rule with its name; ``change`` sees the words, draws by the seed, and returns what it replaces."""

    name: str
    description: str  # what is replaced by what
    intent: str  # what this does to the meaning
    change: Callable[[Sequence[Word], Drawing, Colors], Changed]
    colored: bool = False  # whether the choice of colours changes what it does
    surveyed: bool = False  # whether it must know the colours of all queries first
