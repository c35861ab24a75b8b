"""What lies around an engine: batches by length, storing beside the model, refusals in order."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from crossgauge.batching import Keeper, Refusals, batch_size_of, in_batches
from crossgauge.embeddings import encode_items
from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.types import Item
from tests.unit.test_embeddings import Counting, Noting, texts


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("crossgauge.batching.time.perf_counter", lambda: self.now)


def stored_beside(clock: Clock, *, computing: float) -> bool:
    """Whether a batch that took so long is stored beside the next, on a disk that takes 10 ms."""
    release, stored = threading.Event(), threading.Event()

    def first() -> None:
        clock.now += 0.01

    def second() -> None:
        release.wait(10)
        stored.set()

    with Keeper() as keeper:
        keeper.keep(first)
        clock.now += computing
        threading.Timer(0.05, release.set).start()
        keeper.keep(second)
        beside = not stored.is_set()
    assert stored.is_set(), "leaving it waits for the last batch"
    return beside


def test_a_quick_model_is_not_kept_waiting_by_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert stored_beside(clock, computing=0.03)
    assert stored_beside(clock, computing=0.05)


def test_what_took_long_is_stored_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert not stored_beside(clock, computing=0.06)
    assert not stored_beside(clock, computing=60)
    assert not stored_beside(clock, computing=0.01), "and what is faster than the disk"


def test_a_fast_model_waits_so_that_a_kill_loses_one_batch() -> None:
    stored: list[int] = []
    with Keeper() as keeper:
        for number in range(5):
            keeper.keep(lambda number=number: (time.sleep(0.01), stored.append(number)))  # type: ignore[misc]
            assert len(stored) == number + 1


def test_what_storing_raises_is_raised_in_time() -> None:
    def full() -> None:
        raise EnvironmentFault(Fault("E502", "disk", "full"))

    def run() -> None:
        with Keeper() as keeper:
            keeper.keep(lambda: time.sleep(0.001))
            time.sleep(0.1)
            keeper.keep(full)

    with pytest.raises(EnvironmentFault, match="E502"):
        run()
    assert not [one for one in threading.enumerate() if one.name.startswith("store")]


def test_texts_go_by_their_length_and_pictures_by_their_place(tmp_path: Path) -> None:
    words = texts("ccc", "a", "日本", "bb", "zz")
    keyed = [(item.id.encode(), item) for item in words]
    assert [[item.text for _, item in batch] for batch in in_batches(keyed, 2)] == [
        ["a", "bb"], ["zz", "ccc"], ["日本"],
    ]  # fmt: skip
    mixed = [*keyed, (b"p", Item("p", image=tmp_path / "p.png"))]
    assert [item.id for batch in in_batches(mixed, 4) for _, item in batch] == [
        "t0",
        "t1",
        "t2",
        "t3",
        "t4",
        "p",
    ]
    assert in_batches([], 4) == []


def test_rows_come_back_in_the_order_of_the_items_whatever_was_encoded_first() -> None:
    model = Counting()
    found = encode_items(model, texts("ccc", "a", "bb"), role="query", batch_size=1)
    assert model.calls == [[b"a"], [b"bb"], [b"ccc"]]
    assert found.vectors[:, 1].tolist() == [3, 1, 2]


def test_refusals_are_raised_in_order_and_the_first_is_told_at_once() -> None:
    told = Noting()
    refusals = Refusals([b"1", b"2", b"3"], told, rest=1)
    refusals.add({b"3": [Fault("E162", "p3", "no picture")]})
    refusals.add({b"1": [Fault("E163", "p1", "cut off")]})
    assert [note[:8] for note in told.notes] == ["W670 p3:"]
    with pytest.raises(InputError) as caught:
        refusals.raise_all()
    assert [fault.code for fault in caught.value.faults] == ["E163", "E162"]
    Refusals([], told, rest=0).raise_all()


@pytest.mark.parametrize(("hint", "asked", "size"), [(7, None, 7), (7, 3, 3), (0, None, 32), ("9", None, 32)])
def test_the_size_of_a_batch(hint: object, asked: int | None, size: int) -> None:
    class Hinting:
        batch_size = hint

    assert batch_size_of(Hinting(), asked) == size
