"""The Result document: what was measured, on what, with which numbers. Plain JSON, no NaN.

Undefined numbers are ``null``. Fractions are in [0, 1]. Nothing in it depends on time or host, so
equal inputs give equal bytes; who, when and where stand in ``run.json`` beside it.
"""

from __future__ import annotations

import math
from statistics import stdev
from typing import Literal

import msgspec

from crossgauge.types import Score
from crossgauge.unlike_run import no_result

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
    unit: Literal["fraction", "rank", "count", "number"]
    higher_is_better: bool
    n: int
    n_undefined: int
    n_missing: int
    n_tied: int
    flags: tuple[str, ...]
    signature: str
    draws: tuple[float | None, ...] = ()  # the value in each draw, whose mean is ``value``
    sd: float | None = None  # standard deviation over draws (n − 1)
    draws_low: float | None = None  # 95 % interval of the mean over draws (Student's t), queries as they are
    draws_high: float | None = None

    @classmethod
    def of(cls, score: Score, *, title: str, signature: str) -> ScoreRow:
        """The row of a score; NaN and infinity become null (an infinite rank is flagged)."""
        low, high = score.interval
        draws = () if score.draws is None else tuple(score.draws.tolist())
        sd, half = _spread(draws)
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
            sd=sd,
            draws_low=None if half is None else score.value - half,
            draws_high=None if half is None else score.value + half,
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


class Intervention(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one cell before and after its queries were changed, over the changed ones alone."""

    cell: str  # "t2i.en.plain"; the changed queries were ranked in its gallery
    name: str  # "antonym"
    measure: str
    before: float | None
    after: float | None
    delta: float | None  # after − before
    low: float | None  # 95 % interval of the difference, queries paired
    high: float | None
    n: int  # queries behind the values; of a measure over whole clusters, clusters
    p: float | None = None  # two-sided, paired and exact: signs flipped in all ways, McNemar's for hits
    changed: int  # queries that were changed
    unchanged: dict[str, int]  # why a query was left alone → how many were: they are on neither side
    seed: int
    log: str  # in the run folder: a line a query
    signature: str  # of the value after; empty where nothing was changed


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
    interventions: tuple[Intervention, ...] = ()  # one a cell, intervention and measure
    untouched: tuple[NotApplicable, ...] = ()  # tasks that no intervention applies to

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
            wanted = f"the Result of a run (scores.json, schema {SCHEMA})"
            raise InputError(no_result(data, str(error)).fault("E303", place, wanted)) from error


def _spread(draws: tuple[float, ...]) -> tuple[float | None, float | None]:
    """The standard deviation over draws, and half the width of the 95 % interval of their mean."""
    if len(draws) < 2 or not all(map(math.isfinite, draws)):  # noqa: PLR2004  (one draw has no spread)
        return None, None
    from scipy.special import stdtrit

    sd = stdev(draws)
    return sd, float(stdtrit(len(draws) - 1, 0.975)) * sd / math.sqrt(len(draws))


def finite(value: float) -> float | None:
    """The number, or None where JSON has none (NaN, infinity).

    >>> finite(float("nan")) is None
    True
    """
    return value if math.isfinite(value) else None
