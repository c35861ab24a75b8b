"""Models for worker processes, by name (python:tests.engine_models:…): some die, some misbehave."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.errors import EnvironmentFault, Fault
from crossgauge.media import load_image
from crossgauge.types import Item, Role
from tests.captioners import Both
from tests.encoders import Hashing


class Logging(Hashing):
    """Writes down in ``FOLDER/log`` what it encodes, and in ``FOLDER/pids`` where; ``FOLDER,SECONDS``."""

    name = "logging"

    def __init__(self, argument: str) -> None:
        folder, _, seconds = argument.partition(",")
        self.folder = Path(folder)
        super().__init__(self.folder / "log", seconds=float(seconds or 0))

    def prepare(self, item: Item) -> bytes:
        if item.image is not None:
            load_image(item.image, item=item.id)
        return super().prepare(item)

    def encode(self, prepared: Sequence[Any], *, role: Role) -> np.ndarray:
        with (self.folder / "pids").open("a") as log:
            log.write(f"{os.getpid()}\n")
        return super().encode(prepared, role=role)


class Mortal(Logging):
    """Kills its process at the text ``die once``, and at ``die`` as long as ``FOLDER/deadly`` is there."""

    name = "mortal"

    def encode(self, prepared: Sequence[Any], *, role: Role) -> np.ndarray:
        once = self.folder / "died"
        if b"die once" in prepared and not once.exists():
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if b"die" in prepared and (self.folder / "deadly").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(prepared, role=role)


def in_a_worker() -> None:
    """What can be found, and not called, in the process that runs the tests."""
    if "pytest" in sys.modules:
        raise LookupError("only here")


class Elsewhere:
    """Can be pickled, and made again in a worker alone."""

    def __reduce__(self) -> Any:
        return in_a_worker, ()


class Odd(Hashing):
    """Does what it is asked to: ``raise``, ``exit``, ``environment``, ``un…``, ``print``."""

    name = "odd"

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.said: list[str] = []

    def told(self) -> list[str]:
        said, self.said = self.said, []
        return said

    def encode(self, prepared: Sequence[Any], *, role: Role) -> Any:
        self.said = [f"I was asked to {self.how}"]
        if self.how == "raise":
            raise ZeroDivisionError("oh")
        if self.how == "exit":
            sys.exit("enough")
        if self.how == "environment":
            raise EnvironmentFault(Fault("E610", "model odd", "no memory"))
        if self.how == "unsendable":
            return lambda: None
        if self.how == "unreadable":
            return Elsewhere()
        if self.how == "print":
            print("in the way of everything")
            os.write(1, b"even here\n")
        return super().encode(prepared, role=role)


class Changing(Hashing):
    """Another revision in every process."""

    name = "changing"

    def __init__(self) -> None:
        super().__init__()
        self.revision = str(os.getpid())


class Threads(Hashing):
    """Its vectors say how many threads its libraries may use, and whether Ctrl-C reaches it."""

    name = "threads"

    def encode(self, prepared: Sequence[Any], *, role: Role) -> np.ndarray:
        ignores = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        return np.array([[int(os.environ["OMP_NUM_THREADS"]), ignores]] * len(prepared), dtype=np.float32)


def deadly() -> Hashing:
    """Dies where it is made, unless that is the process which runs the tests."""
    if "pytest" not in sys.modules:
        os.kill(os.getpid(), signal.SIGKILL)
    return Hashing()


def both() -> Both:
    """A captioner that makes vectors too."""
    return Both()


class Reading(Hashing):
    """Prepares pictures without weights; ``FOLDER/readers`` says where. A file's name may ask for more."""

    name = "reading"
    lazy_weights = True

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.said: list[str] = []

    def told(self) -> list[str]:
        said, self.said = self.said, []
        return said

    def prepare(self, item: Item) -> Any:
        with (self.folder / "readers").open("a") as log:
            log.write(f"{os.getpid()}\n")
        if (self.folder / "slow").exists():
            time.sleep(0.02)
        if item.image is not None:
            load_image(item.image, item=item.id)
            if "deadly" in item.image.name and "pytest" not in sys.modules:
                os.kill(os.getpid(), signal.SIGKILL)
            if "unsendable" in item.image.name:
                return lambda: None
            if "said" in item.image.name:
                self.said = ["I read it"]
        return super().prepare(item)
