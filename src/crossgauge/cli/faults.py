"""How faults are shown: one block each, no traceback, nothing a terminal could misread."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import traceback
from contextlib import suppress

import click

from crossgauge.errors import SHOWN, CrossgaugeError, EnvironmentFault, Fault

EXIT_PARTIAL = 5
EXIT_INTERRUPTED = 7
EXIT_BUG = 70

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def code_of(error: Exception) -> int:
    """Tell an error on stderr, and give the exit code that stands for it."""
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort):
        click.echo("interrupted: the same command goes on from here", err=True)
        return EXIT_INTERRUPTED
    if isinstance(error, CrossgaugeError):
        print_faults(error)
        if error.exit_code == EXIT_INTERRUPTED:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a further Ctrl-C must not change the code now
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # the reader of our output is gone (`… | head`): nothing to tell anybody
        return 0
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        print_faults(EnvironmentFault(Fault("E502", "the output", "the disk is full", "room for it")))
        os._exit(EnvironmentFault.exit_code)  # what is left in the buffers could not be written either
    print_bug(error)
    return EXIT_BUG


def print_faults(error: CrossgaugeError) -> None:
    """Every fault of an error on stderr (the first 20 in full, then the count)."""
    try:
        for fault in error.faults[:SHOWN]:
            click.echo(fault_block(fault), err=True)
        if len(error.faults) > SHOWN:
            click.echo(f"… and {len(error.faults) - SHOWN} more ({len(error.faults)} in all)", err=True)
    except BrokenPipeError:  # nobody reads on (`2>&1 | head`); the exit code still tells
        _unheard()


def _unheard() -> None:
    """Let what is left in the buffer of stderr go nowhere: a failed flush at the end changes the code."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def fault_block(fault: Fault) -> str:
    """The block of one fault.

    >>> print(fault_block(Fault("E201", "a.npy", "3 vectors, 4 ids", "one id a vector", "drop one")))
    error E201
      place  a.npy
      found  3 vectors, 4 ids
      want   one id a vector
      fix    drop one
      more   crossgauge explain E201
    """
    kind = "warn " if fault.is_warning else "error"
    lines = [f"{kind} {fault.code}", f"  place  {fault.place}", f"  found  {fault.found}"]
    if fault.wanted:
        lines.append(f"  want   {fault.wanted}")
    if fault.fix:
        lines.append(f"  fix    {fault.fix}")
    lines.append(f"  more   crossgauge explain {fault.code}")
    return "\n".join(printable(line) for line in lines)


def print_bug(error: Exception) -> None:
    """An error that nobody foresaw: where it happened, and how to tell us."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "crossgauge" in frame.filename] or frames
    place = f"{ours[-1].name}, line {ours[-1].lineno}" if ours else "unknown"
    click.echo(printable(f"error E900\n  place  {place}\n  found  {type(error).__name__}: {error}"), err=True)
    click.echo(
        "  want   this is a fault of crossgauge, not yours\n  fix    run again with --debug and report it",
        err=True,
    )


def printable(text: str) -> str:
    r"""The text with control characters escaped (names and captions come from anywhere).

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)
