"""Vectors as they were given, and the rows that scores are defined on: checked, up-cast, normalised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crossgauge.errors import Fault, InputError
from crossgauge.ranking.exact import LANES, Exact, exact_here
from crossgauge.ranking.native import fits, native
from crossgauge.ranking.room import room
from crossgauge.ranking.workers import Workers
from crossgauge.types import Bools, Floats, Ints, Role, Similarity, Vectors

Array: TypeAlias = npt.NDArray[Any]
Ids: TypeAlias = Sequence[str] | None

SHORT = ("bfloat16", "float8_", "float6_", "float4_")  # types of ml_dtypes, exact in float32
MATRIX = 2  # axes
PIECE = 2 * LANES  # rows handled in one go by one thread
# Beyond these squared norms float64 sums themselves overflow or lose their relative precision.
LARGEST, SMALLEST = 2.0**990, 2.0**-960


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One side of the comparison; ``take`` gives the rows that products are made of."""

    given: Array  # (N, D) untouched, whatever its type
    dtype: np.dtype[Any]  # float32 or float64: what a row is once read
    unit: bool  # cosine: each row is divided by its norm
    squares: Floats  # (N,) sum of squares of the given row, in index order where rows are made with it
    usable: Bools  # (N,) False: NaN, infinite, too large, or of norm 0 under cosine
    ready: Vectors | None  # (N, D) every row at hand, where memory allows

    def __len__(self) -> int:
        return len(self.squares)

    def take(self, which: slice | Ints) -> Vectors:
        """These rows, normalised under cosine and rounded once; unusable rows are zero, (n, D)."""
        if self.ready is not None:
            return self.ready[which]
        squares = self.squares[which] if self.unit else None
        with np.errstate(all="ignore"):
            return _make(self.given[which], self.dtype, squares=squares, usable=self.usable[which])

    @property
    def whole(self) -> Vectors | None:
        """All rows as ``take`` gives them, where they are at hand."""
        as_given = not self.unit and self.given.dtype == self.dtype and bool(self.usable.all())
        return self.given if as_given else self.ready

    @property
    def lengths(self) -> Floats:
        """An upper bound of the norm of every row that ``take`` gives, (N,)."""
        if self.unit:
            return np.full(len(self), 1.0 + 2.0**-20)
        # The sum of squares may be short by its roundings, and by d products lost to underflow.
        lost = self.given.shape[1] * 2.0**-1022
        lengths: Floats = np.sqrt(np.where(self.usable, self.squares, 0.0) + lost) * (1.0 + 2.0**-20)
        return lengths


def read_pair(queries: npt.ArrayLike, corpus: npt.ArrayLike) -> tuple[Array, Array, np.dtype[Any]]:
    """Both arrays and the type their rows are read as; raises InputError (E440, E441) on shapes and types."""
    sides = {"queries": np.asarray(queries), "corpus": np.asarray(corpus)}
    faults = [fault for name, array in sides.items() for fault in _shape_faults(name, array)]
    if faults:
        raise InputError(faults)
    left, right = sides["queries"], sides["corpus"]
    if left.shape[1] != right.shape[1]:
        found = f"queries have {left.shape[1]} dimensions, corpus has {right.shape[1]}"
        raise InputError(
            Fault("E441", "vectors", found, "one number of dimensions", "encode both with one model")
        )
    short = all(_read_as(array.dtype) == np.float32 for array in (left, right))
    return left, right, np.dtype(np.float32 if short else np.float64)


def read_scores(scores: npt.ArrayLike) -> tuple[Array, np.dtype[Any]]:
    """A matrix of scores and the type it is compared in; raises InputError (E440)."""
    matrix = np.asarray(scores)
    faults = _shape_faults("scores", matrix)
    if faults:
        raise InputError(faults)
    return matrix, np.dtype(_read_as(matrix.dtype))


def prepare(
    sides: Sequence[Array], *, dtype: np.dtype[Any], similarity: Similarity, keep: bool, workers: Workers
) -> list[Rows]:
    """Measure every row of both sides, in parallel; ``keep`` holds all normalised rows in memory."""
    made = [_blank(given, dtype, unit=similarity == "cosine", keep=keep) for given in sides]

    def work(piece: tuple[Rows, slice]) -> None:
        with np.errstate(all="ignore"):
            _measure(*piece, exact=exact_here(workers.local, sides[0].shape[1], similarity))

    workers.each(work, [(rows, part) for rows in made for part in _pieces(len(rows), workers.threads)])
    return made


def name_of(role: Role, row: int, ids: Ids) -> str:
    """How a fault names a row.

    >>> name_of("query", 3, ("a", "b", "c", "d"))
    "query row 3 ('d')"
    """
    return f"{role} row {row}" if ids is None else f"{role} row {row} ({ids[row]!r})"


def _pieces(total: int, threads: int) -> Iterator[slice]:
    step = max(1, min(PIECE, -(-total // threads)))
    return (slice(i, min(i + step, total)) for i in range(0, total, step))


def _blank(given: Array, dtype: np.dtype[Any], *, unit: bool, keep: bool) -> Rows:
    """Rows that are still to be measured."""
    n = len(given)
    ready = room(given.shape, dtype) if keep and (unit or given.dtype != dtype) else None
    return Rows(given, dtype, unit, np.empty(n), np.empty(n, dtype=np.bool_), ready)


def _measure(rows: Rows, part: slice, *, exact: Exact) -> None:
    """Fill in some rows' norms, whether they are usable, and what they become."""
    given = rows.given[part]
    # A row that is not divided by its norm needs no more than a bound. Float32 rows are also usable or
    # not by a wide margin; of float64 rows, LARGEST may be exceeded in one order and not in another.
    defined = rows.unit or rows.dtype != np.float32
    squares = rows.squares[part] = exact.squares(given) if defined else exact.loose_squares(given)
    usable = squares <= LARGEST
    if rows.unit:
        usable &= squares >= SMALLEST
    rows.usable[part] = usable
    if rows.ready is not None:
        divisor = squares if rows.unit else None
        _make(given, rows.dtype, squares=divisor, usable=usable, out=rows.ready[part])


def _make(
    given: Array, dtype: np.dtype[Any], *, squares: Floats | None, usable: Bools, out: Array | None = None
) -> Vectors:
    """Up-cast, divide by the norm where ``squares`` are given, round once; unusable rows become zero."""
    if squares is None and out is None and usable.all():
        return given.astype(dtype, copy=False, order="C")
    made: Vectors = np.empty(given.shape, dtype) if out is None else out
    if squares is None:
        made[:] = given
    elif (compiled := native()) is not None and fits(given) and fits(made) and made.flags.c_contiguous:
        compiled.unit(given, squares=squares, usable=usable, out=made)
    else:  # numpy divides in float64 and rounds once on the way out
        wide = given if given.dtype in (np.float32, np.float64) else given.astype(np.float64)
        np.divide(wide, np.sqrt(squares)[:, None], out=made, dtype=np.float64, casting="same_kind")
    made[~usable] = 0.0
    return made


def _shape_faults(name: str, array: Array) -> list[Fault]:
    if array.ndim != MATRIX or array.shape[1] == 0:
        return [Fault("E440", name, f"an array of shape {array.shape}", "a matrix, one row an item")]
    if _read_as(array.dtype) is None:
        return [Fault("E440", name, f"an array of {array.dtype}", "numbers: float16 to float64, or integers")]
    return []


def _read_as(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64] | None:
    """float32 for it and all shorter floats, float64 for itself and integers."""
    if dtype.name.startswith(SHORT) or (dtype.kind == "f" and np.can_cast(dtype, np.float32)):
        return np.float32
    whole = dtype.kind in "iub"
    return np.float64 if whole or (dtype.kind == "f" and np.can_cast(dtype, np.float64)) else None
