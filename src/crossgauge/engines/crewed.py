"""An engine made of workers, whatever they are: batches and blocks of queries are dealt out to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from typing import Any

from crossgauge.engines.asking import Answer, Ask, Batch
from crossgauge.engines.dealing import Crew, Dealer, Lost
from crossgauge.engines.ranking import Ranking, Stored, in_one, pieces, whole, worth_cutting
from crossgauge.engines.worker import Asked, Debrief, identity
from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.progress import Progress
from crossgauge.types import Ranks, Vectors

ALONE = "--batch-size 1 finds the item; --engine local shows what happens"
Keeping = Callable[[], AbstractContextManager[Callable[[Vectors], Stored]]]


class Crewed:
    """The engine of a crew; ``keeping`` opens a place for arrays that its workers can read."""

    def __init__(self, name: str, crew: Crew, keeping: Keeping) -> None:
        self.name = name
        self._crew, self._keeping = crew, keeping
        self._dealer = Dealer(crew)

    def answers(
        self, model: Any, ask: Ask, batches: Iterable[Batch], progress: Progress
    ) -> Generator[Answer, None, None]:
        """One answer a batch, as they come; items over which workers only died are refused (E672)."""
        wanted = identity(model)
        works = (Asked(ask, batch, wanted) for batch in batches)
        for work, found in self._dealer.each(works, progress):
            died = isinstance(found, Lost)
            yield Answer((), None, lost(work.batch, found.died, ALONE)) if died else found
        tell(self._dealer, model, progress)

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
            parts: dict[int, Ranks] = {}
            for work, found in self._dealer.each(works, progress):
                if isinstance(found, Lost):
                    died = f"workers die while ranking: {found.died}"
                    fix = "a smaller --memory, fewer --workers, or --engine local"
                    raise EnvironmentFault(Fault("E675", f"engine {self.name}", died, "", fix))
                parts[id(work)] = found
            return whole([parts[id(work)] for work in works])

    def close(self) -> None:
        """End the workers."""
        self._crew.close()


def tell(dealer: Dealer, model: Any, progress: Progress) -> None:
    """Pass on what the models of all workers have to say: each line once, and how many said it."""
    said = dealer.everyone(Debrief())
    counts = Counter(line for lines in said for line in dict.fromkeys(lines))
    for line, count in counts.items():
        of = f" (said by {count} of {len(said)} workers)" if len(said) > 1 else ""
        progress.note(f"{model.name}: {line}{of}")


def lost(batch: Batch, died: str, fix: str) -> dict[bytes, list[Fault]]:
    """What is said of the items of a batch over which workers only died."""
    found = f"workers die over a batch that holds it: {died}"
    return {key: [Fault("E672", f"item {item.id}", found, "", fix)] for key, item in batch}
