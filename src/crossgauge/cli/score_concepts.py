"""``crossgauge score concepts``: why retrieved pictures are near or far, from annotations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.params import settings_option

if TYPE_CHECKING:
    from crossgauge.concept_study import ConceptStudy
    from crossgauge.plan import Plan

PATH = click.Path(path_type=Path)


@click.command(short_help="Concepts of right and retrieved pictures.")
@click.option("--pairs", type=PATH, required=True, metavar="RUN|FILE",
              help="A finished run folder, or a table: query_id, truth, retrieved, text.")  # fmt: skip
@click.option("--truth", "concepts", required=True, metavar="FILE|dataset|predicted:K",
              help="What pictures show: Visual Genome or COCO objects, JSON lines; the benchmark's own; or "
              "the K likeliest classes of the embedded classifier.")  # fmt: skip
@click.option(
    "-d", "--data", type=PATH, metavar="DIR",
    help="Data of the run's benchmark: for --truth dataset, for what items of vg-coco stand for, and for "
    "files of pictures that have moved.",
)  # fmt: skip
@click.option("--images", type=PATH, metavar="DIR",
              help="Pictures of a table of pairs, named by its ids, with or without ending.")  # fmt: skip
@click.option("--hierarchy", default="wordnet", show_default=True, metavar="wordnet|FILE",
              help="How concepts relate: WordNet 3.0, or a table child,parent.")  # fmt: skip
@settings_option(
    "How measures are computed (sd_denominator=min, similarity=wup, pairs=all …) or annotations read "
    "(names=resolve, boxes=clip)"
)
@click.option("--profile", type=click.Choice(["coling2022"]), help="The paper, read literally.")
@click.option("--top", type=click.IntRange(1), default=1, show_default=True,
              help="Judge so many first pictures, averaged a query; of a run up to 10.")  # fmt: skip
@click.option("--examples", type=click.IntRange(0), default=30, show_default=True,
              help="Pairs explained in full, lowest CA first.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True,
              help="Processes that compare; worth it from 100,000 pairs; no number changes.")  # fmt: skip
@click.option("-o", "--output", "--out", "output", type=PATH, metavar="DIR",
              help="A new folder for the report of a list of pairs; a run gets it in its own.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the study document.")
@click.option("--plain", is_flag=True, help="No colour, no box characters.")
def concepts(**given: Any) -> None:
    r"""Compare what the right and the retrieved pictures show: which concepts, how many, how large.

    \b
      crossgauge score concepts --pairs runs/mine --truth objects.json
      crossgauge score concepts --pairs runs/mine --truth predicted:5
      crossgauge score concepts --pairs pairs.csv --truth objects.json -o study --set sd_denominator=min
    """
    from crossgauge.report.concepts_text import show_study

    home = given["pairs"] if given["pairs"].is_dir() else given["output"]
    before = _kept(home)
    study = make_study(given["pairs"], given, out=home)
    if before not in (b"", _kept(home)):
        click.echo(f"note: this study took the place of another one in {home}", err=True)
    if given["as_json"]:
        click.echo(study.to_json(), nl=False)
    else:
        show_study(study, plain=given["plain"])
    if home is not None:
        click.echo(f"report      {write_study_report(study, home)}", err=given["as_json"])


def _kept(home: Path | None) -> bytes:
    """The study that a folder holds; nothing where there is none."""
    file = None if home is None else home / "concepts.json"
    return file.read_bytes() if file is not None and file.is_file() else b""


def make_study(pairs: Path, given: Mapping[str, Any], *, out: Path | None) -> ConceptStudy:
    """The study of a run folder or a table of pairs, as the options say, kept in ``out``.

    Raises InputError (E320) for a folder that is no run, UsageError (E309) for options without effect.
    """
    from crossgauge.report.source import require_finished
    from crossgauge.studies import study_pairs, study_run

    settings, choice = _settings(given)
    if pairs.is_dir():
        require_finished(pairs)
    if pairs.exists():  # else reading says so
        _check_effect(given, is_run=pairs.is_dir())
    asked: dict[str, Any] = {
        "concepts": given["concepts"], "hierarchy": given["hierarchy"], "settings": settings,
        "choice": choice, "top": given["top"], "examples": given["examples"], "out": out,
        "workers": given["workers"],
    }  # fmt: skip
    if not pairs.is_dir():
        return study_pairs(pairs, images=given["images"], **asked)
    return study_run(pairs, dataset=_dataset(pairs, given["data"]), **asked)


def _check_effect(given: Mapping[str, Any], *, is_run: bool) -> None:
    from crossgauge.errors import Fault, UsageError

    idle = {"images": "a run knows its pictures", "output": "a run's report goes into its folder"}
    if not is_run:
        idle = {"data": "a table of pairs has no benchmark"}
    kind = "a table of pairs" if is_run else "a run folder"
    faults = [
        Fault("E309", f"--{name}", why, f"--pairs of {kind}", "leave it out")
        for name, why in idle.items()
        if given[name] is not None
    ]
    if faults:
        raise UsageError(faults)


def check_concepts(spec: str) -> None:
    """Raise what is wrong whatever is ranked: E299, and E210 for a file that is not there."""
    from crossgauge.annotations import parse_predicted
    from crossgauge.readers.source import size_of
    from crossgauge.studies.sources import DATASET

    if parse_predicted(spec) is None and spec != DATASET:
        size_of(Path(spec))


def check_concepts_of(spec: str, plan: Plan, data: Path | None) -> None:
    """Raise what is wrong whatever comes first, before anything is encoded: E257, E258, faults of a file."""
    from crossgauge.concepts.named import WORDNET, hierarchy_of
    from crossgauge.studies.fitting import check_fit
    from crossgauge.studies.sources import DATASET
    from crossgauge.studies.unfit import no_annotations

    if spec == DATASET and data is None:
        raise no_annotations()
    check_fit(spec, plan, hierarchy=hierarchy_of(WORDNET))


def study_finished(run: Path, spec: str, data: Path | None) -> None:
    """Study a run that has just finished, as the source says, and keep it in its folder."""
    from crossgauge.studies import study_run

    study_run(run, concepts=spec, dataset=_dataset(run, data), out=run)


def write_study_report(study: ConceptStudy, home: Path) -> Path:
    """Write the report beside a study that was kept: the run's, or one of the study alone."""
    from crossgauge.report.concepts_html import write_concept_report
    from crossgauge.report.html import write_report

    if (home / "scores.json").is_file():
        return write_report(home)
    return write_concept_report(study, home / "report.html")


def _settings(given: Mapping[str, Any]) -> tuple[Any, Any]:
    """ConceptSettings and Choice (None: nothing chosen) from one list of KEY=VALUE.

    Raises UsageError (E109) for unknown keys.
    """
    from dataclasses import fields, replace

    from crossgauge.annotations import Choice
    from crossgauge.concepts.settings import PROFILES, ConceptSettings
    from crossgauge.errors import Fault, UsageError

    options = dict(given["options"])
    kinds = {"settings": ConceptSettings, "choice": Choice}
    names = {
        kind: [one.name for one in fields(cls) if one.name not in ("images", "profile")]
        for kind, cls in kinds.items()
    }
    known = [name for listed in names.values() for name in listed]
    if unknown := [name for name in options if name not in known]:
        offers = ", ".join(known)
        raise UsageError(
            Fault("E109", f"--set {name}", "no such setting", f"one of: {offers}") for name in unknown
        )
    said = {kind: {k: v for k, v in options.items() if k in listed} for kind, listed in names.items()}
    if "sd_threshold" in said["settings"]:
        said["settings"]["sd_threshold"] = _number(said["settings"]["sd_threshold"])
    base = PROFILES[given["profile"]] if given["profile"] else ConceptSettings()
    return replace(base, **said["settings"]), Choice(**said["choice"]) if said["choice"] else None


def _number(text: str) -> float | str:
    """A number, or the text as it is, which the settings then refuse."""
    try:
        return float(text)
    except ValueError:
        return text


def _dataset(run: Path, data: Path | None) -> Any:
    """The data set of a run, opened with its options; None where its data are not named."""
    if data is None:
        return None
    from crossgauge.plan import make_plan
    from crossgauge.report.source import read_source

    result = read_source(run).result
    return make_plan(result.benchmark, data=data, options=result.options).dataset
