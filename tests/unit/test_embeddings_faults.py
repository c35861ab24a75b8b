"""What goes wrong while encoding: every fault told once, by item, and nothing left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items, usable
from crossgauge.engines.local import AHEAD
from crossgauge.errors import EnvironmentFault, Fault, InputError, Interrupted
from crossgauge.types import Item
from tests.unit.test_embeddings import Counting, Noting, texts


@pytest.mark.parametrize("workers", [None, 2])
def test_files_with_the_same_damage_are_all_named(tmp_path: Path, workers: int | None) -> None:
    """An error page saved several times is one content, and several files to mend; a text is named once."""
    items = []
    for number, content in enumerate((b"", b"<html>", b"", b"<html>", b"<html>")):
        path = tmp_path / f"{number}.png"
        path.write_bytes(content)
        items.append(Item(f"p{number}", image=path))
    with pytest.raises(InputError) as caught:
        encode_items(Counting(), items, role="query", batch_size=2, workers=workers or 1)
    assert [(fault.code, fault.place) for fault in caught.value.faults] == [
        (code, f"{item.image} (item {item.id})")
        for code, item in zip(("E161", "E162", "E161", "E162", "E162"), items, strict=True)
    ]


def test_every_broken_picture_is_told_and_the_rest_is_kept(
    tmp_path: Path, picture: Callable[..., Item]
) -> None:
    whole = [picture(f"p{n}", size=(4, 3 + n)) for n in range(6)]
    broken = {2: b"", 4: b"no picture"}
    good = {n: one.image.read_bytes() for n, one in enumerate(whole) if one.image is not None}
    for n, content in broken.items():
        (tmp_path / f"p{n}.png").write_bytes(content)
    items = [Item("gone", image=tmp_path / "gone.png"), *whole]
    encoder, told = Counting(), Noting()
    with pytest.raises(InputError) as caught:
        encode_items(encoder, items, role="corpus", batch_size=2, cache=Cache(tmp_path / "c"), progress=told)
    assert [fault.code for fault in caught.value.faults] == ["E160", "E161", "E162"], "in the order of items"
    assert all(f"(item {name})" in str(caught.value) for name in ("p2", "p4", "gone"))
    assert encoder.encoded == 4
    assert [note[:4] for note in told.notes] == ["W670"], "the first is told at once"
    assert sum(told.done) == 6, "the bar gets to its end, but for the file that is not there"

    for n in broken:
        (tmp_path / f"p{n}.png").write_bytes(good[n])
    (tmp_path / "gone.png").write_bytes(good[0])
    resumed = Counting()
    found = encode_items(resumed, items, role="corpus", batch_size=2, cache=Cache(tmp_path / "c"))
    assert resumed.encoded == 2, "only what was broken: gone.png is now equal to p0.png"
    assert found.vectors.tobytes() == encode_items(Counting(), items, role="corpus").vectors.tobytes()


def test_a_small_job_is_not_told_twice(picture: Callable[..., Item]) -> None:
    one = picture("p")
    assert one.image is not None
    one.image.write_bytes(b"no picture")
    told = Noting()
    with pytest.raises(InputError):
        encode_items(Counting(), [one, picture("q")], role="corpus", progress=told)
    assert told.notes == [], "the error comes right after"


def test_looking_for_more_broken_pictures_can_be_stopped(tmp_path: Path) -> None:
    items = [Item(f"x{n}", image=tmp_path / f"x{n}") for n in range(50)]
    for n, item in enumerate(items):
        assert item.image is not None
        item.image.write_bytes(b"no picture %d" % n)
    told = Noting(1)
    with pytest.raises(Interrupted, match="after 5 of 50 items"):
        encode_items(Counting(), items, role="query", progress=told, batch_size=5)
    assert [note[:4] for note in told.notes] == ["W670"]


def test_what_a_user_s_own_prepare_raises_names_the_item() -> None:
    class Own(Counting):
        def prepare(self, item: Item) -> bytes:
            raise KeyError(item.id)

    with pytest.raises(InputError) as caught:
        encode_items(Own(), texts("a", "b"), role="query")
    assert [str(fault)[:40] for fault in caught.value.faults] == [
        "E405 item t0: prepare() raised KeyError:", "E405 item t1: prepare() raised KeyError:",
    ]  # fmt: skip


def test_faults_of_the_machine_are_not_blamed_on_an_item() -> None:
    class Own(Counting):
        def prepare(self, item: Item) -> bytes:
            raise EnvironmentFault(Fault("E414", "x", "missing"))

    with pytest.raises(EnvironmentFault):
        encode_items(Own(), texts("a"), role="query")


def test_what_encode_raises_names_the_batch_and_keeps_the_cause() -> None:
    class Own(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            raise RuntimeError("out of memory")

    with pytest.raises(InputError, match=r"E406 model counting, items t0 … t1: .*out of memory") as caught:
        encode_items(Own(), texts("a", "b"), role="query")
    assert isinstance(caught.value.__cause__, RuntimeError)

    class Careful(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            raise EnvironmentFault(Fault("E414", "x", "missing"))

    with pytest.raises(EnvironmentFault):
        encode_items(Careful(), texts("a"), role="query")


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (np.ones((1, 4), np.float32), "E403"), (np.ones(2, np.float32), "E403"),
        (np.ones((2, 0), np.float32), "E403"),
        ([[1.0], [2.0]], "E403"), (None, "E403"), (np.ones((2, 4), np.float16), "E404"),
        (np.ones((2, 4), np.int64), "E404"), (np.ones((2, 4), object), "E404"),
    ],
)  # fmt: skip
def test_rows_that_are_not_what_was_promised(rows: Any, code: str) -> None:
    class Own(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            return rows

    with pytest.raises(InputError) as caught:
        encode_items(Own(), texts("a", "b"), role="query")
    assert caught.value.faults[0].code == code


def test_double_precision_is_kept(tmp_path: Path) -> None:
    class Own(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            return np.full((len(prepared), 2), 0.1)

    for _ in range(2):
        found = encode_items(Own(), texts("a"), role="query", cache=Cache(tmp_path))
        assert (found.vectors.dtype, found.vectors[0, 0]) == (np.float64, 0.1)


def test_a_dimension_that_changes_between_batches_is_refused() -> None:
    class Own(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            return np.ones((len(prepared), 2 + len(self.calls) + (self.calls.append([]) or 0)), np.float32)

    with pytest.raises(InputError, match="E402 model counting: vectors of 3 float32 after 2 float32"):
        encode_items(Own(), texts("a", "b"), role="query", batch_size=1)


class Sick(Counting):
    """NaN, infinity and zero for three texts."""

    def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
        rows = super().encode(prepared, role=role)
        for row, content in zip(rows, prepared, strict=True):
            row[:] = {b"nan": np.nan, b"zero": 0}.get(content, row)
            row[0] = np.inf if content == b"inf" else row[0]
        return rows


def test_a_vector_without_direction_is_an_error_naming_the_items(tmp_path: Path) -> None:
    sick = Sick()
    with pytest.raises(InputError) as caught:
        encode_items(sick, texts("a", "nan", "inf", "zero"), role="query", cache=Cache(tmp_path))
    assert [fault.place for fault in caught.value.faults] == [f"model counting, item t{n}" for n in (1, 2, 3)]
    assert {fault.code for fault in caught.value.faults} == {"E408"}
    encode_items(sick, texts("a"), role="query", cache=Cache(tmp_path))
    assert sick.encoded == 4, "the good vector was kept"


def test_vectors_without_direction_do_not_keep_others_from_being_stored(tmp_path: Path) -> None:
    words = ("inf", "a", "nan", "b", "c", "zero", "d")
    with pytest.raises(InputError) as caught:
        encode_items(Sick(), texts(*words), role="query", cache=Cache(tmp_path), batch_size=2)
    assert [fault.place[-2:] for fault in caught.value.faults] == ["t0", "t2", "t5"], "in the order of items"
    again = Counting()
    encode_items(again, texts("a", "b", "c", "d"), role="query", cache=Cache(tmp_path))
    assert again.encoded == 0


def test_a_model_without_one_good_vector_stops_at_once() -> None:
    class Collapsed(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            return 0 * super().encode(prepared, role=role)

    model = Collapsed()
    with pytest.raises(InputError, match="E408"):
        encode_items(model, texts(*map(str, range(100))), role="query", batch_size=4)
    assert model.encoded == 4


def test_or_a_miss_when_asked_for_and_never_cached(tmp_path: Path) -> None:
    told = Noting()
    for _ in range(2):
        sick = Sick()
        found = encode_items(sick, texts("a", "nan", "inf", "zero"), role="query", cache=Cache(tmp_path),
                             on_nonfinite="miss", progress=told)  # fmt: skip
        assert usable(found.vectors).tolist() == [True, False, False, False]
        assert np.isnan(found.vectors[1:]).all()
    assert sick.encoded == 3
    assert told.notes == ["W410 model counting: 3 vectors not finite, or zero, counted as misses: t1, t2, t3"]


def test_each_listener_is_told_of_every_miss_once() -> None:
    """However many cells an item stands in; of new items the next time, and without advice already taken."""
    told = Noting()
    for words in (("a", "nan"), ("nan", "a"), ("zero", "nan", "inf")):
        items = [Item(word, text=word) for word in words]
        encode_items(Sick(), items, role="query", on_nonfinite="miss", progress=told)
    assert [note.split(": ", 1)[1] for note in told.notes] == [
        "1 vector not finite, or zero, counted as misses: nan",
        "2 vectors not finite, or zero, counted as misses: zero, inf",
    ]
    assert not any("--on-nonfinite" in note for note in told.notes)
    again = Noting()
    encode_items(Sick(), texts("nan"), role="query", on_nonfinite="miss", progress=again)
    assert len(again.notes) == 1, "another run is told again"


def test_a_collapsed_model_is_told_in_one_line() -> None:
    told = Noting()
    items = [Item(f"n{n}", text=f"{n}") for n in range(50)]

    class Collapsed(Counting):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            return np.zeros((len(prepared), 3), np.float32)

    encode_items(Collapsed(), items, role="query", on_nonfinite="miss", progress=told, batch_size=4)
    (note,) = told.notes
    assert "50 vectors" in note
    assert "n19, … and 30 more" in note


def test_misses_are_told_to_a_listener_that_cannot_be_remembered() -> None:
    class Slotted(Noting):
        __hash__ = None  # type: ignore[assignment]

    told = Slotted()
    encode_items(Sick(), texts("nan"), role="query", on_nonfinite="miss", progress=told)
    assert len(told.notes) == 1


def test_misses_are_told_even_when_the_rest_fails() -> None:
    class Failing(Sick):
        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            if len(self.calls) == 1:
                raise ValueError("no more")
            return super().encode(prepared, role=role)

    told = Noting()
    with pytest.raises(InputError, match="E406"):
        encode_items(
            Failing(), texts("nan", "abcd"), role="query", on_nonfinite="miss", progress=told, batch_size=1
        )
    assert [note[:4] for note in told.notes] == ["W410"]


def test_a_fault_of_the_model_itself_is_said_once_and_not_for_each_item() -> None:
    class Lost(Counting):
        def prepare(self, item: Item) -> bytes:
            raise InputError(Fault("E413", "weights.bin", "not there"))

    with pytest.raises(InputError) as caught:
        encode_items(Lost(), texts("a", "b", "c"), role="query")
    assert len(caught.value.faults) == 1


def test_what_the_model_cannot_encode_is_told_before_any_work() -> None:
    encoder = Counting(modalities=frozenset({"text"}))
    items = [Item("a", text="a"), Item("b", text="b", image=Path("b.png")), Item("c")]
    with pytest.raises(InputError) as caught:
        encode_items(encoder, items, role="query")
    assert [(fault.code, fault.found) for fault in caught.value.faults] == [
        ("E401", "it holds image+text"), ("E401", "it holds nothing"),
    ]  # fmt: skip
    assert encoder.calls == []


def test_preparing_runs_ahead_in_other_threads_and_no_further_than_allowed() -> None:
    lock = threading.Lock()

    class Watching(Counting):
        prepared = most = 0
        threads: frozenset[str] = frozenset()

        def prepare(self, item: Item) -> bytes:
            with lock:
                self.prepared += 1
                self.threads |= {threading.current_thread().name}
            return super().prepare(item)

        def encode(self, prepared: Sequence[bytes], *, role: str) -> np.ndarray:
            time.sleep(0.02)
            self.most = max(self.most, self.prepared - self.encoded)
            return super().encode(prepared, role=role)

    encoder = Watching()
    encode_items(encoder, texts(*map(str, range(200))), role="query", batch_size=5, workers=3)
    assert all(name.startswith("prepare") for name in encoder.threads)
    assert 5 < encoder.most <= 5 * (AHEAD + 1)


def test_no_thread_is_left_behind_after_an_error() -> None:
    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(InputError):
            encode_items(Sick(), texts("nan", *map(str, range(500))), role="query", batch_size=2)
    assert threading.active_count() == before
