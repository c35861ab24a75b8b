"""A hub that is not there: repositories as they lie in this machine's cache after a download."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def go_offline(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """No network, and this folder as the hub's cache."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))


def put(cache: Path, repository: str, folder: Path, *, branch: str = "main") -> None:
    """A folder as ``repository`` at COMMIT, which is what ``branch`` points to."""
    home = cache / f"models--{repository.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / branch).write_text(COMMIT)
    shutil.copytree(folder, home / "snapshots" / COMMIT)
