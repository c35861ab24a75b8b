"""A tile of the corpus as the compiled tier takes it: on a grid, in panels, with what the grid loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.ranking.native import Fit, Job, Native, fits
from crossgauge.ranking.pairs import Pair
from crossgauge.ranking.room import room
from crossgauge.ranking.sampling import spaced
from crossgauge.ranking.vectors import Rows
from crossgauge.ranking.workers import Workers
from crossgauge.types import Ints

Array = npt.NDArray[Any]
CENTRED = 1024  # rows whose mean is the centre of a side: any vector would do, a near one is better


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """A job without queries, and the arrays that it points to."""

    job: Job
    held: tuple[Array | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """What is taken from all queries and from all corpus rows before they go to the int8 grid, (D,) each."""

    queries: Array
    corpus: Array

    @classmethod
    def of(cls, pair: Pair) -> Centres:
        """The means of a sample of usable rows."""
        return cls(_mean(pair.queries), _mean(pair.corpus))


def make_panels(
    native: Native,
    pair: Pair,
    rows: Ints,
    *,
    level: str,
    centres: Centres | None,
    weights: Ints | None,
    workers: Workers,
) -> Panels:
    """Panels of some corpus rows, in their order; int8 needs centres."""
    base, at = _at_hand(pair.corpus, rows)
    lengths = np.ascontiguousarray(pair.corpus.lengths[rows])
    kernel = native.kernel(level)
    width, words = native.shape(kernel, pair.dimensions)
    count = -(-len(rows) // width)
    panels = room((count * width * words,), np.dtype(np.uint32))
    inverse = np.empty(count * width, np.float32)
    offset = None if centres is None else np.empty_like(inverse)
    fit = np.empty((count, 4), np.float32)
    sides = (None, None) if centres is None else (centres.queries, centres.corpus)
    job = Job(
        kernel=kernel, dimensions=pair.dimensions, columns=len(rows),
        corpus=base.ctypes.data, corpus_stride=base.strides[0] // base.itemsize,
        row=at.ctypes.data, corpus_length=lengths.ctypes.data,
    )  # fmt: skip
    held = (base, at, lengths, panels, inverse, offset, weights, *sides)
    for name, array in zip(("weight", "panels", "inverse", "offset", "query_centre", "corpus_centre"),
                           (weights, panels, inverse, offset, *sides), strict=True):  # fmt: skip
        setattr(job, name, None if array is None else array.ctypes.data)
    step = max(1, -(-count // (4 * workers.threads)))

    def work(begin: int) -> None:
        part = slice(begin, min(begin + step, count))
        native.panels(job, part, panels=panels, inverse=inverse, offset=offset, fit=fit)

    workers.each(work, range(0, count, step))
    job.worst = Fit(*fit.max(axis=0, initial=0.0).tolist())
    return Panels(job, held)


def _at_hand(side: Rows, rows: Ints) -> tuple[Array, Ints]:
    """An array that holds these rows, and where in it."""
    whole = side.whole
    if whole is not None and fits(whole):
        return whole, np.ascontiguousarray(rows)
    return np.ascontiguousarray(side.take(rows)), np.arange(len(rows))


def _mean(side: Rows) -> Array:
    usable = np.flatnonzero(side.usable)
    sample = side.take(usable[spaced(len(usable), CENTRED)])
    mean: Array = (
        sample.mean(axis=0, dtype=np.float64).astype(np.float32) if len(sample) else sample.sum(axis=0)
    )
    return mean
