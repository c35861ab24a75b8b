"""Finished batches to the store: slow ones at once, quick ones several in one go and beside the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar

QUICK = 0.05  # seconds: a batch that took longer is worth waiting for the disk
RARELY = 10  # how many times the storing must go into the computing between two of them, up to QUICK

_T = TypeVar("_T")


class Keeper(Generic[_T]):
    """Gives what was found to ``put``, which stores it all or not at all; None: nothing is kept.

    When the process is killed, what is lost is the batch that the model is at, and of batches that took less
    than 50 ms what was made in 0.2 s: half of it waiting, half being written. Leaving it waits for all; what
    storing raises is raised here, the next time that something is stored at the latest.
    """

    def __init__(self, put: Callable[[Mapping[bytes, _T]], Any] | None) -> None:
        self._put = put
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._written: Future[None] | None = None
        self._due: dict[bytes, _T] = {}
        self._spent = 0.0  # seconds that storing took the last time
        self._stored = self._since = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._store()
            self._wait()
        finally:
            self._writer.shutdown()

    def keep(self, found: Mapping[bytes, _T]) -> None:
        """Have it stored, after what came before."""
        if self._put is None:
            return
        now = time.perf_counter()
        slow = now - self._since > QUICK
        self._due |= found
        if slow or now - self._stored >= min(QUICK, RARELY * self._spent):
            self._store()
        if slow:
            self._wait()
        self._since = time.perf_counter()

    def _store(self) -> None:
        self._wait()
        due, self._due = self._due, {}
        if due and self._put is not None:
            self._written = self._writer.submit(self._timed, self._put, due)
        self._stored = time.perf_counter()

    def _wait(self) -> None:
        written, self._written = self._written, None
        if written is not None:
            written.result()

    def _timed(self, put: Callable[[Mapping[bytes, _T]], Any], due: Mapping[bytes, _T]) -> None:
        began = time.perf_counter()
        put(due)
        self._spent = time.perf_counter() - began
