"""Pairs of a picture and a recipe as splits: draws, everything at once, and ten-way choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crossgauge.benchmarks.recipe1m.choice import WAYS, Choices, choices
from crossgauge.benchmarks.recipe1m.draws import SAMPLINGS, draws
from crossgauge.errors import Fault
from crossgauge.types import Draw, Ints, Item, Qrels, Split

DRAWN = ("im2recipe", "recipe2im")
FULL = tuple(f"{task}-full" for task in DRAWN)
CHOICE = tuple(f"choice-{task}" for task in DRAWN)
LANGUAGE = "en"  # of the recipes


@dataclass(frozen=True, eq=False)
class Protocol:
    """How pairs sorted by id are drawn; ``order`` is the pair of each row as it was given, (N,)."""

    ids: tuple[str, ...]  # (N,) ascending
    order: Ints
    sampling: str
    size: int | None  # None: one draw of everything
    n: int
    labels: Mapping[str, str] | None = None  # distractors of a choice come from the same label

    @classmethod
    def of(
        cls, ids: Sequence[str], order: Ints, options: Mapping[str, str], labels: Mapping[str, str] | None
    ) -> Protocol:
        """The protocol that options ask for."""
        size = options.get("size") or "1000"
        return cls(
            tuple(ids), order, options.get("sampling") or "by-id", None if size == "all" else int(size),
            int(options.get("draws") or 10), labels,
        )  # fmt: skip

    @cached_property
    def drawn(self) -> tuple[Draw, ...]:
        """The draws, each in the order drawn."""
        total = len(self.ids)
        return draws(self.sampling, size=self.size or total, n=self.n, order=self.order)

    @property
    def ordered(self) -> bool:
        """Whether the draws depend on the order in which rows were given."""
        return not SAMPLINGS[self.sampling].by_id

    @cached_property
    def choices(self) -> Choices:
        """Who is asked to choose, and among what."""
        return choices(self.ids, self.labels)

    def findings(self) -> tuple[Fault, ...]:
        """Where there are fewer pairs, or fewer who can be asked, than the protocol wants."""
        total, told = len(self.ids), []
        if self.size is not None and total < self.size:
            found = f"{total} pairs, fewer than the {self.size} of a draw: one draw of all"
            told.append(Fault("W330", "size", found, "", "not comparable with published numbers"))
        elif self.size is not None and self.sampling == "consecutive" and total // self.size < self.n:
            found = f"{total // self.size} whole blocks of {self.size} pairs, not {self.n}"
            told.append(Fault("W339", "draws", found, "", "fewer draws than asked for"))
        asked = len(self.choices.asked)
        silent = f"; {total - asked} of {total} lack {WAYS - 1} distractors and are not asked"
        found = f"{WAYS}-way choice: chance is {1 / WAYS}{silent if asked < total else ''}"
        told.append(Fault("W336", "choice tasks", found, "", "never compare them with retrieval"))
        return tuple(told)

    def facts(self) -> dict[str, str]:
        """The draws in words."""
        way, drawn = SAMPLINGS[self.sampling], self.drawn
        seed = "" if way.method == "consecutive" else f", {way.method} seed {way.seed}"
        return {
            "draws": f"{len(drawn)} of {len(drawn[0].queries)} pairs, {self.sampling}{seed}",
            "asked to choose": str(len(self.choices.asked)),
        }

    def offers(self, task: str) -> bool:
        """Whether the task has a query."""
        return task in (*DRAWN, *FULL) or (task in CHOICE and len(self.choices.asked) > 0)

    def split(self, task: str, images: Sequence[Item], recipes: Sequence[Item]) -> Split:
        """The cell of a task; picture ``i`` and recipe ``i`` are those of pair ``i``."""
        left, right = (images, recipes) if "im2recipe" in task else (recipes, images)
        if task in CHOICE:
            return self._choice(tuple(left), tuple(right))
        drawn = self.drawn if task in DRAWN else None
        return Split(tuple(left), tuple(right), Qrels.diagonal(len(self.ids)), draws=drawn)

    def _choice(self, left: tuple[Item, ...], right: tuple[Item, ...]) -> Split:
        chosen = self.choices
        rows = chosen.asked.tolist()
        labels = self.labels
        return Split(
            queries=tuple(left[row] for row in rows),
            corpus=right,
            qrels=Qrels(np.arange(len(rows) + 1, dtype=np.int64), chosen.asked, np.ones(len(rows))),
            candidates=chosen.among,
            groups=None if labels is None else tuple(labels[self.ids[row]] for row in rows),
        )
