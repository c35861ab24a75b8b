"""``log.txt`` of a run folder: how each process ran and what was told on the way, with the time of each."""

from __future__ import annotations

import datetime
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from crossgauge.progress import Progress
from crossgauge.types import Model

NAME = "log.txt"


class Logged:
    r"""Passes everything on to another listener, and appends what it is told to a file.

    Batches halved, workers replaced, texts cut and cells that failed are then known after the run, too. A
    disk that refuses stops nothing: no number depends on the log.

    >>> import tempfile
    >>> from crossgauge.progress import Silent
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Logged(Silent(), Path(folder) / NAME).note("out of memory with 32 items at once; now 16")
    ...     (Path(folder) / NAME).read_text().split(maxsplit=1)[1]
    'out of memory with 32 items at once; now 16\n'
    """

    def __init__(self, listener: Progress, file: Path) -> None:
        self._listener, self._file = listener, file

    def stage(self, name: str, total: int) -> None:
        """A stage begins."""
        self._listener.stage(name, total)

    def advance(self, done: int) -> None:
        """So many more items are done."""
        self._listener.advance(done)

    def note(self, text: str) -> None:
        """One line worth keeping, kept."""
        self.keep(text)
        self._listener.note(text)

    def stopping(self) -> bool:
        """Whether the user asked to stop."""
        return self._listener.stopping()

    def keep(self, text: str) -> None:
        """Append to the file alone."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        lines = text.replace("\n", "\n  ")
        with suppress(OSError), self._file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(f"{now} {lines}\n")


def conditions(model: Model, *, batch_size: int, engine: str, workers: int | None) -> str:
    """How a model is about to run: what its name and revision do not say, or say as a digest alone.

    >>> from crossgauge.models import load_model
    >>> conditions(load_model("random:8"), batch_size=32, engine="processes", workers=2)
    'random:8 begins, 32 items at once, engine processes, workers 2'
    """
    told = [f"{model.name} begins"]
    if (dtype := getattr(model, "dtype", None)) and (device := getattr(model, "device", None)):
        told.append(f"{dtype} on {device}")
    if getattr(getattr(model, "runtime", None), "compile", False):
        told.append("compiled")
    told += [f"{batch_size} items at once", f"engine {engine}"]
    told += [] if workers is None else [f"workers {workers}"]
    return ", ".join([*told, *_versions(getattr(model, "packages", ()))])


def _versions(packages: object) -> list[str]:
    found = []
    for package in packages if isinstance(packages, list | tuple) else ():
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return found
