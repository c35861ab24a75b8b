"""Items prepared ahead of a model: whole batches in order, in few pieces, and no more than is wanted."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from crossgauge.engines.asking import Encoding, Readers, answered, ready
from crossgauge.errors import Fault, InputError
from crossgauge.types import Item


class Model:
    """Gives back what it got; ``prepare`` refuses and breaks as an item's text says."""

    name = "echo"

    def prepare(self, item: Item) -> str | None:
        if item.text == "refused":
            raise InputError(Fault("E163", f"item {item.id}", "cut off"))
        if item.text == "broken":
            raise ValueError("no")
        return item.text

    def encode(self, prepared: list[Any], *, role: str) -> list[Any]:
        return [role, *prepared]


def batch(*words: str) -> list[tuple[bytes, Item]]:
    return [(word.encode(), Item(word, text=word)) for word in words]


@pytest.mark.parametrize(("threads", "count", "pieces"), [
    (2, 32, 2), (2, 33, 2), (1, 64, 1), (3, 32, 3), (16, 32, 4), (2, 9, 2), (2, 8, 1), (2, 1, 1), (4, 0, 0),
])  # fmt: skip
def test_a_batch_goes_to_the_threads_in_few_pieces_and_comes_back_in_order(
    threads: int, count: int, pieces: int
) -> None:
    readers = Readers(threads)
    some = batch(*(f"text {n}" for n in range(count)))
    coming = readers.prepare(Model(), some)
    assert len(coming) == pieces
    outcomes = [one for part in coming for one in part.result()]
    assert outcomes == [(item.text, None) for _, item in some]
    readers.close()


def test_an_answer_holds_what_could_be_prepared_and_the_faults_of_the_rest() -> None:
    readers = Readers(2)
    whole = batch("a", "b")
    answer = answered(Model(), Encoding("query"), whole, ready(whole, readers.prepare(Model(), whole)))
    assert (list(answer.batch), answer.returned, answer.refused) == (whole, ["query", "a", "b"], {})
    some = batch("a", "refused", "b", "broken")
    answer = answered(Model(), Encoding("query"), some, ready(some, readers.prepare(Model(), some)))
    assert [key for key, _ in answer.batch] == [b"a", b"b"]
    assert answer.returned == ["query", "a", "b"]
    assert {key: [fault.code for fault in faults] for key, faults in answer.refused.items()} == {
        b"refused": ["E163"],
        b"broken": ["E405"],
    }
    readers.close()


def test_to_close_waits_for_the_item_at_hand_and_for_no_other() -> None:
    began, go = threading.Event(), threading.Event()
    prepared: list[str] = []

    class Slow(Model):
        def prepare(self, item: Item) -> str | None:
            prepared.append(item.id)
            began.set()
            assert go.wait(10)
            return item.text

    readers = Readers(1)
    readers.prepare(Slow(), batch(*(f"{n}" for n in range(20))))
    readers.prepare(Slow(), batch("later"))
    assert began.wait(10)
    closing = threading.Thread(target=readers.close)
    closing.start()
    time.sleep(0.05)
    assert closing.is_alive(), "the item at hand is waited for"
    go.set()
    closing.join(10)
    assert not closing.is_alive()
    assert prepared == ["0"]
