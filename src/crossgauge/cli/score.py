"""``crossgauge score``: measure vectors, a matrix of scores, or a saved run. No model needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crossgauge.cli.params import NAMES, SIZE

if TYPE_CHECKING:
    from crossgauge.readers import Judgements
    from crossgauge.result import Result

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in the help in the order given."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


QRELS = "Judgements: TREC, BEIR TSV or JSON. Default: equal ids match, else row i matches row i."
_sides = _options(
    click.option(
        "--query-ids", type=FILE, metavar="FILE", help="Ids of the queries: txt, json, csv, parquet."
    ),
    click.option("--corpus-ids", type=FILE, metavar="FILE", help="Ids of the corpus."),
)
_ranked = _options(
    click.option("--directions", type=NAMES, default=("q2c", "c2q"), metavar="q2c,c2q",
                 help="query→corpus, corpus→query; default: both."),
    click.option("--on-nonfinite", type=click.Choice(["error", "miss"]), default="error", show_default=True,
                 help="What a NaN, an infinity or a zero vector is."),
)  # fmt: skip
_common_options = _options(
    click.option("--measures", type=NAMES, metavar="A,B,…", help="Default: hit@1,hit@5,hit@10,mrr,medr."),
    click.option("--model", metavar="NAME", help="What to call the system in the result."),
    click.option("-o", "--out", type=FILE, metavar="DIR", help="Also write a run folder with a report."),
    click.option("--json", "as_json", is_flag=True, help="Print the Result document."),
    click.option("--plain", is_flag=True, help="No colour, no bars, no box characters."),
)  # fmt: skip


BENCHMARKS = {
    "concepts": "score_concepts",
    "gem": "score_gem",
    "recipe1m": "score_recipe1m",
    "mmmeb": "score_mmmeb",
}  # → module


class ScoreGroup(click.Group):
    """Also offers the benchmarks that read predictions, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The general ones, then benchmarks."""
        return [*super().list_commands(ctx), *BENCHMARKS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of them."""
        if cmd_name not in BENCHMARKS:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(f"crossgauge.cli.{BENCHMARKS[cmd_name]}"), cmd_name)
        return found


@click.group(cls=ScoreGroup, short_help="Measure your own vectors, scores, runs or submissions.")
def score() -> None:
    """Measure what you already have: vectors, a matrix of scores, a saved run, a benchmark's predictions."""


@score.command(short_help="Vectors of queries and corpus.")
@click.option("--queries", type=FILE, required=True, metavar="FILE",
              help="Vectors of the queries: .npy, .npz, .safetensors, parquet, folder.")  # fmt: skip
@click.option("--corpus", type=FILE, required=True, metavar="FILE", help="Vectors of what is searched.")
@click.option("--qrels", type=FILE, metavar="FILE", help=QRELS)
@_sides
@click.option("--similarity", type=click.Choice(["cosine", "dot", "l2"]), default="cosine",
              show_default=True, help="How two vectors are compared.")  # fmt: skip
@click.option("--memory", type=SIZE, default=1 << 30, metavar="SIZE",
              help="Memory that ranking may use beyond its inputs.  [default: 1GiB]")  # fmt: skip
@_ranked
@_common_options
def embeddings(**given: Any) -> None:
    """Rank the corpus for each query by its vectors, and back, and measure both.

    \b
      crossgauge score embeddings --queries txt.npy --corpus img.npy --qrels qrels.tsv
      crossgauge score embeddings --queries a.npz --corpus b.safetensors --similarity dot --json
    """  # noqa: D301  (click wants the backspace)
    from crossgauge.readers import read_vectors, together
    from crossgauge.scoring import score_embeddings

    queries, corpus, qrels = together(
        lambda: read_vectors(given["queries"], ids=given["query_ids"]),
        lambda: read_vectors(given["corpus"], ids=given["corpus_ids"]),
        lambda: _qrels(given),
    )
    names = (str(given["queries"]), str(given["corpus"]))
    asked = {name: given[name] for name in ("similarity", "memory", "directions", "on_nonfinite")}
    _print(score_embeddings(queries, corpus, qrels=qrels, names=names, **asked, **_common(given)), given)


@score.command(short_help="A matrix of scores, queries × corpus.")
@click.argument("scores", type=FILE)
@click.option("--qrels", type=FILE, metavar="FILE", help=QRELS)
@_sides
@_ranked
@_common_options
def matrix(**given: Any) -> None:
    """Measure SCORES, a matrix with a row a query and a column a corpus item; higher is nearer.

    \b
      crossgauge score matrix similarities.npy --qrels qrels.tsv
    """  # noqa: D301  (click wants the backspace)
    from crossgauge.readers import read_vectors, together
    from crossgauge.scoring import score_matrix

    read, rows, columns, qrels = together(
        lambda: read_vectors(given["scores"]),
        lambda: _ids(given["query_ids"]),
        lambda: _ids(given["corpus_ids"]),
        lambda: _qrels(given),
    )
    names = (f"{given['scores']} rows", f"{given['scores']} columns")
    asked = {name: given[name] for name in ("directions", "on_nonfinite")}
    result = score_matrix(
        read.vectors, query_ids=rows, corpus_ids=columns, qrels=qrels, names=names, **asked, **_common(given)
    )
    _print(result, given)


@score.command(short_help="A saved run: TREC, TSV, JSON, parquet.")
@click.argument("run", type=FILE)
@click.option("--qrels", type=FILE, required=True, metavar="FILE", help="Judgements: TREC, BEIR TSV or JSON.")
@_sides
@click.option("--dedupe", type=click.Choice(["max"]), help="Keep the best score of a pair that stands twice.")
@_common_options
def run(**given: Any) -> None:
    """Measure RUN, the scored items that a system listed for each query.

    A judged query without a line counts as a miss.

    \b
      crossgauge score run my.trec --qrels qrels.txt --measures hit@1,ndcg@10
    """  # noqa: D301  (click wants the backspace)
    from crossgauge.readers import read_qrels, read_run, together
    from crossgauge.scoring import score_run

    read, qrels, queries, corpus = together(
        lambda: read_run(given["run"], dedupe=given["dedupe"]),
        lambda: read_qrels(given["qrels"]),
        lambda: _ids(given["query_ids"]),
        lambda: _ids(given["corpus_ids"]),
    )
    _print(score_run(read, qrels, query_ids=queries, corpus_ids=corpus, **_common(given)), given)


def _ids(path: Path | None) -> tuple[str, ...] | None:
    from crossgauge.readers import read_ids

    return None if path is None else read_ids(path)


def _qrels(given: dict[str, Any]) -> Judgements | None:
    from crossgauge.readers import read_qrels

    return None if given["qrels"] is None else read_qrels(given["qrels"])


def _common(given: dict[str, Any]) -> dict[str, Any]:
    """What every kind takes, less what was not said."""
    from crossgauge.cli.run import about

    said = {name: given[name] for name in ("measures", "model", "out") if given[name] is not None}
    return said | ({"about": about(sys.argv[1:])} if given["out"] else {})


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
