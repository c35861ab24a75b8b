"""The options of every command that runs a model: device, number format, trust."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from crossgauge.runtime import Runtime

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--device", default="auto", metavar="NAME",
                 help="Where a torch model runs: auto, cpu, cuda:N, mps.  [default: auto]"),
    click.option("--dtype", type=click.Choice(["auto", "fp32", "bf16", "fp16"]), default="auto",
                 help="Its number format; part of the revision.  [default: the adapter's]"),
    click.option("--compile", "compiled", is_flag=True, help="Compile it with torch.compile."),
    click.option("--trust-code", metavar="COMMIT", default="",
                 help="Run the checkpoint's own Python code, at this very commit."),
    click.option("--allow-pickle-weights", "pickle_weights", is_flag=True,
                 help="Read weights that are no safetensors, through torch's restricted reader."),
)  # fmt: skip


def runtime_options(command: Command) -> Command:
    """Give a command the options; :func:`runtime_of` takes them out of what it is called with."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def runtime_of(given: MutableMapping[str, Any]) -> Runtime:
    """The Runtime that the options say; they are taken out of ``given``."""
    from crossgauge.runtime import Runtime

    return Runtime(
        device=given.pop("device"), dtype=given.pop("dtype"), compile=given.pop("compiled"),
        trust_code=given.pop("trust_code"), pickle_weights=given.pop("pickle_weights"),
    )  # fmt: skip
