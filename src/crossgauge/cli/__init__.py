"""The command line: thin shells over the public API, loaded only when called.

Exit codes: 0 ok · 1 a gate failed · 2 usage · 3 bad input · 4 environment · 5 partial · 7 interrupted,
resumable · 70 our own fault. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from crossgauge import __version__
from crossgauge.cli.faults import code_of

COMMANDS = {  # name → module; the function in it has the same name (a trailing _ avoids builtins)
    "run": "run",
    "score": "score",
    "check": "check",
    "perturb": "perturb",
    "show": "show",
    "compare": "compare",
    "export": "export",
    "ratings": "ratings",
    "audit-annotations": "audit_annotations",
    "list": "list",
    "model": "model",
    "bench-model": "bench_model",
    "doctor": "doctor",
    "cache": "cache",
    "sample": "sample",
    "explain": "explain",
}


class LazyGroup(click.Group):
    """Imports a command's module when it is called, so that ``--help`` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command, in the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, freshly imported."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"crossgauge.cli.{COMMANDS[cmd_name]}")
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(module, name, None) or getattr(module, f"{name}_")
        return command


def _hyphenated(token: str) -> str:
    return token.replace("_", "-")


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": _hyphenated},
    epilog="First steps: crossgauge run emoji --model conse --languages en,de,ja. Exit codes: 0 ok (also "
    "a run cut by --limit), 2 usage, 3 bad input, 4 environment, 5 partial: some cells failed, "
    "7 interrupted and resumable, 70 a fault of crossgauge.",
)
@click.version_option(__version__, prog_name="crossgauge")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def group(**_: Any) -> None:
    """Measure how well vision-language models connect pictures and words."""


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with its code (the console script ``crossgauge``)."""
    given = sys.argv[1:] if argv is None else argv
    arguments = [argument for argument in given if argument != "--debug"]  # welcome anywhere in the line
    debug = len(arguments) < len(given)
    try:
        code = group.main(args=arguments, prog_name="crossgauge", standalone_mode=False)
        sys.stdout.flush()  # a full disk or a closed pipe shows here, not after the exit code is chosen
        sys.exit(code if isinstance(code, int) else 0)
    except Exception as error:
        if debug and not isinstance(error, click.ClickException):
            raise
        sys.exit(code_of(error))
    except KeyboardInterrupt:
        sys.exit(code_of(click.Abort()))
