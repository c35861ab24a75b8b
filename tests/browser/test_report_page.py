"""report.html in Chromium, from disk: nothing is fetched, nothing overflows, keys find their way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crossgauge.report.html import write_report
from tests.browser.pages import THEMES, needed, opened
from tests.browser.report_fixture import Thing, build, emoji
from tests.browser.test_report_file import PAYLOADS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
ARTIFACTS = Path(__file__).parents[2] / "artifacts"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report(
        build(tmp_path_factory.mktemp("page") / "run", partial=["limited to 291 pictures"])
    ).as_uri()


@pytest.mark.parametrize("width", [1280, 360, 320])
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_is_asked_for_and_nothing_overflows(
    browser: Browser, address: str, theme: str, width: int
) -> None:
    page = opened(browser, address, theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    beyond = page.evaluate(
        "[...document.body.querySelectorAll('*')].filter(e => !e.closest('.scroll, pre, .skip, .unseen')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    assert {url.partition(":")[0] for url in page.asked} <= {"file", "data"}
    assert not [url for url in page.asked if url.startswith("file:") and url != address]
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"report-{theme}-{width}.png")
    page.context.close()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_violation(browser: Browser, address: str, theme: str, width: int) -> None:
    axe = needed("axe_playwright_python.sync_playwright")
    page = opened(browser, address, theme=theme, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found] == []
    page.context.close()


def test_tab_reaches_the_skip_link_first_and_then_every_scroll_region(browser: Browser, address: str) -> None:
    page = opened(browser, address, width=360)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0, "visible when focused"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        reached.add(label)
    regions = page.evaluate(
        "[...document.querySelectorAll('[role=region]')].map(e => e.getAttribute('aria-label'))"
    )
    assert len(regions) == len(set(regions)) == 7
    assert set(regions) <= reached
    page.context.close()


def test_a_wide_table_scrolls_by_key_inside_its_region(browser: Browser, address: str) -> None:
    page = opened(browser, address, width=360)
    region = page.get_by_role("region", name="Table: image→text (i2t)")
    region.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    for _ in range(50):  # scrolling is animated, and the page's policy forbids wait_for_function's eval
        if region.evaluate("e => e.scrollLeft") > 20:
            break
        page.wait_for_timeout(100)
    assert region.evaluate("e => e.scrollLeft") > 20
    assert page.evaluate("document.documentElement.scrollLeft") == 0
    page.context.close()


def test_columns_sort_by_keyboard_and_say_so(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    table = page.locator("table[data-sortable]").first

    def languages() -> list[str]:
        return table.locator("tbody").first.locator("th").all_inner_texts()

    def values() -> list[float]:
        cells = table.locator("tbody").first.locator("td:last-child .value")
        return [float(text) for text in cells.all_inner_texts()]

    before = languages()
    button = table.get_by_role("button", name="medr")
    button.press("Enter")
    assert table.get_by_role("columnheader", name="medr").get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)
    button.press("Space")
    assert values() == sorted(values())
    button.press("Enter")
    assert languages() == before
    page.context.close()


def test_everything_can_be_read_without_javascript(browser: Browser, address: str) -> None:
    page = opened(browser, address, scripts=False)
    body = page.locator("body").inner_text()
    for expected in ("PARTIAL", "macro mean", "[34.3, 45.6]", "Ranked worst", "rank 283", "How to reproduce"):
        assert expected in body, expected
    page.locator("summary").click()
    assert "emoji/classify/zh-Hant|hit@1" in page.locator("body").inner_text()
    page.context.close()


def test_pictures_are_drawn_and_named(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    drawn = page.evaluate(
        "[...document.querySelectorAll('.frame svg')].every(e =>"
        " document.querySelector(e.firstElementChild.getAttribute('href'))"
        " && e.getBoundingClientRect().width > 40 && e.getAttribute('aria-label'))"
    )
    assert drawn
    shot = page.locator(".frame").first.screenshot()
    assert len(set(shot)) > 200, "a picture, not a plain area"
    page.context.close()


def test_payloads_in_every_name_do_nothing(browser: Browser, tmp_path: Path) -> None:
    """S-40: no dialog, no script error, no blocked attempt, no element that they would have made."""
    payload = "".join(PAYLOADS[:-1])
    things = [Thing(f"{t.id}{payload}", t.group, t.image, t.names) for t in emoji(60)]
    path = write_report(
        build(tmp_path / "run", things=things, languages=("en",), named=lambda name: name + payload)
    )
    page = opened(browser, path.as_uri(), width=360)
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, a[href^=javascript]").count() == 0
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
    assert [entry for entry in page.asked if entry.startswith(("console", "error", "dialog"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()


def test_right_to_left_captions_run_right_to_left(browser: Browser, tmp_path: Path) -> None:
    path = write_report(build(tmp_path / "run", languages=("ar",)))
    page = opened(browser, path.as_uri())
    words = page.locator(".words[lang=ar]").first
    assert words.evaluate("e => getComputedStyle(e).direction") == "rtl"
    page.context.close()
