"""Items read ahead of a model, a batch at a time, and everything that is wrong with them found at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from crossgauge.errors import CrossgaugeError, Fault, InputError, Interrupted
from crossgauge.progress import Progress
from crossgauge.types import Item, Reads

AHEAD = 2  # batches that may lie decoded in front of the model: bounds memory


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads the items, and how many at a time."""

    model: Reads
    progress: Progress
    batch_size: int
    workers: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """One item as the model wants it."""

    key: bytes
    item: Item
    value: Any


@runtime_checkable
class Telling(Protocol):
    """A model with something to say about how it went: refusals, retries, tokens used."""

    def told(self) -> Sequence[str]:
        """The lines since the last call."""
        ...


def check_modalities(model: Reads, items: Sequence[Item]) -> None:
    """Raise InputError (E401) for each item that holds what the model does not take."""
    able = model.modalities
    faults = [
        Fault("E401", f"item {item.id}", f"it holds {listed(item.modalities) or 'nothing'}",
              f"only {listed(able)}, all that model {model.name} takes", "choose another model or task")
        for item in items
        if not item.modalities or not item.modalities <= able
    ]  # fmt: skip
    if faults:
        raise InputError(faults)


def keys_of(
    items: Sequence[Item], key: Callable[[Item], bytes], *, workers: int
) -> tuple[list[bytes], dict[bytes, Fault]]:
    """A key for each item, and the fault behind each key that stands for a file that cannot be read."""
    unreadable: dict[bytes, Fault] = {}

    def safe(item: Item) -> bytes:
        try:
            return key(item)
        except InputError as error:
            stand_in = f"unreadable {item.id}".encode("utf-8", "surrogatepass")
            unreadable[stand_in] = error.faults[0]
            return stand_in

    if not any(item.image or item.video for item in items):
        return [safe(item) for item in items], unreadable
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(safe, items)), unreadable


def batches(
    reading: Reading, missing: Sequence[tuple[bytes, Item]], faults: list[Fault]
) -> Generator[list[Prepared], None, None]:
    """Prepared items in order, a batch at a time.

    Whatever cannot be prepared goes to ``faults``; from then on nothing is yielded, only looked at.
    """
    batch: list[Prepared] = []
    with closing(_ahead(reading, missing)) as coming:
        for key, item, future in coming:
            faults.extend(_faults(future, item))
            if faults:
                if reading.progress.stopping():
                    return
                continue
            batch.append(Prepared(key, item, future.result()))
            if len(batch) == reading.batch_size:
                yield batch
                batch = []
    if batch and not faults:
        yield batch


def stop_if_asked(reading: Reading, *, done: int, of: int) -> None:
    """Raise Interrupted (E420) where the user asked to stop and there is still something to do."""
    if done < of and reading.progress.stopping():
        found = f"stopped on request after {done} of {of} items"
        raise Interrupted(
            Fault("E420", f"model {reading.model.name}", found, "", "run the same command again")
        )


def pass_on(model: Reads, progress: Progress) -> None:
    """Note what the model has to say."""
    if isinstance(model, Telling):
        for line in model.told():
            progress.note(f"{model.name}: {line}")


def failed(code: str, place: str, found: str, *, wanted: str = "") -> Fault:
    """A fault of the model's own code."""
    return Fault(code, place, found, wanted, "see the model's own code; --debug shows where")


def said(error: Exception) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}"


def span(batch: Sequence[Prepared]) -> str:
    """The first and the last item of a batch."""
    return f"items {batch[0].item.id} … {batch[-1].item.id}"


def listed(modalities: Iterable[str]) -> str:
    """Modalities as one word.

    >>> listed({"text", "image"})
    'image+text'
    """
    return "+".join(sorted(modalities))


def _faults(future: Future[Any], item: Item) -> Sequence[Fault]:
    """What went wrong in preparing one item; the environment's faults are not the item's and are raised."""
    error = future.exception()
    if error is None:
        return ()
    if isinstance(error, InputError):
        return error.faults
    if isinstance(error, CrossgaugeError) or not isinstance(error, Exception):
        raise error
    return (failed("E405", f"item {item.id}", f"prepare() raised {said(error)}"),)


def _ahead(
    reading: Reading, missing: Sequence[tuple[bytes, Item]]
) -> Generator[tuple[bytes, Item, Future[Any]], None, None]:
    """Each item in order with its coming preparation; threads stay a bounded number of items ahead."""
    source = iter(missing)
    waiting: deque[tuple[bytes, Item, Future[Any]]] = deque()
    pool = ThreadPoolExecutor(reading.workers, thread_name_prefix="prepare")
    try:
        while True:
            for key, item in islice(source, AHEAD * reading.batch_size - len(waiting)):
                waiting.append((key, item, pool.submit(reading.model.prepare, item)))
            if not waiting:
                return
            yield waiting.popleft()
    finally:
        pool.shutdown(cancel_futures=True)
