"""Work dealt out to workers that may die: each piece is done, or given up after three deaths over it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from crossgauge.engines.worker import DEPTH, Work
from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.progress import Progress

RETRIES = 2  # how often a piece is tried again after the worker died over it
HOPELESS = 3 * (1 + RETRIES)  # deaths in a row, with nothing done between, after which no more are started


@dataclass(frozen=True, slots=True)
class Heard:
    """A message from a worker: it did a piece of work, raised, or died."""

    worker: int
    number: int = -1  # of the work
    result: Any = None
    error: BaseException | None = None
    died: str = ""  # how


@dataclass(frozen=True, slots=True)
class Lost:
    """In the place of a result: the worker died over it, again and again."""

    died: str  # how, the last time


class Crew(Protocol):
    """Workers that can be started, given work and listened to."""

    workers: int  # how many there may be

    def start(self, worker: int) -> None:
        """Start this one, anew where it died."""
        ...

    def give(self, worker: int, number: int, work: Work) -> None:
        """Send it work; it does not matter whether it still lives."""
        ...

    def hear(self) -> Heard:
        """The next message of any of them, waited for."""
        ...

    def close(self) -> None:
        """End them all."""
        ...


class Dealer:
    """Keeps every worker of a crew busy with ``DEPTH`` pieces of work."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.held: dict[int, list[int]] = {}  # worker → numbers of what it was given; a key: it was started
        self._numbers = count()  # over the crew's life: what an abandoned run left is known as such
        self._deaths = 0  # in a row

    def each(self, works: Sequence[Work], progress: Progress) -> Generator[tuple[int, Any], None, None]:
        """(index, result or Lost) for each piece, as they are done.

        A worker that dies is replaced, which ``progress`` is told (W671). What it held is done again, each
        piece by a worker that holds nothing else, so that the next death is surely over that piece.
        Raises what a worker raised; EnvironmentFault (E674) where workers only die.
        """
        round_ = _Round({next(self._numbers): at for at in range(len(works))}, works)
        while round_.index:
            self._deal(round_)
            heard = self._hear()
            if heard.died:
                yield from self._died(heard, round_, progress)
            elif heard.number in round_.index:  # else: of a run that was abandoned
                if heard.error is not None:
                    raise heard.error
                yield round_.index.pop(heard.number), heard.result

    def everyone(self, work: Work) -> list[Any]:
        """What each started worker returns for this work; one that dies or raises says nothing."""
        waiting = {worker: next(self._numbers) for worker in self.held}
        for worker, number in waiting.items():
            self.held[worker].append(number)
            self.crew.give(worker, number, work)
        results = []
        while waiting:
            heard = self._hear()
            if heard.died:
                self.held.pop(heard.worker, None)
            if heard.died or waiting.get(heard.worker) == heard.number:
                waiting.pop(heard.worker, None)
                results += [] if heard.died or heard.error else [heard.result]
        return results

    def _hear(self) -> Heard:
        heard = self.crew.hear()
        held = self.held.get(heard.worker, [])
        if heard.number in held:
            held.remove(heard.number)
        if not heard.died:
            self._deaths = 0
        return heard

    def _deal(self, round_: _Round) -> None:
        """Give each worker what it has room for; what a worker died over only to one that holds nothing."""
        for room in range(1, DEPTH + 1):  # the first piece to all before the second to any
            for worker in range(self.crew.workers):
                mine = self.held.get(worker, [])
                waiting = round_.suspects or round_.queue
                alone = bool(round_.suspects) or any(round_.deaths[number] for number in mine)
                if waiting and len(mine) < (1 if alone else room):
                    self._give(worker, waiting.popleft(), round_)

    def _give(self, worker: int, number: int, round_: _Round) -> None:
        if worker not in self.held:
            self.crew.start(worker)
            self.held[worker] = []
        self.held[worker].append(number)
        self.crew.give(worker, number, round_.works[round_.index[number]])

    def _died(
        self, heard: Heard, round_: _Round, progress: Progress
    ) -> Generator[tuple[int, Lost], None, None]:
        lost = [number for number in self.held.pop(heard.worker, []) if number in round_.index]
        self._deaths += 1
        place = f"worker {heard.worker + 1}"
        if self._deaths >= HOPELESS:
            found = f"{self._deaths} deaths in a row, nothing done between; the last: {heard.died}"
            fix = "fewer --workers if memory is short; --engine local shows what is wrong"
            raise EnvironmentFault(Fault("E674", place, found, "workers that live", fix))
        again = f"a new one does its {len(lost)} pieces of work again" if lost else "it had nothing to do"
        progress.note(str(Fault("W671", place, f"it died ({heard.died}); {again}")))
        for number in lost:
            round_.deaths[number] += 1
            if round_.deaths[number] > RETRIES:
                yield round_.index.pop(number), Lost(heard.died)
            else:
                round_.suspects.append(number)


class _Round:
    """The pieces of one call: still to give, to give again, and how often a worker died over each."""

    def __init__(self, index: dict[int, int], works: Sequence[Work]) -> None:
        self.index = index  # number → index in works, of what is not done
        self.works = works
        self.queue = deque(index)
        self.suspects: deque[int] = deque()
        self.deaths: Counter[int] = Counter()
