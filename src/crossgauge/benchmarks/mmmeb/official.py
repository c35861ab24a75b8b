"""How the published scripts of MMMEB and MMEB score a list: in half precision, the gold before its equals.

bfloat16 keeps 8 significant bits, so scores near 0.8 stand 0.0039 apart and ties are common. The scripts put
the gold at index 0 of its list. NumPy's argmax takes the first of equals; torch's sort is called without
``stable=True``, which promises nothing about them (PyTorch 2.13 on a CPU keeps the order of up to 16 and
mixes more). Both are taken here as "the gold wins a tie", as a stable sort has it, and the notes say what
the other end would be. NaN is the highest to both, so a gold of NaN wins too. A GPU sums in float32 in an
order that nobody promises; here sums are in float64, rounded to float32 and then to bfloat16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crossgauge.benchmark import Contest, Official, Profile
from crossgauge.types import Floats, Ints, Similarity, Vectors

Floats32 = npt.NDArray[np.float32]

NEARLY_ONE = 1 / 128  # the norm of a vector normalised in bfloat16 is 1 but for so much
CUTOFFS = (5, 10)
_BLOCK = 256  # queries scored at once
_DISCARDED = 16  # bits of a float32 that bfloat16 has not
_LEAST = 1e-8  # torch's cosine_similarity divides by no less


def bfloat16(values: npt.ArrayLike) -> Floats32:
    """Each number rounded to the nearest bfloat16, ties to even, as float32; NaN stays NaN.

    Source: IEEE 754 round-half-even applied to the upper 16 bits of binary32; equals ``torch.bfloat16`` and
    ``ml_dtypes.bfloat16``.

    >>> bfloat16([0.7501, 0.7502, 1 + 2**-8, 1 + 3 * 2**-8]).tolist()
    [0.75, 0.75, 1.0, 1.015625]
    """
    exact = np.array(values, dtype=np.float32)
    bits = exact.view(np.uint32)
    last = (bits >> np.uint32(_DISCARDED)) & np.uint32(1)
    half = np.uint32((1 << (_DISCARDED - 1)) - 1)
    with np.errstate(over="ignore"):
        rounded = (bits + half + last) >> np.uint32(_DISCARDED) << np.uint32(_DISCARDED)
    found: Floats32 = np.where(np.isnan(exact), np.float32(np.nan), rounded.view(np.float32))
    return found


def unit(vectors: Vectors) -> Vectors:
    """Rows divided by their norm, unless it is 1 already as far as bfloat16 can tell, (N, D); zeros stay."""
    wide = np.asarray(vectors, dtype=np.float64)
    norms = _norms(wide)
    near: Vectors = np.where(np.abs(norms - 1) <= NEARLY_ONE, wide, wide / np.where(norms == 0, 1, norms))
    return near


def xvlm2vec(contest: Contest) -> Official:
    """Both sides in bfloat16, their products rounded to bfloat16 too, the gold before its equals."""
    half, single = _Sides.of(contest, half=True, rounded=True), _Sides.of(contest, half=False)
    return _official(contest, _stand(contest, half), _stand(contest, single))


def baseline(contest: Contest) -> Official:
    """Queries in float32, candidates made and normalised in bfloat16; the gold before its equals."""
    return _official(contest, _stand(contest, _Sides.mixed(contest)), None)


def argmax(contest: Contest) -> Official:
    """Cosines of vectors in bfloat16, the first of the highest; the gold stands first."""
    return _official(contest, _stand(contest, _Sides.of(contest, half=True).normalised(contest)), None)


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The vectors as a script holds them, and whether it rounds their products to bfloat16."""

    queries: npt.NDArray[Any] | None
    corpus: npt.NDArray[Any] | None
    rounded: bool

    @classmethod
    def of(cls, contest: Contest, *, half: bool, rounded: bool = False) -> _Sides:
        """Both sides of length 1 under cosine; ``half``: rounded to bfloat16."""
        if contest.queries is None or contest.corpus is None:
            return cls(None, None, rounded=False)
        sides = [_directed(side, contest.similarity) for side in (contest.queries, contest.corpus)]
        if half:
            sides = [bfloat16(side) for side in sides]
        return cls(sides[0], sides[1], rounded)

    @classmethod
    def mixed(cls, contest: Contest) -> _Sides:
        """Candidates rounded as the model gave them, then both of length 1; zeros stay.

        PyTorch's cosine_similarity widens its arguments only when it multiplies them: the candidates' norms
        and the candidates divided by them are bfloat16 as well.
        """
        if contest.queries is None or contest.corpus is None:
            return cls(None, None, rounded=False)
        queries, corpus = np.asarray(contest.queries, dtype=np.float64), bfloat16(contest.corpus)
        queries = queries / np.maximum(_norms(queries), _LEAST)
        corpus = bfloat16(corpus / np.maximum(bfloat16(_norms(corpus)), _LEAST))
        return cls(queries, corpus, rounded=False)

    def normalised(self, contest: Contest) -> _Sides:
        """Rounding left lengths near 1, not at 1: divided by them once more under cosine; 0/0 is NaN."""
        if self.queries is None or self.corpus is None or contest.similarity != "cosine":
            return self
        with np.errstate(invalid="ignore"):
            sides = [side / _norms(side) for side in (self.queries, self.corpus)]
        return _Sides(sides[0], sides[1], self.rounded)

    def scores(self, contest: Contest, block: slice) -> Floats:
        """Of some queries with every candidate, (q, N); as given where a submission gave scores."""
        if self.queries is None or self.corpus is None:
            return np.empty((0, 0)) if contest.scores is None else contest.scores[block]
        products = self.queries[block].astype(np.float64) @ self.corpus.astype(np.float64).T
        short = products.astype(np.float32)
        return (bfloat16(short) if self.rounded else short).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Standing:
    """Where each query's gold stands."""

    higher: Ints  # (Q,) rivals with a higher score
    equal: Ints  # (Q,) rivals with the same
    sound: npt.NDArray[np.bool_]  # (Q,) False: the gold has no score
    undefined: int  # queries with NaN among the scores of their vectors


def _stand(contest: Contest, sides: _Sides) -> _Standing:
    split = contest.split
    gold, count = split.qrels.items, len(split.queries)
    higher, equal = np.zeros((2, count), dtype=np.int64)
    sound = np.ones(count, dtype=np.bool_)
    undefined, computed = 0, sides.queries is not None
    for begin in range(0, count, _BLOCK):
        block = slice(begin, min(begin + _BLOCK, count))
        scores = sides.scores(contest, block)
        for query, row in zip(range(block.start, block.stop), scores, strict=True):
            rivals = row if split.candidates is None else row[split.candidates[query]]
            own = row[gold[query]]
            if computed and np.isnan(rivals).any():
                undefined += 1
                own, rivals = (np.where(np.isnan(one), np.inf, one) for one in (own, rivals))
            sound[query] = own > -np.inf  # NaN only where a submission gave it
            higher[query] = np.count_nonzero(rivals > own)
            equal[query] = np.count_nonzero(rivals == own) - bool(sound[query])
    return _Standing(higher, equal, sound, undefined)


def _official(contest: Contest, half: _Standing, single: _Standing | None) -> Official:
    count = len(half.higher)
    values = {"p@1": float(np.mean((half.higher == 0) & half.sound))}
    values |= {f"hit@{k}": float(np.mean((half.higher < k) & half.sound)) for k in CUTOFFS}
    tied = int(np.count_nonzero((half.equal > 0) & half.sound))
    first = int(np.count_nonzero((half.equal > 0) & (half.higher == 0) & half.sound))
    last = float(np.mean((half.higher + half.equal == 0) & half.sound))
    before = ""
    if single is not None and contest.queries is not None:
        before = f" ({int(np.count_nonzero((single.equal > 0) & single.sound))} in full precision)"
    share = f"{tied} of {count} queries ({100 * tied / max(count, 1):.1f} %)"
    where = f"{before}, {first} of them for the first place; with it last, p@1 would be {last:.4f}"
    notes = [f"{share} have a rival level with the right one{where if tied else ''}"]
    if contest.queries is None:
        notes.append("scores as given: without vectors nothing can be rounded")
    if not half.sound.all():
        lost = int(np.count_nonzero(~half.sound))
        notes.append(f"queries whose right one has no finite score: {lost}, counted as misses")
    if half.undefined:
        notes.append(f"{half.undefined} queries have NaN among their scores, which it takes for the highest")
    return Official(values, tuple(notes))


def _directed(vectors: Vectors, similarity: Similarity) -> Vectors:
    return unit(vectors) if similarity == "cosine" else vectors


def _norms(wide: npt.NDArray[Any]) -> Floats:
    exact = np.asarray(wide, dtype=np.float64)
    norms: Floats = np.sqrt(np.einsum("nd,nd->n", exact, exact))[:, None]
    return norms


_SCRIPT = "swapUniba/xVLM2Vec at 93e96b1"
_LISTED = ("i2t-xm", "i2t-xtd", "t2i-xm", "t2i-xtd", "c")

XVLM2VEC = Profile(
    "xvlm2vec",
    (*_LISTED, "vqa", "vg"),
    "scores are products in bfloat16; the right candidate, listed first, is taken to win every tie, as a "
    "stable sort has it (the script asks for none)",
    f"{_SCRIPT}: vlm2vec_compute.py and src/mmeb_src/model.py",
    xvlm2vec,
    {"mode": "reference"},
)
BASELINE = Profile(
    "xvlm2vec-baseline",
    _LISTED,
    "candidates, not queries, are rounded to bfloat16, before and after they are normalised; the right one "
    "is taken to win every tie, as a stable sort has it (the script asks for none)",
    f"{_SCRIPT}: base_model_compute.py",
    baseline,
    {"mode": "reference", "prompting": "dual"},
)
ARGMAX = Profile(
    "mmeb-argmax",
    ("classification", "vqa", "retrieval", "grounding", "unknown"),
    "cosines are of vectors rounded to bfloat16; argmax takes the first of the highest, where the right one "
    "stands",
    "TIGER-AI-Lab/VLM2Vec at 1640113 (version 1): eval.py and evaluation/eval_utils.py",
    argmax,
)
