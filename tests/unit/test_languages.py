"""Language codes: whatever the field writes is read as one BCP-47 code, or refused with a suggestion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossgauge.errors import UsageError
from crossgauge.languages import canonical, matches, reading, script, unknown
from crossgauge.plan import make_plan


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("jp", "ja"), ("iw", "he"), ("in", "id"), ("jw", "jv"), ("ji", "yi"), ("mo", "ro"),
        ("cn", "zh-Hans"), ("zh_CN", "zh-Hans"), ("zh-CN", "zh-Hans"), ("zh_TW", "zh-Hant"),
        ("zh-TW", "zh-Hant"), ("zh_HK", "zh-Hant"), ("zh-s", "zh-Hans"), ("zh-t", "zh-Hant"),
        ("zho_Hans", "zh-Hans"), ("cmn-Hans", "zh-Hans"), ("cmn", "zh"), ("zh", "zh"),
        ("sr-l", "sr-Latn"), ("sr@latin", "sr-Latn"), ("sr_RS@latin", "sr-Latn-RS"), ("sh", "sr-Latn"),
        ("no", "no"), ("nb", "nb"), ("nb_NO", "nb-NO"), ("fil", "fil"), ("tl", "fil"), ("eng", "en"),
        ("EN", "en"), ("eng-Latn", "en"), ("eng_Latn", "en"), ("en_GB", "en-GB"), ("pt_BR", "pt-BR"),
        ("zh_CN.UTF-8", "zh-Hans"), ("ca@valencia", "ca-valencia"), ("quz", "quz"), ("und", "und"),
        ("tw", "tw"), ("kr", "kr"),
    ],
)  # fmt: skip
def test_field_and_legacy_codes_mean_one_bcp47_code(written: str, meant: str) -> None:
    assert canonical(written) == meant


@pytest.mark.parametrize(
    "code", ["", " ", "xx", "a", "english", "de fr", "en_x!", "1", "日本", "a" * 200, "-", "_"]
)
def test_what_means_no_language_is_refused_with_the_original(code: str) -> None:
    with pytest.raises(UsageError) as refused:
        canonical(code)
    assert refused.value.faults[0].code == "E120"
    assert repr(code) in refused.value.faults[0].found


@pytest.mark.parametrize(
    ("code", "guess"), [("german", "'de'"), ("japanes", "'ja'"), ("dee", "'de'"), ("en_x!", "'en'")]
)
def test_a_slip_gets_a_suggestion(code: str, guess: str) -> None:
    assert unknown(code, "language").fix == f"did you mean {guess}?"


def test_reading_warns_of_another_spelling_and_names_the_place() -> None:
    assert reading("de", place="a.csv:2") == ("de", None)
    code, fault = reading("zh_CN", place="a.csv:2")
    assert code == "zh-Hans"
    assert fault is not None
    assert (fault.code, fault.place, fault.found) == ("W120", "a.csv:2", "language code 'zh_CN'")
    code, fault = reading("qq", place="a.csv:3")
    assert code is None
    assert fault is not None
    assert (fault.code, fault.place) == ("E120", "a.csv:3")


@pytest.mark.parametrize(
    ("asked", "available", "found"),
    [
        ("de", ["en", "de"], "de"),
        ("zh", ["zh-Hans"], "zh-Hans"),
        ("zh", ["zh-Hans", "zh-Hant"], None),
        ("zh", ["zh", "zh-Hant"], "zh"),
        ("en-US", ["en", "de"], "en"),
        ("en-US", ["en-GB"], None),
        ("zh-Hant", ["zh"], None),
        ("sr-Latn", ["sr"], None),
        ("zh-Hans-CN", ["zh-Hans", "zh"], "zh-Hans"),
        ("fr", [], None),
        ("e", ["en"], None),
    ],
)
def test_a_requested_code_means_the_one_available_code_it_can(
    asked: str, available: list[str], found: str | None
) -> None:
    assert matches(asked, available) == found


def test_scripts() -> None:
    assert [script(code) for code in ("ja", "sr", "sr-Latn", "zh", "und")] == [
        "Jpan",
        "Cyrl",
        "Latn",
        "Hans",
        "Zyyy",
    ]


@given(st.text(max_size=12))
def test_a_canonical_code_is_its_own_canonical_form(code: str) -> None:
    try:
        once = canonical(code)
    except UsageError:
        return
    assert canonical(once) == once


def test_every_bad_code_of_a_request_is_told_at_once() -> None:
    with pytest.raises(UsageError) as refused:
        make_plan("emoji", languages=["xx", "en", "qq", "eo", "jp"])
    assert [(fault.code, fault.place) for fault in refused.value.faults] == [
        ("E120", "--languages xx"), ("E120", "--languages qq"), ("E117", "--languages eo"),
    ]  # fmt: skip
