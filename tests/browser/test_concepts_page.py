"""A concept study in Chromium: fits every width, both themes, all by keys, boxes on and off, any script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crossgauge.report.concepts_html import write_concept_report
from crossgauge.report.html import write_report
from tests.browser.concepts_fixture import ZEBRAS, build_study, write_study
from tests.browser.pages import THEMES, needed, opened
from tests.browser.parts_fixture import build_with_parts
from tests.browser.test_report_file import PAYLOADS
from tests.browser.test_report_page import ARTIFACTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a study that stands alone."""
    folder = tmp_path_factory.mktemp("alone")
    return write_concept_report(build_study(folder / "p"), folder / "concepts.html").as_uri()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report with everything, and a study of guesses."""
    folder = tmp_path_factory.mktemp("page")
    study = build_study(folder / "p", predicted=True)
    return write_report(write_study(build_with_parts(folder / "run"), study)).as_uri()


def pair(page: Page, text: str = ZEBRAS) -> Locator:
    return page.locator("details.pair", has_text=text).first


def open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")


@pytest.mark.parametrize("width", [1280, 700, 320])
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_overflows_and_axe_finds_no_violation(
    browser: Browser, address: str, theme: str, width: int
) -> None:
    axe = needed("axe_playwright_python.sync_playwright")
    page = opened(browser, address, theme=theme, width=width)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    beyond = page.evaluate(
        "[...document.body.querySelectorAll('*')].filter(e =>"
        " !e.closest('.scroll, pre, .skip, .unseen, .scene')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found] == []
    assert {url.partition(":")[0] for url in page.asked} <= {"file", "data"}
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"concepts-{theme}-{width}.png", full_page=True)
    pair(page).screenshot(path=ARTIFACTS / f"concepts-zebras-{theme}-{width}.png")
    page.context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_inside_a_report_it_is_as_clean(browser: Browser, report: str, theme: str, width: int) -> None:
    axe = needed("axe_playwright_python.sync_playwright")
    page = opened(browser, report, theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    open_all(page)
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found] == []
    assert "PREDICTED" in page.locator("section.concepts").inner_text()
    page.screenshot(path=ARTIFACTS / f"report-concepts-{theme}-{width}.png", full_page=True)
    page.context.close()


@pytest.mark.parametrize("theme", THEMES)
def test_on_a_telephone_every_column_is_in_sight(browser: Browser, address: str, theme: str) -> None:
    page = opened(browser, address, theme=theme, width=400)
    open_all(page)
    hidden = page.evaluate(
        "[...document.querySelectorAll('table.stacked')].filter(e =>"
        " e.closest('.scroll').scrollWidth > e.closest('.scroll').clientWidth + 1).length"
    )
    assert hidden == 0
    row = page.locator(".evidence table.stacked", has_text="SD: areas").first.locator("tbody tr").first
    last = row.locator("td").last
    assert last.get_attribute("data-head") == "disagrees"
    box = last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 400
    page.context.close()


def test_the_meaning_of_a_concept_is_seen_by_pointer_and_by_key(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    zebras = pair(page)
    zebras.locator("summary").press("Enter")
    for name, show in (("mane", "focus"), ("trunk", "hover")):  # a trunk without a box has no button
        item = zebras.locator(".list li", has_text=f"{name}.n.01")
        meaning = item.locator(".meaning")
        before = meaning.bounding_box()
        assert before is None or before["height"] <= 1
        (item.locator("button").focus if show == "focus" else item.hover)()
        shown, at = meaning.bounding_box(), item.bounding_box()
        assert shown is not None
        assert at is not None
        assert shown["height"] > 15
        assert shown["y"] >= at["y"] + at["height"] - 8, "beneath its concept"
    page.context.close()


def test_boxes_lie_where_the_annotation_says(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    open_all(page)
    scene = pair(page).locator(".scene").first
    frame, box = scene.bounding_box(), scene.locator("g.box[data-n] .over").nth(3).bounding_box()
    assert frame is not None
    assert box is not None
    assert frame["width"] / frame["height"] == pytest.approx(640 / 480, rel=0.01)
    path = scene.locator("g.box .over").nth(3).get_attribute("d") or ""
    x, y = map(float, path[1:].partition("h")[0].split())
    assert (box["x"] - frame["x"]) / frame["width"] == pytest.approx(x / 640, abs=0.015)
    assert (box["y"] - frame["y"]) / frame["height"] == pytest.approx(y / 480, abs=0.015)
    page.context.close()


def test_pictures_are_drawn_beneath_their_boxes(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    open_all(page)
    shot = pair(page).locator(".scene").first.screenshot()
    assert len(set(shot)) > 200, "a picture, not a plain area"
    assert page.evaluate(
        "[...document.querySelectorAll('.scene use')].every("
        "e => document.querySelector(e.getAttribute('href')))"
    )
    gone = pair(page, "A red bus").locator(".scene").first.bounding_box()
    assert gone is not None
    assert gone["width"] / gone["height"] == pytest.approx(640 / 360, rel=0.02)
    page.context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_boxes_are_switched_by_keys_even_without_scripts(
    browser: Browser, address: str, scripts: bool
) -> None:
    page = opened(browser, address, scripts=scripts)
    zebras = pair(page)
    zebras.locator("summary").press("Enter")
    switches = {
        "shown by both, paired": ".both", "shared concept, no partner": ".unpaired",
        "only in the right picture": ".truth",
        "only in the retrieved picture": ".retrieved",
    }  # fmt: skip
    for label, kind in switches.items():
        boxes = zebras.locator(f".scene :is(.box, .tag){kind}")
        assert boxes.count() > 0
        switch = zebras.get_by_role("checkbox", name=label)
        assert boxes.first.is_visible()
        switch.press("Space")
        assert not any(one.is_visible() for one in boxes.all()), label
        switch.press("Space")
        assert boxes.first.is_visible()
    names = zebras.get_by_role("checkbox", name="names")
    assert names.is_checked()
    names.press("Space")
    assert not any(tag.is_visible() for tag in zebras.locator(".tag").all())
    assert zebras.locator(".box").first.is_visible()
    page.context.close()


def test_one_concept_alone_by_key(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    zebras = pair(page)
    zebras.locator("summary").press("Enter")
    button = zebras.locator(".list").get_by_role("button", name="mane.n.01")
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    strong = zebras.locator(".scene .box:not(.faint)")
    assert strong.count() == 1 + 5
    other = zebras.locator(".list").get_by_role("button", name="zebra.n.01")
    other.press("Space")
    assert (button.get_attribute("aria-pressed"), strong.count()) == ("false", 4 + 7)
    other.press("Space")
    assert zebras.locator(".faint").count() == 0
    assert zebras.locator(".list").get_by_role("button", name="trunk.n.01").count() == 0, "it has no box"
    page.context.close()


def test_pairs_are_filtered_and_say_how_many_are_left(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    tools = page.get_by_role("group", name="Filter and sort the pairs of text→image (t2i.en.plain)")
    shown = page.locator("[data-pairs]").first.locator("details.pair:visible")
    assert shown.count() == 6
    search = tools.get_by_role("searchbox", name="Filter")
    for words, count in (
        ("ZEBRA grass", 2),
        ("桌子", 1),
        ("قطة", 1),
        ("q002111", 1),
        ("nowhere", 0),
        ("", 6),
    ):
        search.fill(words)
        assert (shown.count(), tools.get_by_role("status").inner_text()) == (count, f"{count} of 6 shown"), (
            words
        )
    page.context.close()


def test_pairs_are_sorted_and_those_without_a_value_come_last(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    tools = page.locator(".tools").first
    pairs = page.locator("[data-pairs]").first.locator("details.pair")

    def values(measure: str) -> list[float | None]:
        found = [one.get_attribute(f"data-{measure}") for one in pairs.all()]
        return [None if value is None else float(value) for value in found]

    before = pairs.locator("summary").all_inner_texts()
    for measure, direction in (("ce", "highest"), ("ca", "lowest"), ("sd", "highest")):
        option, falling = f"{measure.upper()}, {direction} first", direction == "highest"
        tools.get_by_role("combobox", name="Sort").select_option(label=option)
        found = values(measure)
        known = [value for value in found if value is not None]
        assert known == sorted(known, reverse=falling)
        assert 0 < len(known) < 6
        assert found == known + [None] * (6 - len(known))
    tools.get_by_role("combobox", name="Sort").select_option(label="as given")
    assert pairs.locator("summary").all_inner_texts() == before
    page.context.close()


def test_all_is_reached_and_opened_by_keys(browser: Browser, address: str) -> None:
    page = opened(browser, address, width=360)
    pairs = page.locator("[data-pairs]").first.locator("details.pair")
    assert [one.get_attribute("open") is not None for one in pairs.all()] == [True, *[False] * 5]
    page.get_by_role("button", name="Open all").first.press("Enter")
    assert all(one.get_attribute("open") is not None for one in pairs.all())
    reached: set[str] = set()
    for _ in range(220):
        page.keyboard.press("Tab")
        reached |= {page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")}
    regions = page.evaluate(
        "[...document.querySelectorAll('[role=region]')].filter(e => e.checkVisibility())"
        ".map(e => e.getAttribute('aria-label'))"
    )
    assert len(regions) == len(set(regions)) >= 8
    assert set(regions) <= reached
    page.get_by_role("button", name="Close all").first.press("Enter")
    assert not any(one.get_attribute("open") is not None for one in pairs.all())
    page.context.close()


def test_everything_can_be_read_without_javascript(browser: Browser, address: str) -> None:
    page = opened(browser, address, scripts=False)
    assert page.locator(".tools").first.is_hidden()
    pair(page).locator("summary").press("Enter")
    shown = pair(page).inner_text()
    for expected in ("CA = 3/11", "NCS = (1/9 + 1/6)/2 = 5/36", "SD = 2/6", "grassland.n.01", "1,980"):
        assert expected in shown, expected
    page.context.close()


def test_queries_run_in_their_own_direction(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    words = page.locator(".words", has_text="قطة").first
    assert words.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert pair(page).locator(".words").evaluate("e => getComputedStyle(e).direction") == "ltr"
    page.context.close()


def test_pictures_are_described_for_those_who_do_not_see_them(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    open_all(page)
    named = pair(page).get_by_role("img").all()
    assert [one.get_attribute("aria-label") for one in named] == [
        "picture 2329465, 9 boxes: field ×1, hill ×1, sky ×1, tree ×1, zebra ×4, mane ×1",
        "picture 2331201, 14 boxes: field ×1, grassland ×1, zebra ×7, mane ×5",
    ]
    page.context.close()


def test_payloads_in_every_name_do_nothing(browser: Browser, tmp_path: Path) -> None:
    payload = "".join(PAYLOADS[:-1])
    study = build_study(tmp_path / "p", named=lambda name: name + payload)
    page = opened(browser, write_concept_report(study, tmp_path / "c.html").as_uri(), width=360)
    open_all(page)
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, a[href^=javascript]").count() == 0
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
    assert [entry for entry in page.asked if entry.startswith(("console", "error", "dialog"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()
