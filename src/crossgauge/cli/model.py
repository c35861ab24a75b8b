"""``crossgauge model``: what a model is, before a number of it is believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.runtime import runtime_of, runtime_options

if TYPE_CHECKING:
    from crossgauge.inspection import ModelFacts


@click.group(short_help="Say what a model is.")
def model() -> None:
    """Say what a model is."""


@model.command(short_help="Modalities, size, preprocessing, licence, needs.")
@click.argument("name")
@runtime_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def inspect(name: str, *, as_json: bool, **given: Any) -> None:
    """Say what the model NAME is: modalities, dimensions, parameters, preprocessing, licence, needs.

    Only configuration files are read where that will do.
    """
    import msgspec

    from crossgauge.inspection import inspect_model

    facts = inspect_model(name, runtime_of(given))
    if as_json:
        document = {"schema": 1, "model": msgspec.to_builtins(facts)}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return
    for label, text in _lines(facts):
        click.echo(f"{label:<14} {text}")


def _lines(facts: ModelFacts) -> Iterator[tuple[str, str]]:
    yield "model", facts.name
    yield "revision", facts.revision
    yield "what", facts.what
    yield "makes", " and ".join(facts.makes)
    yield (
        "takes",
        ", ".join(facts.modalities) + ("; several as one input" if facts.joint else "; one at a time"),
    )
    if facts.similarity:
        role = "; queries and candidates differ" if facts.uses_role else ""
        yield "compared by", facts.similarity + role
    yield "dimensions", "not said" if facts.dimensions is None else str(facts.dimensions)
    yield "parameters", "not said" if facts.parameters is None else f"{facts.parameters:,}"
    if facts.dtype:
        yield "runs in", f"{facts.dtype} on {facts.device}"
    yield "reads by", facts.preprocessing or "not said"
    yield "languages", "not said" if facts.languages is None else ", ".join(facts.languages)
    for lacking in facts.lacks:
        yield "lacks", lacking
    yield "licence", facts.license or "not said"
    yield "needs", f"crossgauge[{','.join(facts.needs)}]" if facts.needs else "the base install"
