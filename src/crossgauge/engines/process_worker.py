"""The inside of a worker process: reads work from its standard input, and writes results to its output."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import BinaryIO

from crossgauge.batching import failed, said
from crossgauge.engines.worker import DEPTH, Work, Worker
from crossgauge.errors import InputError


def main() -> None:
    """Work until the other side is gone."""
    incoming, outgoing = sys.stdin.buffer, _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    try:
        recipe, number, threads = pickle.load(incoming)  # noqa: S301  (from our own parent)
        _serve(Worker(recipe, number, threads), incoming, outgoing)
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)  # whatever the model is at: nobody waits for it


def _serve(worker: Worker, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    lock, threads = Lock(), ThreadPoolExecutor(DEPTH)

    def do(number: int, work: Work) -> None:
        content = _done(worker, number, work)
        with lock:
            outgoing.write(content)
            outgoing.flush()

    while True:
        number, work = pickle.load(incoming)  # noqa: S301
        threads.submit(do, number, work)


def _done(worker: Worker, number: int, work: Work) -> bytes:
    """The message with what came of it."""
    result, error = worker.attempt(work)
    try:
        return pickle.dumps((number, result, error))
    except Exception as problem:  # noqa: BLE001  (what a model returns may refuse in any way)
        wrong = failed("E676", "a worker", f"what the model returned cannot be sent: {said(problem)}")
        return pickle.dumps((number, None, InputError(wrong)))


def _own_output() -> BinaryIO:
    """The pipe, for messages alone: what a model prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a worker that is killed has said what it said
    return pipe
