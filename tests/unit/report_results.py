"""Two small Results with everything that only some have, made up by hand: what the report's tests draw."""

from __future__ import annotations

from typing import Any

import msgspec

from crossgauge.result import (
    SCHEMA,
    Aggregate,
    CellResult,
    NotApplicable,
    ProfileRow,
    PromptSpread,
    PublishedRow,
    Result,
    ScoreRow,
)

TITLES = {"hit@1": "R@1", "medr": "medR", "rouge_l": "ROUGE-L", "p@1": "P@1"}
HITS = (0.40, 0.44, 0.42)


def score(measure: str, value: float | None, *, task: str, model: str, **fields: Any) -> ScoreRow:
    """A row without ties or misses, whose interval is a little around its value."""
    rank = measure == "medr"
    width = 1.0 if rank else 0.05
    known: dict[str, Any] = {
        "title": TITLES[measure], "optimistic": value, "pessimistic": value, "chance": None,
        "low": None if value is None else value - width, "high": None if value is None else value + width,
        "unit": "rank" if rank else "fraction", "higher_is_better": not rank,
        "n": 200, "n_undefined": 0, "n_missing": 0, "n_tied": 0, "flags": (),
        "signature": f"made/{task}/en|{measure}|ties:expected|n:200|data:sha256:4be1|model:{model}|v:0.1.0",
    }  # fmt: skip
    return ScoreRow(measure=measure, value=value, **(known | fields))


def cell(task: str, title: str, scores: tuple[ScoreRow, ...], **fields: Any) -> CellResult:
    """200 queries in English with the plain prompt."""
    known: dict[str, Any] = {
        "language": "en", "prompt": "plain", "template": "{}", "queries": 200, "gallery": 100,
        "positives": (1, 1.0, 1),
    }  # fmt: skip
    return CellResult(task=task, title=title, scores=scores, **(known | fields))


def with_parts(model: str = "conse", *, shift: float = 0.0) -> Result:
    """Draws, candidates, captions, an official scorer, aggregates, prompts, and what does not apply."""
    retrieval = cell(
        "i2t",
        "image→text",
        (score("hit@1", 0.5 + shift, task="i2t", model=model, chance=0.01),
         score("medr", 4.0, task="i2t", model=model, chance=50.5)),
        profiles=(ProfileRow(
            profile="gem2021", values={"hit@1": 0.983, "mean_recall": 0.99, "medr": None},
            fault="queries with a NaN leave the denominator.", notes=("190 of 200 queries left out",),
            signature=f"made/i2t/en|profile gem2021|n:200|data:sha256:4be1|model:{model}|v:0.1.0",
        ),),
    )  # fmt: skip
    cells = (
        retrieval,
        msgspec.structs.replace(
            retrieval, prompt="quoted", template='"{}"', profiles=(),
            scores=(score("hit@1", 0.25 + shift, task="i2t", model=model, chance=0.01),),
        ),
        cell("r2i", "recipe→image", (drawn(model, shift),), draws=3, queries=3000, gallery=1000),
        cell("vqa", "image+text→text", (score("p@1", 0.6 + shift, task="vqa", model=model, chance=0.25),),
             candidates=(2, 8)),
        cell("IQ", "image→query", (score("rouge_l", 0.3 + shift, task="IQ", model=model, n_missing=2),),
             gallery=0, positives=(1, 2.0, 5), kind="captioning"),
    )  # fmt: skip
    return Result(
        schema=SCHEMA, version="0.1.0", benchmark="made", benchmark_version="1", model=model,
        model_revision="1", data="sha256:4be1f00d4be1f00d4be1", options={}, partial=(), cells=cells, means=(),
        audit=(),
        published=(PublishedRow(system="M3P", task="GEM-I", measure="hit@1+rouge_l", value=0.351,
                                source="Nobody 2021, Table 4", note="made up"),),
        aggregates=(
            Aggregate(name="GEM-I", measure="hit@1+rouge_l", value=0.4 + shift, rule="mean of QI and IQ",
                      cells=("i2t.en.plain", "IQ.en.plain")),
            Aggregate(name="GEM-V", measure="hit@1+rouge_l", value=None, rule="mean of QV and VQ",
                      cells=(), missing=("QV.en.plain", "VQ.en.plain")),
        ),
        not_applicable=(NotApplicable(task="t2v", title="text→video", reason=f"{model} takes no video"),),
        prompts=(
            PromptSpread(task="i2t", language="en", measure="hit@1",
                         values={"plain": 0.5 + shift, "quoted": 0.25 + shift}, spread=0.25, flips=50,
                         flipped=("q1", "q2", "q3", "q4", "q5")),
            PromptSpread(task="r2i", language="en", measure="medr", values={"plain": 3.0}, spread=0.0,
                         flips=0, flipped=()),
        ),
    )  # fmt: skip


def drawn(model: str, shift: float) -> ScoreRow:
    """A mean over three draws."""
    values = tuple(value + shift for value in HITS)
    return score("hit@1", sum(values) / 3, task="r2i", model=model, chance=0.001, draws=values, sd=0.02)


def more_able(model: str = "lite") -> Result:
    """Another system, a little better, that sees videos and answers no questions."""
    result = with_parts(model, shift=0.1)
    videos = cell("t2v", "text→video", (score("hit@1", 0.2, task="t2v", model=model, chance=0.01),))
    return msgspec.structs.replace(
        result,
        cells=(*(one for one in result.cells if one.task != "vqa"), videos),
        not_applicable=(NotApplicable(task="vqa", title="image+text→text", reason="lite takes one input"),),
    )
