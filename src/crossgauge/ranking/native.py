"""The compiled tier, if it could be built: its functions, and which of its kernels this processor runs.

Where there is no library, or ``CROSSGAUGE_TIER=portable``, numpy does everything; the results are the same.
"""

from __future__ import annotations

import ctypes
import functools
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.errors import EnvironmentFault, Fault, UsageError
from crossgauge.types import Bools, Floats, Ints

Array = npt.NDArray[Any]
FOLDER = Path(__file__).parent / "_native"
SOURCE, LIBRARY = FOLDER / "ranks.c", FOLDER / "ranks.so"
VARIABLE = "CROSSGAUGE_TIER"
AUTO, PORTABLE, TORCH = "auto", "portable", "torch"
LEVELS = {"f32": 0, "int16": 1, "int8": 2}  # as in ranks.c
SETS = ("plain C", "AVX2", "AVX-VNNI", "AVX-512", "AVX-512 VNNI", "Arm dot product")
BY_SPEED = (  # levels worth taking, by set: NumPy's BLAS is faster than plain C, and f32 than int16 on Arm
    (),
    ("int8", "int16", "f32"),
    ("int8", "int16", "f32"),
    ("int16", "f32"),
    ("int8", "int16", "f32"),
    ("int8", "f32"),
)
MOST_DIMENSIONS = 1 << 15
GET_COMPILED = "install again with a C compiler (gcc or clang)"


class Fit(ctypes.Structure):
    """How far rows are from the grid, at worst."""

    _fields_ = tuple((name, ctypes.c_float) for name in ("gap", "norm", "offset", "reach"))


class Job(ctypes.Structure):
    """What ``ranks.c`` calls a job; arrays must outlive it."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("kernel", "dimensions")),
        ("corpus", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("corpus_stride", "columns", "first_column")),
        *(
            (name, ctypes.c_void_p)
            for name in ("row", "corpus_length", "weight", "panels", "inverse", "offset")
        ),
        ("worst", Fit),
        *(
            (name, ctypes.c_void_p)
            for name in (
                "query_centre",
                "corpus_centre",
                "query_length",
                "start",
                "score",
                "own",
                "higher",
                "equal",
            )
        ),
        ("k", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("top_column", "top_score", "open")),
        ("every", ctypes.c_int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """The functions of the library for float32 rows; each releases the interpreter while it works."""

    library: ctypes.CDLL
    set: int  # index of SETS

    def kernel(self, level: str) -> int:
        """The best kernel of a level that this processor runs."""
        return int(self.library.crossgauge_kernel(LEVELS[level], self.set))

    def after(self, level: str) -> str | None:
        """The next finer level worth taking; None after the last."""
        finer = LEVELS[level]
        return next((name for name in BY_SPEED[self.set] if LEVELS[name] < finer), None)

    def shape(self, kernel: int, dimensions: int) -> tuple[int, int]:
        """Columns of a panel, and words of a row."""
        library = self.library
        return int(library.crossgauge_panel_columns(kernel)), int(
            library.crossgauge_words(kernel, dimensions)
        )

    def squares(self, rows: Array) -> Floats:
        """Sums of squares in index order, (n,)."""
        found = np.empty(len(rows))
        self.library.crossgauge_squares(*_matrix(rows), *rows.shape, found.ctypes.data)
        return found

    def unit(self, rows: Array, *, squares: Floats, usable: Bools, out: Array) -> None:
        """Rows over the roots of ``squares``, divided in float64 and rounded once; unusable rows become 0."""
        sides = (np.ascontiguousarray(squares), np.ascontiguousarray(usable))
        self.library.crossgauge_unit(
            *_matrix(rows), *rows.shape, *(side.ctypes.data for side in sides), out.ctypes.data
        )

    def scores(self, a: Array, b: Array, *, dimensions: int, rows: Ints, others: Ints) -> Floats:
        """The defined score of each pair ``a[rows[i]]``, ``b[others[i]]``."""
        found = np.empty(len(rows))
        rows, others = (np.ascontiguousarray(x, dtype=np.int64) for x in (rows, others))
        self.library.crossgauge_scores(
            *_matrix(a), *_matrix(b), dimensions,
            rows.ctypes.data, others.ctypes.data, len(rows), found.ctypes.data,
        )  # fmt: skip
        return found

    def panels(
        self, job: Job, part: slice, *, panels: Array, inverse: Array, offset: Array | None, fit: Array
    ) -> None:
        """Make some panels of the corpus."""
        self.library.crossgauge_panels(
            ctypes.byref(job), part.start, part.stop, panels.ctypes.data, inverse.ctypes.data,
            _address(offset), fit.ctypes.data,
        )  # fmt: skip

    def count(self, job: Job, queries: Array, which: Ints, *, first: int) -> None:
        """Count for queries ``which``, of which number ``first`` is the first row of ``queries``."""
        done = self.library.crossgauge_count(
            ctypes.byref(job), *_matrix(queries), first, which.ctypes.data, len(which)
        )
        if not done:
            raise MemoryError("no room to rank a block of queries")


def fits(rows: Array) -> bool:
    """Float32 rows whose numbers follow each other in memory, as the library reads them."""
    return (
        rows.dtype == np.float32
        and rows.dtype.isnative
        and rows.flags.aligned
        and (rows.shape[1] == 1 or rows.strides[1] == rows.itemsize)
        and rows.strides[0] % rows.itemsize == 0
    )


def native() -> Native | None:
    """The compiled functions, unless there are none or they are not wanted."""
    return None if tier() == PORTABLE else _loaded()


def tier() -> str:
    """``portable``, ``f32``, ``int16``, ``int8`` or ``torch``: forced by CROSSGAUGE_TIER, or the fastest.

    Raises UsageError (E450) for a tier that does not exist and EnvironmentFault (E451) for one that this
    installation does not have.
    """
    wanted = wish()
    if wanted == TORCH:
        return TORCH
    loaded = None if wanted == PORTABLE else _loaded()
    if loaded is not None:
        return next(iter(BY_SPEED[loaded.set]), PORTABLE) if wanted == AUTO else wanted
    if wanted in LEVELS:
        fix = f"{GET_COMPILED}, or unset the variable; crossgauge doctor lists what this machine has"
        raise EnvironmentFault(Fault("E451", f"{VARIABLE}={wanted}", missing(), "the compiled tier", fix))
    return PORTABLE


def wish() -> str:
    """What CROSSGAUGE_TIER asks for, ``auto`` if nothing; raises UsageError (E450) for anything else."""
    wanted = os.environ.get(VARIABLE, AUTO)
    known = (AUTO, PORTABLE, *LEVELS, TORCH)
    if wanted not in known:
        fix = "unset the variable; crossgauge doctor says which of these this machine has"
        raise UsageError([Fault("E450", VARIABLE, repr(wanted), ", ".join(known), fix)])
    return wanted


def described() -> str:
    """The tier in use and why, in one line; raises as :func:`tier` does."""
    used, loaded = tier(), _loaded()
    if wish() != AUTO:
        why = f"forced by {VARIABLE}"
    elif loaded is None:
        why = f"{missing()}; results are the same, only slower"
    else:
        why = f"this processor has {SETS[loaded.set]}"
    return f"{used}: {why}"


def compiled() -> str:
    """Which kernels of the compiled tiers this processor runs; empty where nothing is compiled."""
    loaded = _loaded()
    return "" if loaded is None else f"compiled, {SETS[loaded.set]}"


@functools.lru_cache(maxsize=1)
def _loaded() -> Native | None:
    try:
        library = ctypes.CDLL(str(LIBRARY))
        library.crossgauge_source.restype = ctypes.c_uint32
        if library.crossgauge_source() != zlib.crc32(SOURCE.read_bytes()):
            return None
    except (OSError, AttributeError):  # not built, or for another machine
        return None
    size, address = ctypes.c_int64, ctypes.c_void_p
    rows = (address, size)
    library.crossgauge_squares.argtypes = (*rows, size, size, address)
    library.crossgauge_unit.argtypes = (*rows, size, size, address, address, address)
    library.crossgauge_scores.argtypes = (*rows, *rows, size, address, address, size, address)
    library.crossgauge_panels.argtypes = (ctypes.POINTER(Job), size, size, *(address,) * 4)
    library.crossgauge_count.argtypes = (ctypes.POINTER(Job), *rows, size, address, size)
    for name in ("squares", "unit", "scores", "panels"):
        getattr(library, f"crossgauge_{name}").restype = None
    for name in ("words", "panel_columns"):
        getattr(library, f"crossgauge_{name}").restype = size
    library.crossgauge_words.argtypes = (ctypes.c_int, size)
    return Native(library, int(library.crossgauge_set()))


def missing() -> str:
    """Why nothing compiled can be had."""
    if not LIBRARY.exists():
        return "nothing was compiled at install (no C compiler?)"
    return "the library was built from another source or for another machine"


def _matrix(rows: Array) -> tuple[int, int]:
    """Address and stride in numbers."""
    return rows.ctypes.data, rows.strides[0] // rows.itemsize


def _address(array: Array | None) -> int | None:
    return None if array is None else array.ctypes.data
