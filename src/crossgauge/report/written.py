"""Which captions a report shows, read from a captioning cell's per-query table: the worst and the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgauge.report import wording
from crossgauge.report.queries import BEST, WORST, Thing, Why, asked, read_rows
from crossgauge.result import ScoreRow

SHOWN_REFERENCES = 5
_SHOWN = ("query_id", "text", "image", "lang", "group", "hypothesis", "references")


@dataclass(frozen=True, slots=True)
class Written:
    """One item with what was written about it, and what people wrote."""

    why: Why
    asked: Thing
    language: str
    group: str
    score: str  # "ROUGE-L 12.3 %"
    hypothesis: str | None  # None: nothing was written
    references: tuple[str, ...]
    more_references: int

    @property
    def pictures(self) -> tuple[str, ...]:
        """Paths, those that matter most first."""
        return (self.asked.image,) if self.asked.image else ()


def picked_captions(path: Path, score: ScoreRow) -> tuple[Written, ...]:
    """Up to 8 worst and 4 best items of a captioning cell by one measure, each item once.

    Raises InputError (E326) when the table is broken or lacks columns.
    """
    name = f"m.{score.measure}"
    chosen = _choose(read_rows(path, ("query_id", name)), name, higher_is_better=score.higher_is_better)
    rows = read_rows(path, (*_SHOWN, name), only=[row for row, _ in chosen], optional=("video",))
    return tuple(_written(row, why, score, row[name]) for row, (_, why) in zip(rows, chosen, strict=True))


def _choose(
    index: Sequence[Mapping[str, Any]], name: str, *, higher_is_better: bool
) -> list[tuple[int, Why]]:
    """Rows of the table and why they are shown; equal values by id. Of few items, half are the worst."""
    sign = 1 if higher_is_better else -1
    known = [row for row, item in enumerate(index) if not math.isnan(item[name])]

    def key(row: int) -> str:
        return str(index[row]["query_id"])

    flawed = [row for row in known if index[row][name] != 1.0 or not higher_is_better]
    most = min(WORST, math.ceil(len(known) / 2))
    worst = sorted(flawed, key=lambda row: (sign * index[row][name], key(row)))[:most]
    best = sorted(known, key=lambda row: (-sign * index[row][name], key(row)))
    chosen: dict[int, Why] = dict.fromkeys(worst, "worst")
    chosen.update(dict.fromkeys([row for row in best if row not in chosen][:BEST], "best"))
    return list(chosen.items())


def _written(row: Mapping[str, Any], why: Why, score: ScoreRow, value: float) -> Written:
    references = tuple(row["references"])
    percent = " %" if score.unit == "fraction" else ""
    return Written(
        why=why,
        asked=asked(row),
        language=row["lang"] or "",
        group=row["group"] or "",
        score=f"{score.title} {wording.number(value, score.unit)}{percent}",
        hypothesis=row["hypothesis"],
        references=references[:SHOWN_REFERENCES],
        more_references=max(0, len(references) - SHOWN_REFERENCES),
    )
