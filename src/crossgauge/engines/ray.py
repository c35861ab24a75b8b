"""The engine ``ray``: workers are actors of a Ray cluster, on this machine or on many.

The cluster is the one that runs already (``ray.init`` was called, or RAY_ADDRESS names it), else one of this
machine alone that ends with the engine. Ray's own restarts are not used: a dead actor is replaced here, as in
the engine ``processes``, so that what happens is the same and is told.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from crossgauge.engines.crewed import Crewed
from crossgauge.engines.dealing import Heard
from crossgauge.engines.ranking import Stored
from crossgauge.engines.worker import DEPTH, Recipe, Work, Worker
from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.ranking.workers import usable_cpus
from crossgauge.types import Vectors


def ray_actors(recipe: Recipe, workers: int) -> Crewed:
    """The engine; nothing is started or joined before there is work. Raises EnvironmentFault (E600)."""
    if importlib.util.find_spec("ray") is None:
        fix = "pip install 'crossgauge[ray]'"
        raise EnvironmentFault(Fault("E600", "engine ray", "ray is not installed", "the extra [ray]", fix))
    actors = _Actors(recipe, workers)
    return Crewed("ray", actors, actors.keeping)


class Actor:
    """A worker in a process of Ray's, started as if in this process's folder."""

    def __init__(self, recipe: Recipe, number: int, threads: int, *, folder: str, path: list[str]) -> None:
        with suppress(OSError):  # another machine may lack it: items with whole paths need none
            os.chdir(folder)
        sys.path += [place for place in path if place not in sys.path]
        self._worker = Worker(recipe, number, threads)

    def attempt(self, work: Work) -> Any:
        """As :meth:`crossgauge.engines.worker.Worker.attempt`."""
        return self._worker.attempt(work)


@dataclass(frozen=True, slots=True)
class InStore:
    """An array in Ray's object store, held once a machine."""

    reference: Any

    def open(self) -> Vectors:
        """The array itself, without a copy where it lies on this machine."""
        import ray

        found: Vectors = ray.get(self.reference)
        return found


class _Actors:
    """Actors, and the answers that are still to come."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self.workers = workers
        self._recipe = recipe
        self._ours = False  # whether the cluster was started here
        self._actors: dict[int, Any] = {}
        self._coming: dict[Any, tuple[int, int]] = {}  # reference → worker, number

    def start(self, worker: int) -> None:
        """Start an actor with its share of the cluster's processors, and of its GPUs for torch."""
        import ray

        self._connect()
        cpus, gpus = _shares(ray, self.workers, on_torch=self._recipe.on_torch)
        options = {"num_cpus": cpus, "num_gpus": gpus, "max_concurrency": DEPTH, "max_restarts": 0}
        made = ray.remote(Actor).options(**options)
        self._actors[worker] = made.remote(self._recipe, worker, cpus, folder=_folder(), path=list(sys.path))

    def give(self, worker: int, number: int, work: Work) -> None:
        """Send it; where the actor is dead, ``hear`` says so."""
        self._coming[self._actors[worker].attempt.remote(work)] = worker, number

    def hear(self) -> Heard:
        """The next answer of any, or the first news of a death."""
        import ray

        done, _ = ray.wait(list(self._coming), num_returns=1)
        worker, number = self._coming.pop(done[0])
        try:
            result, error = ray.get(done[0])
        except ray.exceptions.RayTaskError as failed:
            found = f"Ray could not pass on work or result: {str(failed).strip().splitlines()[-1]}"
            return Heard(worker, number, error=InputError(Fault("E676", f"worker {worker + 1}", found)))
        except ray.exceptions.RayError as gone:
            self._coming = {one: whose for one, whose in self._coming.items() if whose[0] != worker}
            return Heard(worker, died=_how(gone))
        return Heard(worker, number, result, error)

    def close(self) -> None:
        """End the actors, and the cluster if it was started here."""
        if not self._actors and not self._ours:
            return
        import ray

        if self._ours:
            ray.shutdown()
            self._ours = False
        else:
            for actor in self._actors.values():
                ray.kill(actor)
        self._actors.clear()
        self._coming.clear()

    @contextmanager
    def keeping(self) -> Iterator[Callable[[Vectors], Stored]]:
        """Arrays go into the object store, and leave it when nothing refers to them."""
        import ray

        self._connect()
        yield lambda array: InStore(ray.put(array))

    def _connect(self) -> None:
        import ray

        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns of its plans
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        with _own_signals():
            if address := os.environ.get("RAY_ADDRESS"):
                ray.init(address=address, **quiet)
            else:
                count = max(self.workers, usable_cpus())
                ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
        self._ours = True
        # Ray prints deaths on standard output, which is for results; they are told as W671.
        with suppress(AttributeError):
            ray._private.worker._worker_logs_enabled = False  # noqa: SLF001  (nothing public does it)


def _shares(ray: Any, workers: int, *, on_torch: bool) -> tuple[int, float]:
    """Processors and GPUs for each worker; raises EnvironmentFault (E677) where there are too few."""
    nodes = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
    total = int(sum(nodes))
    if workers > total:
        found = f"{total} processors in the cluster"
        fix = f"--workers {total}, or a larger cluster"
        raise EnvironmentFault(Fault("E677", "engine ray", found, f"{workers}, one a worker at least", fix))
    cpus = max(1, min(total // workers, int(max(nodes))))
    gpus = ray.cluster_resources().get("GPU", 0) if on_torch else 0
    return cpus, min(1.0, gpus / workers)


def _how(gone: Exception) -> str:
    """How an actor died, in one line."""
    lines = [line.strip() for line in str(gone).splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith("The actor is dead because")), lines[0])
    return told.split("Some common causes")[0].strip()[:200]


def _folder() -> str:
    return os.getcwd()  # noqa: PTH109  (os.chdir takes texts)


@contextmanager
def _own_signals() -> Iterator[None]:
    """``ray.init`` takes over SIGTERM; ours stops after the current batch."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
