"""What only some runs have, in Chromium: fits every width, both themes, found by keys, without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crossgauge.report.html import write_report
from tests.browser.pages import THEMES, needed, opened
from tests.browser.parts_fixture import build_with_parts
from tests.browser.test_report_file import PAYLOADS
from tests.browser.test_report_page import ARTIFACTS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report(build_with_parts(tmp_path_factory.mktemp("page") / "run")).as_uri()


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_overflows_and_axe_finds_no_violation(
    browser: Browser, address: str, theme: str, width: int
) -> None:
    axe = needed("axe_playwright_python.sync_playwright")
    page = opened(browser, address, theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found] == []
    assert {url.partition(":")[0] for url in page.asked} <= {"file", "data"}
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"report-parts-{theme}-{width}.png", full_page=True)
    page.context.close()


def test_official_numbers_differ_from_ours_in_more_than_colour(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    official = page.locator("tr.official").first
    assert official.get_by_role("rowheader").inner_text().split() == ["official", "gem20211"]
    style = "e => [getComputedStyle(e).fontStyle, getComputedStyle(e).fontWeight]"
    assert official.locator(".value").first.evaluate(style) == ["italic", "400"]
    ours = page.locator("tbody.cell tr:not(.official) .first .value").first
    assert ours.evaluate(style) == ["normal", "650"]
    page.context.close()


def test_sorting_keeps_official_numbers_below_their_cells(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    table = page.locator("table[data-sortable]").first
    rows = table.locator("tbody.cell tr")

    def shown() -> list[tuple[bool, str]]:
        return [
            ("official" in (row.get_attribute("class") or ""), row.locator("td").first.inner_text())
            for row in rows.all()
        ]

    before = shown()
    assert [official for official, _ in before] == [False, True, True] * 6
    button = table.get_by_role("button", name="R@1 %")
    button.press("Enter")
    after = shown()
    assert [official for official, _ in after] == [False, True, True] * 6
    assert after != before
    for start in range(0, 18, 3):
        assert len({prompt for _, prompt in after[start : start + 3]}) == 1, "each with its own cell"
    ours = table.locator("tbody.cell tr:not(.official) td.first .value").all_inner_texts()
    assert [float(value) for value in ours] == sorted(map(float, ours), reverse=True)
    button.press("Enter")
    button.press("Enter")
    assert shown() == before
    page.context.close()


def test_every_new_table_is_reached_by_tab_and_linked_from_the_contents(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address, width=360)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert {"Table: over several cells", "Table: prompt sensitivity"} <= reached
    for name in ("Over several cells", "Prompts"):
        link = page.get_by_role("navigation").get_by_role("link", name=name)
        target = page.locator(link.get_attribute("href") or "#nowhere")
        link.press("Enter")
        assert abs(target.bounding_box()["y"]) < 40  # type: ignore[index]
    page.context.close()


def test_all_of_it_can_be_read_without_javascript(browser: Browser, address: str) -> None:
    page = opened(browser, address, scripts=False)
    body = page.locator("body").inner_text()
    for expected in (
        "GEM-I",
        "lacks: IQ.ar.plain",
        "10 draws of 1,000",
        "gem2021",
        "11.7 pt",
        "nothing was written",
    ):
        assert expected in body, expected
    page.context.close()


def test_payloads_in_every_name_do_nothing(browser: Browser, tmp_path: Path) -> None:
    payload = "".join(PAYLOADS[:-1])
    path = write_report(build_with_parts(tmp_path / "run", named=lambda name: name + payload, n=20))
    page = opened(browser, path.as_uri(), width=360)
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, video, a[href^=javascript]").count() == 0
    assert [entry for entry in page.asked if entry.startswith(("console", "error", "dialog"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()
