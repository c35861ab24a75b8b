"""``crossgauge run``: a model on a benchmark, from data to report."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.faults import EXIT_PARTIAL
from crossgauge.cli.params import BATCH_SIZE, NAMES, SIZE, settings_option
from crossgauge.cli.runtime import runtime_of, runtime_options

if TYPE_CHECKING:
    from crossgauge.perturb import Chosen
    from crossgauge.plan import Cell, Plan
    from crossgauge.result import Result
    from crossgauge.runtime import Runtime


@click.command(short_help="Measure a model on a benchmark.")
@click.argument("benchmark")
@click.option(
    "-m",
    "--model",
    required=True,
    metavar="MODEL",
    help="conse, caption:labels, … (list models).",
)
@click.option("-d", "--data", type=click.Path(path_type=Path), help="Folder of the benchmark's data.")
@click.option("-t", "--tasks", type=NAMES, default=(), metavar="A,B", help="Tasks to run; default: all.")
@click.option("-l", "--languages", type=NAMES, default=(), metavar="en,de", help="Languages; default: all.")
@click.option("--prompt", "prompts", multiple=True, metavar="[NAME=]TEMPLATE",
              help="Prompt format, {} for the text; may be repeated. Default: {}.")  # fmt: skip
@click.option("--prompts", "formats", type=NAMES, default=(), metavar="A,B",
              help="Prompt formats of the benchmark's own, by name; default: its first.")  # fmt: skip
@click.option("--profile", "profiles", type=NAMES, default=(), metavar="A,B",
              help="Official scorers to reproduce beside the right numbers.")  # fmt: skip
@click.option("--fusion", metavar="HOW[:SHARE]",
              help="How picture and text of one item become one vector: mean:0.5, sum, concat.")  # fmt: skip
@settings_option("An option of the benchmark")
@click.option("--perturb", type=NAMES, default=(), metavar="A,B",
              help="Interventions on text queries: antonym, size, … (crossgauge perturb -h).")  # fmt: skip
@click.option("--seed", type=int, help="Of what interventions draw.  [default: 0]")
@click.option("--color-threshold", type=float, metavar="D", help="How far a new colour is.  [default: 150]")
@click.option("--color-table", metavar="NAME", help="Its names: css4 or xkcd.  [default: css4]")
@click.option("--concepts", metavar="FILE|dataset|predicted:K",
              help="Also study what right and retrieved pictures show (as score concepts does).")  # fmt: skip
@click.option("--limit", type=int, metavar="N", help="Only N pictures; the result is marked partial.")
@runtime_options
@click.option("-b", "--batch-size", type=BATCH_SIZE, default="auto", metavar="auto|N",
              help="Items handed to the model at once.  [default: what the model says, or 32]")  # fmt: skip
@click.option("--engine", type=click.Choice(["local", "processes", "ray"]), default="local",
              help="Where the model runs; ray: actors of a Ray cluster.  [default: local]")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), metavar="N",
              help="Workers with a model each; local: who reads.  [default: 2, or processors]")  # fmt: skip
@click.option("--memory", type=SIZE, default=1 << 30, metavar="SIZE",
              help="Memory that ranking may use beyond its inputs.  [default: 1GiB]")  # fmt: skip
@click.option("--on-nonfinite", type=click.Choice(["error", "miss"]), default="error", show_default=True,
              help="What a NaN, infinite or zero vector is.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Run folder, created or resumed.  [default: runs/…]")  # fmt: skip
@click.option("--no-cache", is_flag=True, help="Keep no vectors or captions between runs.")
@click.option("--json", "as_json", is_flag=True, help="Print the Result document.")
@click.option("--plain", is_flag=True, help="No colour, no bars, no box characters.")
@click.option("--dry-run", is_flag=True, help="Print the plan; compute and write nothing.")
def run(**given: Any) -> None:
    """Measure MODEL on BENCHMARK and write a run folder with scores and a report.

    The same command resumes a run that was interrupted. Examples:

    \b
      crossgauge run emoji --model conse --languages en,de,ja
      crossgauge run folder --data my_pictures --model conse
      crossgauge run egmm --data EgMM --model conse --prompt "a photo of {}"
    """  # noqa: D301  (click wants the backspace)
    from crossgauge.models import load_model
    from crossgauge.plan import make_plan

    chosen = choose_interventions(given)
    concepts_fit = _concepts_fit(given)
    runtime = runtime_of(given)
    given["prompts"] = (*given["prompts"], *given.pop("formats"))
    asked = {name: given[name] for name in ("data", "tasks", "languages", "prompts", "profiles", "limit")}
    options = dict(given["options"])
    if given["dry_run"]:
        model = load_model(given["model"], runtime)
        plan = make_plan(
            given["benchmark"], **asked, options=options, model=model, fused=given["fusion"] is not None
        )
        if chosen:
            from crossgauge.perturbed import check

            check(plan, model)
        if concepts_fit is not None:
            concepts_fit(plan)
        _print_plan(plan, model.name, as_json=given["as_json"])
        return
    named = asked | ({"fusion": given["fusion"]} if given["fusion"] else {})
    named |= {"perturb": [one.label for one in chosen]} if chosen else {}
    named |= {"dtype": runtime.dtype} if runtime.dtype != "auto" else {}
    out = given["out"] or Path("runs") / run_name(given["benchmark"], given["model"], named, options)
    result = _evaluate(given, runtime, options, chosen, out)
    _print_result(result, out, as_json=given["as_json"], plain=given["plain"])
    if result.partial and not (given["limit"] and len(result.partial) == 1):
        sys.exit(EXIT_PARTIAL)


def choose_interventions(given: Mapping[str, Any]) -> tuple[Chosen, ...]:
    """Those asked for with ``--perturb``; raises UsageError (E180) for a seed or colours without any."""
    from crossgauge.errors import Fault, UsageError

    said = {name: given[name] for name in ("seed", "color_threshold", "color_table")}
    said = {name: value for name, value in said.items() if value is not None}
    if given["perturb"]:
        from crossgauge.perturb import choose

        return choose(given["perturb"], **said)
    if said:
        alone = ", ".join(f"--{name.replace('_', '-')}" for name in said)
        raise UsageError(
            Fault("E180", alone, "no --perturb", "both, or neither", "add e.g. --perturb antonym")
        )
    return ()


def _concepts_fit(given: Mapping[str, Any]) -> Callable[[Plan], None] | None:
    """What looks whether ``--concepts`` fits a plan; raises at once what is wrong with any plan."""
    if given["concepts"] is None:
        return None
    from functools import partial

    from crossgauge.cli.score_concepts import check_concepts, check_concepts_of

    check_concepts(given["concepts"])
    return partial(check_concepts_of, given["concepts"], data=given["data"])


def _evaluate(
    given: Mapping[str, Any],
    runtime: Runtime,
    options: Mapping[str, str],
    chosen: tuple[Chosen, ...],
    out: Path,
) -> Result:
    from crossgauge.cache import Cache
    from crossgauge.cli.display import StopRequest, progress_for
    from crossgauge.evaluation import evaluate
    from crossgauge.report.html import write_report

    with StopRequest() as stop, progress_for(stop, plain=given["plain"] or given["as_json"]) as progress:
        result = evaluate(
            given["benchmark"], given["model"], given["data"],
            tasks=given["tasks"], languages=given["languages"], prompts=given["prompts"],
            options=options, profiles=given["profiles"], fusion=given["fusion"], perturb=chosen,
            limit=given["limit"], out=out,
            runtime=runtime, engine=given["engine"], workers=given["workers"],
            batch_size=given["batch_size"], memory=given["memory"], on_nonfinite=given["on_nonfinite"],
            cache=None if given["no_cache"] else Cache.default(), progress=progress,
            about=about(sys.argv[1:]), check=_concepts_fit(given),
        )  # fmt: skip
        try:
            if given["concepts"] is not None:
                from crossgauge.cli.score_concepts import study_finished

                progress.note("comparing concepts")
                study_finished(out, given["concepts"], given["data"])
        finally:  # annotations that do not fit must not cost the report of a finished run
            progress.note("writing report.html")
            write_report(out)
    return result


def _print_result(result: Result, out: Path, *, as_json: bool, plain: bool) -> None:
    if as_json:
        click.echo(result.to_json().decode(), nl=False)
    else:
        from crossgauge.report.terminal import show

        show(result, plain=plain)
        if (out / "concepts.json").is_file():
            _print_concepts(out, plain=plain)
            click.echo(f"concepts    {out / 'concepts.json'}, drawn in the report")
    click.echo(f"run folder  {out}\nreport      {out / 'report.html'}", err=as_json)


def _print_concepts(out: Path, *, plain: bool) -> None:
    from crossgauge.report.concepts_text import show_summary
    from crossgauge.report.side_by_side import side_by_side
    from crossgauge.report.source import read_source

    source = read_source(out)
    study = source.study()
    if study is not None:
        show_summary(study, side_by_side([source]), plain=plain)


def _print_plan(plan: Plan, model: str, *, as_json: bool) -> None:
    cells = []
    for cell in plan.cells:
        queries, gallery = _sizes(plan, cell)
        cells.append({"cell": cell.key, "queries": queries, "gallery": gallery,
                      "measures": list(cell.task.measures), "template": cell.prompt.template})  # fmt: skip
    if as_json:
        import msgspec

        document = {
            "schema": 1, "benchmark": plan.benchmark.name, "model": model, "options": dict(plan.options),
            "data": plan.dataset.fingerprint, "cells": cells,
            "not_applicable": [{"task": one.task, "reason": one.reason} for one in plan.not_applicable],
        }  # fmt: skip
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return
    total = sum(int(str(cell["queries"])) for cell in cells)
    click.echo(
        f"plan  {plan.benchmark.name} {plan.benchmark.version} × {model}: {len(cells)} cells, {total} queries"
    )
    for task in plan.not_applicable:
        click.echo(f"  {task.task:<32} not applicable: {task.reason}")
    for entry in cells:
        against = f"{entry['gallery']:>7} candidates" if entry["gallery"] else "to write about"
        click.echo(f"  {entry['cell']:<32} {entry['queries']:>7} queries  {against}")
    click.echo("nothing run (--dry-run)")


def _sizes(plan: Plan, cell: Cell) -> tuple[int, int]:
    """Queries and candidates of a cell; what is written about has none to rank."""
    if cell.task.kind == "captioning":
        dataset: Any = plan.dataset
        return len(dataset.captions(cell.task.name, cell.language).items), 0
    split = plan.dataset.split(cell.task.name, cell.language, cell.prompt)
    drawn = sum(len(draw.queries) for draw in split.draws or ())
    return drawn or len(split.queries), len(split.corpus)


def run_name(benchmark: str, model: str, asked: Mapping[str, Any], options: Mapping[str, str]) -> str:
    """The run folder's default name: the same request finds its folder again, another request another one.

    >>> run_name("emoji", "conse", {"limit": None}, {}).startswith("emoji_conse_")
    True
    """
    import hashlib

    from crossgauge import __version__

    said = {name: str(value) for name, value in asked.items()} | {f"set {k}": v for k, v in options.items()}
    if asked.get("data") is not None:
        said["data"] = str(Path(asked["data"]).resolve())
    request = repr((__version__, benchmark, model, sorted(said.items())))
    slug = re.sub(r"[^A-Za-z0-9.-]+", "-", Path(model).name if "/" in model else model).strip("-")[:40]
    return f"{benchmark}_{slug}_{hashlib.sha256(request.encode()).hexdigest()[:8]}"


def about(argv: Sequence[str]) -> dict[str, Any]:
    """When, where and with what: kept in ``run.json``, never part of a number."""
    import datetime
    import platform
    from importlib.metadata import version

    packages = ("numpy", "onnxruntime", "pillow", "scipy", "pyarrow")
    return {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "argv": ["crossgauge", *redacted(argv)],
        "host": {"platform": platform.platform(), "machine": platform.machine()},
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    }


def redacted(argv: Sequence[str]) -> list[str]:
    """The command with everything that looks like a secret blanked.

    >>> redacted(["--token", "abc", "--model", "x", "KEY=hf_abcdefgh12345678", "https://me:pw@host/x"])
    ['--token', '***', '--model', 'x', 'KEY=***', 'https://***@host/x']
    """
    shown, hide_next = [], False
    for argument in argv:
        if hide_next:
            shown.append("***")
            hide_next = False
            continue
        hide_next = bool(
            re.fullmatch(r"--?[\w-]*(token|secret|password|api-?key)[\w-]*", argument, re.IGNORECASE)
        )
        text = re.sub(r"(?i)((?:token|secret|password|api[_-]?key)[\w-]*=).+", r"\1***", argument)
        text = re.sub(r"\b(hf_|sk-|ghp_|xoxb-)[\w-]{6,}", "***", text)
        shown.append(re.sub(r"(\w+://)[^/@\s]+@", r"\1***@", text))
    return shown
