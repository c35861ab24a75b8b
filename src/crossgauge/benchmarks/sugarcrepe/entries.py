"""Pictures with a true and a false caption, by type, as a Dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from crossgauge.benchmark import PLAIN, Prompt
from crossgauge.benchmarks._choices import Choice, choices_split, equal_candidates
from crossgauge.benchmarks._fingerprint import fingerprint, lowest
from crossgauge.captions import unused
from crossgauge.errors import Fault, UsageError
from crossgauge.types import Item, Split

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Entry:
    """One picture with the caption that is true of it and the one that is not."""

    kind: str  # "add_att": the task
    key: str  # in its file
    picture: str  # id
    caption: str
    negative: str


@dataclass(frozen=True)
class Entries:
    """All types; implements :class:`crossgauge.benchmark.Dataset`.

    A picture that a type asks of several times is a query each time: ``a.jpg``, ``a.jpg#2``, …; these are
    resampled together.
    """

    entries: tuple[Entry, ...]
    paths: Mapping[str, Path]  # picture id → file
    kinds: tuple[str, ...]
    warnings: tuple[Fault, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] | None = None  # ids of the pictures that ``limited`` left; None: all

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:…`` over picture bytes, types, keys and both captions."""
        told = sorted([one.kind, one.key, one.picture, one.caption, one.negative] for one in self._left)
        return fingerprint(self.media(), told)

    @cached_property
    def findings(self) -> tuple[Fault, ...]:
        """The loader's warnings, and entries whose two captions are equal (W378)."""
        equal = (equal_candidates(list(self._choices(kind, PLAIN)), kind) for kind in self.kinds)
        return (*self.warnings, *(fault for faults in equal for fault in faults))

    def languages(self, task: str) -> tuple[str, ...]:
        """English, where the type has an entry."""
        return (ENGLISH,) if any(entry.kind == task for entry in self._left) else ()

    def limited(self, n: int) -> Entries:
        """Cut to the ``n`` pictures whose ids hash lowest, with all their entries."""
        return replace(self, kept=lowest({entry.picture for entry in self.entries}, n))

    def media(self) -> tuple[Item, ...]:
        """Every picture once."""
        names = sorted({entry.picture for entry in self._left})
        return tuple(Item(name, image=self.paths[name]) for name in names)

    def texts(self) -> tuple[Item, ...]:
        """Both captions of every entry, unprompted."""
        return tuple(text for entry in self._left for text in _captions(entry, PLAIN))

    def facts(self) -> Mapping[str, str]:
        """Pictures, entries, and how many of each type."""
        counts = {kind: sum(one.kind == kind for one in self._left) for kind in self.kinds}
        return {
            "pictures": str(len(self.media())),
            "entries": str(len(self._left)),
            **self.notes,
            "of each type": ", ".join(f"{kind} {count}" for kind, count in counts.items()),
        }

    def split(self, task: str, language: str, prompt: Prompt) -> Split:
        """A query an entry, with two candidates; raises UsageError (E132)."""
        offered = self.languages(task)
        if language not in offered:
            have = ", ".join(offered) or "no such task here"
            raise UsageError(Fault("E132", f"{task} in {language!r}", "not in the data", f"one of: {have}"))
        return choices_split(list(self._choices(task, prompt)))

    def _choices(self, kind: str, prompt: Prompt) -> Iterator[Choice]:
        taken: set[str] = set()
        number: dict[str, int] = {}
        for entry in self._left:
            if entry.kind == kind:
                query = Item(unused(entry.picture, taken), image=self.paths[entry.picture])
                cluster = number.setdefault(entry.picture, len(number))
                yield Choice(query, _captions(entry, prompt), 0, cluster)

    @cached_property
    def _left(self) -> tuple[Entry, ...]:
        return tuple(one for one in self.entries if self.kept is None or one.picture in self.kept)


def _captions(entry: Entry, prompt: Prompt) -> tuple[Item, Item]:
    stem = f"{entry.kind}:{entry.key}"
    return (
        Item(f"{stem}:caption", text=prompt.fill(entry.caption), lang=ENGLISH),
        Item(f"{stem}:negative", text=prompt.fill(entry.negative), lang=ENGLISH),
    )
