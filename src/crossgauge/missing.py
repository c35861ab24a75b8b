"""Which items a model is to be asked about: each content once, none that is known, in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from crossgauge.batching import Refusals
from crossgauge.errors import Fault, InputError
from crossgauge.progress import Progress
from crossgauge.types import Item

Keyed = tuple[bytes, Item]
_T = TypeVar("_T")

CHUNK = 64  # files that a thread looks at in one go
AHEAD = 8  # batches whose files are looked at while the model is at earlier ones


@dataclass(frozen=True, slots=True)
class Source(Generic[_T]):
    """Where answers may lie already: both are asked of several threads at once."""

    key: Callable[[Item], bytes] | None  # what stands for an item's content; None: it is one of its own
    look_up: Callable[[Sequence[bytes]], Mapping[bytes, _T]]  # the answers that are there


class _Part(NamedTuple, Generic[_T]):
    """Some items in order, looked at."""

    keyed: Sequence[Keyed]
    unreadable: Mapping[bytes, Fault]
    known: Mapping[bytes, _T]


@dataclass(slots=True)
class Missing(Generic[_T]):
    """The batches for a model, found while it is at earlier ones; to be drawn once.

    Files are read for their keys, and keys looked up, in ``workers`` threads. What is known goes to ``met``,
    what cannot be read to ``refusals``; what is known, or is met again, counts as done.
    """

    items: Sequence[Item]
    source: Source[_T]
    met: Callable[[Mapping[bytes, _T]], None]
    size: int  # of a batch
    workers: int
    refusals: Refusals
    progress: Progress
    keys: list[bytes] = field(default_factory=list)  # of all items drawn so far, in order
    wanted: dict[bytes, Item] = field(default_factory=dict)  # the first item of each content drawn so far
    settled: int = 0  # items drawn so far that the model need not be asked about

    @property
    def most(self) -> int:
        """How many items the model has to be asked about, as far as that is known: at most so many."""
        return len(self.items) - self.settled

    def batches(self) -> Generator[Sequence[Keyed], None, None]:
        """So many at a time, in order; texts alone by their length, since a batch is padded to its longest.

        Shorter ones come first: a batch that does not fit into memory makes all later ones smaller. The
        length is that in UTF-8, which is nearer to a count of tokens than one in characters is.
        """
        waiting: list[Keyed] = []
        texts = not any(item.image or item.video for item in self.items)
        for part in self._parts(files=not texts and self.source.key is not None):
            waiting += self._new(part)
            if texts:
                waiting.sort(key=lambda one: _length(str(one[1].text)))
            whole = len(waiting) - len(waiting) % self.size
            yield from (waiting[at : at + self.size] for at in range(0, whole, self.size))
            waiting = waiting[whole:]
        if waiting:
            yield waiting

    def _new(self, part: _Part[_T]) -> list[Keyed]:
        """Those of a part that can be read and that nobody has met or knows."""
        self.refusals.add({key: [fault] for key, fault in part.unreadable.items()})
        self.met({key: answer for key, answer in part.known.items() if key not in self.wanted})
        missing = []
        for key, item in part.keyed:
            self.keys.append(key)
            if key not in self.wanted:
                self.wanted[key] = item
                if key not in part.known and key not in part.unreadable:
                    missing.append((key, item))
        settled = len(part.keyed) - len(missing)
        self.settled += settled
        if done := settled - len(part.unreadable):
            self.progress.advance(done)
        return missing

    def _parts(self, *, files: bool) -> Iterator[_Part[_T]]:
        """All items; where files are read for their keys, little by little, in threads and ahead."""
        if not files:
            yield self._part(range(len(self.items)))
            return
        parts = (range(at, min(at + CHUNK, len(self.items))) for at in range(0, len(self.items), CHUNK))
        coming: deque[Future[_Part[_T]]] = deque()
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="key")
        try:
            while True:
                room = 1 + max(self.workers, AHEAD * self.size // CHUNK) - len(coming)
                coming.extend(pool.submit(self._part, part) for part in islice(parts, room))
                if not coming:
                    return
                yield coming.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _part(self, numbers: Sequence[int]) -> _Part[_T]:
        keyed, unreadable = [], {}
        for number in numbers:
            item = self.items[number]
            try:
                key = self.source.key(item) if self.source.key else str(number).encode()
            except InputError as error:
                key = f"unreadable {item.id}".encode("utf-8", "surrogatepass")
                unreadable[key] = error.faults[0]
            keyed.append((key, item))
        readable = dict.fromkeys(key for key, _ in keyed if key not in unreadable)
        return _Part(keyed, unreadable, self.source.look_up(list(readable)))


def _length(text: str) -> int:
    return len(text if text.isascii() else text.encode("utf-8", "surrogatepass"))
