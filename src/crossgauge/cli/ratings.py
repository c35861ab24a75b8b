"""``crossgauge ratings``: what people said of answers, and which automatic measures agree with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from crossgauge.cli.params import NAMES

PATH = click.Path(path_type=Path)


@click.command(short_help="Analyse ratings by people.")
@click.argument("file", type=PATH)
@click.option("--scores", type=PATH, metavar="RUN|FILE",
              help="Automatic measures: a run folder, a concept study, or a table.")  # fmt: skip
@click.option(
    "--cell", metavar="NAME", help="With a run or study of several cells: which, e.g. t2i.en.plain."
)
@click.option("--merge", type=click.Choice(["majority", "any"]), default="majority", show_default=True,
              help="A class disagrees when at least half of a pair's raters marked it, or any.")  # fmt: skip
@click.option("--classes", type=NAMES, metavar="A,B,…", help="All that raters could mark; others are faults.")
@click.option("--alternatives", type=NAMES, metavar="A,B,…",
              help="Classes that mean a valid answer.  [default: successful alternative]")  # fmt: skip
@click.option("--scale", type=(float, float), default=(0.0, 10.0), metavar="LOW HIGH",
              help="The lowest and the highest score.  [default: 0 10]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document, every number in full.")
@click.option("--plain", is_flag=True, help="No box characters, our signs in ASCII.")
def ratings(file: Path, **given: Any) -> None:
    r"""Analyse FILE, a CSV, TSV, JSONL or Parquet table of query, image, rater, score and classes.

    Tells the mean rating, how many classes disagree in a pair, which go together, whether raters agree, and
    with --scores which automatic measures order the pairs as people do.

    \b
      crossgauge ratings study.csv
      crossgauge ratings study.csv --scores runs/my-model --json
    """
    from crossgauge.ratings import read_ratings, read_scores, study
    from crossgauge.ratings.reading import ALTERNATIVES
    from crossgauge.ratings.report import document, text

    alternatives = given["alternatives"] or ALTERNATIVES
    read = read_ratings(file, classes=given["classes"], alternatives=alternatives, scale=given["scale"])
    automatic = None
    if given["scores"] is not None:
        automatic = read_scores(given["scores"], read.pairs, cell=given["cell"])
    elif given["cell"] is not None:
        raise click.UsageError("--cell needs --scores")
    found = study(read, merge=given["merge"], automatic=automatic)
    if given["as_json"]:
        click.echo(document(found), nl=False)
        return
    encoding = sys.stdout.encoding or "utf-8"
    plain = given["plain"] or not encoding.lower().replace("-", "").startswith("utf")
    click.echo(text(found, codec=encoding if plain else None), nl=False)
