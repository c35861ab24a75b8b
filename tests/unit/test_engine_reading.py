"""Processes that read for a model in this one: when they do, the same bytes, and every loss told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from crossgauge.cache import Cache
from crossgauge.cli import main
from crossgauge.embeddings import encode_items
from crossgauge.engines import Recipe
from crossgauge.engines.local import Local
from crossgauge.engines.reading import Waiting
from crossgauge.errors import InputError, Interrupted
from crossgauge.models import load_model
from crossgauge.types import Encoder, Item
from tests.encoders import Hashing
from tests.unit.test_embeddings import Noting
from tests.unit.test_engines import ROOT, alive, many

Picture = Callable[..., Item]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes look for modules where this one does."""
    monkeypatch.chdir(ROOT)


@contextmanager
def reading(folder: Path, *, patience: float = 0.0, workers: int = 2) -> Iterator[tuple[Encoder, Local]]:
    """A model, and an engine whose processes read for it after so much waiting."""
    spec = f"python:tests.engine_models:Reading:{folder}"
    with closing(Local(workers, Recipe(spec, load_model), patience=patience)) as engine:
        model = load_model(spec)
        assert isinstance(model, Encoder)
        yield model, engine


def readers(folder: Path) -> list[int]:
    return [int(pid) for pid in (folder / "readers").read_text().split()]


def shown(picture: Picture, count: int) -> list[Item]:
    return [picture(f"p{n:02}", size=(4, 3 + n)) for n in range(count)]


def plain(items: list[Item]) -> bytes:
    return encode_items(Hashing(), items, role="corpus").vectors.tobytes()


def test_processes_read_and_nothing_else_changes(tmp_path: Path, picture: Picture) -> None:
    items, told = shown(picture, 40), Noting()
    with reading(tmp_path) as (model, engine):
        found = encode_items(
            model,
            items,
            role="corpus",
            batch_size=4,
            engine=engine,
            cache=Cache(tmp_path / "c"),
            progress=told,
        )
        others = set(readers(tmp_path))
        assert len(others) == 2
        assert os.getpid() not in others
        assert set(readers(tmp_path)) == others
        again = encode_items(model, items, role="corpus", batch_size=4, engine=engine)
        assert set(readers(tmp_path)) == others
    assert len(readers(tmp_path)) == 80
    assert found.vectors.tobytes() == again.vectors.tobytes() == plain(items)
    assert sum(told.done) == 40
    assert not any(alive(pid) for pid in others)


def test_threads_read_until_the_model_has_waited(tmp_path: Path, picture: Picture) -> None:
    """A preparation that waits, as for Python's lock, leaves the processors idle."""
    (tmp_path / "slow").touch()
    with reading(tmp_path, patience=0.2) as (model, engine):
        found = encode_items(model, items := shown(picture, 60), role="corpus", batch_size=4, engine=engine)
    here = readers(tmp_path).count(os.getpid())
    assert 8 <= here <= 56
    assert len(readers(tmp_path)) == 60
    assert len(set(readers(tmp_path))) >= 2
    assert found.vectors.tobytes() == plain(items)


def test_texts_and_models_that_load_weights_are_read_here(
    tmp_path: Path, picture: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reading(tmp_path) as (model, engine):
        encode_items(model, many(30), role="corpus", batch_size=4, engine=engine)
        monkeypatch.setattr(model, "lazy_weights", False)
        encode_items(model, shown(picture, 20), role="corpus", batch_size=4, engine=engine)
    with reading(tmp_path, workers=1) as (model, engine):
        encode_items(model, shown(picture, 20), role="corpus", batch_size=4, engine=engine)
    with reading(tmp_path, patience=5) as (model, engine):
        encode_items(model, shown(picture, 20), role="corpus", batch_size=4, engine=engine)
    assert set(readers(tmp_path)) == {os.getpid()}


def test_broken_pictures_are_listed_in_order_and_the_rest_is_kept(tmp_path: Path, picture: Picture) -> None:
    items = shown(picture, 24)
    for number in (21, 12):
        path = items[number].image
        assert path is not None
        path.write_bytes(b"no picture %d" % number)
    with reading(tmp_path) as (model, engine), pytest.raises(InputError) as caught:
        encode_items(model, items, role="corpus", batch_size=2, engine=engine, cache=Cache(tmp_path / "c"))
    with pytest.raises(InputError) as here:
        encode_items(model, items, role="corpus", batch_size=2)
    assert caught.value.faults == here.value.faults
    assert Cache(tmp_path / "c").store("reading", "1").contents().rows == 22


def test_a_picture_that_kills_is_given_up_and_the_rest_is_kept(tmp_path: Path, picture: Picture) -> None:
    items, told = [*shown(picture, 20), picture("deadly", "blue")], Noting()
    with reading(tmp_path) as (model, engine), pytest.raises(InputError) as caught:
        encode_items(
            model,
            items,
            role="corpus",
            batch_size=1,
            engine=engine,
            cache=Cache(tmp_path / "c"),
            progress=told,
        )
    (fault,) = caught.value.faults
    assert (fault.code, fault.place) == ("E672", "item deadly")
    assert "--workers 1" in fault.fix
    assert [note[:4] for note in told.notes].count("W671") == 3
    assert Cache(tmp_path / "c").store("reading", "1").contents().rows == 20


def test_what_cannot_be_sent_is_said(tmp_path: Path, picture: Picture) -> None:
    items = [*shown(picture, 12), picture("unsendable", "blue")]
    with (
        reading(tmp_path) as (model, engine),
        pytest.raises(InputError, match=r"E676 .*prepare.*lazy"),
    ):
        encode_items(model, items, role="corpus", batch_size=1, engine=engine)


def test_what_their_models_say_is_passed_on_once(tmp_path: Path, picture: Picture) -> None:
    items = [*shown(picture, 12), *(picture(f"said{n}", "blue", (9, 9 + n)) for n in range(12))]
    told = Noting()
    with reading(tmp_path) as (model, engine):
        encode_items(model, items, role="corpus", batch_size=1, engine=engine, progress=told)
    started, note = told.notes
    assert started == "2 processes read from here on: threads waited for one another"
    assert note.startswith("reading: I read it (said by ")


def test_stopping_keeps_what_is_done_and_the_readers_go_on(tmp_path: Path, picture: Picture) -> None:
    items, cache = shown(picture, 30), Cache(tmp_path / "c")
    with reading(tmp_path) as (model, engine):
        with pytest.raises(Interrupted, match="after 21 of 30"):
            encode_items(
                model, items, role="corpus", batch_size=3, engine=engine, cache=cache, progress=Noting(7)
            )
        assert cache.contents()[0].rows == 21
        found = encode_items(model, items, role="corpus", batch_size=3, engine=engine, cache=cache)
    assert found.vectors.tobytes() == plain(items)


def test_a_run_from_the_command_line_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scores(name: str) -> bytes:
        spec = f"python:tests.engine_models:Reading:{tmp_path}"
        arguments = ["emoji", "-m", spec, "-l", "en", "-t", "i2t", "--limit", "60", "-b", "4", "--no-cache"]
        with pytest.raises(SystemExit) as ended:
            main(["run", *arguments, "--workers", "2", "--plain", "-o", str(tmp_path / name)])
        assert not ended.value.code
        return (tmp_path / name / "scores.json").read_bytes()

    threads = scores("threads")
    assert set(readers(tmp_path)) == {os.getpid()}
    monkeypatch.setattr("crossgauge.engines.opening.Local", partial(Local, patience=0))
    assert scores("processes") == threads
    others = set(readers(tmp_path)) - {os.getpid()}
    assert len(others) == 2
    assert not any(alive(pid) for pid in others)


@pytest.mark.parametrize(("used", "readers", "in_vain"), [
    (0.9, 2, True), (1.3, 2, True), (1.5, 2, False), (2.0, 2, False), (0.6, 1, True), (0.8, 1, False),
    (2.0, 8, True), (2.9, 8, False),
])  # fmt: skip
def test_threads_wait_in_vain_where_processors_have_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, used: float, readers: int, *, in_vain: bool
) -> None:
    """``used``: of four processors, while the model waits."""
    now = [0.0]
    monkeypatch.setattr("crossgauge.engines.reading.usable_cpus", lambda: 4)
    monkeypatch.setattr("crossgauge.engines.reading.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("crossgauge.engines.reading.time.process_time", lambda: used * now[0])
    waiting = Waiting(5.0, readers)
    for wait in (2.0, 2.0):
        now[0] += 100  # the model at work
        with waiting:
            now[0] += wait
        assert not waiting.in_vain
    with waiting:
        now[0] += 1.0
    assert waiting.in_vain == in_vain
