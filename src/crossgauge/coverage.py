"""Languages that a text tower cannot read: told beside the number that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from crossgauge.errors import Fault
from crossgauge.types import Item, Model

MOST_UNKNOWN = 0.1  # share of unknown pieces above which a language is told as not covered
MOST_PIECES = 1.5  # pieces a character above which characters are mostly taken apart
ASKED = 2_000  # texts of a cell that are looked at, spread over it


class Coverage(NamedTuple):
    """How a tokenizer cuts some texts, the marks that it adds to every text left out."""

    pieces: int
    unknown: int  # of these, how many the vocabulary does not have


@runtime_checkable
class Covering(Protocol):
    """A model that can say how its tokenizer cuts texts."""

    def coverage(self, texts: Sequence[str]) -> Coverage | None:
        """Over these texts; None where it cannot be said without loading the weights."""
        ...


def uncovered(model: Model, items: Iterable[Item], language: str) -> Iterator[str]:
    """What a reader must know of a cell's texts: that the tokenizer does not cover their language.

    A warning (W680) where more than a tenth of the pieces are unknown. Vocabularies of bytes know every
    piece: a hint (W681) where there are more than 1.5 pieces a character. Characters of the training data are
    pieces, or parts of longer ones, so about 1 is the most there would be. Of a captioner the items are
    titles, which it reads, and references: what its tokenizer has no pieces for it can never write.

    >>> from crossgauge.models import load_model
    >>> list(uncovered(load_model("random:8"), [Item("q", text="x")], "en"))
    []
    """
    texts = sorted({text for item in items for text in (item.text, *item.ensemble) if text})
    if not texts or not isinstance(model, Covering):
        return
    asked = texts[:: -(-len(texts) // ASKED)]
    found = model.coverage(asked)
    if found is None or not found.pieces:
        return
    place, fix = f"model {model.name}", "a model whose text tower was made for it"
    wanted = "a tokenizer that covers it"
    share, each = found.unknown / found.pieces, found.pieces / sum(map(len, asked))
    if share > MOST_UNKNOWN:
        lost = f"{100 * share:.0f} % of the pieces of its texts are unknown"
        yield str(Fault("W680", place, f"the tokenizer does not cover {language}: {lost}", wanted, fix))
    elif each > MOST_PIECES:
        many = f"{each:.1f} pieces a character, as of single bytes"
        yield str(Fault("W681", place, f"the tokenizer hardly covers {language}: {many}", wanted, fix))
