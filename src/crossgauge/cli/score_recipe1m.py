"""``crossgauge score recipe1m``: embeddings that official code left behind, scored by the protocol."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.params import NAMES, SIZE

if TYPE_CHECKING:
    from crossgauge.benchmark import Benchmark
    from crossgauge.benchmarks.recipe1m.dump import Dump
    from crossgauge.plan import Plan
    from crossgauge.predictions import Predicted
    from crossgauge.result import Result
    from crossgauge.types import Ranks, Split, Vectors

FILE = click.Path(path_type=Path)
DIRECTIONS = ("im2recipe", "recipe2im")


@click.command(short_help="Embeddings of Recipe1M pictures and recipes.")
@click.argument("dump", type=FILE)
@click.option("--ids", type=FILE, metavar="FILE", help="Recipe ids, one a row, where the dump holds none.")
@click.option(
    "--size", type=click.Choice(["1000", "5000", "10000", "all"]), help="Pairs in a draw.  [default: 1000]"
)
@click.option("--draws", type=click.Choice(["10", "5", "1"]), help="How many draws.  [default: 10]")
@click.option(
    "--sampling",
    type=click.Choice(["by-id", "im2recipe-pytorch", "im2recipe-lua", "consecutive"]),
    help="Who draws.  [default: by-id]",
)
@click.option(
    "--directions", type=NAMES, default=DIRECTIONS, metavar="im2recipe,recipe2im", help="Default: both."
)
@click.option("--full/--no-full", default=True, help="Also rank all pairs at once.  [default: yes]")
@click.option(
    "--profile",
    "profiles",
    type=NAMES,
    default=(),
    metavar="A,B,…",
    help="Official scorers to show beside: im2recipe-pytorch, im2recipe-lua, amzn, adamine.",
)
@click.option(
    "--memory",
    type=SIZE,
    default=1 << 30,
    metavar="SIZE",
    help="Memory that ranking may use beyond its inputs.  [default: 1GiB]",
)
@click.option(
    "--on-nonfinite",
    type=click.Choice(["error", "miss"]),
    default="error",
    show_default=True,
    help="What a NaN, an infinity or a zero vector is.",
)
@click.option("--draws-out", type=FILE, metavar="FILE", help="Write the drawn ids: draw, tab, id.")
@click.option("--model", metavar="NAME", help="What to call the system in the result.")
@click.option("-o", "--out", type=FILE, metavar="DIR", help="Also write a run folder with a report.")
@click.option("--json", "as_json", is_flag=True, help="Print the Result document.")
@click.option("--plain", is_flag=True, help="No colour, no bars, no box characters.")
def recipe1m(**given: Any) -> None:
    """Score DUMP: img_embeds, rec_embeds and rec_ids in a folder, or one pickle file with the three.

    Old pickles are read without running anything in them. Row i of both sides is a pair.

    \b
      crossgauge score recipe1m results/
      crossgauge score recipe1m feats_test.pkl --size 10000 --profile amzn
    """  # noqa: D301  (click wants the backspace)
    from crossgauge.benchmarks.recipe1m.dump import read_dump, unusable
    from crossgauge.benchmarks.recipe1m.dumped import benchmark_of
    from crossgauge.cli.run import about
    from crossgauge.errors import InputError
    from crossgauge.plan import make_plan
    from crossgauge.predictions import score_predictions

    dump = read_dump(given["dump"], given["ids"])
    benchmark = benchmark_of(dump)
    _refuse_two_samplings(benchmark, given)
    plan = make_plan(
        benchmark,
        tasks=[
            f"{name}{kind}" for kind in ("", "-full")[: 1 + given["full"]] for name in given["directions"]
        ],
        options={name: given[name] for name in ("size", "draws", "sampling") if given[name]},
        profiles=given["profiles"],
    )
    if given["on_nonfinite"] == "error" and (faults := unusable(dump)):
        raise InputError(faults)
    if given["draws_out"]:
        _write_draws(given["draws_out"], plan)
    result = score_predictions(
        plan,
        _predicted(plan, dump, given),
        model=given["model"] or given["dump"].name,
        revision=_digest(dump),
        similarity="cosine",
        on_nonfinite=given["on_nonfinite"],
        out=given["out"],
        about=about(sys.argv[1:]),
    )
    _print(result, given)


def _predicted(plan: Plan, dump: Dump, given: dict[str, Any]) -> Iterator[Predicted]:
    """Each cell, ranked when it is asked for."""
    from crossgauge.benchmark import Contest
    from crossgauge.measured import RankedCell

    for cell in plan.cells:
        split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
        sides = dump.images, dump.recipes
        queries, corpus = sides if cell.task.query == "image" else sides[::-1]
        ranks = _ranks(queries, corpus, split, given)
        yield RankedCell(cell, split, ranks, Contest(split, queries, corpus))


def _ranks(queries: Vectors, corpus: Vectors, split: Split, given: dict[str, Any]) -> Ranks:
    from crossgauge.ranking import rank, rank_draws

    how = {
        "memory": given["memory"], "on_nonfinite": given["on_nonfinite"],
        "query_ids": [item.id for item in split.queries], "corpus_ids": [item.id for item in split.corpus],
    }  # fmt: skip
    if split.draws is None:
        return rank(queries, corpus, split.qrels, **how)
    return rank_draws(queries, corpus, split, **how)


def _refuse_two_samplings(benchmark: Benchmark, given: dict[str, Any]) -> None:
    """Raise UsageError (E108) where --sampling contradicts a profile: the plan would call it --set."""
    from crossgauge.errors import Fault, UsageError

    asked = given["sampling"]
    faults = [
        Fault("E108", f"--profile {profile.name}", f"--sampling {asked}, sampling={fixed} here", "one value",
              "leave one out")
        for profile in benchmark.profiles
        if profile.name in given["profiles"] and asked not in (None, fixed := profile.options["sampling"])
    ]  # fmt: skip
    if faults:
        raise UsageError(faults)


def _write_draws(path: Path, plan: Plan) -> None:
    from crossgauge.benchmarks.recipe1m.draws import lines
    from crossgauge.benchmarks.recipe1m.dumped import DumpPairs
    from crossgauge.disk import write_atomically
    from crossgauge.errors import EnvironmentFault, Fault

    if path.is_dir():
        wanted, fix = "a file to write", "name a file in it"
        raise EnvironmentFault(Fault("E501", f"--draws-out {path}", "a folder", wanted, fix))
    if isinstance(plan.dataset, DumpPairs):
        drawn, ids = plan.dataset.protocol.drawn, plan.dataset.dump.ids
        write_atomically(path, ("\n".join(lines(drawn, ids)) + "\n").encode("utf-8", "surrogatepass"))


def _digest(dump: Dump) -> str:
    """A short hash of the vectors in the order of ids."""
    digest = hashlib.sha256()
    for side in (dump.images, dump.recipes):
        digest.update(side.astype(side.dtype.newbyteorder("<"), copy=False).tobytes())
    return f"sha256:{digest.hexdigest()[:12]}"


def _print(result: Result, given: dict[str, Any]) -> None:
    if given["as_json"]:
        click.echo(result.to_json(), nl=False)
    else:
        from crossgauge.report.terminal import show

        show(result, plain=given["plain"])
    if given["out"]:
        from crossgauge.report.html import write_report

        report = write_report(given["out"])
        click.echo(f"run folder  {given['out']}\nreport      {report}", err=given["as_json"])
