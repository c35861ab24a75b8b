"""What an engine is asked, and what it answers: batches of items in, rows or captions out, in any order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from crossgauge.batching import failed, said, span
from crossgauge.engines.ranking import Ranking
from crossgauge.errors import CrossgaugeError, Fault, InputError
from crossgauge.progress import Progress
from crossgauge.types import Item, Ranks, Role

Batch: TypeAlias = Sequence[tuple[bytes, Item]]  # the key under which an answer is kept, and the item
Outcome: TypeAlias = tuple[Any, BaseException | None]  # what an item became, or what was raised

SLICE = 8  # items that a thread prepares in one go, or more where a batch is larger than that for each


@dataclass(frozen=True, slots=True)
class Encoding:
    """Vectors, please."""

    role: Role
    code = "E406"  # what it is when the model raises

    def of(self, model: Any, prepared: Sequence[Any]) -> Any:
        """What ``encode`` returns, unchecked."""
        return model.encode(prepared, role=self.role)

    def __str__(self) -> str:
        return "encode()"


@dataclass(frozen=True, slots=True)
class Writing:
    """Captions, please."""

    language: str | None
    code = "E418"

    def of(self, model: Any, prepared: Sequence[Any]) -> Any:
        """What ``caption`` returns, unchecked."""
        return model.caption(prepared, language=self.language)

    def __str__(self) -> str:
        return "caption()"


Ask: TypeAlias = Encoding | Writing


@dataclass(frozen=True, slots=True)
class Ready:
    """A batch read: what the items became that could be read, in order, and what is wrong with the others."""

    prepared: Sequence[Any]
    refused: Mapping[bytes, Sequence[Fault]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model returned for the items of a batch that it could be asked about, and what is wrong."""

    batch: Batch  # those items, in order
    returned: Any  # unchecked; None where ``batch`` is empty
    refused: Mapping[bytes, Sequence[Fault]]  # the others


class Engine(Protocol):
    """Where models run and ranks are counted; results never depend on it."""

    def answers(
        self, model: Any, ask: Ask, batches: Iterable[Batch], progress: Progress
    ) -> Generator[Answer, None, None]:
        """One answer a batch, in any order; to close the generator stops the work.

        Batches are drawn as there is room for them, in this thread.

        Raises InputError for a model that raises, EnvironmentFault where the work cannot go on.
        """
        ...

    def rank(self, ranking: Ranking, progress: Progress) -> Ranks:
        """The ranks, the same to the bit as :func:`crossgauge.engines.ranking.in_one` gives."""
        ...

    def close(self) -> None:
        """Let go of workers, if there are any."""
        ...


class Readers:
    """Threads that prepare items ahead of a model, many in one go: to hand over a text costs more than it."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="prepare")
        self._closed = False

    def prepare(self, model: Any, batch: Batch) -> list[Future[list[Outcome]]]:
        """Have a batch prepared; the outcomes come in its order."""
        items = [item for _, item in batch]
        size = max(SLICE, -(-len(items) // self._threads))
        return [
            self._pool.submit(self._some, model, items[at : at + size]) for at in range(0, len(items), size)
        ]

    def close(self) -> None:
        """Wait for the items that are being prepared, and for no other."""
        self._closed = True
        self._pool.shutdown(cancel_futures=True)

    def _some(self, model: Any, items: Sequence[Item]) -> list[Outcome]:
        return [_outcome(model, item) for item in items if not self._closed]


def ready(batch: Batch, coming: Sequence[Future[list[Outcome]]]) -> Ready:
    """Wait for the preparation of a batch; raises what is no item's fault."""
    outcomes = [one for some in coming for one in some.result()]
    refused = {
        key: faults
        for (key, item), (_, error) in zip(batch, outcomes, strict=True)
        if error is not None and (faults := _faults(error, item))
    }
    return Ready([value for value, error in outcomes if error is None], refused)


def answered(model: Any, ask: Ask, batch: Batch, read: Ready) -> Answer:
    """Ask the model about what could be prepared of a batch."""
    asked = batch if not read.refused else tuple(pair for pair in batch if pair[0] not in read.refused)
    return Answer(asked, _returned(model, ask, asked, read.prepared), read.refused)


def _outcome(model: Any, item: Item) -> Outcome:
    try:
        return model.prepare(item), None
    except BaseException as error:  # noqa: BLE001  (looked at by who asked)
        return None, error


def _returned(model: Any, ask: Ask, batch: Batch, prepared: Sequence[Any]) -> Any:
    if not batch:
        return None
    try:
        return ask.of(model, prepared)
    except CrossgaugeError:
        raise
    except Exception as error:
        place = f"model {model.name}, {span([item for _, item in batch])}"
        raise InputError(failed(ask.code, place, f"{ask} raised {said(error)}")) from error


def _faults(error: BaseException, item: Item) -> Sequence[Fault]:
    """What went wrong in preparing one item; the environment's faults are not the item's and are raised."""
    if isinstance(error, InputError):
        return error.faults
    if isinstance(error, CrossgaugeError) or not isinstance(error, Exception):
        raise error
    return (failed("E405", f"item {item.id}", f"prepare() raised {said(error)}"),)
