"""``crossgauge cache``: the vectors and captions kept between runs."""

from __future__ import annotations

import click

from crossgauge.cli.params import AGE, SIZE


@click.group(short_help="Show, verify, thin out or clear the vectors and captions kept between runs.")
def cache() -> None:
    """Show, verify, thin out or clear the vectors and captions kept between runs."""


@cache.command("list", short_help="What is kept, by model.")
def list_() -> None:
    """List what is kept: how many vectors or captions of which model, their size, and when last used.

    Files that no run reads any more are listed, too; `cache gc` forgets them.
    """
    from datetime import UTC, datetime

    from crossgauge.cache import Cache
    from crossgauge.cache_upkeep import leftovers, size_of

    store = Cache.default()
    total = 0
    for contents in store.contents():
        size = f"{contents.size / 1e6:.1f} MB"
        used = datetime.fromtimestamp(contents.path.stat().st_mtime, UTC).date()
        line = f"{contents.name or '?':<24} {contents.rows:>9} kept  {size:>10}  used {used}"
        click.echo(f"{line}  {contents.path.name}")
        total += contents.size
    for path, what in leftovers(store.folder):
        left = size_of(path)
        click.echo(f"{'?':<24} {'-':>14}  {left / 1e6:>7.1f} MB  {what}  {path.name}")
        total += left
    click.echo(f"{total / 1e6:.1f} MB in {store.folder}")


@cache.command(short_help="Read everything kept and set damaged ones aside.")
def verify() -> None:
    """Read everything that is kept; damaged rows are set aside and computed again when they are needed."""
    from crossgauge.cache import Cache
    from crossgauge.cli.faults import fault_block

    faults = Cache.default().verify()
    for fault in faults:
        click.echo(fault_block(fault), err=True)
    click.echo(f"{len(faults)} damaged" if faults else "all whole")


@cache.command(short_help="Forget what is old, too much, or of a model.")
@click.option("--older-than", type=AGE, metavar="AGE", help="Not used for so long: 30d, 12h.")
@click.option(
    "--max-size", type=SIZE, metavar="SIZE", help="The longest unused until no more is left: 10GiB."
)
@click.option("--model", "models", multiple=True, metavar="NAME", help="All of this model; may be repeated.")
@click.option("--keep-model", "keep", multiple=True, metavar="NAME",
              help="Nothing of this model; alone: all of the others. May be repeated.")  # fmt: skip
def gc(
    older_than: float | None, max_size: int | None, models: tuple[str, ...], keep: tuple[str, ...]
) -> None:
    """Forget whole stores: of a model, unused for long, or the longest unused of too much.

    What damage set aside goes too. Runs and their scores stay; what is forgotten is computed again, the same.
    """
    from crossgauge.cache import Cache
    from crossgauge.cache_upkeep import collect

    gone = collect(Cache.default(), older_than=older_than, max_size=max_size, models=models, keep=keep)
    for one in gone:
        click.echo(f"{one.name or '?':<24} {one.size / 1e6:>9.1f} MB  {one.reason}  {one.path.name}")
    click.echo(f"{sum(one.size for one in gone) / 1e6:.1f} MB forgotten")


@cache.command(short_help="Forget everything kept.")
@click.confirmation_option(prompt="Forget every kept vector and caption?")
def clear() -> None:
    """Forget every kept vector and caption; runs and their scores stay."""
    from crossgauge.cache import Cache

    click.echo(f"{Cache.default().clear()} forgotten")
