"""What lies around an engine: batches by length, storing beside the model, refusals in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

import pytest

from crossgauge.batching import Refusals, batch_size_of
from crossgauge.embeddings import encode_items
from crossgauge.errors import EnvironmentFault, Fault, InputError
from crossgauge.keeping import Keeper
from tests.unit.test_embeddings import Counting, Noting, texts


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("crossgauge.keeping.time.perf_counter", lambda: self.now)


class Disk:
    """Keeps what it is given, each time in so many seconds."""

    def __init__(self, clock: Clock, seconds: float = 0.0) -> None:
        self.clock, self.seconds = clock, seconds
        self.puts: list[list[bytes]] = []

    def put(self, found: Mapping[bytes, int]) -> None:
        self.puts.append(list(found))
        self.clock.now += self.seconds


def kept(clock: Clock, disk: Disk, *, batches: int, seconds: float) -> list[list[bytes]]:
    """What is stored, and when: batches that take so long to compute."""
    with Keeper(disk.put) as keeper:
        for number in range(batches):
            clock.now += seconds
            keeper.keep({b"%d" % number: number})
            keeper._wait()
    return disk.puts


def test_what_took_long_is_stored_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[int] = []

    def put(found: Mapping[bytes, int]) -> None:
        time.sleep(0.01)
        stored.extend(found.values())

    clock = Clock(monkeypatch)
    with Keeper(put) as keeper:
        for number in range(4):
            clock.now += 0.06
            keeper.keep({b"%d" % number: number})
            assert stored == list(range(number + 1))


def test_a_quick_model_is_not_kept_waiting_by_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    release, stored = threading.Event(), threading.Event()

    def put(found: Mapping[bytes, int]) -> None:
        if b"slow" in found:
            release.wait(10)
            stored.set()

    clock = Clock(monkeypatch)
    with Keeper(put) as keeper:
        clock.now += 0.03
        keeper.keep({b"slow": 1})
        assert not stored.is_set()
        release.set()
    assert stored.is_set(), "leaving it waits for the last batch"


@pytest.mark.parametrize(("seconds", "disk", "most"), [
    (0.005, 0.0025, 6), (0.005, 0.5, 11), (0.03, 0.5, 2), (0.03, 0.001, 1), (0.0001, 0.00002, 2),
])  # fmt: skip
def test_quick_batches_are_stored_together_as_storing_is_slow_and_twenty_times_a_second_at_least(
    monkeypatch: pytest.MonkeyPatch, seconds: float, disk: float, most: int
) -> None:
    clock = Clock(monkeypatch)
    puts = kept(clock, Disk(clock, disk), batches=50, seconds=seconds)
    assert [key for put in puts for key in put] == [b"%d" % number for number in range(50)]
    assert max(map(len, puts)) <= most
    assert most == 1 or max(map(len, puts)) > most // 2, "and so many it is worth it"


def test_nothing_is_stored_where_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(Clock(monkeypatch))
    with Keeper(disk.put) as keeper:
        keeper.keep({})
    assert disk.puts == []


def test_what_storing_raises_is_raised_in_time() -> None:
    def full(found: Mapping[bytes, int]) -> None:
        if b"b" in found:
            raise EnvironmentFault(Fault("E502", "disk", "full"))

    def run() -> None:
        with Keeper(full) as keeper:
            keeper.keep({b"a": 1})
            time.sleep(0.1)
            keeper.keep({b"b": 1})

    with pytest.raises(EnvironmentFault, match="E502"):
        run()
    assert not [one for one in threading.enumerate() if one.name.startswith("store")]


def test_rows_come_back_in_the_order_of_the_items_whatever_was_encoded_first() -> None:
    model = Counting()
    found = encode_items(model, texts("ccc", "a", "bb"), role="query", batch_size=1)
    assert model.calls == [[b"a"], [b"bb"], [b"ccc"]]
    assert found.vectors[:, 1].tolist() == [3, 1, 2]


def test_refusals_are_raised_in_order_and_the_first_is_told_at_once() -> None:
    told = Noting()
    refusals = Refusals(told, rest=1)
    refusals.add({b"3": [Fault("E162", "p3", "no picture")]})
    refusals.add({b"1": [Fault("E163", "p1", "cut off")]})
    assert [note[:8] for note in told.notes] == ["W670 p3:"]
    with pytest.raises(InputError) as caught:
        refusals.raise_all(texts("a", "b", "c"), [b"1", b"2", b"3"])
    assert [fault.code for fault in caught.value.faults] == ["E163", "E162"]
    Refusals(told, rest=0).raise_all(texts("a"), [b"1"])


@pytest.mark.parametrize(("hint", "asked", "size"), [(7, None, 7), (7, 3, 3), (0, None, 32), ("9", None, 32)])
def test_the_size_of_a_batch(hint: object, asked: int | None, size: int) -> None:
    class Hinting:
        batch_size = hint

    assert batch_size_of(Hinting(), asked) == size
