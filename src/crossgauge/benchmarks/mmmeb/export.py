"""A run of MMMEB as its published result files, as far as a run folder holds them.

A run folder keeps the first ten of each ranking, so ``predictions`` ends there; p_k and r_k are of the whole
ranking. As in the published files, p_5 and p_10 are 1/5 and 1/10 on a hit. Where candidates tie, p and r are
expected values, and the tied stand in the order of the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crossgauge.benchmarks.mmmeb.data import Listings
from crossgauge.benchmarks.mmmeb.lists import Content, Listing
from crossgauge.benchmarks.mmmeb.names import TASKS
from crossgauge.errors import Fault, InputError
from crossgauge.readers.parquet import opened
from crossgauge.result import Result
from crossgauge.unlike_run import RUN, no_finished_run

CUTOFFS = (5, 10)
NOTE = (
    "note: a run folder keeps the first ten of each ranking, so predictions end there; p_k and r_k are of "
    "the whole ranking; as in the published files, p_5 and p_10 are 1/5 and 1/10 on a hit"
)
_NAMED = {task: (kind, dataset) for (kind, dataset), task in TASKS.items()}
_COLUMNS = ("query_id", "top_id", "m.p@1", "m.hit@5", "m.hit@10")


def result_lines(dataset: Listings, result: Result, run: Path) -> Iterator[tuple[str, bytes]]:
    """File names with their content, one a cell of the run.

    ``dataset`` must be what the run measured, opened with the run's options. Raises InputError (E360) when it
    is not, and for cells without a per-query table.
    """
    if result.benchmark != "mmmeb" or dataset.fingerprint != result.data:
        found = f"a run of {result.benchmark} on {result.data[:19]}…"
        wanted = f"a run of mmmeb on {dataset.fingerprint[:19]}…, whole"
        raise InputError(Fault("E360", str(run), found, wanted, "give the data that the run was made with"))
    tables = {cell.key: run / "cells" / cell.key / "per_query.parquet" for cell in result.cells}
    faults = [
        Fault("E360", str(path), "no per-query table", "a run folder with it", "give the run folder itself")
        for path in tables.values()
        if not path.is_file()
    ]
    if faults:
        raise InputError(faults)
    for cell in result.cells:
        kind, name = _NAMED[cell.task]
        listing = dataset.listing(cell.task, cell.language)
        called = {
            dataset.item_id(content, cell.task, cell.language, role="corpus"): _called(content)
            for content in listing.candidates
        }
        lines = _lines(listing, tables[cell.key], called)
        yield f"{name}_{kind}_{cell.language}_{cell.prompt}.jsonl", "".join(lines).encode()


def _lines(listing: Listing, table: Path, called: Mapping[str, str]) -> Iterator[str]:
    with opened(table) as file:
        rows = file.read(columns=list(_COLUMNS)).to_pylist()
    if len(rows) != len(listing.questions):
        wanted = f"{len(listing.questions)} rows"
        raise InputError(Fault("E360", str(table), f"{len(rows)} rows", wanted, "run it again"))
    for question, row in zip(listing.questions, rows, strict=True):
        line = _line(_called(listing.candidates[question.gold]), row, called)
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _line(label: str, row: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    hits = {1: row["m.p@1"], **{k: row[f"m.hit@{k}"] for k in CUTOFFS}}
    return {
        "label": label,
        **{f"p_{k}": hit / k for k, hit in hits.items()},
        **{f"r_{k}": hit for k, hit in hits.items()},
        "predictions": [called[one] for one in row["top_id"]],
    }


def _called(content: Content) -> str:
    """A candidate as result files name it: the text as it is written, or the picture's path."""
    return str(content.image) if content.text is None else content.text


def render_mmmeb(run: Path, data: Path) -> dict[str, bytes]:
    """The result files of a run folder, by name; see :func:`result_lines` for what is refused."""
    from crossgauge.benchmarks.mmmeb import open_mmmeb

    try:
        if (unlike := no_finished_run(run)) is not None:
            raise InputError(unlike.fault("E360", str(run), RUN))
        document = (run / "scores.json").read_bytes()
    except OSError as error:
        found, fix = error.strerror or str(error), "give a finished run folder"
        raise InputError(Fault("E360", str(run), found, RUN, fix)) from None
    result = Result.from_json(document, str(run / "scores.json"))
    return dict(result_lines(open_mmmeb(data, result.options), result, run))
