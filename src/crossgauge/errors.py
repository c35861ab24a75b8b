"""What can go wrong, as one tree; every error is a list of faults that say what to do.

::

    CrossgaugeError
    ├── UsageError          a command or call asks for something that does not exist   (exit 2)
    ├── InputError          a file, an item or an array is not what it must be         (exit 3)
    │   └── ResumeRefused   the run folder belongs to another experiment               (exit 3)
    ├── EnvironmentFault    a missing extra, a full disk, an unwritable folder         (exit 4)
    └── Interrupted         stopped on request; the same command goes on from here     (exit 7)

A :class:`Fault` is one thing found: a stable code (``explain E214`` tells more), the place, what was
found there, what was wanted, and how to mend it. Codes beginning with ``W`` warn and never stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

SHOWN = 20  # faults printed in full; the rest are counted


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing found wrong, or odd: where it is, what it is, and what to do about it.

    >>> print(Fault("E201", "pairs.jsonl:3", "3 vectors, 4 ids", "one id a vector", "drop one id"))
    E201 pairs.jsonl:3: 3 vectors, 4 ids; wanted one id a vector; fix: drop one id
    """

    code: str
    place: str
    found: str
    wanted: str = ""
    fix: str = ""

    @property
    def is_warning(self) -> bool:
        """Whether this only warns (``W…``) instead of stopping the work (``E…``)."""
        return self.code.startswith("W")

    def __str__(self) -> str:
        parts = [f"{self.code} {self.place}: {self.found}"]
        if self.wanted:
            parts.append(f"wanted {self.wanted}")
        if self.fix:
            parts.append(f"fix: {self.fix}")
        return "; ".join(parts)


class CrossgaugeError(Exception):
    """Anything this package refuses to do; carries every fault found, not only the first.

    >>> error = InputError(Fault("E101", "images/", "no picture", "at least one", "check --data"))
    >>> error.faults[0].code, error.exit_code
    ('E101', 3)
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__(self._text())

    def __reduce__(self) -> tuple[type[CrossgaugeError], tuple[tuple[Fault, ...]], dict[str, object]]:
        """Pickled with its faults and notes: errors come back from worker processes."""
        return type(self), (self.faults,), self.__dict__

    def _text(self) -> str:
        lines = [str(fault) for fault in self.faults[:SHOWN]]
        if len(self.faults) > SHOWN:
            lines.append(f"… and {len(self.faults) - SHOWN} more")
        return "\n".join(lines)


class UsageError(CrossgaugeError, LookupError):
    """A name, option or combination that does not exist; the fault lists what does."""

    exit_code = 2


class InputError(CrossgaugeError, ValueError):
    """Data that cannot be scored honestly; nothing that looks like a result was written."""

    exit_code = 3


class ResumeRefused(InputError):
    """The run folder was started with other data, model, prompts or version; it names which."""


class EnvironmentFault(CrossgaugeError, OSError):
    """This machine lacks something: an extra, disk space, a permission."""

    exit_code = 4

    def __str__(self) -> str:
        return self._text()


class Interrupted(CrossgaugeError):
    """Stopped on request between two steps; everything finished is kept and will be reused."""

    exit_code = 7
