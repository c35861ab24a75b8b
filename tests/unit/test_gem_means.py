"""GEM-I and GEM-V are means of means over exactly their languages, or nothing that says what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from msgspec.structs import replace

from crossgauge.benchmarks.gem.means import aggregates
from crossgauge.benchmarks.gem.tasks import PARTS, SIZES, TASKS
from crossgauge.result import Aggregate, CellResult, ScoreRow
from crossgauge.types import Score

TASK = {task.name: task for task in TASKS}


def score(measure: str, value: float) -> ScoreRow:
    one = Score(
        measure=measure, value=value, optimistic=value, pessimistic=value, interval=(value, value),
        chance=0.0, unit="fraction", higher_is_better=True, n=1, n_undefined=0, n_missing=0, n_tied=0,
        flags=(), per_query=np.array([value]),
    )  # fmt: skip
    return ScoreRow.of(one, title=measure, signature=measure)


def cell(task: str, language: str, values: Iterable[float], prompt: str = "plain") -> CellResult:
    return CellResult(
        task=task, title=TASK[task].title, language=language, prompt=prompt, template="{}", queries=1,
        gallery=1, positives=(1, 1, 1), kind=TASK[task].kind,
        scores=tuple(score(name, value) for name, value in zip(TASK[task].measures, values, strict=False)),
    )  # fmt: skip


def whole(part: str) -> list[CellResult]:
    """Every cell of a part: 0.1, 0.2 … by task, and in the second language 0.5 more of everything."""
    second = sorted(SIZES[part])[1]
    return [
        cell(task, language, [number / 10 + (language == second) / 2, number / 100])
        for number, task in enumerate(PARTS[part], start=1)
        for language in sorted(SIZES[part])
    ]


def by_name(cells: Iterable[CellResult]) -> dict[str, Aggregate]:
    return {one.name: one for one in aggregates(list(cells))}


def test_gem_i_is_the_mean_of_its_tasks_each_over_20_languages() -> None:
    found = by_name(whole("GEM-I"))
    assert found["GEM-I"].value == pytest.approx(0.2 + 0.5 / 20)
    assert found["GEM-I"].measure == "mean_recall+rouge_l"
    assert found["GEM-I"].missing == ()
    assert len(found["GEM-I"].cells) == 60
    printed = found["GEM-I (official tokenisation)"]
    assert printed.value == pytest.approx((0.1 + 0.2 + 2 * 0.5 / 20 + 0.03) / 3), "IQ by coco-caption's words"
    assert printed.measure == "mean_recall+rouge_l:coco"


def test_gem_v_is_the_mean_of_its_tasks_each_over_30_languages() -> None:
    found = by_name(whole("GEM-V"))
    assert found["GEM-V"].value == pytest.approx(0.3 + 0.5 / 30)
    assert found["GEM-V (official tokenisation)"].measure == "mean_recall+rouge_l:nlg-eval"
    assert "GEM-I" not in found


def test_languages_weigh_the_same_in_trained_and_zero_shot_means_too() -> None:
    found = by_name(whole("GEM-V"))
    assert found["QV over 30 languages"].value == pytest.approx(0.1 + 0.5 / 30)
    assert found["QV over 21 trained languages"].value == pytest.approx(0.1), "ca, the second, is zero-shot"
    assert found["QV over 9 zero-shot languages"].value == pytest.approx(0.1 + 0.5 / 9)


def test_a_missing_language_leaves_no_value_and_is_named() -> None:
    cells = [one for one in whole("GEM-I") if (one.task, one.language) != ("IQ", "tr")]
    found = by_name(cells)
    for name in ("GEM-I", "GEM-I (official tokenisation)", "IQ over 20 languages"):
        assert found[name].value is None
        assert found[name].missing == ("IQ.tr.plain",)
    assert found["IQ over 15 trained languages"].value is not None
    assert "IQ over 5 zero-shot languages" not in found, "tr is one of them"
    assert found["QI over 20 languages"].value is not None


def test_a_task_that_was_not_run_is_missing_in_every_language() -> None:
    found = by_name(one for one in whole("GEM-I") if one.task != "QIT")
    assert found["GEM-I"].value is None
    assert found["GEM-I"].missing == tuple(f"QIT.{code}.plain" for code in sorted(SIZES["GEM-I"]))
    assert not any(name.startswith("QIT") for name in found)


def test_an_undefined_score_is_missing_and_never_zero() -> None:
    cells = [one for one in whole("GEM-I") if one.key != "QI.en.plain"]
    found = by_name([*cells, cell("QI", "en", [math.nan])])
    assert found["GEM-I"].value is None
    assert found["GEM-I"].missing == ("QI.en.plain",)


def test_a_language_that_the_part_does_not_have_counts_nowhere() -> None:
    cells = whole("GEM-I")
    assert aggregates([*cells, cell("QI", "sw", [1.0])]) == aggregates(cells)


def test_each_prompt_has_its_own_number_with_the_same_captions() -> None:
    cells = whole("GEM-I")
    photo = [cell(one.task, one.language, [1.0], prompt="photo") for one in cells if one.kind == "ranking"]
    found = {(one.name, one.prompt): one.value for one in aggregates([*cells, *photo])}
    assert found["GEM-I", "plain"] == pytest.approx(0.2 + 0.5 / 20)
    assert found["GEM-I", "photo"] == pytest.approx((1 + 1 + 0.3 + 0.5 / 20) / 3)
    assert ("IQ over 20 languages", "photo") not in found


def test_captions_alone_have_their_means_and_the_part_lacks_the_rest() -> None:
    found = by_name(one for one in whole("GEM-I") if one.task == "IQ")
    assert found["IQ over 20 languages"].value == pytest.approx(0.3 + 0.5 / 20)
    assert found["GEM-I"].value is None
    assert len(found["GEM-I"].missing) == 40


def test_on_dev_the_rule_says_that_dev_cannot_have_the_number_and_lacks_nothing_it_cannot_have() -> None:
    unseen = {"gl", "hr", "hu", "ms", "tr"}
    seen = [on_dev(one) for one in whole("GEM-I") if one.language not in unseen]
    found = by_name(seen)
    for name in ("GEM-I", "GEM-I (official tokenisation)", "QI over 20 languages"):
        assert found[name].value is None
        assert found[name].missing == ()
        assert found[name].rule.endswith(
            "; GEM publishes no dev data for 5 of 20 languages, so this number exists on test only"
        )
    assert found["QI over 15 trained languages"].value is not None
    assert "dev" not in found["QI over 15 trained languages"].rule
    fewer = by_name(one for one in seen if one.key != "IQ.de.plain")
    assert fewer["GEM-I"].missing == ("IQ.de.plain",)


def test_on_test_the_languages_that_are_not_there_are_lacking_and_dev_is_not_spoken_of() -> None:
    seen = [one for one in whole("GEM-I") if one.language != "tr"]
    found = by_name(seen)["GEM-I"]
    assert found.missing == ("QI.tr.plain", "QIT.tr.plain", "IQ.tr.plain")
    assert "dev" not in found.rule


def on_dev(one: CellResult) -> CellResult:
    """The same cell with signatures as a run on dev has them."""
    scores = tuple(replace(row, signature=f"x|{row.measure}|set.split:dev|v:1") for row in one.scores)
    return replace(one, scores=scores)
