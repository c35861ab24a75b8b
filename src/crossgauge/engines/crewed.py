"""An engine made of workers, whatever they are: batches and blocks of queries are dealt out to them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from crossgauge.engines.asking import Answer, Ask, Batch
from crossgauge.engines.dealing import Crew, Dealer, Lost
from crossgauge.engines.ranking import Ranking, Stored, in_one, pieces, whole, worth_cutting
from crossgauge.engines.worker import Asked, Debrief, identity
from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.progress import Progress
from crossgauge.types import Ranks, Vectors

Keeping = Callable[[], AbstractContextManager[Callable[[Vectors], Stored]]]


class Crewed:
    """The engine of a crew; ``keeping`` opens a place for arrays that its workers can read."""

    def __init__(self, name: str, crew: Crew, keeping: Keeping) -> None:
        self.name = name
        self._crew, self._keeping = crew, keeping
        self._dealer = Dealer(crew)

    def answers(
        self, model: Any, ask: Ask, batches: Sequence[Batch], progress: Progress
    ) -> Generator[Answer, None, None]:
        """One answer a batch, as they come; items over which workers only died are refused (E672)."""
        wanted = identity(model)
        works = [Asked(ask, batch, wanted) for batch in batches]
        for at, found in self._dealer.each(works, progress):
            yield _without(batches[at], found.died) if isinstance(found, Lost) else found
        for line in self._told() if works else ():
            progress.note(f"{model.name}: {line}")

    def rank(self, ranking: Ranking, progress: Progress) -> Ranks:
        """In blocks, where that pays. Raises as one process does, with the faults of all rows."""
        if not worth_cutting(ranking, self._crew.workers):
            return in_one(ranking)
        try:
            return self._in_blocks(ranking, progress)
        except InputError:
            return in_one(ranking)  # raises the same, of all rows and by their own numbers

    def _in_blocks(self, ranking: Ranking, progress: Progress) -> Ranks:
        with self._keeping() as keep:
            works = list(pieces(ranking, keep, self._crew.workers))
            parts: list[Ranks | None] = [None] * len(works)
            for at, found in self._dealer.each(works, progress):
                if isinstance(found, Lost):
                    died = f"workers die while ranking: {found.died}"
                    fix = "a smaller --memory, fewer --workers, or --engine local"
                    raise EnvironmentFault(Fault("E675", f"engine {self.name}", died, "", fix))
                parts[at] = found
            return whole([part for part in parts if part is not None])

    def close(self) -> None:
        """End the workers."""
        self._crew.close()

    def _told(self) -> Sequence[str]:
        """What the models of all workers have to say, each line once."""
        said = self._dealer.everyone(Debrief())
        return tuple(dict.fromkeys(line for lines in said for line in lines))


def _without(batch: Batch, died: str) -> Answer:
    fix = "--batch-size 1 finds the item; --engine local shows what happens"
    return Answer((), None, {
        key: [Fault("E672", f"item {item.id}", f"workers die over a batch that holds it: {died}", "", fix)]
        for key, item in batch
    })  # fmt: skip
