"""Look at vectors before scoring them: zeros, NaN, collapse, sizes that do not fit, ids on both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from crossgauge.audit import SHOWN, Audit
from crossgauge.errors import Fault
from crossgauge.readers import has_row_numbers
from crossgauge.types import Bools, Embeddings, Floats, Vectors

_BLOCK = 1 << 16  # rows looked at together
_ALIKE = 0.95  # mean cosine of two vectors above which a side is called collapsed
_FEW = 0.99  # share of distinct vectors below which repeats are worth a word


def audit_vectors(
    queries: Embeddings, corpus: Embeddings, *, names: tuple[str, str] = ("queries", "corpus")
) -> Audit:
    """What is wrong or odd with both sides of a ranking; ``names`` say where they came from.

    Errors: sizes differ (E150), norm 0 (E151: no cosine), NaN or infinity (E152). Warnings: all equal or
    many repeats (W150), nearly parallel (W151), the same ids on both sides (W152, not for row numbers).

    >>> one = Embeddings(("a", "b"), np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> print(audit_vectors(one, one).faults[0])
    E151 queries: 1 of 2 with norm 0: a; wanted a direction for each item; fix: mend what made them
    """
    facts: dict[str, str] = {}
    faults: list[Fault] = []
    wide = [side.vectors.shape[1] for side in (queries, corpus)]
    if wide[0] != wide[1]:
        found = f"{names[0]} has {wide[0]} dimensions, {names[1]} has {wide[1]}"
        faults.append(Fault("E150", " and ".join(names), found, "one size", "are both from the same model?"))
    for side, name in zip((queries, corpus), names, strict=True):
        more, found_here = _side(side, name)
        facts.update(more)
        faults += found_here
    both = sorted(set(queries.ids) & set(corpus.ids))
    if both and not (has_row_numbers(queries) or has_row_numbers(corpus)):
        found = f"{len(both)} ids stand on both sides: {_some(both)}"
        faults.append(
            Fault("W152", " and ".join(names), found, "", "exclude them if an item may not find itself")
        )
    return Audit(facts, tuple(sorted(faults, key=lambda fault: fault.is_warning)))


def _side(side: Embeddings, name: str) -> tuple[dict[str, str], list[Fault]]:
    norms, finite = _norms(side.vectors)
    zero = finite & (norms == 0)
    good = finite & ~zero
    n, d = side.vectors.shape
    distinct, alike = _distinct(side.vectors), _mean_cosine(side.vectors, norms, good)
    facts = {
        name: f"{n} vectors of {d} dimensions, {side.vectors.dtype}",
        f"{name} norms": _spread(norms[good]),
        f"{name} distinct": f"{distinct} of {n}",
        f"{name} mean cosine": "undefined" if np.isnan(alike) else f"{alike:.3f}",
    }
    faults = []
    if zero.any():
        found = f"{zero.sum()} of {n} with norm 0: {_some(_ids(side, zero))}"
        faults.append(Fault("E151", name, found, "a direction for each item", "mend what made them"))
    if not finite.all():
        found = f"{(~finite).sum()} of {n} with NaN or infinity: {_some(_ids(side, ~finite))}"
        faults.append(Fault("E152", name, found, "finite numbers", "mend what made them"))
    if n > 1 and distinct == 1:
        faults.append(
            Fault("W150", name, f"all {n} vectors are equal", "one for each item", "every ranking ties")
        )
    elif distinct < _FEW * n:
        faults.append(
            Fault("W150", name, f"{distinct} distinct of {n} vectors", "", "equal items? their ranks tie")
        )
    elif alike > _ALIKE:
        faults.append(
            Fault("W151", name, f"mean cosine {alike:.3f}", "vectors that differ", "has it collapsed?")
        )
    return facts, faults


def _norms(vectors: Vectors) -> tuple[Floats, Bools]:
    """The length of each row and whether all of it is finite, (N,) each."""
    norms = np.empty(len(vectors))
    finite = np.empty(len(vectors), dtype=np.bool_)
    for begin in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[begin : begin + _BLOCK], dtype=np.float64)
        rows = slice(begin, begin + len(block))
        finite[rows] = np.isfinite(block).all(axis=1)
        largest = np.abs(block).max(axis=1, initial=0.0)
        scale = np.where(
            (largest > 0) & np.isfinite(largest), largest, 1.0
        )  # squares neither overflow nor vanish
        with np.errstate(invalid="ignore", over="ignore"):
            norms[rows] = np.linalg.norm(block / scale[:, None], axis=1) * scale
    return norms, finite


def _distinct(vectors: Vectors) -> int:
    """How many rows differ (0.0 and -0.0 are the same number)."""
    return len({hashlib.blake2b((row + 0.0).tobytes(), digest_size=16).digest() for row in vectors})


def _mean_cosine(vectors: Vectors, norms: Floats, good: Bools) -> float:
    """Over all pairs, from the length of the sum of unit vectors; NaN below two vectors."""
    n = int(good.sum())
    if n <= 1:
        return float("nan")
    total = np.zeros(vectors.shape[1])
    for begin in range(0, len(vectors), _BLOCK):
        rows = np.flatnonzero(good[begin : begin + _BLOCK]) + begin
        total += (np.asarray(vectors[rows], dtype=np.float64) / norms[rows, None]).sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def _spread(norms: Floats) -> str:
    if not len(norms):
        return "none"
    return f"{norms.min():.4g} to {norms.max():.4g}, median {np.median(norms):.4g}"


def _ids(side: Embeddings, chosen: Bools) -> list[str]:
    return [side.ids[row] for row in np.flatnonzero(chosen)]


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" …" if len(ids) > SHOWN else "")
