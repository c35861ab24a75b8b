"""MMMEB: the prompts and formats of the published scripts as values, and what half precision does to ties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.benchmarks.mmmeb import BENCHMARK
from crossgauge.benchmarks.mmmeb.official import bfloat16
from crossgauge.benchmarks.mmmeb.prompts import FORMATS, Wording, wording

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "mmmeb.json").read_bytes())
MODES = ("described", "reference")
PLAIN, PUNCT, NEWLINE = FORMATS


def said(kind: str, language: str, style: str, *, mode: str, prompting: str = "instruct") -> Wording:
    prompt = next(one for one in FORMATS if one.name == style)
    return wording(kind, language, prompt, mode=mode, prompting=prompting)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", GOLDEN["queries"])
def test_every_instruction_in_every_language(kind: str, mode: str) -> None:
    holds = "{}" in GOLDEN["queries"][kind]["en"]
    for language, text in GOLDEN["queries"][kind].items():
        content = "ein Hund" if holds else None
        assert said(kind, language, "plain", mode=mode).query(content) == text.replace("{}", "ein Hund")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["t2i", "vg"])
def test_every_prompt_of_a_picture(kind: str, mode: str) -> None:
    for language, text in GOLDEN["pictures"][kind].items():
        assert said(kind, language, "plain", mode=mode).candidate(None) == text


@pytest.mark.parametrize("mode", MODES)
def test_class_names_have_a_template_for_two_towers_only(mode: str) -> None:
    for language, text in GOLDEN["classes"].items():
        dual = said("c", language, "plain", mode=mode, prompting="dual")
        assert dual.candidate("x") == text.replace("{}", "x")
        assert dual.query(None) is None
        assert said("c", language, "plain", mode=mode).candidate("x") == "x"


@pytest.mark.parametrize("mode", MODES)
def test_every_format_of_every_side(mode: str) -> None:
    for what, contents in GOLDEN["formats"][mode].items():
        if what.startswith("picture"):
            for style, text in contents.items():
                assert said("t2i", "de", style, mode=mode).candidate(None) == text
            continue
        for content, styles in contents.items():
            for style, text in styles.items():
                if what == "text target":
                    assert said("i2t", "en", style, mode=mode).candidate(content) == text
                else:
                    _, kind, language = what.split()
                    assert said(kind, language, style, mode=mode).query(content) == text


def test_two_towers_have_no_formats_in_the_scripts() -> None:
    for style in ("plain", "punct", "newline"):
        assert said("t2i", "en", style, mode="reference", prompting="dual").query("A cat. ") == "A cat. "
        assert said("i2t", "en", style, mode="reference", prompting="dual").candidate("A cat") == "A cat"
    assert said("t2i", "en", "punct", mode="described", prompting="dual").query("A cat") == "A cat."


@pytest.mark.parametrize(("candidates", "queries"), [(100, 40_000), (632, 6_000), (1000, 4_000)])
def test_half_precision_ties_favour_whoever_comes_first(candidates: int, queries: int) -> None:
    draw = np.random.default_rng(20260301)
    gold = draw.normal(0.60, 0.06, queries).astype(np.float32)
    rivals = np.concatenate(
        [draw.normal(0.40, 0.07, (1000, candidates - 1)).astype(np.float32).max(axis=1, keepdims=True)
         for _ in range(queries // 1000)]
    )[:, 0]  # fmt: skip
    half_gold, half_rivals = bfloat16(gold), bfloat16(rivals)
    exact = np.mean(gold > rivals)
    first, last = np.mean(half_gold >= half_rivals), np.mean(half_gold > half_rivals)
    tied = np.mean(half_gold == half_rivals)
    low, high = GOLDEN["ties"]["tied"]
    assert low <= tied <= high
    assert last < exact < first
    small, large = GOLDEN["ties"]["shift"]
    assert small <= first - exact <= large
    assert small <= exact - last <= large
    assert abs((first + last) / 2 - exact) < 0.003  # the expectation over the tie is what float32 says


def test_queries_and_candidates_of_the_sample(tmp_path: Path) -> None:
    BENCHMARK.sample(tmp_path)
    dataset = BENCHMARK.open(tmp_path, {})
    for task, (queries, candidates) in GOLDEN["sample"].items():
        for language in dataset.languages(task):
            split = dataset.split(task, language, PUNCT)
            assert (len(split.queries), len(split.corpus)) == (queries, candidates)
