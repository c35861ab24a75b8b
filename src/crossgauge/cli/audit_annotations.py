"""``crossgauge audit-annotations``: which annotations of pictures to look at again, and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from crossgauge.concepts.suspects import Retrieval
    from crossgauge.scenes import Annotations

PATH = click.Path(path_type=Path)


@click.command("audit-annotations", short_help="List suspicious annotations of pictures.")
@click.option("--annotations", type=PATH, required=True, metavar="FILE",
              help="Visual Genome, COCO instances, or JSON lines.")  # fmt: skip
@click.option("--pairs", type=PATH, metavar="RUN|FILE",
              help="Truth and retrieved picture of queries, with similarity or rank.")  # fmt: skip
@click.option("--cell", metavar="NAME", help="With a run of several cells as --pairs: which.")
@click.option("--ratings", type=PATH, metavar="FILE", help="Ratings by people of these pairs.")
@click.option("--hierarchy", default="wordnet", show_default=True, metavar="wordnet|FILE",
              help="The concepts: WordNet 3.0, or a table of child and parent.")  # fmt: skip
@click.option("--show", type=click.IntRange(min=0), default=20, show_default=True, metavar="N",
              help="How many are printed; the list holds all.")  # fmt: skip
@click.option("-o", "--out", type=PATH, metavar="LIST.csv", help="Write the whole list.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--plain", is_flag=True, help="No box characters, our signs in ASCII.")
def audit_annotations(**given: Any) -> None:
    r"""List annotations that somebody should look at again, the most suspicious first, with the reason.

    Boxes that cannot be, objects annotated twice, senses that do not go with the rest of the picture while
    another sense of the word does, names without a concept, and, with --pairs, pictures whose concepts
    contradict a model or people. Nothing is changed.

    \b
      crossgauge audit-annotations --annotations objects.json -o suspects.csv
      crossgauge audit-annotations --annotations objects.json --pairs runs/a --ratings study.csv
    """
    from crossgauge.annotations import read_annotations
    from crossgauge.cli.faults import printable
    from crossgauge.concepts.named import findings_of, hierarchy_of
    from crossgauge.concepts.suspects import review
    from crossgauge.disk import write_atomically
    from crossgauge.report import suspects as written

    hierarchy = hierarchy_of(given["hierarchy"])
    read = read_annotations(given["annotations"], hierarchy=hierarchy)
    found = review(read.scenes.values(), hierarchy=hierarchy, retrievals=_retrievals(given, read))
    for fault in (*findings_of(hierarchy), *read.findings):
        click.echo(f"warning {printable(str(fault))}", err=True)
    if given["out"] is not None:
        write_atomically(given["out"], written.table(found).encode("utf-8", "replace"))
        click.echo(f"written {given['out']}: {len(found.suspects)} suspects", err=True)
    if given["as_json"]:
        click.echo(written.document(found), nl=False)
        return
    encoding = sys.stdout.encoding or "utf-8"
    plain = given["plain"] or not encoding.lower().replace("-", "").startswith("utf")
    click.echo(written.text(found, shown=given["show"], codec=encoding if plain else None), nl=False)


def _retrievals(given: dict[str, Any], annotations: Annotations) -> tuple[Retrieval, ...]:
    from crossgauge.ratings import read_ratings
    from crossgauge.ratings.pairs import as_annotated, need_annotations, rated, read_pairs

    if given["pairs"] is None:
        needs = [f"--{name}" for name in ("ratings", "cell") if given[name] is not None]
        if needs:
            raise click.UsageError(f"{', '.join(needs)} needs --pairs: which picture each query asked for")
        return ()
    pairs = read_pairs(given["pairs"], cell=given["cell"])
    if given["ratings"] is not None:
        pairs = rated(pairs, read_ratings(given["ratings"]))
    pairs = as_annotated(pairs, annotations)
    need_annotations(pairs, annotations.scenes, place=str(given["pairs"]))
    return pairs
