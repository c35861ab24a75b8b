"""Processes that only read, for a model in this one: when that pays, and how it is done."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from typing import Any, Self

from crossgauge.engines.asking import Batch, Ready
from crossgauge.engines.crewed import lost, tell
from crossgauge.engines.dealing import Dealer, Lost
from crossgauge.engines.worker import Reading, Recipe, identity
from crossgauge.progress import Progress
from crossgauge.ranking.workers import usable_cpus

PATIENCE = 5.0  # seconds that a model waited in vain, after which processes are worth their start
_IN_VAIN = 0.7  # of what the readers could use of the processors: below it, they waited for one another
_ALONE = "--batch-size 1 finds the item; --workers 1 shows what happens"


class Waiting:
    """How long the model waited for threads that read, while processors had nothing to do.

    Seconds count in which it waits. They were in vain if this process used less of the processors than its
    ``readers`` could; without ``patience`` threads are in vain from the start.
    """

    def __init__(self, patience: float = math.inf, readers: int = 1) -> None:
        self.in_vain = patience == 0
        self._patience = patience
        self._cores = min(readers, usable_cpus())
        self._waited = self._worked = self._entered = self._used = 0.0

    def __enter__(self) -> Self:
        self._entered, self._used = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self._waited += time.perf_counter() - self._entered
        self._worked += time.process_time() - self._used
        self.in_vain = self._waited >= self._patience and self._worked < _IN_VAIN * self._cores * self._waited


class Apart:
    """Processes with the model's code and none of its weights; they are started when there is work."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._recipe, self._workers = recipe, workers
        self._dealer: Dealer | None = None

    def read(
        self, model: Any, batches: Iterator[Batch], progress: Progress
    ) -> Generator[tuple[Batch, Ready], None, None]:
        """Each batch and what its items became, as they come; raises what a crew of workers raises.

        Items over which processes only died are refused (E672).
        """
        wanted, dealer = identity(model), self._started(progress)
        works = (Reading(batch, wanted) for batch in batches)
        for work, found in dealer.each(works, progress):
            died = isinstance(found, Lost)
            yield work.batch, Ready((), lost(work.batch, found.died, _ALONE)) if died else found
        tell(dealer, model, progress)

    def _started(self, progress: Progress) -> Dealer:
        if self._dealer is None:
            from crossgauge.engines.processes import Processes

            progress.note(f"{self._workers} processes read from here on: threads waited for one another")
            self._dealer = Dealer(Processes(self._recipe, self._workers))
        return self._dealer

    def close(self) -> None:
        """End them."""
        if self._dealer:
            self._dealer.crew.close()
            self._dealer = None
