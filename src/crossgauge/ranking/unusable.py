"""Why a row cannot be ranked by: not finite, without a direction, or too large."""

from __future__ import annotations

import numpy as np

from crossgauge.errors import Fault
from crossgauge.ranking.vectors import Ids, Rows, name_of
from crossgauge.types import Floats, Role

AGAIN = "encode it again, or count it as a miss (on_nonfinite='miss')"


def faults_of(rows: Rows, *, role: Role, ids: Ids) -> list[Fault]:
    """Why each unusable row is so: not finite (E442), no direction (E443), too large (E444)."""
    return [
        _fault(np.asarray(rows.given[row], dtype=np.float64), name_of(role, int(row), ids))
        for row in np.flatnonzero(~rows.usable)
    ]


def _fault(row: Floats, place: str) -> Fault:
    if not np.isfinite(row).all():
        return Fault("E442", place, "not finite: NaN or infinity", "numbers", AGAIN)
    largest = float(np.abs(row).max())
    if not largest:
        return Fault("E443", place, "norm 0", "a norm above 0 (cosine)", f"a failed encoding? {AGAIN}")
    with np.errstate(over="ignore"):
        norm = largest * float(np.sqrt(((row / largest) ** 2).sum()))
    if largest < 1.0:
        found = f"norm about {norm:.0e}: too small to have a direction in float64"
        return Fault("E443", place, found, "a norm from 1e-144 (cosine)", "scale the vectors")
    said = f"{norm:.0e}" if norm < 1e154 else "1e154 or more"  # noqa: PLR2004  (its square overflows)
    return Fault("E444", place, f"norm about {said}", "below 1e149", "scale the vectors")
