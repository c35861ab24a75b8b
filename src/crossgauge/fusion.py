"""Items made of several vectors: a picture with its title, a class name in many phrasings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from crossgauge.errors import Fault, UsageError
from crossgauge.types import Embeddings, Encoder, Floats, Item, Role, Similarity, Split, Vectors

How = Literal["mean", "sum", "concat"]
Encode: TypeAlias = Callable[[Sequence[Item], Role], Embeddings]


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the vectors of an item's parts become one; ``weight`` is the picture's share, the rest the text's.

    ``mean``: the weighted mean of the parts, each of length 1 where vectors are compared by cosine.
    ``sum``: the weighted sum of the vectors as the model gave them, so longer ones count more.
    ``concat``: the parts side by side, by the roots of their shares; an item of one part stands twice. A
    score is then exactly the weighted mean of the parts' scores.
    """

    how: How = "mean"
    weight: float = 0.5

    @classmethod
    def parse(cls, text: str) -> Fusion:
        """``mean``, or ``mean:0.7`` for the picture's share; raises UsageError (E106).

        >>> Fusion.parse("concat:0.25")
        Fusion(how='concat', weight=0.25)
        """
        how, colon, share = text.partition(":")
        try:
            weight = float(share) if colon else 0.5
        except ValueError:
            weight = np.nan
        if how not in get_args(How) or not 0.0 <= weight <= 1.0:
            wanted = "mean, sum or concat, and the picture's share from 0 to 1: mean:0.5"
            raise UsageError(Fault("E106", f"--fusion {text}", "no way to fuse", wanted))
        return cls(cast(How, how), weight)

    def __str__(self) -> str:
        """As :meth:`parse` reads it."""
        return f"{self.how}:{self.weight:g}"


def encode_split(
    split: Split, encoder: Encoder, *, encode: Encode, fusion: Fusion
) -> tuple[Embeddings, Embeddings]:
    """The vectors of both sides of a split, each distinct part encoded by ``encode(items, role)``.

    An encoder that is ``joint`` gets items of several modalities as they are; for others they are fused.
    Vectors looked up by id (not ``cacheable``) stand for whole items, ensembles included.

    >>> from crossgauge.models import load_model
    >>> from crossgauge.embeddings import encode_items
    >>> from crossgauge.types import Qrels
    >>> model = load_model("random:4")
    >>> sides = encode_split(
    ...     Split((Item("q", text="a"),), (Item("c", ensemble=("a", "b")),), Qrels.diagonal(1)), model,
    ...     encode=lambda items, role: encode_items(model, items, role=role), fusion=Fusion())
    >>> [side.vectors.shape for side in sides]
    [(1, 4), (1, 4)]
    """
    fused = needs_fusion(split, encoder)
    whole = _Whole(encoder.similarity, fusion if fused else None)
    left, right = (
        _encoded(items, role, encode, whole)
        if fused or _has_ensembles(items, encoder)
        else encode(items, role)
        for items, role in _sides(split)
    )
    return left, right


def needs_fusion(split: Split, encoder: Encoder) -> bool:
    """Whether some item holds several modalities that this encoder cannot take as one."""
    return not encoder.joint and any(len(item.modalities) > 1 for items, _ in _sides(split) for item in items)


def _sides(split: Split) -> tuple[tuple[Sequence[Item], Role], tuple[Sequence[Item], Role]]:
    return (split.queries, "query"), (split.corpus, "corpus")


def _has_ensembles(items: Sequence[Item], encoder: Encoder) -> bool:
    return encoder.cacheable and any(item.ensemble for item in items)


@dataclass(frozen=True, slots=True)
class _Whole:
    """How vectors of parts become the vector of the item."""

    similarity: Similarity
    fusion: Fusion | None  # None: no item of this split has several modalities to fuse

    def vector(self, media: Sequence[Floats], texts: Sequence[Floats]) -> Floats:
        """From the vectors of what it shows and of what it says, (D,) each; one of the two may be empty."""
        parts = [_pooled(same) for same in (media, texts) if same]
        fusion = self.fusion
        if fusion is None:
            return parts[0]
        if self.similarity == "cosine" and fusion.how != "sum":
            parts = [_unit(part) for part in parts]
        shares = (fusion.weight, 1.0 - fusion.weight)
        if fusion.how == "concat":  # both sides by the roots, so that a product of two holds the shares
            both = parts if len(parts) > 1 else [parts[0], parts[0]]
            return np.concatenate([part * root for part, root in zip(both, np.sqrt(shares), strict=True)])
        return parts[0] if len(parts) == 1 else parts[0] * shares[0] + parts[1] * shares[1]


def _pooled(vectors: Sequence[Floats]) -> Floats:
    """One vector as it is; several as the unit vector of their mean direction."""
    return vectors[0] if len(vectors) == 1 else _unit(np.mean([_unit(one) for one in vectors], axis=0))


def _unit(vector: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):  # a zero vector has no direction: NaN
        unit: Floats = vector / np.sqrt(np.dot(vector, vector))
    return unit


def _encoded(items: Sequence[Item], role: Role, encode: Encode, whole: _Whole) -> Embeddings:
    """Encode the parts of all items at once, then put each item together."""
    parts = [_parts_of(item, whole) for item in items]
    flat = [part for media, texts in parts for part in (*media, *texts)]
    vectors = encode(flat, role).vectors
    rows = iter(vectors.astype(np.float64))
    made = [whole.vector([next(rows) for _ in media], [next(rows) for _ in texts]) for media, texts in parts]
    joined = np.array(made).reshape(len(items), -1)
    single = vectors.dtype == np.float32
    rounded: Vectors = joined.astype(np.float32) if single else joined
    return Embeddings(tuple(item.id for item in items), rounded)


def _parts_of(item: Item, whole: _Whole) -> tuple[list[Item], list[Item]]:
    """What an item shows and what it says, each as an item of its own; the item itself where that will do."""
    if whole.fusion is None and not item.ensemble:
        return [item], []
    said = item.ensemble or (() if item.text is None else (item.text,))
    texts = [replace(item, text=text, image=None, video=None, ensemble=()) for text in said]
    media = []
    if item.image is not None:
        media.append(replace(item, text=None, video=None, ensemble=()))
    if item.video is not None:
        media.append(replace(item, text=None, image=None, ensemble=()))
    return media, texts
