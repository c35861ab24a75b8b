"""``crossgauge score mmmeb``: measure the result files that MMMEB's scripts write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from crossgauge.cli.faults import EXIT_PARTIAL
from crossgauge.cli.params import settings_option

if TYPE_CHECKING:
    from crossgauge.result import Result

FILE = click.Path(path_type=Path)


@click.command(short_help="Result files of MMMEB's scripts.")
@click.argument("results", type=FILE)
@click.option("-d", "--data", type=FILE, required=True, metavar="DIR", help="Folder of the benchmark's data.")
@click.option("--style", default="plain", show_default=True, type=click.Choice(["plain", "punct", "newline"]),
              help="The format of files whose names say none.")  # fmt: skip
@settings_option("An option of the benchmark")
@click.option("--model", metavar="NAME", help="What to call the system; default: the folder's name.")
@click.option("-o", "--out", type=FILE, metavar="DIR", help="Also write a run folder with a report.")
@click.option("--json", "as_json", is_flag=True, help="Print the Result document.")
@click.option("--plain", is_flag=True, help="No colour, no bars, no box characters.")
def mmmeb(results: Path, *, as_json: bool, plain: bool, **given: Any) -> None:
    """Measure RESULTS, a folder of {dataset}_{task}_{lang}[_{style}].jsonl files with ranked predictions.

    Only labels and orders are scored, not the stored p_k. Unless told otherwise by --set, texts count as
    worded by the scripts (mode=reference), with instructions where file names say a format.

    A task that has a file in some of its languages only makes the result partial (exit 5).

    \b
      crossgauge score mmmeb results/my_model --data MMMEB
    """  # noqa: D301  (click wants the backspace)
    result = _scored(results, **given)
    if as_json:
        click.echo(result.to_json(), nl=False)
    else:
        from crossgauge.report.terminal import show

        show(result, plain=plain)
    if given["out"]:
        from crossgauge.report.html import write_report

        report = write_report(given["out"])
        click.echo(f"run folder  {given['out']}\nreport      {report}", err=as_json)
    if result.partial:
        sys.exit(EXIT_PARTIAL)


def _scored(results: Path, **given: Any) -> Result:
    from crossgauge.benchmarks.mmmeb.data import Listings
    from crossgauge.benchmarks.mmmeb.prompts import STYLES
    from crossgauge.benchmarks.mmmeb.results import by_cell, lacking, ranks_of, result_files, strange
    from crossgauge.cli.run import about
    from crossgauge.errors import Fault
    from crossgauge.measured import RankedCell
    from crossgauge.plan import make_plan
    from crossgauge.predictions import Predicted, score_predictions

    found = result_files(results)
    silent = sum(not named.style for named in found.files)
    files = by_cell(found, given["style"])
    worded = {"mode": "reference", "prompting": "dual" if silent == len(found.files) else "instruct"}
    styles = [style for style in STYLES if style in {said for _, _, said in files}]
    plan = make_plan("mmmeb", data=given["data"], prompts=styles, options=worded | dict(given["options"]))
    dataset = cast(Listings, plan.dataset)

    def predicted() -> Iterator[Predicted]:
        for cell in plan.cells:
            named = files.get((cell.task.name, cell.language, cell.prompt.name))
            if named is not None:
                split = dataset.split(cell.task.name, cell.language, cell.prompt)
                ranks, warnings = ranks_of(named, dataset.listing(named.task, named.language), split)
                yield RankedCell(cell, split, ranks, warnings=warnings)

    said = f"{silent} of {len(found.files)} files name no format"
    unsaid = [Fault("W357", str(found.folder), said, "", f"they count as {given['style']}")] if silent else []
    return score_predictions(
        plan,
        predicted(),
        model=given["model"] or found.folder.resolve().name,
        revision=found.revision,
        partial=lacking(list(files), dataset),
        findings=[*found.findings, *strange(found, dataset), *unsaid],
        out=given["out"],
        about=about(sys.argv[1:]) if given["out"] else None,
    )
