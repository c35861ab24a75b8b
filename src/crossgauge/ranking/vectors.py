"""Vectors as they were given, and the rows that scores are defined on: checked, up-cast, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.ranking.exact import LANES, Exact
from crossgauge.ranking.workers import Workers
from crossgauge.types import Bools, Floats, Ints, Role, Similarity, Vectors

Array: TypeAlias = npt.NDArray[Any]
Ids: TypeAlias = Sequence[str] | None

SHORT = ("bfloat16", "float8_", "float6_", "float4_")  # types of ml_dtypes, exact in float32
PIECE = 16 * LANES  # rows handled in one go by one thread
# Beyond these squared norms float64 sums themselves overflow or lose their relative precision.
LARGEST, SMALLEST = 2.0**990, 2.0**-960


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One side of the comparison; ``take`` gives the rows that products are made of."""

    given: Array  # (N, D) untouched, whatever its type
    dtype: np.dtype[Any]  # float32 or float64: what a row is once read
    unit: bool  # cosine: each row is divided by its norm
    squares: Floats  # (N,) sum of squares of the given row
    usable: Bools  # (N,) False: NaN, infinite, too large, or of norm 0 under cosine
    ready: Vectors | None  # (N, D) every row at hand, where memory allows

    def __len__(self) -> int:
        return len(self.squares)

    def take(self, which: slice | Ints) -> Vectors:
        """These rows, normalised under cosine and rounded once; unusable rows are zero, (n, D)."""
        if self.ready is not None:
            return self.ready[which]
        return _made(self.given[which], self.dtype, self.squares[which] if self.unit else None, self.usable[which])

    @property
    def lengths(self) -> Floats:
        """An upper bound of the norm of every row that ``take`` gives, (N,)."""
        if self.unit:
            return np.full(len(self), 1.0 + 2.0**-20)
        # The sum of squares may be short by its roundings, and by d products lost to underflow.
        lost = self.given.shape[1] * 2.0**-1022
        return np.sqrt(np.where(self.usable, self.squares, 0.0) + lost) * (1.0 + 2.0**-20)


def read_pair(queries: npt.ArrayLike, corpus: npt.ArrayLike) -> tuple[Array, Array, np.dtype[Any]]:
    """Both arrays and the type their rows are read as; raises InputError (E440, E441) on shapes and types."""
    sides = {"queries": np.asarray(queries), "corpus": np.asarray(corpus)}
    faults = [fault for name, array in sides.items() for fault in _shape_faults(name, array)]
    if faults:
        raise InputError(faults)
    left, right = sides["queries"], sides["corpus"]
    if left.shape[1] != right.shape[1]:
        found = f"queries have {left.shape[1]} dimensions, corpus has {right.shape[1]}"
        raise InputError(Fault("E441", "vectors", found, "one number of dimensions", "encode both with one model"))
    short = all(_read_as(array.dtype) == np.float32 for array in (left, right))
    return left, right, np.dtype(np.float32 if short else np.float64)


def read_scores(scores: npt.ArrayLike) -> tuple[Array, np.dtype[Any]]:
    """A matrix of scores and the type it is compared in; raises InputError (E440)."""
    matrix = np.asarray(scores)
    faults = _shape_faults("scores", matrix)
    if faults:
        raise InputError(faults)
    return matrix, np.dtype(_read_as(matrix.dtype))


def prepare(given: Array, *, dtype: np.dtype[Any], similarity: Similarity, keep: bool, workers: Workers) -> Rows:
    """Measure every row, in parallel; ``keep`` holds all normalised rows in memory."""
    n, d = given.shape
    unit = similarity == "cosine"
    squares = np.empty(n)
    usable = np.empty(n, dtype=np.bool_)
    as_is = not unit and given.dtype == dtype
    ready = np.empty((n, d), dtype) if keep and not as_is else None

    def work(begin: int) -> None:
        part = slice(begin, min(begin + PIECE, n))
        with np.errstate(all="ignore"):
            squares[part] = Exact(d, "dot").squares(given[part])
            usable[part] = squares[part] <= LARGEST
            if unit:
                usable[part] &= squares[part] >= SMALLEST
            if ready is not None:
                ready[part] = _made(given[part], dtype, squares[part] if unit else None, usable[part])

    workers.each(work, range(0, n, PIECE))
    return Rows(given, dtype, unit, squares, usable, ready)


def faults_of(rows: Rows, *, role: Role, ids: Ids) -> list[Fault]:
    """Why each unusable row is so: not finite (E442), norm 0 (E443), too large (E444)."""
    faults = []
    for row in np.flatnonzero(~rows.usable):
        place = name_of(role, int(row), ids)
        if not np.isfinite(np.asarray(rows.given[row], dtype=np.float64)).all():
            fault = Fault("E442", place, "not finite: NaN or infinity", "numbers", "encode it again, or count it "
                          "as a miss (on_nonfinite='miss')")  # fmt: skip
        elif rows.squares[row] < 1.0:
            fault = Fault("E443", place, "norm 0", "a norm above 0 (cosine)", "a failed encoding? encode it "
                          "again, or count it as a miss (on_nonfinite='miss')")  # fmt: skip
        else:
            fault = Fault("E444", place, f"norm about {_root(rows.squares[row])}", "below 1e149", "scale the vectors")
        faults.append(fault)
    return faults


def name_of(role: Role, row: int, ids: Ids) -> str:
    """How a fault names a row.

    >>> name_of("query", 3, ("a", "b", "c", "d"))
    "query row 3 ('d')"
    """
    return f"{role} row {row}" if ids is None else f"{role} row {row} ({ids[row]!r})"


def _made(given: Array, dtype: np.dtype[Any], squares: Floats | None, usable: Bools) -> Vectors:
    with np.errstate(all="ignore"):
        made: Vectors
        if squares is None:
            made = given.astype(dtype, copy=False, order="C")
        elif given.dtype in (np.float32, np.float64):  # divided in float64, rounded once on the way out
            made = np.empty(given.shape, dtype)
            np.divide(given, np.sqrt(squares)[:, None], out=made, dtype=np.float64, casting="same_kind")
        else:
            made = (given.astype(np.float64) / np.sqrt(squares)[:, None]).astype(dtype)
        if not usable.all():
            made = np.where(usable[:, None], made, dtype.type(0))
    return made


def _shape_faults(name: str, array: Array) -> list[Fault]:
    if array.ndim != 2 or array.shape[1] == 0:
        return [Fault("E440", name, f"an array of shape {array.shape}", "a matrix, one row an item")]
    if _read_as(array.dtype) is None:
        return [Fault("E440", name, f"an array of {array.dtype}", "numbers: float16 to float64, or integers")]
    return []


def _read_as(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64] | None:
    """float32 for it and all shorter floats, float64 for itself and integers."""
    if dtype.name.startswith(SHORT) or (dtype.kind == "f" and dtype.itemsize <= 4):
        return np.float32
    return np.float64 if dtype == np.float64 or dtype.kind in "iub" else None


def _root(square: float) -> str:
    return f"{square**0.5:.0e}" if np.isfinite(square) else "1e154 or more"
