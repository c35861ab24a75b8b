"""A measure is a value: what it is called, what it computes, in which direction, from which source."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from crossgauge.errors import Fault, UsageError
from crossgauge.types import Floats, Ranks, Unit

Summary = Literal["mean", "median", "macro", "all"]

NO_POSITIVE = "a query without a relevant item"
_NAMES = ("names of measures", "['hit@1', 'medr']; `crossgauge list measures` shows them all")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number for each query, and how queries are summed up.

    ``per_query`` gives the expected value over a random order inside ties, NaN where it is undefined;
    for the bounds give it :func:`~crossgauge.measures.optimistic` or ``pessimistic`` ranks.
    """

    name: str  # "hit@5": parses back to this measure
    title: str  # "R@5": what papers print
    per_query: Callable[[Ranks], Floats]  # (Q,)
    summary: Summary  # macro: mean over classes of the mean inside each; all: over clusters of the product
    unit: Unit
    higher_is_better: bool
    range: tuple[float, float]
    source: str
    undefined: str  # for which queries it is NaN
    cutoff: int | None  # nothing after this place counts


@dataclass(frozen=True, slots=True)
class Family:
    """A measure but for its cutoff; ``name`` ends in ``@k`` when it takes one."""

    name: str
    title: str  # "R@{k}"
    function: Callable[..., Floats]  # (ranks) or (ranks, k)
    source: str
    summary: Summary = "mean"
    unit: Unit = "fraction"
    higher_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    undefined: str = NO_POSITIVE
    cutoff: int | None = None  # an example of k, or the last place that a measure without k looks at

    @property
    def takes_cutoff(self) -> bool:
        """Whether the name needs a number: ``hit@5``."""
        return self.name.endswith("@k")

    def at(self, k: int | None = None) -> Measure:
        """The measure itself, at a cutoff if it takes one.

        >>> FAMILIES["hit@k"].at(5).title
        'R@5'
        """
        if self.takes_cutoff:
            k = self.cutoff if k is None else k
            function = functools.partial(self.function, k=k)
        else:
            k, function = self.cutoff, functools.partial(self.function)
        return Measure(
            name=self.name if not self.takes_cutoff else f"{self.name[:-1]}{k}",
            title=self.title.format(k=k),
            per_query=function,
            summary=self.summary,
            unit=self.unit,
            higher_is_better=self.higher_is_better,
            range=self.range,
            source=self.source,
            undefined=self.undefined,
            cutoff=k,
        )


FAMILIES: dict[str, Family] = {}


def family(
    name: str,
    title: str,
    *,
    source: str,
    summary: Summary = "mean",
    unit: Unit = "fraction",
    higher_is_better: bool = True,
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002  (the field's word)
    undefined: str = NO_POSITIVE,
    cutoff: int | None = None,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register a function ``(ranks) -> (Q,)``, or ``(ranks, k)`` when the name ends in ``@k``."""

    def register(function: Callable[..., Floats]) -> Callable[..., Floats]:
        if name in FAMILIES:
            raise ValueError(f"two measures are called {name}")
        FAMILIES[name] = Family(
            name, title, function, source, summary, unit, higher_is_better, range, undefined, cutoff
        )
        return function

    return register


def parse(name: str) -> Measure:
    """The measure of a name such as ``mrr`` or ``hit@5``; plug-ins count.

    Raises UsageError: E110 with the nearest names if there is none, E141 for a bad cutoff, E143 for what is
    no name.

    >>> parse("ndcg@10").name, parse("medr").higher_is_better
    ('ndcg@10', False)
    """
    if not isinstance(name, str):
        raise UsageError(Fault("E143", "measures", f"{name!r}, a {type(name).__name__}", *_NAMES))
    head, at, tail = name.partition("@")
    found = _lookup(f"{head}@k" if at else name)
    if found is None:
        raise _no_such(name, head, cut=bool(at))
    if isinstance(found, Measure) or not at:
        return found if isinstance(found, Measure) else found.at()
    if not re.fullmatch("[1-9][0-9]{0,8}", tail):
        fault = Fault("E141", f"measure {name!r}", f"cutoff {tail!r}", "a whole number from 1", f"{head}@10")
        raise UsageError(fault)
    return found.at(int(tail))


def parse_all(names: str | Iterable[str]) -> list[Measure]:
    """The measures of several names, or of one; raises UsageError with what is wrong with all of them.

    >>> [one.name for one in parse_all(["hit@1", "mrr"])], [one.name for one in parse_all("mrr")]
    (['hit@1', 'mrr'], ['mrr'])
    """
    if isinstance(names, str):
        return [parse(names)]
    if isinstance(names, bytes) or not isinstance(names, Iterable):
        raise UsageError(Fault("E143", "measures", f"{names!r}, a {type(names).__name__}", *_NAMES))
    found: list[Measure] = []
    faults: list[Fault] = []
    for name in names:
        try:
            found.append(parse(name))
        except UsageError as error:
            faults += error.faults
    if faults:
        raise UsageError(faults)
    return found


def example(name: str) -> Measure:
    """A measure of a family, at its usual cutoff: what lists of measures show.

    >>> example("hit@k").name
    'hit@1'
    """
    from crossgauge import registry

    found: Family | Measure = registry.load("measures", name)
    return found if isinstance(found, Measure) else found.at()


def _lookup(name: str) -> Family | Measure | None:
    """What is registered under exactly this name; a plug-in may bring a Family or a single Measure."""
    if name in FAMILIES:
        return FAMILIES[name]
    from crossgauge import registry

    found = registry.load("measures", name) if name in registry.names("measures") else None
    return found if isinstance(found, Family | Measure) else None


def _no_such(name: str, head: str, *, cut: bool) -> UsageError:
    """Why there is no such measure: a cutoff too many or too few, or the name."""
    if _lookup(head if cut else f"{head}@k") is not None:
        found, wanted = ("a cutoff", f"{head}") if cut else ("no cutoff", f"{head}@1, {head}@5, …")
        return UsageError(Fault("E141", f"measure {name!r}", found, wanted))
    from crossgauge import registry

    try:
        registry.load("measures", name)
    except UsageError as error:
        return error
    return UsageError(Fault("E110", f"measure {name!r}", "a plug-in's object that is no measure"))
