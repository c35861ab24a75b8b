"""Builds run folders for the report: real emoji and names, made-up scores with ties and misses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crossgauge.measures import parse
from crossgauge.result import CellResult, GroupRow, Mean, PublishedRow, Result, ScoreRow

EMOJI = Path(__file__).parents[2] / "src" / "crossgauge" / "benchmarks" / "data" / "emoji"
LANGUAGES = ("en", "de", "ar", "hi", "ja", "th", "he", "zh-Hant")
TASKS = {"i2t": "image→text", "t2i": "text→image", "classify": "image→class"}
QUALITY = {"en": 1.15, "de": 1.0, "ar": 0.7, "hi": 0.55, "ja": 0.8, "th": 0.6, "he": 0.45, "zh-Hant": 0.75}


@dataclass(frozen=True)
class Thing:
    id: str
    group: str
    image: str
    names: dict[str, str]


def emoji(n: int = 291) -> list[Thing]:
    document = json.loads((EMOJI / "emoji.json").read_text(encoding="utf-8"))
    kinds = document["subgroups"]
    return [
        Thing(e["id"], kinds.get(e["subgroup"], e["subgroup"]), str(EMOJI / e["file"]), e["names"])
        for e in document["emoji"][:n]
    ]


def build(
    folder: Path,
    *,
    things: Sequence[Thing] | None = None,
    languages: Sequence[str] = LANGUAGES,
    partial: Sequence[str] = (),
    named: Callable[[str], str] = lambda text: text,
    prompts: Sequence[str] = ("plain",),
) -> Path:
    """Write scores.json, run.json and the cells; ``named`` may change every name and text on its way in."""
    pool = list(things) if things is not None else emoji()
    cells = []
    for task in TASKS:
        for language in languages:
            for prompt in prompts:
                cell = _cell(folder, Asked(task, language, prompt, pool, named))
                cells.append(cell)
    result = Result(
        schema=1, version="0.1.0", benchmark=named("emoji"), benchmark_version="1", model=named("conse"),
        model_revision="5d0c1a7", data="sha256:" + hashlib.sha256(b"emoji").hexdigest(), options={},
        partial=tuple(map(named, partial)), cells=tuple(cells), means=_means(cells, languages, prompts),
        published=_published(named),
        audit=(named("W112 images: 3 pictures are byte-identical (1f4a1, 1f4a2)"),),
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.json").write_bytes(result.to_json())
    about = {
        "argv": ["crossgauge", "run", "emoji", "--model", named("conse"), "--languages", ",".join(languages)],
        "versions": {"crossgauge": "0.1.0", "numpy": "2.4.6", "onnxruntime": "1.32.0", "python": "3.11.7"},
        "host": "laptop", "started": "2026-11-29T10:12:00Z",
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def _scores(asked: Asked, truth: Any, *, size: int) -> Any:
    """Made-up cosines: noise, a signal whose strength depends on the language, and some collapsed columns."""
    name = f"{asked.task}.{asked.language}.{asked.prompt}"
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big"))
    pool = asked.pool
    scores = rng.normal(0.2, 0.05, (len(pool), size))
    scores[np.arange(len(pool)), truth] += 0.11 * QUALITY.get(asked.language, 0.7) * rng.random(len(pool)) * 2
    if size > 40:
        scores[:, 7:11] = scores[:, 7:8]  # four equal candidates: whoever wants one of them is tied
    return np.round(scores, 4)


@dataclass(frozen=True)
class Asked:
    """What a cell is made from."""

    task: str
    language: str
    prompt: str
    pool: Sequence[Thing]
    named: Callable[[str], str]


def _cell(folder: Path, asked: Asked) -> CellResult:
    task, language, pool, named = asked.task, asked.language, asked.pool, asked.named
    texts = [named(thing.names.get(language, thing.id)) for thing in pool]
    labels = sorted({thing.group for thing in pool})
    if task == "classify":
        truth = np.array([labels.index(thing.group) for thing in pool])
        corpus = [(label, named(label), None) for label in labels]
    else:
        truth = np.arange(len(pool))
        corpus = [
            (named(t.id), text if task == "i2t" else None, t.image if task == "t2i" else None)
            for t, text in zip(pool, texts, strict=True)
        ]
    scores = _scores(asked, truth, size=len(corpus))
    own = scores[np.arange(len(pool)), truth][:, None]
    higher = (scores > own).sum(1)
    equal = (scores == own).sum(1) - 1
    rank = higher + equal / 2 + 1.0
    missing = np.zeros(len(pool), bool)
    missing[3] = task == "t2i"
    rank[missing] = np.inf
    measured = _measures(rank, higher, equal, missing)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    top = [[] if gone else list(row) for row, gone in zip(order, missing, strict=True)]

    def listed(position: int) -> Any:
        return pa.array([[corpus[c][position] for c in row] for row in top], pa.list_(pa.string()))

    def right(position: int) -> Any:
        return pa.array([[corpus[c][position]] for c in truth], pa.list_(pa.string()))

    table = pa.table({
        "query_id": [named(f"q-{t.id}") for t in pool],
        "text": pa.array(texts if task == "t2i" else [None] * len(pool), pa.string()),
        "image": pa.array([None] * len(pool) if task == "t2i" else [t.image for t in pool], pa.string()),
        "lang": [language] * len(pool),
        "group": [named(t.group) for t in pool],
        "cluster": np.arange(len(pool)),
        "candidates": np.full(len(pool), len(corpus)),
        "relevant": right(0), "relevant_text": right(1), "relevant_image": right(2),
        "higher": [[int(v)] for v in higher], "equal": [[int(v)] for v in equal],
        "higher_relevant": [[0]] * len(pool), "equal_relevant": [[0]] * len(pool),
        "retrieved": [[not bool(m)] for m in missing],
        "rank": rank, "rank_optimistic": np.where(missing, np.inf, higher + 1.0),
        "rank_pessimistic": np.where(missing, np.inf, higher + equal + 1.0),
        **{f"m.{name}": values for name, (values, *_) in measured.items()},
        "top_id": listed(0), "top_text": listed(1), "top_image": listed(2),
        "top_score": [[float(scores[q, c]) for c in row] for q, row in enumerate(top)],
        "top_relevant": [[bool(c == truth[q]) for c in row] for q, row in enumerate(top)],
    })  # fmt: skip
    cell = _cell_result(asked, measured, missing, gallery=len(corpus))
    path = folder / "cells" / cell.key / "per_query.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return cell


def _measures(rank: Any, higher: Any, equal: Any, missing: Any) -> dict[str, tuple[Any, float, float, float]]:
    """Measure → (per query, value, optimistic, pessimistic)."""

    def hit(k: int, low: Any, high: Any) -> Any:
        return np.where(missing, 0.0, np.clip((k - low) / (high - low + 1), 0, 1))

    best, worst = higher, higher + equal
    measures = {}
    for k in (1, 5, 10):
        expected = hit(k, best, worst)
        measures[f"hit@{k}"] = (
            expected,
            expected.mean(),
            hit(k, best, best).mean(),
            hit(k, worst, worst).mean(),
        )
    rr = np.where(missing, 0.0, 1 / rank)
    measures["mrr"] = (
        rr,
        rr.mean(),
        np.where(missing, 0, 1 / (best + 1)).mean(),
        np.where(missing, 0, 1 / (worst + 1)).mean(),
    )
    medians = [float(np.median(np.where(missing, np.inf, r))) for r in (rank, best + 1.0, worst + 1.0)]
    measures["medr"] = rank, medians[0], medians[1], medians[2]
    return measures


def _cell_result(asked: Asked, measured: dict[str, Any], missing: Any, *, gallery: int) -> CellResult:
    task, language, pool = asked.task, asked.language, asked.pool
    n = len(pool)
    rows = []
    for name, (per_query, *numbers) in measured.items():
        value, best, worst = map(float, numbers)
        rank = name == "medr"
        spread = 0.15 * value + 1 if rank else 1.96 * float(np.std(per_query)) / n**0.5
        chance = {"medr": (gallery + 1) / 2, "mrr": 0.02}.get(
            name, min(1.0, int(name.partition("@")[2] or 1) / gallery)
        )
        rows.append(ScoreRow(
            measure=name, title=parse(name).title, value=value, optimistic=best, pessimistic=worst,
            low=max(value - spread, float(rank)),
            high=value + spread if rank else min(1.0, value + spread), chance=chance,
            unit="rank" if rank else "fraction", higher_is_better=not rank, n=n, n_undefined=0,
            n_missing=int(missing.sum()), n_tied=int((per_query[~missing] % 1 > 0).sum()), flags=(),
            signature=f"emoji/{task}/{language}|{name}|ties:expected|missing:{missing.sum()}|n:{n}"
            f"|gallery:{gallery}|prompt:{{}}|data:sha256:4be1|model:conse@5d0c1a7|v:0.1.0",
        ))  # fmt: skip
    groups = []
    for group in sorted({thing.group for thing in pool}):
        inside = [i for i, thing in enumerate(pool) if thing.group == group]
        inner = {
            k: float(np.median(v[0][inside]) if k == "medr" else np.mean(v[0][inside]))
            for k, v in measured.items()
        }
        groups.append(
            GroupRow(
                group=asked.named(group),
                n=len(inside),
                values={k: v if np.isfinite(v) else None for k, v in inner.items()},
            )
        )
    warnings = ("W301 12 of 291 queries tie with a rival: expected values are printed, bounds beside",)
    return CellResult(
        task=task, title=TASKS[task], language=language, prompt=asked.prompt, template="{}", queries=n,
        gallery=gallery, positives=(1, 1.0, 1), scores=tuple(rows), groups=tuple(groups),
        warnings=warnings if task != "classify" else (),
    )  # fmt: skip


def _means(cells: Sequence[CellResult], languages: Sequence[str], prompts: Sequence[str]) -> tuple[Mean, ...]:
    means = []
    for task in TASKS:
        for prompt in prompts:
            members = [c for c in cells if c.task == task and c.prompt == prompt]
            if len(members) < 2:
                continue
            for row in members[0].scores:
                macro = float(
                    np.mean([s.value for c in members for s in c.scores if s.measure == row.measure])
                )
                means.append(
                    Mean(
                        task=task,
                        prompt=prompt,
                        measure=row.measure,
                        macro=macro,
                        micro=macro,
                        languages=tuple(languages),
                    )
                )
    return tuple(means)


def _published(named: Callable[[str], str]) -> tuple[PublishedRow, ...]:
    return (
        PublishedRow(system=named("CLIP ViT-B/32"), task="t2i", measure="hit@1", value=0.612,
                     source=named("Nobody et al. 2025, Table 3"), note=named("made up for tests")),
        PublishedRow(system=named("CLIP ViT-B/32"), task="t2i", measure="medr", value=1.0,
                     source=named("Nobody et al. 2025, Table 3"), note=named("made up for tests")),
    )  # fmt: skip
