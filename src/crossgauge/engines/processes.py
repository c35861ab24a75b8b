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

from crossgauge.engines.crewed import Crewed
from crossgauge.engines.dealing import Heard
from crossgauge.engines.parcels import unpacked
from crossgauge.engines.ranking import Mapped, Stored
from crossgauge.engines.worker import Recipe, Work, threads_each
from crossgauge.types import Vectors

# Where to import from comes before anything is imported.
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from crossgauge.engines.process_worker import main; main()"
)
_GRACE = 2.0  # seconds to end by itself
_Process = subprocess.Popen[bytes]


def processes(recipe: Recipe, workers: int) -> Crewed:
    """The engine; processes are started when there is work for them."""
    return Crewed("processes", Processes(recipe, workers), _keeping)


class Processes:
    """Worker processes, each with a thread here that listens to it."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self.workers = workers
        self._recipe = recipe
        self._running: dict[int, _Process] = {}
        self._heard: queue.SimpleQueue[tuple[_Process, Heard]] = queue.SimpleQueue()

    def start(self, worker: int) -> None:
        """Start a Python, whose libraries use its share of the processors."""
        if (before := self._running.get(worker)) is not None:
            _end(before)
        share = {"OMP_NUM_THREADS": str(threads_each(self.workers))} if self.workers > 1 else {}
        process = subprocess.Popen(  # noqa: S603  (ourselves)
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**share, **os.environ},
        )  # fmt: skip
        self._running[worker] = process
        self._send(process, sys.path)
        self._send(process, (self._recipe, worker, threads_each(self.workers)))
        Thread(target=self._listen, args=(worker, process), name=f"worker-{worker + 1}", daemon=True).start()

    def give(self, worker: int, number: int, work: Work) -> None:
        """Send it; where nobody reads any more, the listener says so."""
        self._send(self._running[worker], (number, work))

    def hear(self) -> Heard:
        """The next message of a process that has not been replaced."""
        while True:
            process, heard = self._heard.get()
            if self._running.get(heard.worker) is process:
                return heard

    def close(self) -> None:
        """End them: at once, since nothing they hold is wanted."""
        for process in self._running.values():
            _end(process)
        self._running.clear()

    def _send(self, process: _Process, message: object) -> None:
        content = pickle.dumps(message)
        with suppress(OSError):  # it is dead
            process.stdin.write(content)  # type: ignore[union-attr]  # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr]

    def _listen(self, worker: int, process: _Process) -> None:
        """Pass on what it says until it says no more."""
        try:
            while True:
                number, result, error = unpacked(process.stdout)  # type: ignore[arg-type]  # it is a pipe
                self._heard.put((process, Heard(worker, number, result, error)))
        except (EOFError, pickle.UnpicklingError, OSError, ValueError):
            self._heard.put((process, Heard(worker, died=_how(process))))


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


def _end(process: _Process) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError, ValueError):  # what was not sent yet is of no use
            pipe.close()  # type: ignore[union-attr]


@contextmanager
def _keeping() -> Iterator[Callable[[Vectors], Stored]]:
    """A folder for arrays, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="crossgauge-") as folder:

        def keep(array: Vectors) -> Stored:
            path = Path(folder) / f"{len(list(Path(folder).iterdir()))}.npy"
            np.save(path, array)
            return Mapped(path)

        yield keep
