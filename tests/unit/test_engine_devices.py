"""Several GPUs of one machine: a worker for each, and each on its own."""

from __future__ import annotations

from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from crossgauge.engines import Recipe, open_engine
from crossgauge.engines import processes as of_processes
from crossgauge.engines.worker import Worker
from crossgauge.runtime import Runtime


def load(spec: str, runtime: Runtime) -> Any:
    """A model that only knows where it runs."""
    return SimpleNamespace(name=spec, revision="1", device=runtime.device)


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)


def devices(recipe: Recipe) -> list[str]:
    """Where the models of five workers are."""
    return [recipe.made(number).device for number in range(5)]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("three")
def test_workers_take_the_devices_in_turn() -> None:
    recipe = Recipe("m", load, on_torch=True)
    assert devices(recipe) == ["cuda:0", "cuda:1", "cuda:2", "cuda:0", "cuda:1"]
    worker = Worker(recipe, 4, 1)
    assert worker._made("m at revision 1").device == "cuda:1"  # type: ignore[attr-defined]


@pytest.mark.usefixtures("three")
def test_a_device_that_the_user_named_is_that_of_all() -> None:
    for named in ("cpu", "cuda:2"):
        assert set(devices(Recipe("m", load, Runtime(device=named), on_torch=True))) == {named}
    assert set(devices(Recipe("m", load))) == {"auto"}, "without torch there is nothing to choose"


def test_without_gpus_the_model_chooses() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count():
        pytest.skip("this machine has GPUs")
    assert set(devices(Recipe("m", load, on_torch=True))) == {"auto"}


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("on_torch", "asked", "visible", "workers"),
    [(True, None, None, 3), (True, 2, None, 2), (False, None, None, 2), (True, None, "", 2)],
)
def test_as_many_workers_as_devices_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, on_torch: bool, asked: int | None, visible: str | None, workers: int
) -> None:
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    counts: list[int] = []
    make = of_processes.processes
    monkeypatch.setattr(
        of_processes, "processes", lambda recipe, count: counts.append(count) or make(recipe, count)
    )
    with closing(open_engine("processes", asked, Recipe("m", load, on_torch=on_torch))):
        assert counts == [workers]
