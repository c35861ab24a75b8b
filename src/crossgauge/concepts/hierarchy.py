"""What every hierarchy of concepts can say: which exist, how near two are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from crossgauge.types import Floats

Nearness = Literal["path", "wup", "lch"]


@runtime_checkable
class Hierarchy(Protocol):
    """A taxonomy of concepts: WordNet 3.0, or a table of child and parent of the user's own."""

    @property
    def name(self) -> str:
        """``wordnet-3.0``, or the file with a short hash: part of every signature."""
        ...

    def __contains__(self, concept: object) -> bool:
        """Whether it is a node."""
        ...

    def similarities(self, left: Sequence[str], right: Sequence[str], *, kind: Nearness = "path") -> Floats:
        """Of all pairs, (len(left), len(right)); NaN where two have none (other parts of speech)."""
        ...

    def resolve(self, name: str) -> str | None:
        """The concept that a plain name such as ``"zebras"`` means (first sense, lemmatised), if any."""
        ...

    def parents(self, concept: str) -> tuple[str, ...]:
        """The concepts directly above."""
        ...

    def words(self, concept: str) -> tuple[str, ...]:
        """What people call it."""
        ...
