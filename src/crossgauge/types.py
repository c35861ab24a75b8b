"""The nouns: items, who is relevant to whom, vectors, ranks, scores. No I/O, no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from crossgauge.errors import CrossgaugeError
from crossgauge.positives import gather

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Vectors: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]

Modality = Literal["text", "image", "video"]
Role = Literal["query", "corpus"]
Similarity = Literal["cosine", "dot", "l2"]
Ties = Literal["expected", "optimistic", "pessimistic"]
Unit = Literal["fraction", "rank", "count", "number"]
OnNonfinite = Literal["error", "miss"]
Relevant: TypeAlias = Sequence[Sequence[int] | Ints | Mapping[int, float]]  # a query's rows, or row → gain


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to encode; several fields set mean one multimodal item. ``id`` is opaque.

    ``ensemble`` holds several phrasings of its text (a class name in many templates), which are encoded in
    its place: the item's vector is the normalised mean of their normalised vectors.
    """

    id: str
    text: str | None = None
    image: Path | None = None
    video: Path | None = None
    lang: str | None = None
    ensemble: tuple[str, ...] = ()

    @property
    def modalities(self) -> frozenset[Modality]:
        """What this item holds.

        >>> sorted(Item("a", text="a bee").modalities)
        ['text']
        """
        held: dict[Modality, object] = {"text": self.text, "image": self.image, "video": self.video}
        return frozenset(name for name, value in held.items() if value is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Who is relevant to whom, many to many: query ``q`` judges ``items[start[q]:start[q + 1]]``.

    Within a query the corpus rows ascend and are distinct; a query may have none.
    """

    start: Ints  # (Q + 1,)
    items: Ints  # (R,) rows of the corpus
    gains: Floats  # (R,) > 0; 1 where relevance is binary

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def query(self) -> Ints:
        """The query of each judgement, (R,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.start))

    @classmethod
    def diagonal(cls, n: int) -> Qrels:
        """Query ``i`` has the one relevant item ``i``.

        >>> Qrels.diagonal(2).items.tolist()
        [0, 1]
        """
        return cls(np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int64), np.ones(n))

    @classmethod
    def of(cls, relevant: Relevant, gains: Sequence[Sequence[float]] | None = None) -> Qrels:
        """From one list of corpus rows a query (and, if graded, one list of gains), or row → gain a query.

        A gain of 0 or less means judged and not relevant. Raises InputError (E445) for what cannot be
        row numbers: masks, fractions, text, a row twice.

        >>> Qrels.of([[2, 0], []]).items.tolist()
        [0, 2]
        >>> Qrels.of([{2: 3.0, 0: 1.0, 1: 0.0}]).gains.tolist()
        [1.0, 3.0]
        """
        return cls(*gather(relevant, gains))

    def transposed(self, corpus_size: int) -> Qrels:
        """The same judgements seen from the corpus: its items become the queries.

        >>> Qrels.of([[0], [0], [1]]).transposed(2).start.tolist()
        [0, 2, 3]
        """
        order = np.lexsort((self.query, self.items))
        start = np.zeros(corpus_size + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.items, minlength=corpus_size), out=start[1:])
        return Qrels(start, self.query[order], self.gains[order])


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One sample of a split that is ranked by itself, as in "ten draws of 1,000 pairs": rows of both sides.

    A relevant item outside the drawn corpus rows is not judged in this draw.
    """

    queries: Ints  # rows of the split's queries, distinct
    corpus: Ints  # rows of the split's corpus that compete, distinct


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """All that one cell ranks: queries, the corpus they search, and what is relevant."""

    queries: tuple[Item, ...]  # (Q,)
    corpus: tuple[Item, ...]  # (N,)
    qrels: Qrels
    candidates: tuple[Ints, ...] | None = None  # per query, the only corpus rows that compete
    clusters: Ints | None = None  # (Q,) queries of one cluster (captions of one image) are resampled together
    groups: tuple[str, ...] | None = None  # (Q,) the category of each query, for breakdowns
    draws: tuple[Draw, ...] | None = None  # scores are means over them; None: everything is ranked at once
    units: Ints | None = None  # (N,) rows that stand for one thing compete as one, by the best of them


@dataclass(frozen=True, slots=True, eq=False)
class CaptionSplit:
    """All that one captioning cell writes about, and what people wrote."""

    items: tuple[Item, ...]  # (Q,) what the text is to be about
    references: tuple[tuple[str, ...], ...]  # (Q,) at least one each, none empty
    groups: tuple[str, ...] | None = None  # (Q,) the category of each item, for breakdowns


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Vectors and the ids they belong to, row by row."""

    ids: tuple[str, ...]  # (N,)
    vectors: Vectors  # (N, D)


@dataclass(frozen=True, slots=True, eq=False)
class TopK:
    """The best of each ranking, to look at: ties are listed in corpus order and never scored from here."""

    items: Ints  # (Q, K) corpus rows, best first; -1 pads
    scores: Floats  # (Q, K) NaN pads

    @classmethod
    def nothing(cls) -> TopK:
        """No lists: ranks alone were asked for."""
        return cls(np.empty((0, 0), dtype=np.int64), np.empty((0, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Where each relevant item came: all that any ranking measure needs to know.

    For every judgement, other candidates are counted four ways: those scoring strictly higher and
    those scoring exactly equal, relevant and non-relevant apart (the item itself is never counted).
    """

    start: Ints  # (Q + 1,) as in Qrels
    items: Ints  # (R,) corpus rows, as in Qrels
    gains: Floats  # (R,)
    higher: Ints  # (R,) non-relevant candidates scoring strictly higher
    equal: Ints  # (R,) non-relevant candidates scoring exactly equal
    higher_relevant: Ints  # (R,) other relevant candidates scoring strictly higher
    equal_relevant: Ints  # (R,) other relevant candidates scoring exactly equal
    retrieved: Bools  # (R,) False: the system never returned the item; it has no rank
    candidates: Ints  # (Q,) how many items competed
    answered: Bools | None = None  # (Q,) False: the system returned nothing; None: it answered every query
    top: TopK = field(default_factory=TopK.nothing)  # the best of each list, as many as were asked for
    until: int | None = None  # counting stopped there: right for measures that look at no later place

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def query(self) -> Ints:
        """The query of each judgement, (R,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.start))


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """A number that says what it is.

    ``value`` is the expectation over a random order inside ties; ``optimistic`` and ``pessimistic``
    bound it. NaN means undefined (no query defines it). Fractions are in [0, 1], ranks are 1-based.
    """

    measure: str
    value: float
    optimistic: float
    pessimistic: float
    interval: tuple[float, float]  # 95 %, bootstrap over queries (clusters); NaN when undefined
    chance: float  # what a constant scorer gets
    unit: Unit
    higher_is_better: bool
    n: int  # the declared queries: the denominator
    n_undefined: int
    n_missing: int  # queries the system did not answer: counted as misses
    n_tied: int  # queries with a tie between a relevant item and a rival
    flags: tuple[str, ...]  # e.g. "k>=gallery"
    per_query: Floats  # (Q,)
    draws: Floats | None = None  # (D,) the value in each draw, whose mean ``value`` is; None: no draws


class Reads(Protocol):
    """What every model says of itself, and how it reads one item."""

    @property
    def name(self) -> str:
        """How the user names it: ``conse``, ``random:64``."""
        ...

    @property
    def revision(self) -> str:
        """Pins everything that changes its answers: weights, preprocessing, prompt, code version."""
        ...

    @property
    def modalities(self) -> frozenset[Modality]:
        """What it takes."""
        ...

    @property
    def joint(self) -> bool:
        """Whether an item of several modalities (picture and title) is one input to it."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """BCP-47 codes it was made for; None when it does not say."""
        ...

    def prepare(self, item: Item) -> Any:
        """Decode and pre-process one item, in a worker thread, ahead of the model.

        Where making the model and preparing need no weights, and what this returns can be pickled, it may say
        ``lazy_weights = True``: processes of its own may then do it. Raises InputError naming the item when
        it cannot.
        """
        ...


@runtime_checkable
class Encoder(Reads, Protocol):
    """A model that turns items into vectors; two methods are all that a user's own class needs.

    ``encode`` turns what ``prepare`` returned into one float32 row each, in order.
    """

    @property
    def similarity(self) -> Similarity:
        """How its vectors are meant to be compared."""
        ...

    @property
    def uses_role(self) -> bool:
        """Whether the same content gets another vector as a query than as a candidate."""
        ...

    @property
    def cacheable(self) -> bool:
        """Whether equal content always gives equal vectors (False: looked up by item id)."""
        ...

    def encode(self, prepared: Sequence[Any], *, role: Role) -> npt.NDArray[np.float32]:
        """One row for each prepared item, (len(prepared), D)."""
        ...


@runtime_checkable
class Captioner(Reads, Protocol):
    """A model that writes about items; a class may be an Encoder too."""

    def caption(
        self, prepared: Sequence[Any], *, language: str | None
    ) -> Sequence[str | CrossgaugeError | None]:
        """A text in ``language`` (None: not said) for each prepared item, in order.

        None where it has no answer: a miss, never asked for again. An error in its place says that this
        answer could not be had now: the others are kept, and the next run asks for it again.
        """
        ...


Model: TypeAlias = Encoder | Captioner
