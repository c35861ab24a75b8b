"""``crossgauge cache``: the vectors kept between runs."""

from __future__ import annotations

import click


@click.group(short_help="Show, verify or clear the vectors kept between runs.")
def cache() -> None:
    """Show, verify or clear the vectors kept between runs."""


@cache.command("list", short_help="What is kept, by model.")
def list_() -> None:
    """List the kept vectors: how many of which model, and their size on disk."""
    from crossgauge.cache import Cache

    store = Cache.default()
    for contents in store.contents():
        size = f"{contents.size / 1e6:.1f} MB"
        click.echo(f"{contents.name or '?':<24} {contents.rows:>9} vectors  {size:>10}  {contents.path.name}")
    click.echo(f"in {store.folder}")


@cache.command(short_help="Read every vector and set damaged ones aside.")
def verify() -> None:
    """Read every kept vector; damaged ones are set aside and computed again when they are needed."""
    from crossgauge.cache import Cache
    from crossgauge.cli.faults import fault_block

    faults = Cache.default().verify()
    for fault in faults:
        click.echo(fault_block(fault), err=True)
    click.echo(f"{len(faults)} damaged" if faults else "all whole")


@cache.command(short_help="Forget every kept vector.")
@click.confirmation_option(prompt="Forget every kept vector?")
def clear() -> None:
    """Forget every kept vector; runs and their scores stay."""
    from crossgauge.cache import Cache

    click.echo(f"{Cache.default().clear()} vectors forgotten")
