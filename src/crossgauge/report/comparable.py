"""Whether results may stand in one table: their signatures must agree in all but model and version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossgauge.errors import Fault, InputError
from crossgauge.report.source import Source
from crossgauge.signature import differences

_ALONE = "export them one by one"
_FIX = f"run both on the same data, prompts and options, or {_ALONE}"


def require_comparable(sources: Sequence[Source]) -> None:
    """Do nothing when every pair may be compared; raise InputError (E322) naming both sides when not."""
    first = sources[0]
    faults = [fault for other in sources[1:] for fault in _faults(first, other)]
    if faults:
        raise InputError(faults)


def _faults(first: Source, other: Source) -> Iterable[Fault]:
    ours, theirs = _signatures(first), _signatures(other)
    shared = [key for key in ours if key in theirs]
    place = f"{first.name} and {other.name}"
    wanted = "signatures that differ in nothing but model and version"
    if not shared:
        yield Fault("E322", place, "no cell and measure in common", wanted, _ALONE)
    told: dict[tuple[str, ...], list[str]] = {}  # what differs → in which cells and measures
    for key in shared:
        found = differences(ours[key], theirs[key])
        if found:
            told.setdefault(tuple(found), []).append(" ".join(key))
    for found, keys in told.items():
        where = f"{place}: {keys[0]}{f' and {len(keys) - 1} more' if len(keys) > 1 else ''}"
        yield Fault("E322", where, f"left ≠ right in {'; '.join(found)}", wanted, _FIX)


def _signatures(source: Source) -> dict[tuple[str, str], str]:
    """(cell, measure or official scorer) → signature."""
    study = source.study() if source.alone else None
    if study is not None:
        return {(cell.key, row.measure): row.signature for cell in study.cells for row in cell.scores}
    cells = source.result.cells
    ours = {(cell.key, row.measure): row.signature for cell in cells for row in cell.scores}
    official = {
        (cell.key, f"official {row.profile}"): row.signature for cell in cells for row in cell.profiles
    }
    return ours | official
