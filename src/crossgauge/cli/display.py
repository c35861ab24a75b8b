"""Progress on stderr: a bar on a terminal, plain lines elsewhere; and the answer to Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType
from typing import Any

import click

from crossgauge.cli.faults import EXIT_INTERRUPTED, printable

PLAIN_EVERY = 30.0  # seconds between plain progress lines
_STOPS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


class StopRequest:
    """First Ctrl-C (SIGTERM, SIGHUP): stop at the next safe point. Second: exit at once. Both resumable."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        """Take over the signals."""
        for number in _STOPS:
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.asked:
            if sys.stderr.isatty():
                os.write(2, b"\x1b[?25h")  # the bar had hidden the cursor
            os._exit(EXIT_INTERRUPTED)
        self.asked = True
        os.write(2, b"\nstopping after this step; press Ctrl-C again to stop at once (both can be resumed)\n")


class PlainProgress:
    """One line a stage, a cell, and every 30 seconds: for logs, CI and pipes."""

    def __init__(self, stop: StopRequest) -> None:
        self._stop = stop
        self._name, self._total, self._done = "", 0, 0
        self._started = self._told = time.monotonic()

    def stage(self, name: str, total: int) -> None:
        """Remember the stage; it is told when it takes long."""
        self._name, self._total, self._done = name, total, 0
        self._started = self._told = time.monotonic()

    def advance(self, done: int) -> None:
        """Tell every half minute."""
        self._done += done
        now = time.monotonic()
        if now - self._told >= PLAIN_EVERY:
            self._told = now
            rate = self._done / max(now - self._started, 1e-9)
            left = (self._total - self._done) / max(rate, 1e-9)
            self.note(f"{self._name} {self._done}/{self._total} {rate:.1f}/s {left:.0f} s left")

    def note(self, text: str) -> None:
        """One line."""
        click.echo(printable(text), err=True)

    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._stop.asked

    def __enter__(self) -> PlainProgress:
        """Nothing to set up."""
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""


class BarProgress:
    """A bar with count, rate and remaining time for the current stage."""

    def __init__(self, stop: StopRequest) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        self._stop = stop
        self._bars = Bars(
            TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._task: Any = None
        self._started = time.monotonic()

    def stage(self, name: str, total: int) -> None:
        """Replace the bar by a new one."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._started = time.monotonic()
        self._task = self._bars.add_task(printable(name), total=total, rate="")

    def advance(self, done: int) -> None:
        """Move the bar."""
        if self._task is None:
            return
        self._bars.advance(self._task, done)
        seconds = max(time.monotonic() - self._started, 1e-9)
        self._bars.update(self._task, rate=f"{self._bars.tasks[-1].completed / seconds:.0f}/s")

    def note(self, text: str) -> None:
        """One line above the bar."""
        from rich.markup import escape

        self._bars.console.print(escape(printable(text)), highlight=False)

    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._stop.asked

    def __enter__(self) -> BarProgress:
        """Start drawing."""
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the terminal clean."""
        self._bars.stop()


def progress_for(stop: StopRequest, *, plain: bool) -> PlainProgress | BarProgress:
    """A bar when stderr is a terminal and nobody asked for plain lines."""
    return PlainProgress(stop) if plain or not sys.stderr.isatty() else BarProgress(stop)
