"""The document of a concept study: why retrieved pictures are near or far, over all pairs and pair by pair.

Plain JSON like the Result: undefined numbers are ``null``, equal inputs give equal bytes.
"""

from __future__ import annotations

import msgspec

from crossgauge.errors import Fault, InputError
from crossgauge.result import Intervention, ScoreRow

SCHEMA = 1


class BoxView(msgspec.Struct, frozen=True, kw_only=True):
    """A box in pixels; ``state``: ``matched``, ``unpaired`` (shared concept, no partner), or ``only``."""

    concept: str
    x: float
    y: float
    width: float
    height: float
    state: str


class SceneView(msgspec.Struct, frozen=True, kw_only=True):
    """One picture of a pair with what it shows."""

    image: str  # its id
    path: str | None  # its file, where known
    width: int | None
    height: int | None
    boxes: tuple[BoxView, ...]


class CoupleView(msgspec.Struct, frozen=True, kw_only=True):
    """Two concepts that only one picture each shows, matched by similarity."""

    truth: str
    retrieved: str
    similarity: float


class CountView(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a common concept each picture shows."""

    concept: str
    truth: int
    retrieved: int


class SizeView(msgspec.Struct, frozen=True, kw_only=True):
    """Two matched boxes of a common concept, and how far their areas differ."""

    concept: str
    truth_area: float
    retrieved_area: float
    difference: float | None  # relative; null: infinite
    oversized: bool  # it reaches the threshold


class PairView(msgspec.Struct, frozen=True, kw_only=True):
    """One query with its right and its retrieved picture: every value with what it rests on."""

    query_id: str
    text: str | None
    truth: SceneView
    retrieved: SceneView | None  # null: nothing was retrieved
    values: dict[str, float | None]  # measure → value
    arithmetic: dict[str, str]  # "ca" → "CA = 3/11"
    undefined: dict[str, str]  # measure → why it has no value
    remarks: tuple[str, ...]
    common: tuple[str, ...]
    only_truth: tuple[str, ...]
    only_retrieved: tuple[str, ...]
    couples: tuple[CoupleView, ...]
    counts: tuple[CountView, ...]
    sizes: tuple[SizeView, ...]


class ModesView(msgspec.Struct, frozen=True, kw_only=True):
    """The commonest values, ascending, and how often each of them occurred."""

    values: tuple[int, ...]
    times: int


class ConceptCell(msgspec.Struct, frozen=True, kw_only=True):
    """One ranking cell studied by its concepts."""

    key: str  # "t2i.en.plain"; "pairs" for a list of pairs
    title: str
    language: str
    queries: int  # asked
    pairs: int  # judged
    right: int  # queries of which only right pictures came first: left out where only failures are judged
    not_annotated: int  # queries left out because one of their pictures has no annotation
    tied: int  # queries whose first place is tied: the first of the data was judged
    scores: tuple[ScoreRow, ...]
    totals: dict[str, float | None]  # the checklist of global counts, by name; of several modes the smallest
    examples: tuple[PairView, ...]  # the lowest CA first, then by query id
    modes: dict[str, ModesView] = {}  # of totals that are modes: all of them
    # one an intervention and measure: over all first pictures of the queries that it changed, right ones too
    interventions: tuple[Intervention, ...] = ()


class ConceptStudy(msgspec.Struct, frozen=True, kw_only=True):
    """A whole study."""

    schema: int
    version: str  # of crossgauge
    source: str  # "emoji 1", or the name of the list of pairs
    model: str  # who ranked
    data: str  # fingerprint of what was ranked
    annotations: str  # "objects.json (sha256:…)", "predicted:5 by …"
    predicted: bool  # concepts are guesses of a classifier, not annotations
    hierarchy: str
    settings: dict[str, str]
    facts: dict[str, str]  # of reading the annotations
    cells: tuple[ConceptCell, ...]
    audit: tuple[str, ...]  # warnings

    def to_json(self) -> bytes:
        """The document as bytes: keys sorted, indented, one newline at the end."""
        return msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes, place: str = "concepts.json") -> ConceptStudy:
        """Read the document back; raises InputError (E307) saying where it is not one."""
        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            wanted = f"a concept study of schema {SCHEMA}"
            raise InputError(Fault("E307", place, str(error), wanted, "make the study again")) from error
