"""A torch model in worker processes: each makes its own; vectors and scores are those of one process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from crossgauge.embeddings import encode_items
from crossgauge.engines import Recipe, open_engine
from crossgauge.models import load_model
from crossgauge.types import Encoder, Item
from tests.models import pictures
from tests.models.command import ran
from tests.models.make_transformers import make_clip, names

pytestmark = pytest.mark.usefixtures("torchvision_in_children")
RUN = ("emoji", "-t", "i2t,t2i", "-l", "en,ja", "--limit", "20", "-b", "7", "--no-cache")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"transformers:{make_clip(tmp_path_factory.mktemp('checkpoint') / 'clip').folder}"


def test_one_command_gives_the_same_bytes(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(tmp_path / "local", *RUN, "-m", spec)
    ran(tmp_path / "two", *RUN, "-m", spec, "--engine", "processes", "--workers", "2")
    assert "W671" not in capsys.readouterr().err, "no worker died on the way"
    local, two = ((tmp_path / name / "scores.json").read_bytes() for name in ("local", "two"))
    assert local == two


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For torch, here and in children: it adds up in another order with two."""
    import torch

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_vectors_are_made_in_the_workers_alone(spec: str, tmp_path: Path) -> None:
    shown = [Item(name, image=file) for name, file in pictures.of_every_kind(tmp_path).items()]
    items = [*shown, *(Item(name, text=name) for name in names())]
    here, elsewhere = load_model(spec), load_model(spec)
    assert isinstance(here, Encoder)
    assert isinstance(elsewhere, Encoder)
    wanted = encode_items(here, items, role="query", batch_size=5)
    with closing(open_engine("processes", 2, Recipe(spec, load_model, on_torch=True))) as engine:
        found = encode_items(elsewhere, items, role="query", batch_size=5, engine=engine)
    assert found.ids == wanted.ids
    np.testing.assert_array_equal(found.vectors, wanted.vectors)
    assert "_calls" in vars(here), "weights are kept where they were first used"
    assert "_calls" not in vars(elsewhere)


def test_no_child_finds_torchvision_by_another_way() -> None:
    """What makes it importable there is the tests' own folder, not the environment of who runs them."""
    first, *_ = os.environ["PYTHONPATH"].split(os.pathsep)
    assert (Path(first) / "sitecustomize.py").is_file()
