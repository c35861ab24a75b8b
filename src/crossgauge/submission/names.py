"""The ids that a prediction file may use, and the row of each."""

from __future__ import annotations

from collections.abc import Sequence

from crossgauge.readers.pairs import CONTROL

MOST = 1 << 20  # ids that a file without a truth may bring


class Names:
    """Ids and their rows: those of the truth, or, without one, whatever a file brings.

    >>> known, open_ = Names(("a", "b")), Names()
    >>> [known.row(name) for name in ("b", " b", "c")], [open_.row(name) for name in ("x", "y", "x")]
    ([1, 1, -1], [0, 1, 0])
    """

    def __init__(self, known: Sequence[str] | None = None) -> None:
        self.closed = known is not None
        self.trimmed = 0  # ids that were found only without the blanks around them
        self._rows = {name: row for row, name in enumerate(known or ())}

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id, by row."""
        return tuple(self._rows)

    @property
    def first(self) -> str | None:
        """The id of row 0, as an example of how they look."""
        return next(iter(self._rows), None)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def row(self, name: str) -> int:
        """The row of an id as written or else without blanks around it; -1 for none of these."""
        row = self._rows.get(name)
        if row is not None:
            return row
        bare = name.strip(" \t")
        if bare != name:
            self.trimmed += 1
        if self.closed or not bare or CONTROL.search(bare) or len(self._rows) >= MOST:
            return self._rows.get(bare, -1)
        return self._rows.setdefault(bare, len(self._rows))

    def fresh(self) -> Names:
        """The same ids before a file was read."""
        return Names(self.ids) if self.closed else Names()
