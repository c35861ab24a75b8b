"""The Result document: what was measured, on what, with which numbers. Plain JSON, no NaN.

Undefined numbers are ``null``. Fractions are in [0, 1]. Nothing in it depends on time or host, so
equal inputs give equal bytes; who, when and where stand in ``run.json`` beside it.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from crossgauge.errors import Fault
from crossgauge.types import Score

SCHEMA = 1


class ScoreRow(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one cell; see :class:`crossgauge.types.Score` for the meaning of each number."""

    measure: str  # "hit@1": parses back to the measure
    title: str  # "R@1": what papers print
    value: float | None
    optimistic: float | None
    pessimistic: float | None
    low: float | None
    high: float | None
    chance: float | None
    unit: Literal["fraction", "rank"]
    higher_is_better: bool
    n: int
    n_undefined: int
    n_missing: int
    n_tied: int
    flags: tuple[str, ...]
    signature: str

    @classmethod
    def of(cls, score: Score, *, title: str, signature: str) -> ScoreRow:
        """The row of a score; NaN and infinity become null (an infinite rank is flagged)."""
        low, high = score.interval
        return cls(
            measure=score.measure,
            title=title,
            value=finite(score.value),
            optimistic=finite(score.optimistic),
            pessimistic=finite(score.pessimistic),
            low=finite(low),
            high=finite(high),
            chance=finite(score.chance),
            unit=score.unit,
            higher_is_better=score.higher_is_better,
            n=score.n,
            n_undefined=score.n_undefined,
            n_missing=score.n_missing,
            n_tied=score.n_tied,
            flags=score.flags,
            signature=signature,
        )


class GroupRow(msgspec.Struct, frozen=True, kw_only=True):
    """The primary measures within one category of queries (``landmarks``: 412 queries)."""

    group: str
    n: int
    values: dict[str, float | None]  # measure → value


class CellResult(msgspec.Struct, frozen=True, kw_only=True):
    """One task × language × prompt: its sizes, scores and breakdown."""

    task: str
    title: str  # "image→text"
    language: str
    prompt: str
    template: str
    queries: int
    gallery: int
    positives: tuple[int, float, int]  # per query: min, median, max
    scores: tuple[ScoreRow, ...]
    groups: tuple[GroupRow, ...] = ()
    warnings: tuple[str, ...] = ()  # "W201 3 queries tie …"

    @property
    def key(self) -> str:
        """``i2t.de.plain``: the cell's folder and its name everywhere."""
        return f"{self.task}.{self.language}.{self.prompt}"


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """Over the languages of one task and prompt: macro (mean of languages) and micro (over queries)."""

    task: str
    prompt: str
    measure: str
    macro: float | None
    micro: float | None
    languages: tuple[str, ...]


class PublishedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A number from a paper, to show beside ours."""

    system: str
    task: str
    measure: str
    value: float
    source: str
    note: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A whole evaluation. ``partial`` says why it must not be ranked (empty: it is whole)."""

    schema: int
    version: str  # of crossgauge
    benchmark: str
    benchmark_version: str
    model: str
    model_revision: str
    data: str  # fingerprint
    options: dict[str, str]
    partial: tuple[str, ...]  # "limit 20", "2 of 9 cells failed: …"
    cells: tuple[CellResult, ...]
    means: tuple[Mean, ...]
    published: tuple[PublishedRow, ...]
    audit: tuple[str, ...]  # warnings of the data audit

    def to_json(self) -> bytes:
        """The document as bytes: keys sorted, indented, one newline at the end."""
        encoded = msgspec.json.encode(self, order="sorted")
        return msgspec.json.format(encoded, indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes, place: str = "result") -> Result:
        """Read the document back; raises InputError (E303) saying where it is not one."""
        from crossgauge.errors import InputError

        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            raise InputError(
                Fault("E303", place, str(error), f"a Result of schema {SCHEMA}", "run the evaluation again")
            ) from error


def finite(value: float) -> float | None:
    """The number, or None where JSON has none (NaN, infinity).

    >>> finite(float("nan")) is None
    True
    """
    return value if math.isfinite(value) else None
