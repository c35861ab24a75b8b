"""``crossgauge score gem``: measure predictions in the form that GEM's submissions have."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from crossgauge.cli.params import NAMES, settings_option

PATH = click.Path(path_type=Path)


@click.command(short_help="Predictions for GEM: TASK/LANGUAGE.prediction.")
@click.argument("submission", type=PATH)
@click.option("--truth", type=PATH, required=True, metavar="DIR", help="GEM's data, with the right answers.")
@click.option("--split", type=click.Choice(["test", "dev"]), default="test", show_default=True,
              help="Which rows of the data are meant.")  # fmt: skip
@click.option("--profile", "profiles", type=NAMES, default=(), metavar="A,B",
              help="Also what an official scorer prints: gem2021.")  # fmt: skip
@settings_option("An option of the benchmark")
@click.option("--on-nonfinite", type=click.Choice(["error", "miss"]), default="error", show_default=True,
              help="What a score of NaN or infinity is.")  # fmt: skip
@click.option("--model", metavar="NAME", help="What to call the system; default: the submission's name.")
@click.option("-o", "--out", type=PATH, metavar="DIR", help="Also write a run folder with a report.")
@click.option("--json", "as_json", is_flag=True, help="Print the Result document.")
@click.option("--plain", is_flag=True, help="No colour, no bars, no box characters.")
def gem(**given: Any) -> None:
    r"""Measure SUBMISSION, a folder (or a zip of it) with TASK/LANGUAGE.prediction for QI, QIT, IQ, QV ….

    Each file is scored by itself. Faulty files are left out and told. The exit code is 5 when such a file, or
    a task or language of GEM-I or GEM-V, lacks (a part without any file does not count); it is 3 when nothing
    could be scored. Pictures and videos of the data need not be there.

    \b
      crossgauge score gem my.zip --truth GEM
      crossgauge score gem my/ --truth GEM --split dev --profile gem2021 --json
    """
    from crossgauge.cli.faults import EXIT_PARTIAL, print_faults
    from crossgauge.cli.run import about
    from crossgauge.errors import InputError
    from crossgauge.submission import score_submission

    if "split" in dict(given["options"]):
        raise click.UsageError("score gem takes --split NAME, not --set split=NAME")
    done = score_submission(
        given["submission"], given["truth"], options={**dict(given["options"]), "split": given["split"]},
        profiles=given["profiles"], on_nonfinite=given["on_nonfinite"], model=given["model"],
        out=given["out"], about=about(sys.argv[1:]) if given["out"] else None,
    )  # fmt: skip
    if given["as_json"]:
        click.echo(done.result.to_json(), nl=False)
    else:
        from crossgauge.report.terminal import show

        show(done.result, plain=given["plain"])
    if given["out"]:
        from crossgauge.report.html import write_report

        report = write_report(given["out"])
        click.echo(f"run folder  {given['out']}\nreport      {report}", err=given["as_json"])
    if done.faults:
        print_faults(InputError(done.faults))
    if done.faults or done.result.partial:
        sys.exit(EXIT_PARTIAL)
