"""The engine ``local``: the model in this process, items prepared ahead of it in threads or processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Any

from crossgauge.engines.asking import Answer, Ask, Batch, Readers, Ready, answered, ready
from crossgauge.engines.ranking import Ranking, in_one
from crossgauge.engines.reading import PATIENCE, Apart, Waiting
from crossgauge.engines.worker import Recipe
from crossgauge.progress import Progress
from crossgauge.ranking.workers import usable_cpus
from crossgauge.types import Ranks

AHEAD = 2  # batches that may lie decoded in front of the model: bounds memory
MOST = 8  # readers where the user names no number


def readers() -> int:
    """How many threads or processes prepare: one a processor of this process, two to eight.

    >>> 2 <= readers() <= 8
    True
    """
    return min(MOST, max(2, usable_cpus()))


class Local:
    """Answers as its items are read: in threads, or in processes where threads mostly wait for Python's lock.

    Pillow and NumPy leave that lock while they work, so threads do for most: for items that are small, or a
    preparation written in Python, they do not. Then, and where the model says that its weights are not needed
    to prepare (``lazy_weights``), as many processes made by ``recipe`` read pictures and videos, once the
    model has waited for ``patience`` seconds.
    """

    def __init__(
        self, threads: int | None = None, recipe: Recipe | None = None, *, patience: float = PATIENCE
    ) -> None:
        self.threads = threads or readers()
        self._apart = Apart(recipe, self.threads) if recipe and self.threads > 1 else None
        self._waiting = Waiting(patience, self.threads)

    def answers(
        self, model: Any, ask: Ask, batches: Iterable[Batch], progress: Progress
    ) -> Generator[Answer, None, None]:
        """One answer a batch; in order as long as threads read."""
        with closing(self._read(model, batches, progress)) as coming:
            for batch, read in coming:
                yield answered(model, ask, batch, read)

    def _read(
        self, model: Any, batches: Iterable[Batch], progress: Progress
    ) -> Generator[tuple[Batch, Ready], None, None]:
        first = next(source := iter(batches), None)
        if first is None:
            return
        source = chain([first], source)
        shows = any(item.image or item.video for _, item in first)
        apart = self._apart if shows and getattr(model, "lazy_weights", False) else None
        yield from self._in_threads(model, source, self._waiting if apart else Waiting())
        if apart:
            yield from apart.read(model, source, progress)

    def _in_threads(
        self, model: Any, source: Iterator[Batch], waiting: Waiting
    ) -> Generator[tuple[Batch, Ready], None, None]:
        """As long as there are batches and it is not in vain."""
        ahead: deque[tuple[Batch, Any]] = deque()
        threads = Readers(self.threads)
        try:
            while True:
                room = 0 if waiting.in_vain else 1 + AHEAD - len(ahead)
                for batch in islice(source, room):
                    ahead.append((batch, threads.prepare(model, batch)))
                if not ahead:
                    return
                batch, coming = ahead.popleft()
                with waiting:
                    read = ready(batch, coming)
                yield batch, read
        finally:
            threads.close()

    def rank(self, ranking: Ranking, progress: Progress) -> Ranks:  # noqa: ARG002
        """In one piece, on every core."""
        return in_one(ranking)

    def close(self) -> None:
        """End the processes that read, if there are any."""
        if self._apart:
            self._apart.close()
