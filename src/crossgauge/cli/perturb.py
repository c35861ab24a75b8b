"""``crossgauge perturb``: what an intervention makes of texts, before anything is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crossgauge.cli.params import NAMES

if TYPE_CHECKING:
    from crossgauge.errors import Fault

MAX_PIPED = 64 << 20  # bytes; a pipe need never end


class _Command(click.Command):
    """Lists the interventions in its help, from the registry."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from crossgauge.perturb import interventions

        rows = [(one.name, f"{one.description}; {one.intent}") for one in interventions().values()]
        with formatter.section("Interventions"):
            formatter.write_dl(rows)


@click.command(cls=_Command, short_help="Show what an intervention makes of texts.")
@click.argument("texts", nargs=-1, metavar="TEXT…")
@click.option("-w", "--with", "names", type=NAMES, required=True, metavar="A,B", help="Interventions.")
@click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Texts, one a line, in UTF-8; or a pipe."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn.")
@click.option("--color-threshold", type=float, default=150.0, show_default=True, metavar="D",
              help="How far a new colour is: red, green and blue from 0 to 255, Euclidean.")  # fmt: skip
@click.option("--color-table", default="css4", show_default=True, metavar="NAME", help="css4 or xkcd.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON a text, as in a run's log.")
def perturb(
    texts: tuple[str, ...], names: tuple[str, ...], file: Path | None, seed: int, *,
    color_threshold: float, color_table: str, as_json: bool,
) -> None:  # fmt: skip
    """Show each TEXT before and after interventions, or why they leave it alone.

    Texts are English. A run draws by the id of a query too, so its choices may be other ones. color-in
    knows the colours of the texts given here only.
    """
    from crossgauge.perturb import Query, choose, edit, log_lines

    chosen = choose(names, seed=seed, color_threshold=color_threshold, color_table=color_table)
    given = _given(texts, file)
    queries = [Query(str(number), text, "en") for number, text in enumerate(given, 1)]
    for one in chosen:
        edited = edit(queries, one)
        if as_json:
            click.echo(log_lines(edited, one).decode(), nl=False)
            continue
        for each in edited:
            became = f"skipped: {each.skipped}" if each.skipped else each.after
            click.echo(f"{one.name:<12} {_shown(each.query.text)} → {_shown(became)}")


def _given(texts: Sequence[str], file: Path | None) -> list[str]:
    from crossgauge.errors import Fault, InputError, UsageError
    from crossgauge.tables import content, not_utf8

    if file is None and texts:
        return list(texts)
    if file is None or texts:
        found = "no text" if file is None else "texts and --file"
        raise UsageError(Fault("E183", "crossgauge perturb", found, "texts, or --file", 'e.g. "a large dog"'))
    data, faults = _piped(file) if file.is_fifo() or file.is_char_device() else content(file, str(file))
    faults = faults or not_utf8(data, str(file))
    lines = [line for line in data.decode(errors="replace").split("\n") if line.strip()]
    if not faults and not lines:
        faults = (Fault("E183", str(file), "no text", "a text a line", "is this the right file?"),)
    if faults:
        raise InputError(faults)
    return lines  # other breaks belong to the text


def _piped(file: Path) -> tuple[bytes, tuple[Fault, ...]]:
    """What comes through a pipe (``<(…)``, ``/dev/stdin``), or the fault that keeps it from being read."""
    from crossgauge.errors import Fault

    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_PIPED + 1)
    except OSError as error:
        return b"", (Fault("E138", str(file), error.strerror or str(error), "a pipe that can be read"),)
    if len(data) > MAX_PIPED:
        found, wanted = f"more than {MAX_PIPED >> 20} MiB through a pipe", "less, or a file"
        return b"", (Fault("E138", str(file), found, wanted, "save it to a file first"),)
    return data.removeprefix(b"\xef\xbb\xbf"), ()


def _shown(text: str | None) -> str:
    from crossgauge.report.wording import visible

    return visible(text or "")
