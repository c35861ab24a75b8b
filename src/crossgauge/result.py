"""The Result document: what was measured, on what, with which numbers. Plain JSON, no NaN.

Undefined numbers are ``null``. Fractions are in [0, 1]. Nothing in it depends on time or host, so
equal inputs give equal bytes; who, when and where stand in ``run.json`` beside it.
"""

from __future__ import annotations

import math
from statistics import stdev
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
    draws: tuple[float | None, ...] = ()  # the value in each draw, whose mean is ``value``
    sd: float | None = None  # standard deviation over draws (n − 1)

    @classmethod
    def of(cls, score: Score, *, title: str, signature: str) -> ScoreRow:
        """The row of a score; NaN and infinity become null (an infinite rank is flagged)."""
        low, high = score.interval
        draws = () if score.draws is None else tuple(score.draws.tolist())
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
            draws=tuple(finite(value) for value in draws),
            sd=finite(stdev(draws)) if len(draws) > 1 and all(map(math.isfinite, draws)) else None,
        )


class GroupRow(msgspec.Struct, frozen=True, kw_only=True):
    """The primary measures within one category of queries (``landmarks``: 412 queries)."""

    group: str
    n: int
    values: dict[str, float | None]  # measure → value


class ProfileRow(msgspec.Struct, frozen=True, kw_only=True):
    """What an official scorer says about a cell: shown beside our numbers, never in their place."""

    profile: str
    values: dict[str, float | None]  # measure → value
    fault: str  # what it does differently
    notes: tuple[str, ...]  # what it did wrong here
    signature: str


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
    kind: Literal["ranking", "captioning"] = "ranking"
    draws: int = 0  # scores are means over so many draws; 0: everything was ranked at once
    profiles: tuple[ProfileRow, ...] = ()
    candidates: tuple[int, int] = (0, 0)  # per query: least and most that competed; (0, 0): the whole gallery

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


class Aggregate(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark's own number over several cells, e.g. the mean of its tasks.

    ``value`` is None where a cell it needs is missing; ``missing`` names what.
    """

    name: str  # "GEM-I", "AVG-3 (mean of tasks)"
    measure: str  # "mean_recall"; several joined by "+"
    value: float | None
    rule: str  # in words: "mean of QI, QIT and IQ, each the mean over 20 languages"
    cells: tuple[str, ...]  # keys of the cells it is made from
    missing: tuple[str, ...] = ()
    prompt: str = "plain"


class NotApplicable(msgspec.Struct, frozen=True, kw_only=True):
    """A task that the model cannot do: neither 0 nor missing."""

    task: str
    title: str
    reason: str


class PromptSpread(msgspec.Struct, frozen=True, kw_only=True):
    """How much one task in one language depends on the prompt format (primary measure)."""

    task: str
    language: str
    measure: str
    values: dict[str, float | None]  # prompt → value
    spread: float | None  # highest minus lowest
    flips: int  # queries whose value differs between two formats
    flipped: tuple[str, ...]  # their ids, the first few


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
    aggregates: tuple[Aggregate, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
    prompts: tuple[PromptSpread, ...] = ()  # one a task and language with several formats

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
