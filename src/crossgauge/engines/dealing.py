"""Work dealt out to workers that may die: each piece is done, or given up after three deaths over it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Generic, Protocol, TypeVar

from crossgauge.engines.worker import DEPTH, Work
from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.progress import Progress

RETRIES = 2  # how often a piece is tried again after the worker died over it
HOPELESS = 3 * (1 + RETRIES)  # deaths in a row, with nothing done between, after which no more are started
_W = TypeVar("_W", bound=Work)


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

    def each(self, works: Iterable[_W], progress: Progress) -> Generator[tuple[_W, Any], None, None]:
        """(piece, result or Lost) for each, as they are done; one is drawn when a worker has room for it.

        A worker that dies is replaced, which ``progress`` is told (W671). What it held is done again, each
        piece by a worker that holds nothing else, so that the next death is surely over that piece.
        Raises what a worker raised; EnvironmentFault (E674) where workers only die.
        """
        round_ = _Round(works, self._numbers)
        while round_:
            self._deal(round_)
            heard = self._hear()
            if heard.died:
                yield from self._died(heard, round_, progress)
            elif heard.number in round_.works:  # else: of a run that was abandoned
                if heard.error is not None:
                    raise heard.error
                yield round_.works.pop(heard.number), heard.result

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

    def _deal(self, round_: _Round[Any]) -> None:
        """Give each worker what it has room for; what a worker died over only to one that holds nothing."""
        for room in range(1, DEPTH + 1):  # the first piece to all before the second to any
            for worker in range(self.crew.workers):
                mine = self.held.get(worker, [])
                alone = bool(round_.suspects) or any(round_.deaths[number] for number in mine)
                if round_.waiting() and len(mine) < (1 if alone else room):
                    self._give(worker, round_.waiting().popleft(), round_)

    def _give(self, worker: int, number: int, round_: _Round[Any]) -> None:
        if worker not in self.held:
            self.crew.start(worker)
            self.held[worker] = []
        self.held[worker].append(number)
        self.crew.give(worker, number, round_.works[number])

    def _died(
        self, heard: Heard, round_: _Round[_W], progress: Progress
    ) -> Generator[tuple[_W, Lost], None, None]:
        lost = [number for number in self.held.pop(heard.worker, []) if number in round_.works]
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
                yield round_.works.pop(number), Lost(heard.died)
            else:
                round_.suspects.append(number)


class _Round(Generic[_W]):
    """The pieces of one call: to give, to give again, not done, and how often a worker died over each."""

    def __init__(self, works: Iterable[_W], numbers: Iterator[int]) -> None:
        self.works: dict[int, _W] = {}  # drawn and not done, by number
        self.suspects: deque[int] = deque()
        self.deaths: Counter[int] = Counter()
        self._source, self._numbers = iter(works), numbers
        self._next: deque[int] = deque()  # drawn and not given: one at most

    def __bool__(self) -> bool:
        return bool(self.works or self.waiting())

    def waiting(self) -> deque[int]:
        """What is to be given next comes first; empty where there is nothing."""
        if self.suspects:
            return self.suspects
        if not self._next:
            for work in islice(self._source, 1):
                number = next(self._numbers)
                self.works[number] = work
                self._next.append(number)
        return self._next
