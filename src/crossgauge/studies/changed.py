"""The queries of a cell that an intervention changed: what came first before, and what comes first after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from crossgauge.errors import Fault
from crossgauge.report.source import Source
from crossgauge.result import CellResult, Intervention
from crossgauge.studies.asked import Asked
from crossgauge.studies.pictures import Pictures
from crossgauge.studies.queries import Queries
from crossgauge.studies.reading import pairs_of_run


@dataclass(frozen=True, slots=True)
class Changed:
    """One intervention on one cell: its changed queries, line by line the same on both sides."""

    row: Intervention  # of the cell's first measure: who was changed, and how
    before: Queries
    after: Queries


def changed_queries(
    source: Source, cell: CellResult, pictures: Pictures, top: int, untold: list[Fault]
) -> Iterator[Changed]:
    """Each intervention that changed queries of the cell; one whose rankings are not there is told (W257).

    The right picture is that of the query as it was: the one retrieved first, if it is right, on either side;
    else the one that came highest before the change.
    """
    rows: dict[str, Intervention] = {}
    for row in source.result.interventions:
        if row.cell == cell.key and row.changed:
            rows.setdefault(row.name, row)
    for name, row in rows.items():
        key = f"{cell.key}+{name}"
        tables = source.table(cell.key), source.table(key)
        if tables[0] is None or tables[1] is None:
            untold.append(Fault("W257", key, "not studied: its per-query table is not there"))
            continue
        after = Queries(pairs_of_run(tables[1]))
        ids = {one.query_id for one in after}
        before = Queries(one for one in pairs_of_run(tables[0]) if one.query_id in ids)
        if [one.query_id for one in before] != [one.query_id for one in after]:
            untold.append(Fault("W257", key, "not studied: its queries are not those of the cell"))
            continue
        judged = (_judged_as(old, new) for old, new in zip(before, after, strict=True))
        first = (Queries(pictures.first(one, top) for one in side) for side in (before, judged))
        yield Changed(row, *first)


def _judged_as(before: Asked, after: Asked) -> Asked:
    """The changed query with the right picture that it had before, unless a right one came first."""
    if after.retrieved and after.is_right(after.retrieved[0]):
        return after
    return replace(after, truth=before.truth)
