"""A graph that does not fit into the device's memory with a whole batch gets less at once."""

from __future__ import annotations

import dataclasses
from threading import Lock
from typing import Any

import numpy as np
import pytest

from crossgauge.errors import EnvironmentFault, InputError
from crossgauge.models import load_model
from crossgauge.types import Item
from tests.models.make_onnx import make_dual, make_towers

TEXTS = [Item(str(n), text=f"bee {n}") for n in range(8)]


class Little:
    """A session of a device that has room for ``fits`` rows in all calls at once."""

    def __init__(self, session: Any, fits: int, words: str) -> None:
        self.session, self.fits, self.words = session, fits, words
        self.asked: list[int] = []
        self._held, self._lock = 0, Lock()

    def run(self, names: list[str], feeds: dict[str, Any]) -> Any:
        from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

        rows = len(feeds["input_ids"])
        with self._lock:
            self.asked.append(rows)
            self._held += rows
            full = self._held > self.fits
        try:
            if full:
                raise RuntimeException(self.words)
            return self.session.run(names, feeds)
        finally:
            with self._lock:
                self._held -= rows


ARENA = "Non-zero status code: bfc_arena.cc Failed to allocate memory for requested buffer of size 9"


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    home = tmp_path_factory.mktemp("onnx")
    make_towers(home / "onnx", make_dual(home / "dual"))
    return f"onnx:{home / 'onnx'}"


def opened(spec: str, fits: int, *, together: bool, words: str = ARENA) -> tuple[Any, Little]:
    model: Any = load_model(spec)
    model._provider = dataclasses.replace(model._provider, alone=not together)
    session = model._sessions["text"]
    little = session._session = Little(session._session, fits, words)
    return model, little


def encoded(model: Any) -> Any:
    return model.encode([model.prepare(item) for item in TEXTS], role="query")


def test_batches_are_halved_where_items_go_together(spec: str) -> None:
    model, little = opened(spec, 3, together=True)
    np.testing.assert_allclose(encoded(model), encoded(load_model(spec)), rtol=1e-5, atol=1e-5)
    assert little.asked == [8, 4, 2, 2, 2, 2]
    assert list(model.told())[:2] == [
        "out of memory with 8 items at once; now 4", "out of memory with 4 items at once; now 2",
    ]  # fmt: skip


@pytest.mark.parametrize("together", [True, False])
def test_one_item_that_does_not_fit_is_no_fault_of_the_graph(spec: str, *, together: bool) -> None:
    model, _ = opened(spec, 0, together=together)
    with pytest.raises(EnvironmentFault, match=r"E610 .*with one item at once: .*; fix: a smaller model, or"):
        encoded(model)


def test_what_else_the_runtime_raises_is(spec: str) -> None:
    model, _ = opened(spec, 0, together=True, words="Got invalid dimensions for input")
    with pytest.raises(InputError, match=r"E659 .*Got invalid dimensions"):
        encoded(model)
