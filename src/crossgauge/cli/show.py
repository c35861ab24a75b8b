"""``crossgauge show``: the numbers of a run, on the terminal."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the Result document instead (one JSON object).")
@click.option("--plain", is_flag=True, help="No colour, no drawn lines, our signs in ASCII.")
def show(run: Path, *, as_json: bool, plain: bool) -> None:
    """Print the numbers of RUN: a run folder, a scores.json, or the folder of a concept study.

    One table a task, with 95 % intervals, chance and direction. On a terminal too narrow for all intervals,
    only the primary measure keeps its own; nothing is ever cut. NO_COLOR is honoured. A concept study in the
    run folder follows.
    """
    from crossgauge.report.source import read_shown

    source = read_shown(run)
    if as_json:
        from crossgauge.report.json import render

        click.echo(render([source]), nl=False)
        return
    study = source.study()
    if not source.alone:
        from crossgauge.report.terminal import show as print_tables

        print_tables(source.result, plain=plain)
    if study is not None:
        from crossgauge.report.concepts_text import show_study
        from crossgauge.report.side_by_side import side_by_side

        if not source.alone:
            click.echo()
        show_study(study, both=side_by_side([source]), plain=plain)
