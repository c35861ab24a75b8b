"""Opens a page in Chromium with everything but files and data cut off."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.conftest import absent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
THEMES = ("light", "dark")


def needed(module: str) -> Any:
    """A module of the extra [browser]; without it the test is skipped, which CI does not accept."""
    try:
        return import_module(module)
    except ImportError:
        return absent(module)


def opened(
    browser: Browser, address: str, *, theme: str = "light", width: int = 1280, scripts: bool = True
) -> Page:
    """The page in a context that lets nothing but files and data through, and remembers who asked."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, offline=True,
        java_script_enabled=scripts,
    )  # fmt: skip
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: asked.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: asked.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (asked.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(address)
    page.asked = asked  # type: ignore[attr-defined]
    return page
