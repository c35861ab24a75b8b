"""Changed queries ranked against the same gallery: what that does to every measure, query by query.

The changed queries of a cell and an intervention are a cell of their own, ``t2i.en.plain+antonym``, kept in
the run folder as any other: whole or not at all, and found again when a run is resumed. It never enters
tables, means or aggregates. Everything else (texts, log, differences) follows from the data and the two cells
and is made anew. So the cell with the queries as they are is what it is without interventions, to the byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crossgauge.benchmark import Prompt
from crossgauge.disk import write_atomically
from crossgauge.errors import CrossgaugeError, Fault, InputError, Interrupted, UsageError
from crossgauge.kept import kept
from crossgauge.measured import Measured, RankedCell, System
from crossgauge.measures import constant, parse
from crossgauge.measures.scores import class_weights
from crossgauge.paired import Paired, paired
from crossgauge.perturb import Chosen, Edited, Query, edit, log_lines
from crossgauge.plan import Cell, Plan
from crossgauge.progress import Progress
from crossgauge.ranking import drawn
from crossgauge.result import Intervention, NotApplicable, finite
from crossgauge.runs import RunFolder
from crossgauge.types import Bools, Draw, Encoder, Floats, Ints, Item, Model, Qrels, Ranks, Split

LOGS = "interventions"


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What is to be done, and what the flow lends for it."""

    chosen: tuple[Chosen, ...]
    plan: Plan
    system: System
    ranked: Callable[[Split], Ranks]
    folder: RunFolder | None
    progress: Progress

    def run(self, done: Sequence[Measured]) -> Outcome:
        """Every intervention on every finished cell that asks in words; a bad one does not stop others."""
        if not self.chosen:
            return Outcome((), (), {})
        cells = {cell.key: cell for cell in self.plan.cells}
        rows: list[Intervention] = []
        failed: dict[str, CrossgaugeError] = {}
        for measured in done:
            cell = cells[measured.cell.key]
            if untouchable(cell):
                continue
            texts = _Texts.of(self.plan, cell)
            for chosen in self.chosen:
                if self.progress.stopping():
                    found = f"stopped on request before {chosen.name} of {cell.key}"
                    raise Interrupted(Fault("E421", "the run", found, "", "run the same command again"))
                try:
                    rows += self._compared(measured, cell, texts, chosen)
                except InputError as error:
                    failed[_key(cell, chosen)] = error
        return Outcome(tuple(rows), tuple(_untouched(self.plan)), failed)

    def _compared(
        self, measured: Measured, cell: Cell, texts: _Texts, chosen: Chosen
    ) -> Iterator[Intervention]:
        edited = edit(texts.queries, chosen)
        log = f"{LOGS}/{_key(cell, chosen)}.jsonl"
        if self.folder is not None:
            write_atomically(self.folder.path / log, log_lines(edited, chosen))
        rows = np.array([row for row, one in enumerate(edited) if not one.skipped], dtype=np.int64)
        after = None if not len(rows) else self._measured(cell, chosen, texts.changed(edited, rows))
        unchanged = Counter(one.reason for one in edited if one.skipped)
        for score in measured.cell.scores:
            found = None if after is None else _difference(score.measure, texts.split, rows, measured, after)
            yield Intervention(
                cell=cell.key,
                name=chosen.name,
                measure=score.measure,
                before=None if found is None else finite(found.before),
                after=None if found is None else finite(found.after),
                delta=None if found is None else finite(found.delta),
                low=None if found is None else finite(found.interval[0]),
                high=None if found is None else finite(found.interval[1]),
                n=0 if found is None else found.n,
                p=None if found is None else finite(found.p),
                changed=len(rows),
                unchanged=dict(sorted(unchanged.items())),
                seed=chosen.seed,
                log=log,
                signature="" if after is None else _signature(after, score.measure),
            )
        self.progress.note(f"{_key(cell, chosen)}: {len(rows)} of {len(edited)} queries changed")

    def _measured(self, cell: Cell, chosen: Chosen, split: Split) -> Measured:
        """The changed queries ranked and measured; taken from the run folder where it has them."""
        own = replace(cell, prompt=Prompt(f"{cell.prompt.name}+{chosen.name}", cell.prompt.template))
        finished = None if self.folder is None else kept(self.folder, own.key)
        if finished is not None:
            return finished
        self.progress.stage(f"rank {own.key}", len(split.queries))
        ranks = self.ranked(split)
        self.progress.advance(len(split.queries))
        options = {**self.plan.options, "perturb": chosen.label}
        plan = replace(self.plan, options=options, profiles=())
        measured, table = RankedCell(own, split, ranks).measured(plan, self.system)
        if self.folder is not None:
            self.folder.write_cell(measured.cell, table)
        return measured


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    rows: tuple[Intervention, ...]
    untouched: tuple[NotApplicable, ...]
    failed: Mapping[str, CrossgaugeError]  # cell and intervention → why


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """The queries of one cell as people wrote them, without what the prompt adds."""

    split: Split
    queries: tuple[Query, ...]
    head: str
    tail: str

    @classmethod
    def of(cls, plan: Plan, cell: Cell) -> _Texts:
        split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
        head, _, tail = cell.prompt.template.partition("{}")
        queries = (
            Query(item.id, _inside(item, head, tail), item.lang or cell.language) for item in split.queries
        )
        return cls(split, tuple(queries), head, tail)

    def changed(self, edited: Sequence[Edited], rows: Ints) -> Split:
        """The changed queries alone, with what is relevant to them; the corpus is the same."""
        queries = (
            replace(self.split.queries[row], text=f"{self.head}{edited[row].after}{self.tail}")
            for row in rows
        )
        return _only(self.split, rows, tuple(queries))


def check(plan: Plan, model: Model) -> None:
    """Raise UsageError where interventions would only mislead: vectors by id (E184), no texts (E185)."""
    if all(map(untouchable, plan.cells)):
        found = "; ".join(dict.fromkeys(f"{one.task}: {one.reason}" for one in _untouched(plan)))
        raise UsageError(Fault("E185", "--perturb", found, "a task that asks in words, such as text→image"))
    if isinstance(model, Encoder) and not model.cacheable:
        found = f"{model.name} looks vectors up by item id, whatever the text"
        raise UsageError(Fault("E184", "--perturb", found, "a model that reads the text"))


def untouchable(cell: Cell) -> str:
    """Why no intervention applies to a cell; empty where its queries are texts.

    >>> from crossgauge.benchmark import PLAIN, Task
    >>> untouchable(Cell(Task("i2t", "image", "text", ("hit@1",)), "en", PLAIN))
    'its queries are image, not text'
    """
    if cell.task.kind != "ranking":
        return "nothing is asked: texts are written"
    if cell.task.query != "text":
        return f"its queries are {cell.task.query}, not text"
    if "{}" not in cell.prompt.template:
        return f"the prompt format {cell.prompt.name} does not say which words are the query's own"
    return ""


def _untouched(plan: Plan) -> Iterator[NotApplicable]:
    """Each task with the reason, once."""
    reasons = dict.fromkeys((cell.task, untouchable(cell)) for cell in plan.cells)
    for task, reason in reasons:
        if reason:
            yield NotApplicable(task=task.name, title=task.title, reason=reason)


def _key(cell: Cell, chosen: Chosen) -> str:
    return f"{cell.key}+{chosen.name}"


def _inside(item: Item, head: str, tail: str) -> str | None:
    """The item's own text; None where it has none, or several phrasings, or none inside the prompt."""
    text = item.text
    if text is None or item.ensemble or len(text) < len(head) + len(tail):
        return None
    if not (text.startswith(head) and text.endswith(tail)):
        return None
    return text[len(head) : len(text) - len(tail)]


def _only(split: Split, rows: Ints, queries: tuple[Item, ...]) -> Split:
    """The split with some of its queries; draws that lose all of theirs are left out."""
    counts = np.diff(split.qrels.start)[rows]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    at = np.repeat(split.qrels.start[rows] - start[:-1], counts) + np.arange(start[-1])
    place = np.full(len(split.queries), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    draws = [Draw(kept, draw.corpus) for draw in split.draws or () if len(kept := _placed(draw, place))]
    return Split(
        queries=queries,
        corpus=split.corpus,
        qrels=Qrels(start, split.qrels.items[at], split.qrels.gains[at]),
        candidates=None if split.candidates is None else tuple(split.candidates[row] for row in rows),
        clusters=None if split.clusters is None else split.clusters[rows],
        draws=None if split.draws is None else tuple(draws),
    )


def _placed(draw: Draw, place: Ints) -> Ints:
    placed: Ints = place[draw.queries]
    return placed[placed >= 0]


def _difference(name: str, split: Split, rows: Ints, before: Measured, after: Measured) -> Paired:
    """One measure over the changed queries, before and after."""
    changed = np.isin(_asked(split), rows)
    old, new = before.per_query[name][changed], after.per_query[name]
    part = _only(split, rows, tuple(split.queries[row] for row in rows))
    part, draws = (part, None) if part.draws is None else drawn(part)
    kind = parse(name).summary
    whole = _whole_clusters(split, rows) if kind == "all" else np.ones(len(old), np.bool_)
    weights = _class_weights(part, draws) if kind == "macro" else None
    return paired(
        name,
        old[whole],
        new[whole],
        weights=weights,
        clusters=None if part.clusters is None else part.clusters[whole],
        draws=None if kind == "all" else draws,
    )


def _asked(split: Split) -> Ints:
    """The query of each line that was measured: all once, or those drawn, draws in order."""
    if split.draws is None:
        return np.arange(len(split.queries))
    return np.concatenate([draw.queries for draw in split.draws] or [np.zeros(0, np.int64)])


def _whole_clusters(split: Split, rows: Ints) -> Bools:
    """Which changed queries belong to clusters whose every query changed, (len(rows),)."""
    if split.clusters is None:
        return np.ones(len(rows), np.bool_)
    unchanged = np.delete(split.clusters, rows)
    whole: Bools = ~np.isin(split.clusters[rows], unchanged)
    return whole


def _class_weights(split: Split, draws: Ints | None) -> Floats:
    sizes = np.full(len(split.queries), len(split.corpus), dtype=np.int64)
    return class_weights(constant(split.qrels, sizes), draws)


def _signature(after: Measured, name: str) -> str:
    return next(row.signature for row in after.cell.scores if row.measure == name)
