"""What runs in another process, whoever started it: a model made by recipe, and threads that read for it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from crossgauge.batching import Telling, failed
from crossgauge.engines.asking import Answer, Ask, Batch, Readers, Ready, answered, ready
from crossgauge.errors import CrossgaugeError, EnvironmentFault, Fault, InputError
from crossgauge.ranking.workers import usable_cpus
from crossgauge.runtime import DEFAULT, Runtime
from crossgauge.types import Model

DEPTH = 2  # pieces of work a worker holds: one at the model, one being read


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a worker makes the model: all of it can be pickled."""

    spec: str  # as the user names it
    load: Callable[[str, Runtime], Model]  # crossgauge.models.load_model
    runtime: Runtime = DEFAULT
    on_torch: bool = False  # it has a choice of devices

    def made(self, number: int) -> Model:
        """The model of worker ``number``: where there are several CUDA devices, each on its own."""
        runtime = self.runtime
        if self.on_torch and runtime.device == "auto":
            import torch

            if count := torch.cuda.device_count():
                runtime = replace(runtime, device=f"cuda:{number % count}")
        return self.load(self.spec, runtime)


class Work(Protocol):
    """Something to do in a worker; it can be pickled, and so can what it returns."""

    def run(self, worker: Worker) -> Any:
        """Do it."""
        ...


class Worker:
    """A model, made when first needed and used from one thread alone, and ``threads`` that read for it."""

    def __init__(self, recipe: Recipe, number: int, threads: int) -> None:
        self.threads = threads
        self._recipe, self._number = recipe, number
        self._readers = Readers(threads)
        self._turn = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._model: Model | None = None

    def attempt(self, work: Work) -> tuple[Any, CrossgaugeError | None]:
        """(result, None), or (None, what was raised, which can be pickled; with where, for ``--debug``).

        May be called from several threads.
        """
        try:
            return work.run(self), None
        except CrossgaugeError as error:
            error.add_note(f"in worker {self._number + 1}:\n{traceback.format_exc()}")
            return None, error
        except BaseException as error:  # noqa: BLE001  (also what no Exception is: the parent must hear of it)
            found = f"it raised {type(error).__name__}: {error}"
            wrong = InputError(failed("E676", f"worker {self._number + 1}", found))
            wrong.add_note(traceback.format_exc())
            return None, wrong

    def answer(self, ask: Ask, batch: Batch, wanted: str) -> Answer:
        """Read a batch, then ask the model, which must be the one that is ``wanted``."""
        model = self._turn.submit(self._made, wanted).result()
        read = ready(batch, self._readers.prepare(model, batch))  # not in the model's thread
        return self._turn.submit(answered, model, ask, batch, read).result()

    def read(self, batch: Batch, wanted: str) -> Ready:
        """Read a batch as the model does that is ``wanted``, whose weights are not needed for it."""
        return ready(batch, self._readers.prepare(self._turn.submit(self._made, wanted).result(), batch))

    def told(self) -> Sequence[str]:
        """What the model has to say since the last call."""
        return self._model.told() if isinstance(self._model, Telling) else ()

    def _made(self, wanted: str) -> Model:
        """Raises EnvironmentFault (E673) where this process makes another model of the same name."""
        if self._model is None:
            self._model = self._recipe.made(self._number)
        if (found := identity(self._model)) != wanted:
            fix = "the same versions, weights and code on every machine"
            raise EnvironmentFault(Fault("E673", f"worker {self._number + 1}", found, wanted, fix))
        return self._model


@dataclass(frozen=True, slots=True)
class Asked:
    """A batch for the model."""

    ask: Ask
    batch: Batch
    wanted: str  # the identity of the model

    def run(self, worker: Worker) -> Answer:
        """Its answer."""
        return worker.answer(self.ask, self.batch, self.wanted)


@dataclass(frozen=True, slots=True)
class Reading:
    """A batch to be read for a model in another process."""

    batch: Batch
    wanted: str

    def run(self, worker: Worker) -> Ready:
        """What its items become."""
        return worker.read(self.batch, self.wanted)


@dataclass(frozen=True, slots=True)
class Debrief:
    """The question after the last batch: what the model has to say."""

    def run(self, worker: Worker) -> Sequence[str]:
        """Its lines."""
        return tuple(worker.told())


def identity(model: Model) -> str:
    """What must be equal for two processes to give equal answers."""
    return f"{model.name} at revision {model.revision}"


def threads_each(workers: int) -> int:
    """The processors of this machine, divided among so many workers.

    >>> threads_each(10_000)
    1
    """
    return max(1, usable_cpus() // workers)
