"""A run folder with everything that only some results have: draws, official scorers, captions, videos …"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from crossgauge.result import (
    Aggregate,
    CellResult,
    NotApplicable,
    ProfileRow,
    PromptSpread,
    PublishedRow,
    Result,
    ScoreRow,
)
from tests.browser.report_fixture import Thing, build, emoji

FORMATS = ("plain", "punct", "quoted")
MISSING = tuple(f"IQ.{code}.plain" for code in ("ar", "de", "fr", "he", "hi", "it", "ja", "zh"))
Named = Callable[[str], str]


def build_with_parts(folder: Path, *, named: Named = lambda text: text, n: int = 60) -> Path:
    """Write the folder; ``named`` may change every name and text on its way in."""
    things = emoji(n)
    build(folder, things=things, languages=("en", "de"), prompts=FORMATS, named=named)
    plain = Result.from_json((folder / "scores.json").read_bytes())
    cells = tuple(_officially(cell, named) if cell.task == "i2t" else cell for cell in plain.cells)
    more = [_draws(named), _questions(folder, things, named), _captions(folder, things, named)]
    result = msgspec.structs.replace(
        plain,
        cells=(*cells, *more),
        aggregates=_aggregates(named),
        not_applicable=(
            NotApplicable(task="t2v", title=named("text→video"), reason=named("conse takes no video")),
            NotApplicable(task="vg", title=named("image+text→box"), reason=named("conse takes one input")),
        ),
        prompts=_spreads(cells, named),
        published=(*plain.published, PublishedRow(
            system=named("M3P"), task=named("GEM-I"), measure="mean_recall+rouge_l", value=0.351,
            source=named("Nobody et al. 2021, Table 4"), note=named("made up for tests"),
        )),
    )  # fmt: skip
    (folder / "scores.json").write_bytes(result.to_json())
    return folder


def score(measure: str, value: float | None, **fields: Any) -> ScoreRow:
    """A row whose interval and bounds lie around its value."""
    rank = measure == "medr"
    width = 1.0 if rank else 0.03
    known: dict[str, Any] = {
        "title": {"hit@1": "R@1", "medr": "medR", "rouge_l": "ROUGE-L", "p@1": "P@1"}[measure],
        "optimistic": value, "pessimistic": value, "chance": None,
        "low": None if value is None else max(value - width, float(rank)),
        "high": None if value is None else value + width,
        "unit": "rank" if rank else "fraction", "higher_is_better": not rank,
        "n": 1000, "n_undefined": 0, "n_missing": 0, "n_tied": 0, "flags": (),
        "signature": f"x/y/en|{measure}|ties:expected|n:1000|data:sha256:4be1|model:conse@5d0c1a7|v:0.1.0",
    }  # fmt: skip
    return ScoreRow(measure=measure, value=value, **(known | fields))


def _officially(cell: CellResult, named: Named) -> CellResult:
    profiles = (
        ProfileRow(
            profile=named("gem2021"), values={"hit@1": 0.983, "hit@5": 1.0, "mean_recall": 0.994},
            fault=named("queries with a NaN leave the denominator, and ties count as several hits"),
            notes=(named("58 of 60 queries were left out"), named("3 ties counted twice")),
            signature="emoji/i2t/en|profile gem2021|n:60",
        ),
        ProfileRow(
            profile=named("clip-benchmark"), values={"hit@1": 0.31, "hit@5": 0.62, "medr": None},
            fault=named("scores are rounded to float16 before they are compared"), notes=(),
            signature="emoji/i2t/en|profile clip-benchmark|n:60",
        ),
    )  # fmt: skip
    return msgspec.structs.replace(cell, profiles=profiles)


def _draws(named: Named) -> CellResult:
    ranks = (5.0, 6.0, 5.0, 5.5, 6.5, 5.0, 4.5, 5.0, 6.0, 5.5)
    hits = tuple(0.24 + step / 500 for step in range(10))
    return CellResult(
        task="r2i", title=named("recipe→image"), language="en", prompt="plain", template="{}", queries=10_000,
        gallery=1_000, positives=(1, 1.0, 1), draws=10,
        scores=(
            score("medr", sum(ranks) / 10, chance=500.5, draws=ranks, sd=0.626, n=10_000),
            score("hit@1", sum(hits) / 10, chance=0.001, draws=hits, sd=0.006055, n=10_000),
        ),
    )  # fmt: skip


def _questions(folder: Path, things: Sequence[Thing], named: Named) -> CellResult:
    """A picture, a video and a question ask; each has candidates of its own."""
    asked = things[:12]
    values = [float(position % 3 != 0) for position in range(len(asked))]
    cell = CellResult(
        task="vqa", title=named("image+text→text"), language="en", prompt="plain", template="{}", queries=12,
        gallery=40, positives=(1, 1.0, 1), candidates=(2, 8),
        scores=(score("p@1", sum(values) / 12, chance=0.25, n=12),),
    )  # fmt: skip
    answers = [[named(other.names["en"]) for other in (thing, *asked[:3])] for thing in asked]
    table = {
        "query_id": [named(f"q-{thing.id}") for thing in asked],
        "text": [named(f"Which of these is a {thing.names['en']}?") for thing in asked],
        "image": [thing.image for thing in asked],
        "video": [named("/data/clips/walk in the park.mp4") if p % 2 else None for p in range(12)],
        "lang": ["en"] * 12, "group": [named(thing.group) for thing in asked], "candidates": [4] * 12,
        "relevant": [[named(thing.id)] for thing in asked],
        "relevant_text": [row[:1] for row in answers],
        "relevant_image": [[thing.image] for thing in asked],
        "relevant_video": [[named("a.mp4")]] * 12,
        "rank": [1.0 if value else 2.5 for value in values],
        "rank_optimistic": [1.0 if value else 2.0 for value in values],
        "rank_pessimistic": [1.0 if value else 3.0 for value in values],
        "top_id": [[named(str(p)) for p in range(4)]] * 12, "top_text": answers,
        "top_image": [[None, asked[0].image, None, asked[2].image]] * 12,
        "top_video": [[named("clips/rather_long_file_name_of_a_video_0001.webm"), None, None, None]] * 12,
        "top_score": [[0.5, 0.4, 0.2, 0.1]] * 12, "top_relevant": [[True, False, False, False]] * 12,
    }  # fmt: skip
    _write(folder, cell, table)
    return cell


def _captions(folder: Path, things: Sequence[Thing], named: Named) -> CellResult:
    """Short texts about pictures; one was not written."""
    items = things[:15]
    values = [0.0, 0.0, *(0.1 + 0.06 * position for position in range(len(items) - 2))]
    cell = CellResult(
        task="IQ", title=named("image→query"), language="en", prompt="plain", template="{}", queries=15,
        gallery=0, positives=(1, 2.0, 7), kind="captioning",
        scores=(score("rouge_l", sum(values) / 15, n=15, n_missing=1),),
    )  # fmt: skip
    written = [None, *(named(f"a small {thing.names['en']} on white") for thing in items[1:])]
    table = {
        "query_id": [named(thing.id) for thing in items],
        "text": [named("what a person typed") if position == 2 else None for position in range(15)],
        "image": [thing.image for thing in items], "video": [named("x/y.mp4"), *[None] * 14],
        "lang": ["en"] * 15, "group": [named(thing.group) for thing in items],
        "hypothesis": written,
        "references": [[named(f"{thing.names['en']} {word}") for word in ("picture", *"abcdef"[: p % 7])]
                       for p, thing in enumerate(items)],
        "m.rouge_l": values,
    }  # fmt: skip
    _write(folder, cell, table)
    return cell


def _write(folder: Path, cell: CellResult, columns: dict[str, Any]) -> None:
    path = folder / "cells" / cell.key / "per_query.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table(columns), path)


def _aggregates(named: Named) -> tuple[Aggregate, ...]:
    made = ("i2t.en.plain", "i2t.de.plain", "IQ.en.plain")
    return (
        Aggregate(name=named("GEM-I"), measure="mean_recall+rouge_l", value=0.412, cells=made,
                  rule=named("mean of QI, QIT and IQ, each the unweighted mean over 2 languages")),
        Aggregate(name=named("GEM-V"), measure="mean_recall+rouge_l", value=None, cells=made[2:],
                  missing=MISSING, rule=named("mean of QV, QVT, VQ, TQ and VTQ")),
        Aggregate(name=named("AVG-3"), measure="hit@1", value=0.305, cells=made[:2],
                  rule=named("mean of three tasks")),
    )  # fmt: skip


def _spreads(cells: Sequence[CellResult], named: Named) -> tuple[PromptSpread, ...]:
    return tuple(
        _spread([c for c in cells if (c.task, c.language) == place], named)
        for place in dict.fromkeys((cell.task, cell.language) for cell in cells)
    )


def _spread(members: Sequence[CellResult], named: Named) -> PromptSpread:
    first = members[0]
    values = {cell.prompt: cell.scores[0].value for cell in members}
    known = [value for value in values.values() if value is not None]
    return PromptSpread(
        task=first.task, language=first.language, measure="hit@1", values=values,
        spread=max(known) - min(known), flips=17, flipped=tuple(named(f"q-1f4{n:02}") for n in range(17)),
    )  # fmt: skip
