"""Adapters are tested with the real libraries on tiny checkpoints made here (``make_….py``)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import torchvision_operators

torchvision_operators.declare()
CHILD = Path(__file__).parents[1] / "child"


@pytest.fixture
def torchvision_in_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that a test starts can import it, too."""
    paths = [str(CHILD), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
