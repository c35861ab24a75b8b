"""``crossgauge export``: the numbers of one or more runs as a file for a paper, a sheet or another tool."""

from __future__ import annotations

from pathlib import Path

import click

from crossgauge.report import FORMATS


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "ending", required=True, type=click.Choice(sorted(FORMATS)), help="What to write.")
@click.option("--cell", help="Only this cell, e.g. i2t.de.plain (trec holds one).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Where to write; default: standard output."
)
def export(runs: tuple[Path, ...], *, ending: str, cell: str | None, output: Path | None) -> None:
    """Write the numbers of RUNS (run folders or scores.json files) as one table.

    Several runs stand in one table only when they measured the same: signatures may differ in model and
    version and in nothing else. The best of them is bold in md and tex, whichever way the measure points;
    partial runs never are. csv and json hold every number in full precision; trec holds the stored top of
    each ranking, with ranks and ties but without the scores themselves.
    """
    from crossgauge.report import render
    from crossgauge.report.source import read_source
    from crossgauge.runs import write_atomically

    sources = [read_source(run) for run in runs]
    if cell is not None:
        sources = [source.only(cell) for source in sources]
    content = render(sources, ending).encode("utf-8", "replace")
    if ending == "trec":
        from crossgauge.report.trec import NOTE

        click.echo(NOTE, err=True)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_atomically(output, content)
        click.echo(f"written {output}", err=True)
