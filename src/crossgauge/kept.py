"""A finished cell as its run folder holds it."""

from __future__ import annotations

from crossgauge.measured import Measured
from crossgauge.per_query import read_column, read_ids
from crossgauge.runs import PER_QUERY, RunFolder


def kept(folder: RunFolder, key: str) -> Measured | None:
    """The cell with its per-query values; None where the folder does not hold it whole."""
    result = folder.finished(key)
    if result is None:
        return None
    table = folder.path / "cells" / key / PER_QUERY
    per_query = {row.measure: read_column(table, f"m.{row.measure}") for row in result.scores}
    return Measured(result, per_query, read_ids(table))
