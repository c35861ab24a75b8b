"""A Ray cluster of this machine: actors that encode, write, rank and die, and nothing left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.engines import Engine, Recipe, open_engine
from crossgauge.engines.ranking import in_one
from crossgauge.errors import EnvironmentFault, InputError
from crossgauge.models import load_model
from tests.encoders import Hashing
from tests.unit.test_embeddings import Noting, texts
from tests.unit.test_engine_ranking import made, same
from tests.unit.test_engines import ROOT, alive, crew, many

ray = pytest.importorskip("ray", reason="needs the extra [ray]")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    """One cluster for the module, joined by every engine: starting one takes seconds."""
    before = Path.cwd()
    os.chdir(ROOT)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patched.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        ray.init(
            address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
        )
        yield
        ray.shutdown()
    os.chdir(before)


@contextmanager
def actors(spec: str) -> Iterator[Engine]:
    with crew(spec, 2, "ray") as engine:
        yield engine


def test_an_actor_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Mortal:{tmp_path},0.02"
    items, told = [*many(30), *texts("die once")], Noting()
    with actors(spec) as engine:
        found = encode_items(
            load_model(spec), items, role="query", batch_size=3, engine=engine, progress=told
        )
        pids = set(map(int, (tmp_path / "pids").read_text().split()))
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()
    (note,) = told.notes
    assert note.startswith("W671 worker ")
    assert len(pids) >= 2
    assert os.getpid() not in pids
    assert ray.is_initialized(), "a cluster that was here before stays"


def test_killed_from_outside_in_the_middle(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path},0.05"
    killed: list[int] = []

    class Killing(Noting):
        def advance(self, done: int) -> None:
            super().advance(done)
            if sum(self.done) == 20:
                killed.append(int((tmp_path / "pids").read_text().split()[-1]))
                os.kill(killed[0], signal.SIGKILL)

    items, told = many(60), Killing()
    with actors(spec) as engine:
        asked = {"role": "query", "batch_size": 5, "engine": engine, "progress": told}
        found = encode_items(load_model(spec), items, **asked)
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()
    assert not alive(killed[0])
    assert [note[:4] for note in told.notes] == ["W671"]


def test_captions_and_faults_come_from_actors_too() -> None:
    spec = "python:tests.engine_models:both"
    with actors(spec) as engine:
        found = caption_items(load_model(spec), many(), language="de", batch_size=8, engine=engine)
    assert found == caption_items(load_model(spec), many(), language="de")
    spec = "python:tests.engine_models:Odd:raise"
    with actors(spec) as engine, pytest.raises(InputError, match=r"E406 model odd.*ZeroDivisionError"):
        encode_items(load_model(spec), texts("a"), role="query", engine=engine)
    spec = "python:tests.engine_models:Odd:unsendable"
    with actors(spec) as engine, pytest.raises(InputError, match="E403"):  # Ray sends even functions
        encode_items(load_model(spec), texts("a"), role="query", engine=engine)


@pytest.mark.parametrize("kind", ["all", "candidates", "draws"])
def test_ranks_are_the_same_bytes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossgauge.engines.ranking.ALONE", 1)
    monkeypatch.setattr("crossgauge.engines.ranking.ROWS", 16)
    ranking = made(kind)
    with actors("random:4") as engine:
        assert same(engine.rank(ranking, Noting()), in_one(ranking))


def test_more_workers_than_processors_are_refused() -> None:
    engine = open_engine("ray", 3, Recipe("random:4", load_model))
    with closing(engine), pytest.raises(EnvironmentFault, match="E677 engine ray: 2 processors"):
        encode_items(load_model("random:4"), texts("a"), role="query", engine=engine)
