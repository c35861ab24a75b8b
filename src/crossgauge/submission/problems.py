"""All that is wrong with one prediction file: the first of each kind in full, the rest counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crossgauge.errors import SHOWN, Fault


@dataclass(slots=True)
class Problems:
    """Faults and findings of one file while it is being read; memory does not grow with their number."""

    place: str  # the file, as messages name it
    _kept: dict[tuple[str, str], list[Fault]] = field(default_factory=dict)
    _times: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, code: str, line: int, found: str, wanted: str, fix: str = "") -> None:
        """One more at a line; of each code and cause (``wanted``) the first 20 are kept."""
        kind = (code, wanted)
        self._times[kind] = self._times.get(kind, 0) + 1
        kept = self._kept.setdefault(kind, [])
        if len(kept) < SHOWN:
            kept.append(Fault(code, f"{self.place}:{line}", found, wanted, fix))

    def more(self, code: str, wanted: str, times: int) -> None:
        """As many more like those added before, of which nobody needs to know the lines."""
        self._times[code, wanted] += times

    def say(self, code: str, found: str, wanted: str = "", fix: str = "") -> None:
        """One about the file as a whole."""
        kind = (code, found)
        self._times[kind] = 1
        self._kept[kind] = [Fault(code, self.place, found, wanted, fix)]

    def count(self, code: str) -> int:
        """How often a code was met."""
        return sum(times for (one, _), times in self._times.items() if one == code)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What makes the file unfit to score, in the order met."""
        return tuple(fault for fault in self._all() if not fault.is_warning)

    @property
    def findings(self) -> tuple[Fault, ...]:
        """What is odd and does not."""
        return tuple(fault for fault in self._all() if fault.is_warning)

    def _all(self) -> Iterator[Fault]:
        for kind, kept in self._kept.items():
            yield from kept
            more = self._times[kind] - len(kept)
            if more:
                code, wanted = kind
                yield Fault(code, self.place, f"{more:,} more lines like these", wanted)


def listed(names: Sequence[str]) -> str:
    """The first names and how many more: ``q1, q2 and 3 more``.

    >>> listed(["q1", "q2"])
    'q1, q2'
    """
    shown = ", ".join(name[:80] for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN:,} more" if len(names) > SHOWN else shown
