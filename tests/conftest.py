"""What many tests share: one cache of vectors, the stamps, and the rule that CI must have everything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side: torch's threads would wait

ROOT = Path(__file__).parents[1]
STAMPS = ROOT / ".cache" / "stamps"
CHROMIUM = shutil.which("chromium")
collect_ignore = ["child"]  # for other processes to import by itself: it has the name of a module of Python's


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors kept between the tests of one session: encoding the same emoji again proves nothing."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test may read or write the user's cache, or believe it is on a terminal."""
    monkeypatch.setenv("CROSSGAUGE_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return


@pytest.fixture(scope="session")
def stamps() -> Path:
    """The unpacked stamps; skipped where apt is not, which CI does not accept."""
    if not STAMPS.is_dir():
        absent("the stamps pictures (scripts/fetch_stamps .cache/stamps)")
    return STAMPS


@pytest.fixture(scope="session")
def chromium() -> str:
    """Debian's Chromium."""
    if CHROMIUM is None:
        absent("chromium")
    return str(CHROMIUM)


def absent(what: str) -> None:
    """Skip, saying why; in CI this is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"needs {what}")
