"""``crossgauge explain``: what a code means."""

from __future__ import annotations

import textwrap

import click


@click.command(short_help="Say what an error or warning code means.")
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what CODE means and what to do; without CODE, list them all."""
    from crossgauge.codes import CODES
    from crossgauge.errors import Fault, UsageError

    if code is None:
        for name, meaning in sorted(CODES.items()):
            click.echo(f"{name}  {meaning.split('. ')[0].rstrip('.')}")
        return
    text = CODES.get(code.upper())
    if text is None:
        raise UsageError(
            Fault("E118", f"code {code!r}", "no such code", "a code such as E301", "crossgauge explain")
        )
    click.echo(f"{code.upper()}\n{textwrap.fill(text, 100)}")
