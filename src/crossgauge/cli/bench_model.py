"""``crossgauge bench-model``: items a second by stage, and the stage that the others wait for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.runtime import runtime_of, runtime_options

if TYPE_CHECKING:
    from crossgauge.types import Item


@click.command(short_help="Time a model by stage and name the bottleneck.")
@click.argument("name")
@click.option("--benchmark", default="emoji", show_default=True, help="Whose pictures and texts.")
@click.option("-d", "--data", type=click.Path(path_type=Path), help="Folder of the benchmark's data.")
@click.option("--limit", type=click.IntRange(1), default=256, show_default=True, help="So many of each kind.")
@click.option("-b", "--batch-size", type=click.IntRange(1), default=32, show_default=True,
              help="Items handed to the model at once.")  # fmt: skip
@runtime_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def bench_model(name: str, *, as_json: bool, **given: Any) -> None:
    """Time the model NAME: reading, preparing, encoding (or writing) and storing alone, then all together.

    One batch goes first and does not count. Files were read before, so a slow disk does not show. Figures are
    of this machine and this moment; compare them with each other only. An endpoint is asked about each item
    twice, and about the first batch once more.
    """
    import msgspec

    from crossgauge.model_speed import distinct, measure_speed
    from crossgauge.models import load_model

    model = load_model(name, runtime_of(given))
    items = distinct(_items(given["benchmark"], given["data"]), most=given["limit"])
    speed = measure_speed(model, items, batch_size=given["batch_size"])
    if as_json:
        document = {"schema": 1, "speed": msgspec.to_builtins(speed)}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return
    threads = f"prepared by {speed.readers} threads"
    click.echo(f"{speed.model}, {speed.batch_size} at once, {threads}, after one batch to warm up")
    stages = (*speed.stages, *speed.together)
    width = max(len(stage.name) for stage in stages)
    for stage in stages:
        click.echo(f"{stage.name:<{width}} {stage.rate:>12,.1f} a second   {stage.items} items")
    click.echo(f"bottleneck: {speed.bottleneck}")


def _items(benchmark: str, data: Path | None) -> list[Item]:
    """Queries and candidates of the first language of every task: a tower of texts alone has its texts."""
    from crossgauge.plan import make_plan

    plan = make_plan(benchmark, data=data)
    cells = {cell.task.name: cell for cell in reversed(plan.cells) if cell.task.kind == "ranking"}
    splits = [plan.dataset.split(cell.task.name, cell.language, cell.prompt) for cell in cells.values()]
    return [item for split in splits for item in (*split.queries, *split.corpus)]
