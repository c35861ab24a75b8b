"""What a submission is held against: the ids of each task and language, and whose an unknown id is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from crossgauge.benchmark import Benchmark
from crossgauge.benchmarks.gem.data import GemData
from crossgauge.benchmarks.gem.tasks import part_of
from crossgauge.errors import Fault
from crossgauge.plan import Plan, make_plan
from crossgauge.submission.names import Names
from crossgauge.types import Floats, Ints

Sides = tuple[tuple[str, ...], tuple[str, ...]]


class Truth:
    """The data of GEM, opened to score predictions."""

    def __init__(self, plan: Plan) -> None:
        if not isinstance(plan.dataset, GemData):
            raise TypeError("the data of GEM are wanted")
        self.plan, self.data = plan, plan.dataset
        self.cells = {(cell.task.name, cell.language): cell for cell in plan.cells}
        self._seen: dict[str, Mapping[tuple[str, str], str]] = {}

    def fault(self, task: str, language: str, place: str) -> Fault | None:
        """Why there is nothing to hold this task and language against; None when there is."""
        if (task, language) in self.cells:
            return None
        have = ", ".join(one for name, one in self.cells if name == task) or "nothing of this task"
        return Fault("E491", place, f"{task} in {language} is not in the truth", f"one of: {have}",
                     "remove it, or complete the data")  # fmt: skip

    def side(self, task: str, language: str) -> Side:
        """The ids of one task and language."""
        return Side(*self.data.declared(task, language))

    def hint(self, task: str, language: str, kind: str, name: str) -> str:
        """What to do about an unknown id: whose it is, as far as anybody knows it."""
        part = part_of(task)
        if name.startswith(f"{part[-1]}:") and name.count(":") >= 3:  # noqa: PLR2004
            return f"that is crossgauge's own name for it: write {name.split(':', 3)[3]!r}"
        if part not in self._seen:
            self._seen[part] = self._everywhere(part)
        other = self._seen[part].get((kind, name))
        return f"it is an id of {other}: is the file misnamed?" if other and other != language else ""

    def _everywhere(self, part: str) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for task, language in self.cells:
            if part_of(task) == part:
                queries, items = self.data.declared(task, language)
                for kind, ids in (("query", queries), ("item", items)):
                    found.update(((kind, one), language) for one in ids if (kind, one) not in found)
        return found


class Side:
    """The ids that a file may name, and the rows of the split that each item id stands for."""

    def __init__(self, queries: tuple[str, ...], items: tuple[str, ...]) -> None:
        self.query_ids, self.item_ids = queries, tuple(dict.fromkeys(items))
        known = Names(self.item_ids)
        self.distinct: Ints = np.array([known.row(one) for one in items], dtype=np.int64)  # (N,)

    @property
    def queries(self) -> Names:
        """The query ids, ready to read a file with."""
        return Names(self.query_ids)

    @property
    def items(self) -> Names:
        """The different item ids, ready to read a file with."""
        return Names(self.item_ids)

    def spread(self, query: Ints, item: Ints, score: Floats) -> tuple[Ints, Ints, Floats]:
        """Pairs over corpus rows: an id that stands for several rows scores the same in each."""
        if len(self.item_ids) == len(self.distinct):
            order = np.argsort(self.distinct)
            return query, order[item], score
        order = np.argsort(self.distinct, kind="stable")
        start = np.zeros(len(self.item_ids) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.distinct, minlength=len(self.item_ids)), out=start[1:])
        times = np.diff(start)[item]
        begin = np.cumsum(times) - times
        within = np.arange(int(times.sum())) - np.repeat(begin, times)
        return np.repeat(query, times), order[np.repeat(start[item], times) + within], np.repeat(score, times)


def open_truth(
    folder: Path,
    *,
    options: Mapping[str, str],
    profiles: tuple[str, ...] = (),
    benchmark: str | Benchmark = "gem",
) -> Truth:
    """The data in a folder; pictures and videos need not be there unless ``options`` ask for them.

    Raises InputError for what is wrong with the data, UsageError for options and profiles.
    """
    settings = {"media": "none", **options}
    return Truth(make_plan(benchmark, data=folder, options=settings, profiles=profiles))
