"""``crossgauge list``: what can be named."""

from __future__ import annotations

from typing import Any

import click


@click.command("list", short_help="List benchmarks, models or measures.")
@click.argument("kind", type=click.Choice(["benchmarks", "models", "measures"]))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def list_(kind: str, *, as_json: bool) -> None:
    """List every benchmark, model or measure that can be named, plug-ins included."""
    rows = {"benchmarks": _benchmarks, "models": _models, "measures": _measures}[kind]()
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode({"schema": 1, kind: rows}), indent=1).decode())
        return
    width = max(14, *(len(row["name"]) for row in rows))
    for row in rows:
        click.echo(f"{row['name']:<{width}} {row['summary']}")
        for label, text in row.items():
            if label not in {"name", "summary"} and text:
                click.echo(f"{'':<{width}}   {label}: {text}")


def _benchmarks() -> list[dict[str, Any]]:
    from crossgauge import registry

    rows = []
    for name in registry.names("benchmarks"):
        benchmark = registry.load("benchmarks", name)
        rows.append({
            "name": name,
            "summary": benchmark.title,
            "version": benchmark.version,
            "tasks": ", ".join(f"{task.name} ({task.measures[0]})" for task in benchmark.tasks),
            "options": ", ".join(f"{o.name}={'|'.join(o.choices) or '…'}" for o in benchmark.options),
            "prompt formats": ", ".join(one.name for one in benchmark.formats),
            "profiles": ", ".join(one.name for one in benchmark.profiles),
            "data": "embedded" if not benchmark.needs_data else benchmark.data_help,
        })  # fmt: skip
    return rows


def _models() -> list[dict[str, Any]]:
    from crossgauge import registry
    from crossgauge.models import describe

    return [{"name": name, "summary": describe(name)} for name in registry.names("models")]


def _measures() -> list[dict[str, Any]]:
    from crossgauge import registry
    from crossgauge.measures import example

    rows = []
    for name in registry.names("measures"):
        measure = example(name)
        arrow = "↑" if measure.higher_is_better else "↓"
        rows.append({"name": measure.name, "summary": f"{measure.title} {arrow} ({measure.unit})",
                     "source": measure.source, "undefined": measure.undefined})  # fmt: skip
    return [*rows, *_caption_measures(), *_concept_measures()]


def _concept_measures() -> list[dict[str, Any]]:
    from crossgauge.concepts.measures import CONCEPT_MEASURES

    rows = []
    for one in CONCEPT_MEASURES:
        arrow = "↑" if one.higher_is_better else "↓"
        summary = f"{one.title} {arrow} ({one.unit}): {one.about}"
        rows.append({"name": one.name, "summary": summary, "source": one.source})
    return rows


def _caption_measures() -> list[dict[str, Any]]:
    from crossgauge.rouge import PROFILES
    from crossgauge.rows import title_of

    return [
        {"name": one.measure, "summary": f"{title_of(one.measure)} ↑ (fraction): {one.what}",
         "source": one.source, "known faults": one.wrong}
        for one in PROFILES.values()
    ]  # fmt: skip
