"""Tasks that a model cannot do: neither 0 nor missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossgauge.report import wording
from crossgauge.result import Result

TITLE = "Not applicable"


@dataclass(frozen=True, slots=True)
class Unable:
    """A task, why it does not apply, and to which systems."""

    task: str
    title: str
    reason: str
    systems: tuple[str, ...]


def unable(results: Sequence[Result]) -> tuple[Unable, ...]:
    """Every task that does not apply to some system, each reason once."""
    systems: dict[tuple[str, str, str], list[str]] = {}
    for result in results:
        for one in result.not_applicable:
            systems.setdefault((one.task, one.title, one.reason), []).append(wording.system(result))
    return tuple(Unable(*facts, systems=tuple(names)) for facts, names in systems.items())
