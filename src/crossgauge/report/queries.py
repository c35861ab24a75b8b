"""Which queries a report shows, read from a cell's per-query table: the worst, the best, the tied ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from crossgauge.errors import Fault, InputError

Why = Literal["worst", "best", "tied"]

_ROWS = 1024  # read at a time
WORST, BEST, TIED = 8, 4, 4
SHOWN_TOP, SHOWN_TRUTH = 5, 3
_PICKED = ("rank", "rank_optimistic", "rank_pessimistic", "query_id", "top_score")
_SHOWN = ("text", "image", "lang", "group", "candidates", "relevant", "relevant_text", "relevant_image",
          "top_id", "top_text", "top_image", "top_relevant")  # fmt: skip
_VIDEOS = ("video", "relevant_video", "top_video")  # only some tables have them


@dataclass(frozen=True, slots=True)
class Thing:
    """A picture, a video, a text, or several of them at once."""

    id: str
    text: str | None
    image: str | None
    video: str | None = None

    @property
    def clip(self) -> str:
        """The file name of the video: videos are named, not shown."""
        return PurePath(self.video).name if self.video else ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was retrieved."""

    thing: Thing
    score: float
    relevant: bool


@dataclass(frozen=True, slots=True)
class Query:
    """One query with what was right and what came first."""

    why: Why
    asked: Thing
    language: str
    group: str
    rank: float
    optimistic: float
    pessimistic: float
    candidates: int
    truth: tuple[Thing, ...]
    more_truth: int
    top: tuple[Hit, ...]

    @property
    def pictures(self) -> tuple[str, ...]:
        """Paths, those that matter most first."""
        things = [self.asked, *self.truth, *(hit.thing for hit in self.top)]
        return tuple(thing.image for thing in things if thing.image)


def picked(path: Path) -> tuple[Query, ...]:
    """Up to 8 worst, 4 tied and 4 best queries of a per-query table, each query once."""
    chosen = _choose(read_rows(path, _PICKED))
    rows = read_rows(path, (*_PICKED, *_SHOWN), only=[row for row, _ in chosen], optional=_VIDEOS)
    return tuple(_query(row, why) for row, (_, why) in zip(rows, chosen, strict=True))


def read_rows(
    path: Path, names: Sequence[str], *, only: Sequence[int] | None = None, optional: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The named columns of a per-query table, all rows or some; raises InputError (E326) when it is none.

    Columns that are ``optional`` are left out where the table does not have them.
    """
    import pyarrow.parquet as pq

    with _per_query(path):
        there = set(pq.read_schema(path).names)
        table = pq.read_table(path, columns=[*names, *(name for name in optional if name in there)])
    rows: list[dict[str, Any]] = (table if only is None else table.take(list(only))).to_pylist()
    return rows


def each_row(path: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The same row after row, with few in memory; raises InputError (E326) on the way."""
    import pyarrow.parquet as pq

    with _per_query(path):
        there = set(pq.read_schema(path).names)
        lacking = [name for name in names if name not in there]
        if lacking:
            raise ValueError(f"no column {', '.join(lacking)}")
        with pq.ParquetFile(path) as table:
            for batch in table.iter_batches(_ROWS, columns=list(names)):
                yield from batch.to_pylist()


@contextmanager
def _per_query(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        fix = "remove the cell's folder and run the same command again"
        wanted = "the table that `crossgauge run` wrote"
        raise InputError(Fault("E326", str(path), str(error).splitlines()[0], wanted, fix)) from error


def _choose(index: Sequence[Mapping[str, Any]]) -> list[tuple[int, Why]]:
    """Rows of the table and why they are shown; equal ranks by the lead of the first, then by id."""
    rows = [row for row, query in enumerate(index) if not math.isnan(query["rank"])]

    def spread(row: int) -> float:
        low, high = index[row]["rank_optimistic"], index[row]["rank_pessimistic"]
        return 0.0 if low == high else float(high - low)

    def lead(row: int) -> float:
        scores: list[float] = [*index[row]["top_score"], 0.0, 0.0]
        return scores[0] - scores[1]

    def name(row: int) -> str:
        return str(index[row]["query_id"])

    worst = sorted(rows, key=lambda row: (-index[row]["rank"], name(row)))
    best = sorted(rows, key=lambda row: (index[row]["rank"], -lead(row), name(row)))
    tied = sorted((row for row in rows if spread(row) > 0), key=lambda row: (-spread(row), name(row)))
    chosen: dict[int, Why] = {}
    groups: tuple[tuple[Why, list[int], int], ...] = (
        ("worst", [row for row in worst if index[row]["rank"] > 1], WORST),
        ("tied", tied, TIED),
        ("best", best, BEST),
    )
    for why, candidates, most in groups:
        fresh = [row for row in candidates if row not in chosen]
        chosen.update(dict.fromkeys(fresh[:most], why))
    return list(chosen.items())


def _query(row: Mapping[str, Any], why: Why) -> Query:
    truth = _things(row, "relevant", "relevant")
    top = _things(row, "top_id", "top")
    hits = zip(top, row["top_score"], row["top_relevant"], strict=True)
    return Query(
        why=why,
        asked=asked(row),
        language=row["lang"] or "",
        group=row["group"] or "",
        rank=row["rank"],
        optimistic=row["rank_optimistic"],
        pessimistic=row["rank_pessimistic"],
        candidates=row["candidates"],
        truth=tuple(truth[:SHOWN_TRUTH]),
        more_truth=max(0, len(truth) - SHOWN_TRUTH),
        top=tuple(Hit(thing, score, relevant) for thing, score, relevant in hits)[:SHOWN_TOP],
    )


def asked(row: Mapping[str, Any]) -> Thing:
    """What a row of a per-query table asks about."""
    return Thing(row["query_id"], row["text"], row["image"], row.get("video"))


def _things(row: Mapping[str, Any], ids: str, side: str) -> list[Thing]:
    texts, images = row[f"{side}_text"], row[f"{side}_image"]
    videos = row.get(f"{side}_video") or [None] * len(row[ids])
    return [Thing(*fields) for fields in zip(row[ids], texts, images, videos, strict=True)]
