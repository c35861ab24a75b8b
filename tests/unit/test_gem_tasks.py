"""What GEM's tasks and languages are called, in all the spellings that were ever printed."""

from __future__ import annotations

from collections import Counter

import pytest

from crossgauge.benchmarks.gem.tasks import (
    LANGUAGES,
    PARTS,
    SIZES,
    TASKS,
    code_of,
    language_of,
    part_of,
    task_of,
)


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("QI", "QI"), ("qir", "QI"), ("QI_mR", "QI"), ("Query -> Image Retrieval", "QI"), ("query_to", None),
        ("QITR", "QIT"), ("qit-mr", "QIT"), ("Query -> Image+Title Retrieval", "QIT"),
        ("IQ_RougeL", "IQ"), ("IQ_Rouge-L", "IQ"), ("Image -> Query Captioning", "IQ"),
        ("QVR", "QV"), ("QV mean-recall", "QV"), ("QVTR", "QVT"), ("QVT_mR", "QVT"),
        ("vq", "VQ"), ("TQ_RougeL", "TQ"), ("Title->Query", "TQ"), ("v-t-q", "VTQ"),
        ("Video+Title-> Query Captioning", "VTQ"), ("NC", None), ("", None), ("I", None),
    ],
)  # fmt: skip
def test_a_task_is_known_by_every_printed_name(name: str, task: str | None) -> None:
    assert task_of(name) == task


def test_every_task_is_found_by_its_own_name_and_belongs_to_one_part() -> None:
    assert [task_of(task.name) for task in TASKS] == [task.name for task in TASKS]
    assert Counter(name for tasks in PARTS.values() for name in tasks) == {task.name: 1 for task in TASKS}
    assert {part_of(task.name) for task in TASKS} == {"GEM-I", "GEM-V"}


def test_titles_say_what_goes_in_and_what_comes_out() -> None:
    assert [task.title for task in TASKS] == [
        "query→image", "query→image+title", "image→query",
        "query→video", "query→video+title", "video→query", "title→query", "video+title→query",
    ]  # fmt: skip
    assert {task.name: sorted(task.modalities) for task in TASKS if task.kind == "captioning"} == {
        "IQ": ["image"],
        "VQ": ["video"],
        "TQ": ["text"],
        "VTQ": ["text", "video"],
    }


def test_pictures_and_videos_have_the_caption_scorer_that_gem_names_for_them() -> None:
    beside = {task.name: task.measures[1] for task in TASKS if task.kind == "captioning"}
    assert beside == {
        "IQ": "rouge_l:coco",
        "VQ": "rouge_l:nlg-eval",
        "TQ": "rouge_l:nlg-eval",
        "VTQ": "rouge_l:nlg-eval",
    }
    assert {task.measures[0] for task in TASKS} == {"mean_recall", "rouge_l"}


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("zh-s", "zh-Hans"), ("zh_s", "zh-Hans"), ("ZH-S", "zh-Hans"), ("zh-CN", "zh-Hans"),
        ("zh-t", "zh-Hant"), ("zh_TW", "zh-Hant"), ("zh", None),
        ("sr-l", "sr-Latn"), ("sr", "sr-Latn"), ("sr@latin", "sr-Latn"), ("sr-Cyrl", None),
        ("iw", "he"), ("he", "he"), ("tl", "fil"), ("fil", "fil"), ("no", "no"), ("nb", "no"),
        ("nb-NO", "no"),
        ("in", "id"), ("en-US", "en"), ("pt-BR", "pt"), ("jp", "ja"),
        ("sw", None), ("dev", None), ("test", None), ("images", None), ("", None), ("..", None),
    ],
)  # fmt: skip
def test_a_language_is_known_by_every_code(code: str, language: str | None) -> None:
    assert language_of(code) == language


def test_codes_for_file_names_lead_back_to_the_language() -> None:
    assert [language_of(code_of(language)) for language in LANGUAGES] == list(LANGUAGES)
    assert [language_of(language) for language in LANGUAGES] == list(LANGUAGES)
    assert {code_of(language) for language in LANGUAGES if len(code_of(language)) > 2} == {
        "zh-s",
        "zh-t",
        "sr-l",
    }
    assert set(LANGUAGES) == SIZES["GEM-I"].keys() | SIZES["GEM-V"].keys()
