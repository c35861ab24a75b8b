"""``crossgauge export``: the numbers of one or more runs as a file for a paper, a sheet or another tool."""

from __future__ import annotations

from pathlib import Path

import click

from crossgauge.report import FORMATS

SUBMISSIONS = ("gem", "mmmeb")  # written as folders, by the benchmark's own rules


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "ending", required=True, type=click.Choice([*sorted(FORMATS), *SUBMISSIONS]),
              help="What to write.")  # fmt: skip
@click.option("-d", "--data", type=click.Path(path_type=Path), help="The data of the run (mmmeb needs them).")
@click.option("--cell", help="Only this cell, e.g. i2t.de.plain (trec holds one).")
@click.option("--prompt", metavar="NAME", help="Whose rankings to write, of a run with several (gem).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="Where to write; default: standard output. gem and mmmeb need a new folder.",
)  # fmt: skip
def export(
    runs: tuple[Path, ...],
    *,
    ending: str,
    data: Path | None,
    cell: str | None,
    prompt: str | None,
    output: Path | None,
) -> None:
    """Write the numbers of RUNS (run folders, scores.json files, folders of concept studies) as one table.

    Several runs stand in one table only when they measured the same: signatures may differ in model and
    version and in nothing else. The best of them is bold in md and tex, whichever way the measure points;
    partial runs never are. Where concepts were studied, a table puts ranking and concept measures side by
    side, a line a model. csv and json hold every number in full precision; trec holds the stored top of
    each ranking, with ranks and ties but without the scores themselves. gem and mmmeb write one run as the
    files that the benchmark's organisers read.
    """
    if prompt is not None and ending != "gem":
        raise click.UsageError(f"--format {ending} does not take --prompt")
    if ending in SUBMISSIONS:
        _submission(runs, ending, output, data=data, cell=cell, prompt=prompt)
        return
    if data is not None:
        raise click.UsageError(f"--format {ending} does not take --data")
    from crossgauge.disk import write_atomically
    from crossgauge.report import render
    from crossgauge.report.source import read_shown

    sources = [read_shown(run) for run in runs]
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


def _submission(
    runs: tuple[Path, ...],
    ending: str,
    output: Path | None,
    *,
    data: Path | None,
    cell: str | None,
    prompt: str | None,
) -> None:
    """One run as a folder of prediction files, and what is not in it as in the run."""
    if len(runs) != 1 or output is None or cell is not None or (data is None) is (ending == "mmmeb"):
        needs = ", --data DIR" if ending == "mmmeb" else ""
        raise click.UsageError(f"--format {ending} takes one run folder{needs} and -o DIR for a new folder")
    if ending == "gem":
        from crossgauge.cli.faults import fault_block
        from crossgauge.submission.write import write_submission

        written = write_submission(runs[0], output, prompt=prompt)
        for finding in written.findings:
            click.echo(fault_block(finding), err=True)
        click.echo(f"written {len(written.files)} files to {written.folder}", err=True)
    elif data is not None:
        from crossgauge.benchmarks.mmmeb.export import NOTE, render_mmmeb
        from crossgauge.disk import refuse_occupied, write_folder

        refuse_occupied(output)
        files = render_mmmeb(runs[0], data)
        write_folder(output, files)
        click.echo(f"{NOTE}\nwritten {len(files)} files to {output}", err=True)
