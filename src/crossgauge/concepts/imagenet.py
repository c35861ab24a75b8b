"""What the 1,000 classes of ImageNet-1k are in WordNet 3.0."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from crossgauge.concepts._lexicon import DATA


class ImageNetClass(NamedTuple):
    """One class, by WordNet's identifiers."""

    wnid: str  # n02084071: part of speech and offset
    concept: str  # dog.n.01


@cache
def imagenet_classes() -> tuple[ImageNetClass, ...]:
    """The 1,000 classes in the order of a classifier's logits, that of the sorted ids.

    >>> imagenet_classes()[207]
    ImageNetClass(wnid='n02099601', concept='golden_retriever.n.01')
    """
    lines = (DATA / "imagenet-1k.txt").read_text("ascii").splitlines()
    return tuple(ImageNetClass(*line.split()) for line in lines)
