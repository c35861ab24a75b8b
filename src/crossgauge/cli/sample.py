"""``crossgauge sample``: a tiny made-up data set in a benchmark's real layout."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Write a tiny made-up data set in a benchmark's layout.")
@click.argument("benchmark")
@click.argument("folder", type=click.Path(path_type=Path))
def sample(benchmark: str, folder: Path) -> None:
    """Write made-up data for BENCHMARK into FOLDER, to see the layout and try the commands."""
    from crossgauge import registry
    from crossgauge.disk import unwritable
    from crossgauge.errors import EnvironmentFault, Fault, UsageError

    chosen = registry.load("benchmarks", benchmark)
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                Fault("E119", str(folder), "a folder with files in it", "a new folder", "give another name")
            )
        folder.mkdir(parents=True, exist_ok=True)
        chosen.sample(folder)
    except OSError as error:
        raise EnvironmentFault(unwritable(folder, error)) from error
    click.echo(f"wrote a made-up data set for {benchmark} to {folder}")
    if chosen.needs_data:
        click.echo(f"try: crossgauge check {benchmark} --data {folder}")
