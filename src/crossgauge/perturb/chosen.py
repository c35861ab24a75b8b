"""Interventions as somebody asked for them: by name, with a seed and a way to choose colours."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from crossgauge.errors import Fault, UsageError
from crossgauge.perturb.intervention import TABLE, THRESHOLD, Colors, Intervention

_MODULES = ("antonym", "color", "size", "object_swap", "word_order")  # a new one is a file and its name here


@dataclass(frozen=True, slots=True)
class Chosen:
    """One intervention, ready to be applied."""

    intervention: Intervention
    seed: int
    colors: Colors

    @property
    def name(self) -> str:
        """``antonym``."""
        return self.intervention.name

    @property
    def label(self) -> str:
        """What stands in signatures: ``antonym#0``, ``color-all(css4>150)#0``."""
        colors = f"({self.colors.table}>{self.colors.threshold:g})" if self.intervention.colored else ""
        return f"{self.name}{colors}#{self.seed}"


@lru_cache(maxsize=1)
def interventions() -> Mapping[str, Intervention]:
    """Every intervention by name.

    >>> sorted(interventions())
    ['antonym', 'color-all', 'color-in', 'object-swap', 'size', 'word-order']
    """
    modules = [import_module(f"crossgauge.perturb.{name}") for name in _MODULES]
    return {one.name: one for module in modules for one in module.INTERVENTIONS}


def choose(
    names: str | Sequence[str],
    *,
    seed: int = 0,
    color_threshold: float = THRESHOLD,
    color_table: str = TABLE,
) -> tuple[Chosen, ...]:
    """The interventions of these names, each once.

    Arguments:
        names: see :func:`interventions`. seed: of everything that is drawn; a whole number from 0.
        color_threshold: colours nearer than this are never taken for one another: Euclidean distance over
        red,
            green and blue from 0 to 255, up to 441.
        color_table: ``css4`` (148 names) or ``xkcd`` (949).

    Raises UsageError with all that is wrong: a name (E180), the seed (E181), the colours (E182).

    >>> [one.label for one in choose(["antonym", "color-all"], seed=3)]
    ['antonym#3', 'color-all(css4>150)#3']
    """
    wanted = (names,) if isinstance(names, str) else tuple(names)
    faults = [*_name_faults(wanted), *_faults(seed, color_threshold, color_table)]
    if faults:
        raise UsageError(faults)
    colors = Colors(color_table, float(color_threshold))
    return tuple(Chosen(interventions()[name], seed, colors) for name in dict.fromkeys(wanted))


def _name_faults(names: Sequence[str]) -> list[Fault]:
    known = interventions()
    wanted = f"one of: {', '.join(known)}"
    if not names:
        return [Fault("E180", "--perturb", "no intervention", wanted)]
    return [
        Fault("E180", f"--perturb {name}", "no such intervention", wanted, _near(name, known))
        for name in names
        if name not in known
    ]


def _near(name: str, known: Mapping[str, Intervention]) -> str:
    near = difflib.get_close_matches(name.lower().replace("colour", "color"), list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""


def _faults(seed: object, threshold: object, table: str) -> list[Fault]:
    from crossgauge.perturb.color_table import FARTHEST, TABLES

    faults = []
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        faults.append(Fault("E181", "--seed", repr(seed), "a whole number from 0", "leave it out for 0"))
    if not isinstance(threshold, int | float) or not 0 <= threshold < FARTHEST:
        found, wanted = repr(threshold), f"a distance from 0 to below {FARTHEST:.1f}, black to white"
        faults.append(Fault("E182", "--color-threshold", found, wanted, f"leave it out for {THRESHOLD:g}"))
    if table not in TABLES:
        faults.append(Fault("E182", "--color-table", repr(table), f"one of: {', '.join(TABLES)}"))
    return faults
