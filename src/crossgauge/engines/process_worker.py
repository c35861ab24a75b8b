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
from crossgauge.engines.asking import Ready
from crossgauge.engines.parcels import Packer
from crossgauge.engines.worker import DEPTH, Work, Worker
from crossgauge.errors import CrossgaugeError, Fault, InputError


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
    lock, threads, packer = Lock(), ThreadPoolExecutor(DEPTH), Packer()

    def do(number: int, work: Work) -> None:
        result, error = worker.attempt(work)
        with lock:  # packed in the order of sending
            outgoing.write(_packed(packer, number, result, error))
            outgoing.flush()

    while True:
        number, work = pickle.load(incoming)  # noqa: S301
        threads.submit(do, number, work)


def _packed(packer: Packer, number: int, result: object, error: CrossgaugeError | None) -> bytes:
    """The message with what came of a piece of work."""
    try:
        return packer.packed((number, result, error))
    except Exception as problem:  # noqa: BLE001  (what a model returns may refuse in any way)
        wrong = failed("E676", "a worker", f"what the model returned cannot be sent: {said(problem)}")
        if isinstance(result, Ready):
            found = f"what prepare() returned cannot be sent to another process: {said(problem)}"
            fix = "leave out lazy_weights = True, or return what pickle takes"
            wrong = Fault("E676", "a process that reads", found, "", fix)
        return packer.packed((number, None, InputError(wrong)))


def _own_output() -> BinaryIO:
    """The pipe, for messages alone: what a model prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a worker that is killed has said what it said
    return pipe
