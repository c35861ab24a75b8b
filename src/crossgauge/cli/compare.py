"""``crossgauge compare``: what changed from one run to another, query by query."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--cell", help="Only this cell, e.g. i2t.de.plain.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@click.option("--plain", is_flag=True, help="No colour, no drawn lines, our signs in ASCII.")
def compare(before: Path, after: Path, *, cell: str | None, as_json: bool, plain: bool) -> None:
    """Print what changes from run BEFORE to run AFTER, and how sure it is.

    Both are run folders of the same benchmark, data, prompts and options; signatures may differ in model and
    version and in nothing else. For every measure of every cell that both have: the difference, its 95 %
    interval, and an exact paired p-value (McNemar's for hits).
    """
    from crossgauge.report.source import read_source
    from crossgauge.report.versus import versus
    from crossgauge.report.versus_text import show_versus

    sides = [read_source(run) for run in (before, after)]
    if cell is not None:
        sides = [side.only(cell) for side in sides]
    found = versus(*sides)
    if as_json:
        click.echo(found.to_json(), nl=False)
    else:
        show_versus(found, sides[0].result.cells, plain=plain)
