"""``crossgauge check``: look at data, or at vectors, before any number is made."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossgauge.cli.params import settings_option
from crossgauge.errors import SHOWN

if TYPE_CHECKING:
    from crossgauge.audit import Audit
    from crossgauge.errors import Fault
    from crossgauge.types import Embeddings, Item

VECTORS = "embeddings"
WARNINGS_SHOWN = 3  # of one code; the rest is counted


@click.command(short_help="Audit a benchmark's data, or vectors, before measuring.")
@click.argument("what", metavar="BENCHMARK|embeddings")
@click.argument("predictions", required=False, type=click.Path(path_type=Path))
@click.option("-d", "--data", type=click.Path(path_type=Path), help="Folder of the benchmark's data.")
@settings_option("An option of the benchmark")
@click.option("--items", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write every item (id, modality, text, image) as JSON lines.")  # fmt: skip
@click.option(
    "-q", "--queries", type=click.Path(path_type=Path), help="With embeddings: vectors of the queries."
)
@click.option(
    "-c", "--corpus", type=click.Path(path_type=Path), help="With embeddings: vectors of the corpus."
)
@click.option(
    "--query-ids", type=click.Path(path_type=Path), help="A file of ids, one a line, for bare .npy."
)
@click.option("--corpus-ids", type=click.Path(path_type=Path), help="The same for the corpus.")
@click.option("--truth", type=click.Path(path_type=Path), metavar="DIR",
              help="With predictions: the benchmark's data, to check ids too.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--plain", is_flag=True, help="No bars on stderr.")
def check(**given: Any) -> None:
    r"""Say all that is wrong or odd with the data of BENCHMARK, PREDICTIONS for it, or two files of vectors.

    Exits with 3 when anything is an error; warnings alone exit with 0. Examples:

    \b
      crossgauge check egmm --data EgMM
      crossgauge check folder --data my_pictures --items items.jsonl
      crossgauge check embeddings --queries images.npz --corpus texts.npz
      crossgauge check gem my_submission.zip --truth GEM --set split=dev
    """
    items: dict[str, Item] = {}
    if given["predictions"] is not None or given["truth"] is not None:
        found = _predictions(given)
    else:
        found, items = _vectors(given) if given["what"] == VECTORS else _benchmark(given)
    if given["items"] is not None and not found.errors:
        _write_items(given["items"], items)
    click.echo(_document(given["what"], found) if given["as_json"] else _text(found), nl=False)
    if found.errors:
        sys.exit(3)


def _benchmark(given: dict[str, Any]) -> tuple[Audit, dict[str, Item]]:
    """Data that cannot be opened are a finding here, not a failure of the command."""
    from crossgauge.audit import Audit, audit, audit_media, items_of
    from crossgauge.cli.display import StopRequest, progress_for
    from crossgauge.errors import InputError
    from crossgauge.plan import make_plan

    _refuse(
        given, [name for name in ("queries", "corpus", "query_ids", "corpus_ids") if given[name] is not None]
    )
    quiet = given["plain"] or given["as_json"]
    try:
        plan = make_plan(given["what"], data=given["data"], options=dict(given["options"]))
    except InputError as error:
        with StopRequest() as stop, progress_for(stop, plain=quiet) as progress:
            pictures = audit_media(getattr(error, "media", ()), progress=progress)
        faults = sorted([*error.faults, *pictures], key=lambda fault: fault.is_warning)
        return Audit({}, tuple(faults)), {}
    tasks = plan.benchmark.tasks
    prompt = plan.cells[0].prompt
    with StopRequest() as stop, progress_for(stop, plain=quiet) as progress:
        found = audit(plan.dataset, tasks, prompt=prompt, progress=progress)
    facts = {"benchmark": f"{plan.benchmark.name} {plan.benchmark.version}", **found.facts}
    if not found.errors:  # a picture that cannot be read has no fingerprint
        facts["data"] = plan.dataset.fingerprint
    items = items_of(plan.dataset, tasks, prompt=prompt) if given["items"] is not None else {}
    return Audit(facts, found.faults), items


def _vectors(given: dict[str, Any]) -> tuple[Audit, dict[str, Item]]:
    from crossgauge.audit import Audit
    from crossgauge.errors import InputError
    from crossgauge.readers import read_vectors
    from crossgauge.vector_audit import audit_vectors

    _refuse(given, [name for name in ("data", "options", "items") if given[name]])
    sides: list[Embeddings] = []
    faults: list[Fault] = []
    for side, ids in (("queries", "query_ids"), ("corpus", "corpus_ids")):
        if given[side] is None:
            raise click.UsageError(f"check embeddings needs --{side}: a file of vectors")
        try:
            sides.append(read_vectors(given[side], ids=given[ids]))
        except InputError as error:
            faults += error.faults
    if faults:
        return Audit({}, tuple(faults)), {}
    return audit_vectors(sides[0], sides[1], names=(str(given["queries"]), str(given["corpus"]))), {}


def _predictions(given: dict[str, Any]) -> Audit:
    """What cannot be opened is a finding here, not a failure of the command."""
    from crossgauge.audit import Audit
    from crossgauge.errors import InputError
    from crossgauge.submission import check_submission

    if given["what"] != "gem" or given["predictions"] is None:
        raise click.UsageError("predictions are checked for gem: check gem SUBMISSION [--truth DIR]")
    _refuse(given, [name for name in ("data", "items", "queries", "corpus") if given[name]])
    options = dict(given["options"])
    try:
        return check_submission(
            given["predictions"], given["truth"], split=options.get("split", "test"), options=options
        )
    except InputError as error:
        return Audit({"submission": str(given["predictions"])}, error.faults)


def _refuse(given: dict[str, Any], names: list[str]) -> None:
    """An option that this target does not read would be dropped silently."""
    if names:
        options = ", ".join("--" + {"options": "set"}.get(name, name).replace("_", "-") for name in names)
        raise click.UsageError(f"check {given['what']} does not take {options}")


def _write_items(path: Path, items: dict[str, Item]) -> None:
    from crossgauge.disk import unwritable
    from crossgauge.errors import EnvironmentFault

    lines = []
    for item in items.values():
        files = {"image": item.image, "video": item.video}
        media = {name: None if path is None else str(path.absolute()) for name, path in files.items()}
        row = {"id": item.id, "modality": "+".join(sorted(item.modalities)), "text": item.text,
               "lang": item.lang, "ensemble": item.ensemble or None, **media}  # fmt: skip
        lines.append(
            json.dumps({key: value for key, value in row.items() if value is not None}, ensure_ascii=False)
        )
    try:
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(unwritable(path, error)) from error
    click.echo(f"wrote {len(lines)} items to {path}", err=True)


def _text(found: Audit) -> str:
    from crossgauge.cli.faults import fault_block, printable

    width = max((len(name) for name in found.facts), default=0)
    lines = [printable(f"{name:<{width}}  {value}") for name, value in found.facts.items()]
    for fault, left in _first_of_each(found.faults):
        lines.append(
            fault_block(fault) if left == 0 else f"  … and {left} more {fault.code}; --json shows all"
        )
    warnings = len(found.faults) - found.errors
    verdict = "not fit to measure" if found.errors else "ok"
    lines.append(f"{found.errors} errors, {warnings} warnings: {verdict}")
    return "\n".join(lines) + "\n"


def _first_of_each(faults: Sequence[Fault]) -> Iterator[tuple[Fault, int]]:
    """The first faults of each code, (fault, 0); then how many more there are, (one of them, count)."""
    codes: dict[str, list[Fault]] = {}
    for fault in faults:
        codes.setdefault(fault.code, []).append(fault)
    for same in codes.values():
        shown = WARNINGS_SHOWN if same[0].is_warning else SHOWN
        yield from ((fault, 0) for fault in same[:shown])
        if len(same) > shown:
            yield same[0], len(same) - shown


def _document(what: str, found: Audit) -> str:
    faults = [
        {
            "code": fault.code,
            "place": fault.place,
            "found": fault.found,
            "wanted": fault.wanted,
            "fix": fault.fix,
        }
        for fault in found.faults
    ]
    document = {
        "schema": 1,
        "checked": what,
        "ok": not found.errors,
        "facts": dict(found.facts),
        "faults": faults,
    }
    return json.dumps(document, ensure_ascii=True, indent=1) + "\n"
