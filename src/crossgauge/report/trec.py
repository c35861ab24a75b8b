"""A TREC run file of one cell: ``qid Q0 docid rank score tag``, for trec_eval and its kin.

Such tools read the score as a 32-bit float and sort by it again. So that they see the order and the ties that
were ranked here, the score written is the number of distinct scores from the worst up (see
:func:`crossgauge.readers.write_run`). Only the stored top of each list is there.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossgauge.errors import Fault, InputError, UsageError
from crossgauge.readers import Run, write_run
from crossgauge.readers.trec import UNWRITABLE
from crossgauge.report import wording
from crossgauge.report.queries import read_rows
from crossgauge.report.source import Source

NOTE = (
    "note: trec holds only the stored top of each ranking (10 items), and its scores number the distinct "
    "scores from the worst up; for measures of the whole ranking see --format json"
)
_LARGEST = float(np.finfo(np.float64).max)


def render(sources: Sequence[Source]) -> str:
    """The run file of the one cell of the one source.

    Raises UsageError (E324) when there are several, InputError (E325) when there are no rankings or no
    per-query table with them, and InputError (E323) listing every id with a space or a control character in
    it: the format cannot hold them.
    """
    source = _the_one(sources)
    cell = source.result.cells[0]
    if cell.kind == "captioning":
        place, fix = f"{source.name}: {cell.key}", "choose a cell that ranks with --cell"
        raise InputError(Fault("E325", place, "a captioning cell: nothing is ranked", "rankings", fix))
    path = source.per_query(cell)
    if path is None:
        place, fix = f"{source.name}: {cell.key}", "give the run folder, not a copy of scores.json"
        raise InputError(Fault("E325", place, "no per-query table", "a run folder with it", fix))
    run = _run(path)
    out = io.StringIO()
    write_run(out, run, tag="_".join(wording.visible(wording.system(source.result)).split()))
    return out.getvalue()


def _the_one(sources: Sequence[Source]) -> Source:
    if all(source.alone for source in sources):
        place, fix = ", ".join(source.name for source in sources), "export the run whose pairs these are"
        raise InputError(Fault("E325", place, "a concept study alone: nothing is ranked", "rankings", fix))
    cells = [f"{source.name}: {cell.key}" for source in sources for cell in source.result.cells]
    if len(cells) != 1:
        raise UsageError(Fault("E324", "export --format trec", f"{len(cells)} cells: {', '.join(cells)}",
                               "one cell", "choose one with --cell"))  # fmt: skip
    return sources[0]


def _run(path: Path) -> Run:
    """The stored top of every query; what is infinite keeps its place, what is no number comes last."""
    rows = read_rows(path, ("query_id", "top_id", "top_score"))
    _refuse_spaces(rows)
    scores = np.array([score for row in rows for score in row["top_score"]], dtype=np.float64)
    return Run(
        place=str(path),
        unit="row",
        queries=tuple(row["query_id"] for row in rows for _ in row["top_id"]),
        items=tuple(item for row in rows for item in row["top_id"]),
        scores=np.nan_to_num(scores, nan=-_LARGEST, posinf=_LARGEST, neginf=-_LARGEST),
        lines=np.arange(1, len(scores) + 1, dtype=np.int64),
        findings=(),
    )


def _refuse_spaces(rows: Sequence[Mapping[str, Any]]) -> None:
    ids = [("query", row["query_id"]) for row in rows]
    ids += [("item", item) for row in rows for item in row["top_id"]]
    faults = [
        Fault("E323", f"{role} id {name!r}", "white space, a control character, or nothing",
              "an id without them", "rename it in the data, or use --format csv or json")
        for role, name in dict.fromkeys(ids)
        if UNWRITABLE.search(name)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
