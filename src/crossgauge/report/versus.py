"""Two runs of the same queries side by side: what changed from one to the other, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from crossgauge import __version__
from crossgauge.errors import Fault, InputError
from crossgauge.measures import constant, parse
from crossgauge.measures.scores import class_weights
from crossgauge.paired import Paired, paired_values
from crossgauge.report.comparable import require_comparable
from crossgauge.report.queries import read_rows
from crossgauge.report.source import Source
from crossgauge.result import CellResult, ScoreRow, finite
from crossgauge.types import Floats, Ints, Qrels

SCHEMA = 1
RESAMPLES = 2000
CLOSE = 1e-9  # sums in another order differ by less


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one cell in both runs, over the queries that have a value in both."""

    cell: str  # "i2t.de.plain"
    measure: str
    before: float | None
    after: float | None
    delta: float | None  # after − before
    low: float | None  # 95 % interval of the difference, queries paired
    high: float | None
    p: float | None  # two-sided, paired and exact: signs flipped in all ways, McNemar's for hits
    n: int  # queries behind the values; of a measure over whole clusters, clusters
    signature: str  # of the second run


class Versus(msgspec.Struct, frozen=True, kw_only=True):
    """All of them. ``partial`` says why a run is not whole, the first before the second."""

    schema: int
    version: str  # of crossgauge
    benchmark: str
    before: str  # model@revision
    after: str
    partial: tuple[str, ...]
    changes: tuple[Change, ...]

    def to_json(self) -> bytes:
        """The document as bytes: keys sorted, indented, one newline at the end."""
        return msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=1) + b"\n"


def versus(before: Source, after: Source) -> Versus:
    """Every measure that both runs have in a cell, query by query.

    Raises InputError: E322 where the runs did not measure the same, E325 where the values of the queries are
    not at hand, E326 where they cannot be read or are of other queries.
    """
    require_comparable([before, after])
    there = {cell.key: cell for cell in after.result.cells}
    changes = [
        change
        for cell in before.result.cells
        if cell.key in there
        for change in _changes(before, after, cell, there[cell.key])
    ]
    sides = (before.result, after.result)
    return Versus(
        schema=SCHEMA,
        version=__version__,
        benchmark=before.result.benchmark,
        before=f"{before.result.model}@{before.result.model_revision}",
        after=f"{after.result.model}@{after.result.model_revision}",
        partial=tuple(reason for side in sides for reason in side.partial),
        changes=tuple(changes),
    )


def _changes(before: Source, after: Source, cell: CellResult, other: CellResult) -> Iterator[Change]:
    signatures = {row.measure: row.signature for row in other.scores}
    shared = [row for row in cell.scores if row.measure in signatures]
    old, new = (_Values(_table(source, cell), shared, cell) for source in (before, after))
    if old.asked != new.asked:
        place, wanted = f"{after.name}: {cell.key}", "the same queries in the same order"
        raise InputError(Fault("E326", place, f"other queries than in {before.name}", wanted))
    told = [row for row in other.scores if row.measure in {one.measure for one in shared}]
    if faults := [*old.disagreeing(before.name, shared), *new.disagreeing(after.name, told)]:
        raise InputError(faults)
    for row in shared:
        found = old.compared(new, row)
        yield Change(
            cell=cell.key,
            measure=row.measure,
            before=finite(found.before),
            after=finite(found.after),
            delta=finite(found.delta),
            low=finite(found.interval[0]),
            high=finite(found.interval[1]),
            p=finite(found.p),
            n=found.n,
            signature=signatures[row.measure],
        )


def _table(source: Source, cell: CellResult) -> Path:
    path = source.per_query(cell)
    if path is None:
        fix = "compare run folders, not their scores.json alone"
        raise InputError(
            Fault(
                "E325", f"{source.name}: {cell.key}", "no per_query.parquet", "the values of each query", fix
            )
        )
    return path


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)


class _Values:
    """The values of each query of a cell, and what goes with them."""

    def __init__(self, path: Path, rows: Sequence[ScoreRow], cell: CellResult) -> None:
        self.key, self.ranked = cell.key, cell.kind == "ranking"
        more = ("cluster", "relevant", "candidates") if self.ranked else ()
        names = ["query_id", *more, *(f"m.{row.measure}" for row in rows)]
        self.lines: list[dict[str, Any]] = read_rows(path, names, optional=("draw",))
        self.asked = [(line["query_id"], line.get("draw")) for line in self.lines]
        self.draws = self._numbers("draw") if cell.draws else None
        self.clusters = self._numbers("cluster") if self.ranked else None

    def disagreeing(self, run: str, rows: Sequence[ScoreRow]) -> Iterator[Fault]:
        """Measures whose values of each query are not those that the run's own number was made of (E329)."""
        for row in rows:
            here, told = finite(self.compared(self, row, resamples=1).before), row.value
            if not _same(here, told):
                found = f"{here} from per_query.parquet, {told} in the result"
                wanted, fix = "files of one measurement", "run the same command again: it measures anew"
                yield Fault("E329", f"{run}: {self.key} {row.measure}", found, wanted, fix)

    def compared(self, other: _Values, row: ScoreRow, *, resamples: int = RESAMPLES) -> Paired:
        """What changes from these values to the others."""
        kind = parse(row.measure).summary if self.ranked else "mean"
        return paired_values(
            kind,
            self._measured(row.measure),
            other._measured(row.measure),
            weights=self._weights() if kind == "macro" else None,
            clusters=self.clusters,
            draws=None if kind == "all" else self.draws,
            resamples=resamples,
        )

    def _measured(self, measure: str) -> Floats:
        return np.array([line[f"m.{measure}"] for line in self.lines], dtype=np.float64)

    def _numbers(self, name: str) -> Ints:
        return np.array([line[name] for line in self.lines], dtype=np.int64)

    def _weights(self) -> Floats:
        """Those of a mean over classes, a class being a relevant item."""
        known: dict[str, int] = {}
        judged = [[known.setdefault(item, len(known)) for item in line["relevant"]] for line in self.lines]
        return class_weights(constant(Qrels.of(judged), self._numbers("candidates")), self.draws)
