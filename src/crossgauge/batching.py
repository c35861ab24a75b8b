"""Items in batches for a model, and everything that is wrong with them found at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol, Self, runtime_checkable

from crossgauge.errors import Fault, InputError, Interrupted
from crossgauge.progress import Progress
from crossgauge.types import Item, Modality, Reads

CHUNK = 64  # files that a thread looks at in one go
PATIENT = 1.25  # how many times the storing a batch must take for that to go on beside the next
QUICK = 0.05  # seconds: a batch that took longer is worth waiting for the disk
BATCH = 32  # items at once, where neither the user nor the model says another number

Keyed = tuple[bytes, Item]


@runtime_checkable
class Telling(Protocol):
    """A model with something to say about how it went: refusals, retries, tokens used."""

    def told(self) -> Sequence[str]:
        """The lines since the last call."""
        ...


def batch_size_of(model: object, asked: int | None) -> int:
    """How many items at once: as asked, else the model's own ``batch_size``, else 32.

    >>> batch_size_of(object(), None), batch_size_of(object(), 7)
    (32, 7)
    """
    hint = getattr(model, "batch_size", None)
    return asked or (hint if isinstance(hint, int) and hint > 0 else BATCH)


def check_modalities(model: Reads, items: Sequence[Item]) -> frozenset[Modality]:
    """All that the items hold; raises InputError (E401) for each that holds what the model does not take.

    >>> from crossgauge.models import load_model
    >>> sorted(check_modalities(load_model("random:2"), [Item("a", text="x"), Item("b", text="y")]))
    ['text']
    """
    able = model.modalities
    faults = []
    found: dict[tuple[bool, ...], frozenset[Modality]] = {}
    for item in items:
        kind = item.text is None, item.image is None, item.video is None
        held = found.get(kind)
        if held is None:
            held = found[kind] = item.modalities
        if not held or not held <= able:
            wanted = f"only {listed(able)}, all that model {model.name} takes"
            has = f"it holds {listed(held) or 'nothing'}"
            faults.append(Fault("E401", f"item {item.id}", has, wanted, "choose another model or task"))
    if faults:
        raise InputError(faults)
    return frozenset().union(*found.values())


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
    with ThreadPoolExecutor(workers) as pool:  # many a thread at a time: most files are small, or seen before
        parts = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
        found = pool.map(lambda part: [safe(item) for item in part], parts)
        return [one for part in found for one in part], unreadable


def in_batches(items: Sequence[Keyed], size: int) -> list[Sequence[Keyed]]:
    """So many at a time, in order; texts alone by their length, since a batch is padded to its longest.

    Shorter ones come first: a batch that does not fit into memory makes all later ones smaller. The length
    is that in UTF-8, which is nearer to a count of tokens than one in characters is.

    >>> texts = [(b"1", Item("a", text="long")), (b"2", Item("b", text="x")), (b"3", Item("c", text="xy"))]
    >>> [[item.id for _, item in batch] for batch in in_batches(texts, 2)]
    [['b', 'c'], ['a']]
    """
    if all(item.image is None and item.video is None for _, item in items):
        items = sorted(items, key=lambda one: _length(str(one[1].text)))
    return [items[at : at + size] for at in range(0, len(items), size)]


def _length(text: str) -> int:
    return len(text if text.isascii() else text.encode("utf-8", "surrogatepass"))


class Refusals:
    """What cannot be read or answered, item by item: the rest goes on, and all of it is raised at the end."""

    def __init__(self, order: Iterable[bytes], progress: Progress, *, rest: int) -> None:
        self._found: dict[bytes, Sequence[Fault]] = dict.fromkeys(order, ())
        self._progress = progress
        self._tell = rest > 0  # there is enough to do for the user to want to know before it is done

    def add(self, found: Mapping[bytes, Sequence[Fault]]) -> None:
        """Keep these, and note the first of all (W670)."""
        self._found |= found
        first = next((faults[0] for faults in found.values() if faults), None)
        if self._tell and first is not None:
            self._tell = False
            told = replace(
                first, code="W670", wanted="", fix="none now: the others go on, then all is listed"
            )
            self._progress.note(str(told))

    def raise_all(self) -> None:
        """Raise InputError with every fault in the order of the items; what is said of many, once."""
        faults = [fault for some in self._found.values() for fault in some]
        if faults:
            raise InputError(dict.fromkeys(faults))


class Keeper:
    """Stores each finished batch: a quick one beside the next, so that a fast model need not wait for it.

    When the process is killed, what is lost is the batch that the model is at, and of batches that took less
    than 50 ms the one before it. Leaving it waits for the last batch; what storing raises is raised here, at
    the next batch at the latest.
    """

    def __init__(self) -> None:
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._written: Future[None] | None = None
        self._spent = float("inf")  # seconds that storing took the last time
        self._since = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._wait()
        finally:
            self._writer.shutdown()

    def keep(self, write: Callable[[], None]) -> None:
        """Store one batch, after the one before."""
        computing = time.perf_counter() - self._since
        self._wait()
        self._written = self._writer.submit(self._timed, write)
        if computing > QUICK or computing < PATIENT * self._spent:
            self._wait()
        self._since = time.perf_counter()

    def _wait(self) -> None:
        written, self._written = self._written, None
        if written is not None:
            written.result()

    def _timed(self, write: Callable[[], None]) -> None:
        began = time.perf_counter()
        write()
        self._spent = time.perf_counter() - began


def stop_if_asked(model: Reads, progress: Progress, *, done: int, of: int) -> None:
    """Raise Interrupted (E420) where the user asked to stop and there is still something to do."""
    if done < of and progress.stopping():
        found = f"stopped on request after {done} of {of} items"
        raise Interrupted(Fault("E420", f"model {model.name}", found, "", "run the same command again"))


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


def span(batch: Sequence[Item]) -> str:
    """The first and the last item of a batch.

    >>> span([Item("a"), Item("b"), Item("c")])
    'items a … c'
    """
    return f"items {batch[0].id} … {batch[-1].id}"


def listed(modalities: Iterable[str]) -> str:
    """Modalities as one word.

    >>> listed({"text", "image"})
    'image+text'
    """
    return "+".join(sorted(modalities))
