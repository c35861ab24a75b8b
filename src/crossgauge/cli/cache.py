"""``crossgauge cache``: the vectors and captions kept between runs."""

from __future__ import annotations

import click


@click.group(short_help="Show, verify or clear the vectors and captions kept between runs.")
def cache() -> None:
    """Show, verify or clear the vectors and captions kept between runs."""


@cache.command("list", short_help="What is kept, by model.")
def list_() -> None:
    """List what is kept: how many vectors or captions of which model, and their size on disk."""
    from crossgauge.cache import Cache

    store = Cache.default()
    for contents in store.contents():
        size = f"{contents.size / 1e6:.1f} MB"
        click.echo(f"{contents.name or '?':<24} {contents.rows:>9} kept  {size:>10}  {contents.path.name}")
    click.echo(f"in {store.folder}")


@cache.command(short_help="Read everything kept and set damaged ones aside.")
def verify() -> None:
    """Read everything that is kept; damaged rows are set aside and computed again when they are needed."""
    from crossgauge.cache import Cache
    from crossgauge.cli.faults import fault_block

    faults = Cache.default().verify()
    for fault in faults:
        click.echo(fault_block(fault), err=True)
    click.echo(f"{len(faults)} damaged" if faults else "all whole")


@cache.command(short_help="Forget everything kept.")
@click.confirmation_option(prompt="Forget every kept vector and caption?")
def clear() -> None:
    """Forget every kept vector and caption; runs and their scores stay."""
    from crossgauge.cache import Cache

    click.echo(f"{Cache.default().clear()} forgotten")
