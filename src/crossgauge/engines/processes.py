"""The engine ``processes``: workers are processes of this machine, spoken to through their pipes.

A worker is a new Python, never a fork: threads and CUDA do not survive one, and a script that calls
``evaluate`` needs no ``if __name__ == "__main__"``. It ends by itself when this process does, however that
ends.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import numpy as np

from crossgauge.batching import failed, said
from crossgauge.engines.crewed import Crewed
from crossgauge.engines.dealing import Heard
from crossgauge.engines.parcels import unpacked
from crossgauge.engines.ranking import Mapped, Stored
from crossgauge.engines.worker import Recipe, Work, threads_each
from crossgauge.errors import InputError
from crossgauge.types import Vectors

# Where to import from comes before anything is imported.
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from crossgauge.engines.process_worker import main; main()"
)
_GRACE = 2.0  # seconds to end by itself
_Process = subprocess.Popen[bytes]
_Outbox = queue.SimpleQueue[bytes | tuple[int, Work] | None]  # None: no more


def processes(recipe: Recipe, workers: int) -> Crewed:
    """The engine; processes are started when there is work for them."""
    return Crewed("processes", Processes(recipe, workers), _keeping)


class Processes:
    """Worker processes, each with two threads here: one speaks to it, so that nobody waits, one listens."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self.workers = workers
        self._recipe = recipe
        self._running: dict[int, tuple[_Process, _Outbox]] = {}
        self._heard: queue.SimpleQueue[tuple[_Process, Heard]] = queue.SimpleQueue()

    def start(self, worker: int) -> None:
        """Start a Python, whose libraries use its share of the processors."""
        self._end(worker)
        share = {"OMP_NUM_THREADS": str(threads_each(self.workers))} if self.workers > 1 else {}
        process = subprocess.Popen(  # noqa: S603  (ourselves)
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**share, **os.environ},
        )  # fmt: skip
        outbox: _Outbox = queue.SimpleQueue()
        self._running[worker] = process, outbox
        outbox.put(pickle.dumps(sys.path) + pickle.dumps((self._recipe, worker, threads_each(self.workers))))
        name = f"worker-{worker + 1}"
        Thread(target=self._speak, args=(worker, process, outbox), name=name, daemon=True).start()
        Thread(target=self._listen, args=(worker, process), name=name, daemon=True).start()

    def give(self, worker: int, number: int, work: Work) -> None:
        """Have it sent; where nobody reads any more, the listener says so."""
        self._running[worker][1].put((number, work))

    def hear(self) -> Heard:
        """The next message of a process that has not been replaced."""
        while True:
            process, heard = self._heard.get()
            if self._running.get(heard.worker, (None,))[0] is process:
                return heard

    def close(self) -> None:
        """End them: at once, since nothing they hold is wanted."""
        for worker in list(self._running):
            self._end(worker)

    def _end(self, worker: int) -> None:
        if worker not in self._running:
            return
        process, outbox = self._running.pop(worker)
        process.kill()
        process.wait()
        outbox.put(None)

    def _speak(self, worker: int, process: _Process, outbox: _Outbox) -> None:
        """Send it what there is until there is no more; close its input then."""
        with suppress(OSError), process.stdin as pipe:  # type: ignore[union-attr]  # what it did not read is of no use
            while (message := outbox.get()) is not None:
                try:
                    sent = message if isinstance(message, bytes) else pickle.dumps(message)
                except Exception as problem:  # noqa: BLE001  (what a work holds may refuse in any way)
                    wrong = failed("E676", f"worker {worker + 1}", f"work cannot be sent: {said(problem)}")
                    self._heard.put((process, Heard(worker, message[0], error=InputError(wrong))))
                    continue
                with suppress(OSError):  # it is dead
                    pipe.write(sent)
                    pipe.flush()

    def _listen(self, worker: int, process: _Process) -> None:
        """Pass on what it says until it says no more."""
        try:
            with process.stdout as pipe:  # type: ignore[union-attr]
                while True:
                    number, result, error = unpacked(pipe)  # type: ignore[arg-type]
                    self._heard.put((process, Heard(worker, number, result, error)))
        except Exception as problem:  # noqa: BLE001  (what it says may refuse to be read in any way)
            gone = isinstance(problem, EOFError | pickle.UnpicklingError | OSError | ValueError)
            if not gone:
                process.kill()
            how = "" if gone else f"its answer cannot be read: {said(problem)}; "
            self._heard.put((process, Heard(worker, died=how + _how(process))))


def _how(process: _Process) -> str:
    """How a process ended, in words."""
    try:
        code = process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    if code >= 0:
        return f"exit code {code}"
    short = ", as the system does when memory is short" if -code == getattr(signal, "SIGKILL", 9) else ""
    return f"signal {signal.Signals(-code).name}{short}"


@contextmanager
def _keeping() -> Iterator[Callable[[Vectors], Stored]]:
    """A folder for arrays, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="crossgauge-") as folder:

        def keep(array: Vectors) -> Stored:
            path = Path(folder) / f"{len(list(Path(folder).iterdir()))}.npy"
            np.save(path, array)
            return Mapped(path)

        yield keep
