"""The engine ``local``: the model in this process, items prepared ahead of it in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any

from crossgauge.engines.asking import Answer, Ask, Batch, Outcome, Readers, answered
from crossgauge.engines.ranking import Ranking, in_one
from crossgauge.progress import Progress
from crossgauge.types import Ranks

AHEAD = 2  # batches that may lie decoded in front of the model: bounds memory
THREADS = 2


class Local:
    """Answers in order; Pillow and NumPy leave Python's lock while they work, so threads are enough."""

    def __init__(self, threads: int = THREADS) -> None:
        self.threads = threads

    def answers(
        self,
        model: Any,
        ask: Ask,
        batches: Sequence[Batch],
        progress: Progress,  # noqa: ARG002  (no deaths here)
    ) -> Generator[Answer, None, None]:
        """One answer a batch, in order."""
        source = iter(batches)
        waiting: deque[tuple[Batch, list[Future[list[Outcome]]]]] = deque()
        readers = Readers(self.threads)
        try:
            while True:
                for batch in islice(source, 1 + AHEAD - len(waiting)):
                    waiting.append((batch, readers.prepare(model, batch)))
                if not waiting:
                    return
                yield answered(model, ask, *waiting.popleft())
        finally:
            readers.close()

    def rank(self, ranking: Ranking, progress: Progress) -> Ranks:  # noqa: ARG002
        """In one piece, on every core."""
        return in_one(ranking)

    def close(self) -> None:
        """Nothing is held."""
