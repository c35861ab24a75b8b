"""Numbers that somebody edited after they were measured: found by what contradicts them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean

import msgspec

from crossgauge.errors import Fault
from crossgauge.result import CellResult, Intervention, Mean, PromptSpread, Result, ScoreRow

TOLERANCE = 1e-9  # of a number, and of a fraction: sums are not exact
_FEW = 3  # parts that a message names
_WIDE = 80  # characters of a value in a message
_AGAIN = "evaluate again: numbers are measured, never written by hand"


def contradictions(result: Result, place: str) -> list[Fault]:
    """Scores, means, spreads and changes that cannot be, whatever was measured (E327)."""
    faults = [
        _contradiction(f"{place}: {cell.key} {row.measure}", found)
        for cell in result.cells
        for row in cell.scores
        for found in _odd(row)
    ]
    faults += [
        _contradiction(f"{place}: {mean.task} {mean.prompt} macro {mean.measure}", found)
        for mean in result.means
        for found in _odd_mean(mean, result)
    ]
    faults += [
        _contradiction(f"{place}: prompts of {spread.task} {spread.language}", found)
        for spread in result.prompts
        for found in _odd_spread(spread, result)
    ]
    return faults + odd_changes(result.interventions, place)


def odd_changes(rows: Iterable[Intervention], place: str) -> list[Fault]:
    """Effects of interventions that cannot be (E327)."""
    return [
        _contradiction(f"{place}: {row.name} of {row.cell} {row.measure}", found)
        for row in rows
        for found in _odd_intervention(row)
    ]


def changes(result: Result, folder: Path) -> list[Fault]:
    """Cells of a Result that the run folder holds otherwise (E328), or that changed there (E329).

    Cells of changed queries are looked at too: concept studies read them.
    """
    perturbed = dict.fromkeys(f"{row.cell}+{row.name}" for row in result.interventions)
    faults = [fault for key in perturbed for fault in _resummed(folder / "cells" / key, key)]
    for cell in result.cells:
        inside = folder / "cells" / cell.key
        faults += _resummed(inside, cell.key)
        kept = _kept(inside / "result.json")
        if kept is not None and kept != cell:
            faults += [_difference(folder, cell.key, *found) for found in _differences(cell, kept)]
    return faults


def _odd(row: ScoreRow) -> Iterator[str]:
    lower, upper = row.pessimistic, row.optimistic
    if not row.higher_is_better:
        lower, upper = upper, lower
    if not _ordered(lower, row.value) or not _ordered(row.value, upper):
        yield f"{row.value} is not between {lower} and {upper}, its worst and best outcome"
    if not _ordered(row.low, row.high):
        yield f"an interval from {row.low} to {row.high}"
    numbers = (row.value, lower, upper, row.low, row.high, row.chance)
    largest = 1.0 if row.unit == "fraction" else None
    yield from (
        f"{one} is no {row.unit}" for one in numbers if not _ordered(0.0, one) or not _ordered(one, largest)
    )
    counts = (row.n, row.n_undefined, row.n_missing, row.n_tied)
    if min(counts) < 0 or max(counts) > row.n:
        yield f"counts of queries that do not fit: {', '.join(map(str, counts))}"
    known = [value for value in row.draws if value is not None]
    if (
        row.value is not None
        and known
        and len(known) == len(row.draws)
        and not _same(row.value, fmean(known))
    ):
        yield f"{row.value}, where the mean of its draws is {fmean(known)}"


def _odd_mean(mean: Mean, result: Result) -> Iterator[str]:
    values = [
        row.value
        for cell in result.cells
        if (cell.task, cell.prompt) == (mean.task, mean.prompt) and cell.language in mean.languages
        for row in cell.scores
        if row.measure == mean.measure
    ]
    known = [value for value in values if value is not None]
    if mean.macro is None or len(known) != len(mean.languages):
        return
    expected = sum(known) / len(known)
    if not _same(mean.macro, expected):
        yield f"{mean.macro}, where the mean of its languages is {expected}"


def _odd_spread(spread: PromptSpread, result: Result) -> Iterator[str]:
    measured = {
        cell.prompt: row.value
        for cell in result.cells
        if (cell.task, cell.language) == (spread.task, spread.language)
        for row in cell.scores
        if row.measure == spread.measure
    }
    for prompt, value in spread.values.items():
        score = measured.get(prompt)
        if value is not None and score is not None and not _same(value, score):
            yield f"{value} with the prompt {prompt}, where its cell says {score}"
    known = [value for value in spread.values.values() if value is not None]
    if spread.spread is not None and known and not _same(spread.spread, max(known) - min(known)):
        yield f"a spread of {spread.spread}, where the values differ by {max(known) - min(known)}"


def _odd_intervention(row: Intervention) -> Iterator[str]:
    if row.before is not None and row.after is not None and row.delta is not None:
        change = row.after - row.before
        if not _same(row.delta, change):
            yield f"a change of {row.delta}, where the values differ by {change}"
    if not _ordered(row.low, row.high):
        yield f"an interval from {row.low} to {row.high}"
    if row.p is not None and not 0.0 <= row.p <= 1.0:
        yield f"a p-value of {row.p}"
    if min(row.n, row.changed, *row.unchanged.values(), 0) < 0:
        yield f"counts of queries that do not fit: {row.n}, {row.changed}, {sorted(row.unchanged.values())}"


def _same(a: float, b: float) -> bool:
    return _ordered(a, b) and _ordered(b, a)


def _ordered(a: float | None, b: float | None) -> bool:
    """Whether a ≤ b, but for what sums lose; an undefined or infinite number contradicts nothing."""
    return a is None or b is None or a <= b + TOLERANCE * max(1.0, abs(b))


def _kept(path: Path) -> CellResult | None:
    """The cell as it was measured; None where the folder does not hold it (any more)."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=CellResult)
    except (OSError, ValueError):
        return None


def _resummed(folder: Path, key: str) -> list[Fault]:
    """Files of a cell that are not those whose checksums were written with it."""
    try:
        sums = json.loads((folder / "sums.json").read_text(encoding="utf-8"))
        names = [str(name) for name in sums if (folder / name).is_file()]
        odd = [name for name in names if _digest(folder / name) != sums[name]]
    except (OSError, ValueError, TypeError, KeyError):
        return []  # nothing to compare with: a cell of another make
    return [
        Fault("E329", f"{folder / name}", f"the cell {key} changed since it was measured",
              "the file as it was written", "run the same command again: it measures this cell anew")
        for name in odd
    ]  # fmt: skip


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _differences(cell: CellResult, kept: CellResult) -> Iterator[tuple[str, object, object]]:
    """What differs: the measures, each with its first differing field; else the facts of the cell."""
    measured = {row.measure: row for row in kept.scores}
    shown = {row.measure: row for row in cell.scores}
    for measure in {**shown, **measured}:
        ours, theirs = shown.get(measure), measured.get(measure)
        if ours is None or theirs is None:
            yield measure, "missing" if ours is None else "there", "missing" if theirs is None else "there"
        elif ours != theirs:
            yield _first_field(measure, ours, theirs)
    for name in CellResult.__struct_fields__:
        ours, theirs = getattr(cell, name), getattr(kept, name)
        if name == "scores" or ours == theirs:
            continue
        yield _first_part(name, ours, theirs) if isinstance(ours, tuple) else (name, ours, theirs)


def _first_field(name: str, ours: object, theirs: object) -> tuple[str, object, object]:
    """The first field in which two rows of one kind differ, or the rows where they have none."""
    for field in getattr(type(ours), "__struct_fields__", ()) if type(ours) is type(theirs) else ():
        if getattr(ours, field) != getattr(theirs, field):
            return f"{name} {field}", getattr(ours, field), getattr(theirs, field)
    return name, ours, theirs


def _first_part(
    name: str, ours: tuple[object, ...], theirs: tuple[object, ...]
) -> tuple[str, object, object]:
    """The first of the parts that differ, and how many do: there may be thousands of groups."""
    if len(ours) != len(theirs):
        return name, f"{len(ours):,} of them", f"{len(theirs):,} of them"
    odd = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    called = [f"{getattr(ours[at], 'group', at + 1)!s:.40}" for at in odd[:_FEW]]
    more = f" and {len(odd) - _FEW:,} more" if len(odd) > _FEW else ""
    told = f"{name} {', '.join(called)}{more} ({len(odd):,} of {len(ours):,} differ); the first,"
    return _first_field(told, ours[odd[0]], theirs[odd[0]])


def _difference(folder: Path, key: str, name: str, ours: object, theirs: object) -> Fault:
    first, second = _apart(f"{ours!r}", f"{theirs!r}")
    found = f"scores.json says {first}, cells/{key}/result.json {second}"
    return Fault("E328", f"{folder}: {key} {name}", found, "the same in both", _AGAIN)


def _apart(ours: str, theirs: str) -> tuple[str, str]:
    """Both texts cut to what fits a message, long ones from a little before where they begin to differ.

    >>> [len(one) for one in _apart("x" * 900 + "a", "x" * 900 + "b")]
    [22, 22]
    """
    if max(len(ours), len(theirs)) <= _WIDE:
        return ours, theirs
    same = next((at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0)
    begin = max(same - _WIDE // 4, 0)
    first, second = (f"{'…' * bool(begin)}{one[begin : begin + _WIDE]}" for one in (ours, theirs))
    return first, second


def _contradiction(place: str, found: str) -> Fault:
    return Fault("E327", place, found, "numbers that fit one another", _AGAIN)
