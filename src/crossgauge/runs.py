"""The run folder: written once, resumed, never overwritten; a cell appears only when it is whole.

::

    run.json      what was asked and what it depends on, versions, host, command   (written first, once)
    status.json   running | complete | partial | interrupted | failed, and how far
    cells/i2t.de.plain/{result.json, per_query.parquet, sums.json}
    scores.json   the Result: equal inputs, equal bytes
    log.txt       how each process ran, and what it told on the way (:mod:`crossgauge.run_log`)
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from crossgauge.disk import as_json, on_disk, sync, write_atomically
from crossgauge.errors import EnvironmentFault, Fault, ResumeRefused
from crossgauge.result import CellResult, Result

WIDE = 60  # characters of a value shown in a message
PER_QUERY = "per_query.parquet"


class RunFolder:
    """One evaluation on disk. Opening an existing folder resumes it, if the experiment is the same.

    One process at a time: the folder is locked until ``close``, and the lock goes with the process,
    however it ends.
    """

    def __init__(self, path: Path, *, bound_by: str = "run.json") -> None:
        self.path = path
        self._bound_by = bound_by  # the file that says what the folder is of
        self._lock: int | None = None

    def open(self, experiment: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
        """Create the folder, or resume it: True when it was there.

        ``experiment`` is everything that can change a number; ``about`` (time, host, command) is kept from
        the first start. Where the data were mended before any cell was finished, it begins anew.

        Raises ResumeRefused (E301) naming what changed, EnvironmentFault (E501) when the folder cannot be
        written, E503 when another process is at it, and refuses a folder that holds other files (E302).
        """
        self.enter()
        file = self.path / self._bound_by
        if not file.exists():
            self._refuse_other_files()
        elif not self._mended(before := _experiment_in(file), experiment):
            self._compare(before, experiment)
            return True
        self.scores.unlink(missing_ok=True)
        write_atomically(file, as_json({"schema": 1, "experiment": dict(experiment), **about}))
        return False

    def enter(self) -> None:
        """Keep other processes out of the folder, and remove what a killed one left half-written.

        Raises EnvironmentFault (E501, E503).
        """
        with on_disk(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.path)
        self._sweep()

    def close(self) -> None:
        """Let another process go on with this folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _refuse_other_files(self) -> None:
        if any(not file.name.startswith(".tmp-") for file in self.path.iterdir()):
            raise ResumeRefused(
                Fault(
                    "E302",
                    str(self.path),
                    "a folder with other files in it",
                    "a new folder, or what the same command made",
                    "give another --out",
                )
            )

    def _mended(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """Whether only the data changed, and nothing was made of the old ones."""
        changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        return changed == {"data"} and not any((self.path / "cells").glob("[!.]*"))

    def _compare(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        faults = [
            Fault(
                "E301",
                str(self.path),
                f"{name} changed since this run started: {_short(before.get(name))} → "
                f"{_short(now.get(name))}",
                "the same experiment",
                "give another --out for a new run, or restore what changed",
            )
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        ]
        if faults:
            raise ResumeRefused(faults)

    def _sweep(self) -> None:
        for leftover in self.path.glob("cells/.tmp-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        for leftover in self.path.glob(".tmp-*"):
            leftover.unlink(missing_ok=True)

    def status(self, state: str, **facts: Any) -> None:
        """Say how far the run is (``status.json``); telling must never stop the work itself."""
        document = {"state": state, **facts}
        write_atomically(self.path / "status.json", as_json(document))

    def finished(self, key: str) -> CellResult | None:
        """The cell, if it is there whole and unchanged; anything else is removed and counts as not there."""
        folder = self.path / "cells" / key
        if not folder.exists():
            return None
        try:
            sums = json.loads((folder / "sums.json").read_text(encoding="utf-8"))
            if all(_digest(folder / name) == digest for name, digest in sums.items()):
                return msgspec.json.decode((folder / "result.json").read_bytes(), type=CellResult)
        except (OSError, ValueError, msgspec.MsgspecError):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def write_cell(self, cell: CellResult, write_table: Callable[[Path], None]) -> None:
        """Write a cell in a temporary folder and rename it into place, so that no half cell is ever seen."""
        folder = self.path / "cells" / cell.key
        scratch = folder.with_name(f".tmp-{cell.key}-{os.getpid()}")
        with on_disk(scratch):
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            (scratch / "result.json").write_bytes(msgspec.json.encode(cell, order="sorted"))
            write_table(scratch / PER_QUERY)
            sums = {name: _digest(scratch / name) for name in ("result.json", PER_QUERY)}
            (scratch / "sums.json").write_text(json.dumps(sums, sort_keys=True), encoding="utf-8")
            for file in scratch.iterdir():
                sync(file)
            scratch.rename(folder)
            sync(folder.parent)

    def write_scores(self, result: Result) -> None:
        """Write ``scores.json``."""
        write_atomically(self.path / "scores.json", result.to_json())

    @property
    def scores(self) -> Path:
        """Where the Result lies once the run is complete or partial."""
        return self.path / "scores.json"


def _experiment_in(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))["experiment"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ResumeRefused(
            Fault(
                "E305",
                str(file),
                f"unreadable: {type(error).__name__}: {error}",
                "what crossgauge wrote there",
                "give another --out",
            )
        ) from error
    return found if isinstance(found, dict) else {}


def _locked(folder: Path) -> int | None:
    """A handle on the folder, locked for this process until it is closed or the process ends.

    None where the system has no such locks (Windows): there two processes are not kept apart.
    """
    try:
        import fcntl
    except ImportError:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
            return handle  # a file system without locks
        os.close(handle)
        raise EnvironmentFault(
            Fault(
                "E503",
                str(folder),
                "another process is working on this run",
                "one process a run folder",
                "wait for it, or give another --out",
            )
        ) from error
    return handle


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"
