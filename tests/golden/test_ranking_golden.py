"""What users of other tools ran into, with the values that are right (ranking.json says which)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import InputError
from crossgauge.measures import measure
from crossgauge.ranking import rank, rank_lists, rank_matrix
from crossgauge.types import Ranks

CASES = json.loads(Path(__file__).with_name("ranking.json").read_text(encoding="utf-8"))["cases"]


def ranked(case: dict[str, Any]) -> Ranks:
    dtype, relevant = np.dtype(case.get("dtype", "float64")), case["relevant"]
    options = {"on_nonfinite": case.get("on_nonfinite", "error")}
    if case["kind"] == "lists":
        return rank_lists(case["items"], case["scores"], relevant, corpus_size=case["corpus_size"], **options)
    if "candidates" in case:
        options["candidates"] = [np.array(rows) for rows in case["candidates"]]
    if case["kind"] == "matrix":
        return rank_matrix(np.array(case["scores"], dtype), relevant, **options)
    sides = (np.array(case[side], dtype) for side in ("queries", "corpus"))
    return rank(*sides, relevant, similarity=case.get("similarity", "cosine"), **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['number']}: {case['what']}")
def test_it_gives_the_value_that_is_right(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(InputError, match=re.escape(case["error"])):
            ranked(case)
        return
    names = {*case["expected"], *case.get("bounds", ()), *case.get("chance", ()), *case.get("flags", ())}
    scores = measure(ranked(case), sorted(names), resamples=20)
    for name, value in case["expected"].items():
        assert scores[name].value == pytest.approx(value, abs=5e-5), name
    for name, (best, worst) in case.get("bounds", {}).items():
        assert scores[name].optimistic == pytest.approx(best, abs=5e-5)
        assert scores[name].pessimistic == pytest.approx(worst, abs=5e-5)
    for name, value in case.get("chance", {}).items():
        assert scores[name].chance == pytest.approx(value, abs=5e-5)
    for name, flags in case.get("flags", {}).items():
        assert list(scores[name].flags) == flags
    for count in ("n", "n_tied", "n_missing"):
        if count in case:
            assert {getattr(score, count) for score in scores.values()} == {case[count]}
