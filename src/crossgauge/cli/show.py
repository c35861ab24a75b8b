"""``crossgauge show``: the numbers of a run, on the terminal."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the Result document instead (one JSON object).")
@click.option("--plain", is_flag=True, help="No colour, no drawn lines, our signs in ASCII.")
def show(run: Path, *, as_json: bool, plain: bool) -> None:
    """Print the numbers of RUN: a run folder, or a scores.json.

    One table a task, with 95 % intervals, chance and direction. On a terminal too narrow for all intervals,
    only the primary measure keeps its own; nothing is ever cut. NO_COLOR is honoured. A concept study in the
    run folder follows.
    """
    from crossgauge.report.source import read_source
    from crossgauge.report.terminal import show as print_tables

    result = read_source(run).result
    if as_json:
        click.echo(result.to_json(), nl=False)
    else:
        print_tables(result, plain=plain)
        study = run / "concepts.json"
        if study.is_file():
            from crossgauge.concept_study import ConceptStudy
            from crossgauge.report.concepts_text import show_study

            click.echo()
            show_study(ConceptStudy.from_json(study.read_bytes(), str(study)), plain=plain)
