"""Languages that a text tower cannot read: told beside the number that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from crossgauge.errors import Fault
from crossgauge.types import Encoder, Split

MOST = 0.1  # share of unknown pieces above which a language is told as not covered


@runtime_checkable
class Covering(Protocol):
    """A model that can say how much of a text its tokenizer knows."""

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Which share of the pieces of these texts is unknown, 0 to 1."""
        ...


def uncovered(encoder: Encoder, split: Split, language: str) -> tuple[str, ...]:
    """A warning (W680) where more than a tenth of the pieces of a cell's texts are unknown to the tokenizer.

    A byte-level vocabulary knows every piece, so it is never warned about here.

    >>> from crossgauge.models import load_model
    >>> from crossgauge.types import Item, Qrels
    >>> uncovered(load_model("random:8"), Split((Item("q", text="x"),), (), Qrels.of([[]])), "en")
    ()
    """
    if not isinstance(encoder, Covering):
        return ()
    texts = sorted({item.text for items in (split.queries, split.corpus) for item in items if item.text})
    share = encoder.unknown_share(texts)
    if share <= MOST:
        return ()
    found = f"{100 * share:.0f} % of the pieces of {len(texts)} texts are unknown to the tokenizer"
    fix = "a model whose text tower was made for it"
    wanted = f"a tokenizer that covers {language}"
    return (str(Fault("W680", f"model {encoder.name}", found, wanted, fix)),)
