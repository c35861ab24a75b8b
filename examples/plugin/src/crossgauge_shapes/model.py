"""``mean-colour``: a picture is its mean colour, a text the colour it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import crossgauge
from crossgauge.types import Item, Modality, Role, Similarity

COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0)}


class MeanColour:
    """Three numbers a picture or text."""

    name = "mean-colour"
    revision = "1"
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    languages = frozenset({"en"})
    similarity: Similarity = "cosine"
    uses_role = False
    joint = False
    cacheable = True

    def prepare(self, item: Item) -> npt.NDArray[np.float32]:
        """The mean colour of the picture, or of the colours the text names."""
        if item.image is not None:
            picture = crossgauge.load_image(item.image, item=item.id)
            return np.asarray(picture, dtype=np.float32).mean(axis=(0, 1)) / 255 + 0.01
        named = [COLOURS[word] for word in str(item.text).casefold().split() if word in COLOURS]
        return np.mean(named or [(1, 1, 1)], axis=0).astype(np.float32) + np.float32(0.01)

    def encode(self, prepared: Sequence[Any], *, role: Role) -> npt.NDArray[np.float32]:
        """One row each; a query and a candidate look the same to this model."""
        return np.stack(prepared)


DESCRIPTION = "sees the mean colour of a picture and the colour words of a text (English)"


def MODEL(argument: str | None) -> MeanColour:  # noqa: N802  (the name the registry looks for)
    """Build it; it takes no argument after a colon."""
    return MeanColour()
