"""A few Python threads with one BLAS thread each: faster than one caller with many BLAS threads."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

T = TypeVar("T")


class Workers:
    """Runs independent pieces of work, ``threads`` at a time; the pieces write to places of their own."""

    def __init__(self, threads: int | None) -> None:
        self.threads = usable_cpus() if threads is None else threads
        self.local = threading.local()  # what each thread keeps between pieces
        self._pool: ThreadPoolExecutor | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        # Products run side by side, so each must keep to its own core.
        self._held.enter_context(_ONE_EACH)
        if self.threads > 1:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="crossgauge-rank")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._held.close()

    def each(self, work: Callable[[T], None], pieces: Iterable[T]) -> None:
        """Call ``work`` on every piece; the first exception is raised here."""
        pieces = list(pieces)
        if self._pool is None or len(pieces) == 1:
            for piece in pieces:
                work(piece)
            return
        for future in [self._pool.submit(work, piece) for piece in pieces]:
            future.result()


def usable_cpus() -> int:
    """The processors this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)  # absent on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@functools.lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    """The BLAS of numpy does not change while the process lives; looking for it takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _OneThreadEach:
    """Keeps the BLAS to one thread while anybody wants it so.

    The limit is one of the process: of several rankings at once, the first sets it and the last undoes it.
    """

    def __init__(self) -> None:
        self._guard, self._wanted = threading.Lock(), 0
        self._held = ExitStack()

    def __enter__(self) -> None:
        with self._guard:
            if not self._wanted:
                self._held.enter_context(_blas().limit(limits=1, user_api="blas"))
            self._wanted += 1

    def __exit__(self, *error: object) -> None:
        with self._guard:
            self._wanted -= 1
            if not self._wanted:
                self._held.close()


_ONE_EACH = _OneThreadEach()
