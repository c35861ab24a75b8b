"""Worker processes that count pairs, and say what this one would."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from typing import Generic, Self, TypeVar

from crossgauge.errors import EnvironmentFault, Fault

T = TypeVar("T")
State = TypeVar("State")

# A new Python, never a fork: threads do not survive one, and a script needs no `if __name__ == "__main__"`.
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from crossgauge.concepts.crew import main; main()"
)
_AHEAD = 3  # pieces of work for each other process, the one it does and those that wait for it


class Crew(Generic[State]):
    """This process and others, which do pieces of work: functions of a state that each process has.

    The others make theirs by ``make``; that, work and results are pickled. One is started when there is work
    for it, and ends with this process, however that ends.
    """

    def __init__(self, workers: int, own: State, make: Callable[[], State]) -> None:
        self._others = workers - 1
        self._state, self._make = own, make
        self._pool = ThreadPoolExecutor(max(self._others, 1), thread_name_prefix="crossgauge-concepts")
        self._own = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        """The crew itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the workers: at once, since nothing they hold is wanted."""
        for process in self._processes:
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in self._processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError, ValueError):  # what was not sent yet is of no use
                    pipe.close()  # type: ignore[union-attr]  # it is a pipe

    def each(self, works: Iterable[Callable[[State], T]]) -> Iterator[T]:
        """What each piece of work gives, in order; few pieces are made ahead.

        This process does what no other has begun when all have enough to do, or when there is no more.
        Raises what the work raises, and EnvironmentFault (E310) where a worker ends before it is done.
        """
        pieces = iter(works)
        if not self._others:
            yield from (work(self._state) for work in pieces)
            return
        waiting = deque[tuple[Callable[[State], T], Future[T]]]()
        while True:
            more = islice(pieces, self._others * _AHEAD + 1 - len(waiting))
            waiting += [(work, self._pool.submit(self._give, work)) for work in more]
            if not waiting:
                return
            mine = None
            if not waiting[0][1].done():
                mine = next((at for at, (_, given) in enumerate(waiting) if given.cancel()), None)
            if mine is None:
                yield waiting.popleft()[1].result()
            else:
                waiting[mine] = waiting[mine][0], self._done(waiting[mine][0])

    def _done(self, work: Callable[[State], T]) -> Future[T]:
        """Do it here; if it fails, that is raised when its turn comes, as it would be from elsewhere."""
        done: Future[T] = Future()
        try:
            done.set_result(work(self._state))
        except Exception as error:  # noqa: BLE001
            done.set_exception(error)
        return done

    def _give(self, work: Callable[[State], T]) -> T:
        """In a thread for each worker: send the work and wait."""
        process, content = self._process(), pickle.dumps(work)
        try:
            process.stdin.write(content)  # type: ignore[union-attr]  # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr]
            done, found = pickle.load(process.stdout)  # type: ignore[arg-type]  # noqa: S301  (our own child)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            wanted, fix = "workers that last", "take fewer --workers, if memory was short"
            raise EnvironmentFault(Fault("E310", "a worker process", how, wanted, fix)) from None
        if not done:
            raise found
        result: T = found
        return result

    def _process(self) -> subprocess.Popen[bytes]:
        if not hasattr(self._own, "process"):
            share = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each keeps to its own core
            process = subprocess.Popen(  # noqa: S603  (ourselves)
                [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**share, **os.environ},
            )  # fmt: skip
            self._processes.append(process)
            self._own.process = process
            with suppress(OSError):  # whoever asks it next finds out how it ended
                pickle.dump(sys.path, process.stdin)  # type: ignore[arg-type]
                pickle.dump(self._make, process.stdin)  # type: ignore[arg-type]
        own: subprocess.Popen[bytes] = self._own.process
        return own


def main() -> None:
    """A worker: make the state, then do work after work until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked decides
    asked, said = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what libraries print must not get among the results
    state = pickle.load(asked)()  # noqa: S301  (from our own parent)
    while True:
        try:
            work = pickle.load(asked)  # noqa: S301
        except EOFError:
            return
        try:
            answer = (True, work(state))
        except Exception as error:  # noqa: BLE001  (raised where the work was asked for)
            answer = (False, error)
        pickle.dump(answer, said, protocol=pickle.HIGHEST_PROTOCOL)
        said.flush()
