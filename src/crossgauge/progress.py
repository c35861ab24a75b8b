"""How long work tells about itself: the library only calls; who shows it is the caller's business."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told about each stage of the work; ``stopping`` answers whether to stop at the next safe point."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins: ``embed images``, 300 items."""
        ...

    def advance(self, done: int) -> None:
        """So many more items of the current stage are done."""
        ...

    def note(self, text: str) -> None:
        """One line worth keeping: a finished cell, a retry, what was reused."""
        ...

    def stopping(self) -> bool:
        """Whether the user asked to stop."""
        ...


class Silent:
    """Shows nothing and never stops: the default of every library call."""

    def stage(self, name: str, total: int) -> None:
        """Ignore."""

    def advance(self, done: int) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""

    def stopping(self) -> bool:
        """Never."""
        return False
