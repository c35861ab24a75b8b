"""From a request to cells; whatever does not exist is named with what does."""

from __future__ import annotations

import pytest

from crossgauge.errors import UsageError
from crossgauge.plan import make_plan
from crossgauge.prompts import parse_prompt


def test_cells_are_task_by_language_by_prompt_in_order() -> None:
    plan = make_plan(
        "emoji", tasks=["i2t", "t2i"], languages=["ja", "en"], prompts=["{}", "photo=a photo of {}"]
    )
    assert sorted(cell.key for cell in plan.cells) == sorted(
        f"{task}.{language}.{prompt}"
        for task in ("i2t", "t2i") for language in ("en", "ja") for prompt in ("plain", "photo")
    )  # fmt: skip


def test_a_task_in_one_language_runs_whatever_languages_are_asked() -> None:
    plan = make_plan("emoji", languages=["de"])
    assert {cell.key for cell in plan.cells} == {"i2t.de.plain", "t2i.de.plain", "classify.en.plain"}


@pytest.mark.parametrize(
    ("request_", "code", "said"),
    [
        ({"languages": ["xx-nowhere"]}, "E", ""),
        ({"languages": ["eo"]}, "E117", "eo"),
        ({"tasks": ["i2"]}, "E115", "i2t"),
        ({"options": {"labels": "all"}}, "E114", "no such option"),
        ({"prompts": ["a photo"]}, "E113", "exactly one {}"),
        ({"prompts": ["{} and {}"]}, "E113", "2 places"),
        ({"prompts": ["punct"]}, "E113", "no formats that --prompts could name"),
        ({"limit": 0}, "E112", "0"),
    ],
)
def test_what_does_not_exist_is_refused(request_: dict[str, object], code: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        make_plan("emoji", **request_)  # type: ignore[arg-type]
    assert refused.value.faults[0].code.startswith(code)
    assert said in str(refused.value)


def test_every_wrong_language_is_named_at_once() -> None:
    with pytest.raises(UsageError) as refused:
        make_plan("emoji", languages=["eo", "la", "en"])
    assert [fault.place for fault in refused.value.faults] == ["--languages eo", "--languages la"]


def test_data_must_be_named_where_it_is_needed() -> None:
    with pytest.raises(UsageError, match="E111"):
        make_plan("folder")


def test_a_prompt_said_twice_is_one_and_two_may_not_share_a_name() -> None:
    plan = make_plan("emoji", tasks=["classify"], prompts=["a {}", "a {}", "x={}!"])
    assert len(plan.cells) == 2
    with pytest.raises(UsageError, match="one template a name"):
        make_plan("emoji", prompts=["x=a {}", "x=the {}"])


def test_templates_keep_the_braces_of_a_text() -> None:
    assert parse_prompt("x={}!").fill("a {} b") == "a {} b!"


def test_two_templates_never_share_a_name() -> None:
    assert parse_prompt("a photo of {}").name != parse_prompt("a photo of: {}").name
